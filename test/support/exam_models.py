"""A model that gives the recorded answers of the exam (a double)."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from reactree_planner.exam.questions import ChoiceQuestion, exam_questions, ReadingQuestion

_FILE = Path(__file__).with_name('exam_answers.yaml')
THOUGHT = ' I do what is asked.'


class Recorded:
    """A policy; texts and options may come as they are in prompts, or stripped as in requests.

    :param mistaken: kinds of questions that it gets wrong: it reads nothing, or names the first
        other option.
    """

    def __init__(self, *mistaken):
        self._mistaken = set(mistaken)
        self._questions = [question for _, question in exam_questions()]
        self._answers = yaml.safe_load(_FILE.read_text(encoding='utf-8'))

    def __call__(self, text, options):
        question = self._question(text)
        wrong = question.kind in self._mistaken
        if isinstance(question, ReadingQuestion):
            return json.dumps({} if wrong else self._answers['readings'][question.say])
        if options is None:
            return THOUGHT
        offered = [option.strip() for option in options]
        if set(offered) <= {'Act:', 'Think:', 'Expand:'}:
            return offered.index('Act:')
        right = next(one for one in self._acts(text, question) if one in offered)
        at = offered.index(right)
        return (at + 1) % len(offered) if wrong else at

    def _acts(self, text, question):
        """Recorded skills that stand not yet behind the task, then all."""
        recorded = self._answers['acts'][question.task]
        done = text[text.rfind(question.task) :]
        return [one for one in recorded if f'Act: {one}' not in done] or recorded

    def _question(self, text):
        """The one whose sentence or moment stands last in a text."""
        places = {text.rfind(self._said(one)): one for one in self._questions}
        assert max(places) >= 0, text
        return places[max(places)]

    @staticmethod
    def _said(question):
        match question:
            case ReadingQuestion():
                return f'Task: {json.dumps(question.say, ensure_ascii=False)}'
            case ChoiceQuestion():
                return f'Your task is to: {question.task}\n{question.seen}'
        return f'Your task is to: {question.task}'
