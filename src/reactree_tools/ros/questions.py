"""Questions of a planner's run: heard, shown in the terminal with their options, answered."""

from __future__ import annotations

from rich.text import Text

from reactree_core.errors import SkillError
from reactree_core.record.questions import LONGEST_TEXT
from reactree_ros.msg import Question
from reactree_ros.srv import AnswerQuestion
from reactree_tools.output import Output
from reactree_tools.plain_text import printable
from reactree_tools.ros.desks import Desk, Requests, who
from reactree_tools.ros.session import Session
from reactree_tools.views.keys import TypedLine
from reactree_tools.views.transcript import clock

#: Back to the first column, and everything after it gone.
_ANEW = '\r\x1b[K'


class Questions(Requests[Question]):
    """The open question of a planner, and the way to answer it.

    Whoever makes one says that somebody can answer here: the planner asks where one is watched.

    :param run_id: only questions of this run; '' for any.
    """

    def __init__(self, session: Session, run_id: str = '') -> None:
        super().__init__(
            session,
            Question,
            'planner/questions',
            Question.STATE_OPEN,
            AnswerQuestion,
            'planner/answer_question',
            run_id,
        )

    def answer(self, question: Question, said: str) -> str:
        """Answer a question: the planner's sentence.

        :raises SkillError: it is open no more, or the answer is none of its options.
        """
        return self.send(
            AnswerQuestion.Request(
                run_id=question.run_id,
                number=question.number,
                answer=said[:LONGEST_TEXT],
                answered_by=who(),
            )
        )


def question_lines(question: Question, output: Output) -> list[Text]:
    """What is asked, and what may be answered."""
    head = Text(f'{output.glyphs.question} ', style='bold yellow')
    head.append(printable(question.text), style='bold')
    lines = [head]
    for number, option in enumerate(question.options, start=1):
        line = Text(f'  {number}  ', style='bold').append(printable(option), style='not bold')
        if option == question.default_answer:
            line.append('  (taken where nobody answers)', style='not bold dim')
        lines.append(line)
    return lines


class QuestionDesk(Desk[Question]):
    """Takes a number or words for the open question, and counts down."""

    _requests: Questions
    _typed: TypedLine
    _drawn = ''

    def ended(self) -> str:
        """Who answered, or what is taken."""
        now = self._requests.newest
        if now.state == Question.STATE_ANSWERED:
            return printable(f'answered by {now.answered_by or "somebody else"}: {now.answer}')
        if now.state == Question.STATE_WITHDRAWN:
            return 'the run ends'
        taken = f': "{now.default_answer}" is taken' if now.default_answer else ''
        return printable(f'nobody answered in time{taken}')

    def lines(self, request: Question) -> list[Text]:
        """What is asked."""
        return question_lines(request, self._output)

    def begin(self, request: Question) -> None:
        """Ask for a number or words."""
        self._typed = TypedLine(self.write, LONGEST_TEXT)
        self._drawn = self._prompt(request)
        self.write(self._drawn)

    def _prompt(self, question: Question) -> str:
        left = clock(self._requests.seconds_left + 0.99)
        default = printable(question.default_answer)
        then = f', then "{default}"' if default else ''
        return f'  {"number or words" if question.options else "answer"} ({left}{then}): '

    def refresh(self, request: Question) -> None:
        """Count down, where a line may be drawn anew."""
        prompt = self._prompt(request)
        if self._output.live and prompt != self._drawn:
            self._drawn = prompt
            room = max(8, self._output.console.width - len(prompt) - 1)
            self.write(f'{_ANEW}{prompt}{self._typed.text[-room:]}')

    def take(self, request: Question, key: str) -> None:
        """A key of the answer."""
        if not self._typed.take(key):
            return
        if not self._typed.text.strip():
            self.begin(request)
            return
        try:
            said = self._requests.answer(request, self._typed.text)
        except SkillError as error:
            self._output.warn(str(error))
            self.begin(request)
            return
        self.close()
        self._output.console.print(f'  {said}', soft_wrap=True)
