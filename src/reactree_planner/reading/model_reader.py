"""A model reads a sentence: one request for the form, the check's violations sent back.

The model gets the server's names, states and skills, and the sentence; it answers with the form as
JSON (`form.schema`), in any language. What the check refuses goes back as one sentence each, at
most twice; what is left then is the reading, refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

from reactree_core.chat import Role, Turn
from reactree_core.errors import ModelOutputError
from reactree_core.ports import ChatSession
from reactree_planner.reading.check import check, End, Report
from reactree_planner.reading.form import from_json, GoalForm, schema
from reactree_planner.reading.vocabulary import ACTS, NameKind, ServerWords

#: Times that violations are sent back.
CORRECTIONS = 2
#: Tokens of an answer.
MOST_TOKENS = 2000
#: Names of one kind that a prompt lists.
_MOST_NAMES = 400
_INSTRUCTIONS = """\
You read the task of a robot and write down what it asks for, as one JSON object. You write what \
shall hold, never how to bring it about.

* "milestones": conditions that hold together, one milestone after the other where the task gives \
an order. A later milestone repeats nothing that simply stays so.
* A condition has "relation": "in" (also "on"), "near" (next to), "is" (a state, or a number such \
as "> 40 %"), "holding", "at" (the robot at a place, "thing" null), "done" (a listed skill with \
its slots filled, in "thing"). "count" is a number or "all". "source" is where the things are \
now, "being" a state that tells which ones, "but" what is excepted, "holds" false for "shall not \
be so".
* Names stand exactly as listed. What you take for a listed name without its being called so goes \
into "taken_for", with the other names it could be in "others".
* A state that no skill reaches is still written as it is meant; never its opposite.
* What must not be done goes into "never" (with an unlisted noun as it is said), how often or how \
much at most into "limits", what has to wait for something into "order". None of it becomes a \
condition. "side" is "from" for taking out of a place, "to" for bringing there.
* if, unless, once, until, whenever, every, after some time: "when" of the task, or of one \
milestone.
* A sentence that asks for an answer and for no act: "question".
* Every "words" quotes the sentence exactly, and as little of it as names the part. Together they \
cover all that the sentence says; what the form has no place for goes into "cannot_say", with \
"matters" true where the task done without it would be wrong.
Answer with the JSON object alone."""


class Reads(Protocol):
    """Opens the conversation in which a model reads (`runs.run_ports.ModelAccount`)."""

    def chat(self, turns: Sequence[Turn]) -> ChatSession:
        """Begin a conversation with these turns."""

    def drop(self, session: ChatSession) -> object:
        """Give a conversation back."""


@runtime_checkable
class StructuredSession(Protocol):
    """A conversation whose answers can be kept to a JSON schema."""

    def write(self, schema: dict[str, Any], max_tokens: int) -> str:
        """What the assistant says next, as JSON of a schema."""


class ModelReader:
    """Reads sentences with a model.

    :param reads: opens conversations. :param corrections: times that violations are sent back.
    """

    def __init__(self, reads: Reads, corrections: int = CORRECTIONS) -> None:
        self._reads = reads
        self._corrections = corrections
        #: Requests of the last reading.
        self.requests = 0

    def read(self, text: str, words: ServerWords) -> Report:
        """The checked form of a sentence.

        :raises ModelError: the model failed. :raises ModelOutputError: no answer was a form.
        :raises CanceledError: stopped.
        """
        self.requests = 0
        session = self._reads.chat((Turn(Role.SYSTEM, _INSTRUCTIONS),))
        try:
            session.say(
                Role.USER,
                f'{vocabulary_text(words)}\n\nTask: {json.dumps(text, ensure_ascii=False)}',
            )
            best: Report | None = None
            fault = ''
            for _ in range(self._corrections + 1):
                try:
                    report = check(self._answer(session, words), text, words)
                except ModelOutputError as error:
                    fault = str(error)
                    wrong: tuple[str, ...] = (fault,)
                else:
                    best = _better(best, report)
                    wrong = report.texts(End.REFUSED)
                    if not wrong:
                        break
                listed = '\n'.join(f'- {one}' for one in wrong)
                session.say(
                    Role.USER, f'This is not right yet:\n{listed}\nWrite the whole object again.'
                )
            if best is None:
                raise ModelOutputError(f'The model wrote no goal: {fault}')
            return best
        finally:
            self._reads.drop(session)

    def _answer(self, session: ChatSession, words: ServerWords) -> GoalForm:
        self.requests += 1
        if isinstance(session, StructuredSession):
            answer = session.write(schema(names=words.names, doings=doings(words)), MOST_TOKENS)
        else:
            answer = session.generate((), MOST_TOKENS)
        return from_json(first_object(answer), GoalForm)


def _better(one: Report | None, other: Report) -> Report:
    """The report with fewer violations, the later of two alike."""
    if one is None:
        return other
    return other if len(other.texts(End.REFUSED)) <= len(one.texts(End.REFUSED)) else one


def first_object(answer: str) -> object:
    """The first JSON object of an answer, whatever stands around it.

    :raises ModelOutputError: there is none.
    """
    decoder = json.JSONDecoder()
    start = answer.find('{')
    while start >= 0:
        try:
            return decoder.raw_decode(answer, start)[0]
        except json.JSONDecodeError:
            start = answer.find('{', start + 1)
    raise ModelOutputError(f'There is no JSON object in the answer {answer[:80]!r}.')


def doings(words: ServerWords) -> tuple[str, ...]:
    """Acts that a prohibition may name: the general ones, and the verbs of skills."""
    return tuple(dict.fromkeys((*ACTS, *(skill.verb for skill in words.skills if skill.verb))))


def vocabulary_text(words: ServerWords) -> str:
    """Names, states and skills of a server, as a prompt lists them."""
    return '\n'.join(_lines(words))


def _lines(words: ServerWords) -> Iterator[str]:
    titles = {
        NameKind.THING: 'Things',
        NameKind.PLACE: 'Places',
        NameKind.REGION: 'Rooms',
        NameKind.OTHER: 'Others',
    }
    called = {name: others for name, *others in words.vocabulary.other_words}
    for kind, title in titles.items():
        names = [name for name in words.names if words.kind(name) is kind][:_MOST_NAMES]
        if names:
            listed = (f'{n} ({", ".join(called[n][:3])})' if called.get(n) else n for n in names)
            yield f'{title}: {", ".join(listed)}'
    states = dict.fromkeys((*words.reachable, *words.vocabulary.states))
    if states:
        yield f'States: {", ".join(states)}'
    if words.vocabulary.numbers:
        yield f'Numbers: {", ".join(words.vocabulary.numbers)}'
    yield 'Skills:'
    for skill in words.skills:
        effects = '; '.join(skill.effects)
        about = '; '.join(filter(None, (skill.kind.name.lower(), effects, skill.description)))
        yield f'- {skill.template} ({about})'
