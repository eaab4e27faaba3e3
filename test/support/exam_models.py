"""A model that knows every answer of the exam, for any back end (a double)."""

from __future__ import annotations

import json

from reactree_planner.exam.questions import (
    ChoiceQuestion,
    exam_questions,
    ExpansionQuestion,
    ObjectQuestion,
    ReadingQuestion,
)

THOUGHT = ' I do what is asked.'


class Knowing:
    """A policy; texts and options may come as they are in prompts, or stripped as in requests.

    :param mistaken: kinds of questions that it gets wrong: it names the first other option.
    """

    def __init__(self, *mistaken):
        self._mistaken = set(mistaken)
        self._questions = [question for _, question in exam_questions()]

    def __call__(self, text, options):
        question = self._question(text)
        if options is None:
            return self._written(text, question)
        right = self._right(text, question, [option.strip() for option in options])
        if question.kind in self._mistaken:
            return (right + 1) % len(options)
        return right

    def _question(self, text):
        """The one whose sentence or moment stands last in a text."""
        places = {text.rfind(self._said(one)): one for one in self._questions}
        assert max(places) >= 0, text
        return places[max(places)]

    @staticmethod
    def _said(question):
        match question:
            case ReadingQuestion():
                return f'Sentence: {question.say}'
            case ObjectQuestion():
                return f'Note: {question.note}'
        return f'Your task is to: {question.task}\n{question.seen}'

    def _right(self, text, question, options):
        match question:
            case ReadingQuestion():
                return options.index(self._next_piece(text, question, options))
            case ExpansionQuestion():
                return options.index(question.flow)
            case ChoiceQuestion():
                if set(options) <= {'Act:', 'Think:', 'Expand:'}:
                    return options.index('Act:')
                (right,) = question.right
                return options.index(right)
        raise AssertionError(f'nothing is to be chosen of {question}')

    @staticmethod
    def _next_piece(text, question, options):
        """What goes on with the lines that stand in the text already."""
        lines = '\n'.join(line for line in question.lines.splitlines() if line != 'then')
        said = text.rpartition(f'Sentence: {question.say}\n')[2].partition('\n\n')[0].rstrip()
        assert lines.startswith(said), said
        left = lines[len(said) :].strip()
        if not left:
            return 'end'
        fitting = [option for option in options if left.startswith(option)]
        assert fitting, f'none of {options[:9]} begins {left!r}'
        return max(fitting, key=len)

    def _written(self, text, question):
        if isinstance(question, ObjectQuestion):
            return ' ' + json.dumps({name: one[0] for name, one in question.values.items()})
        if '- subgoals:' in text[text.rfind(self._said(question)) :]:
            parts = (' '.join(word.partition('|')[0] for word in part) for part in question.parts)
            return ' ' + ', '.join(parts)
        return THOUGHT
