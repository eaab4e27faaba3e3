"""The exam's questions: whole, in an invented domain, with answers that are right."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from reactree_planner.agents.offering import DONE, FAILURE
from reactree_planner.exam.asking import least_requests
from reactree_planner.exam.questions import (
    ChoiceQuestion,
    exam_domains,
    exam_questions,
    Kind,
    MOST_REQUESTS,
    ReadingQuestion,
)

SOURCE = Path(__file__).resolve().parents[3] / 'src'
QUESTIONS = [question for _, question in exam_questions()]
READINGS = [one for one in QUESTIONS if isinstance(one, ReadingQuestion)]
CHOICES = [one for one in QUESTIONS if isinstance(one, ChoiceQuestion)]


def test_there_are_questions_of_every_kind_and_requests_for_all_of_them():
    assert Counter(one.kind for one in QUESTIONS).keys() == set(Kind)
    assert sum(map(least_requests, QUESTIONS)) <= MOST_REQUESTS
    # Those of a kind are asked behind each other.
    kinds = [one.kind for one in QUESTIONS]
    assert kinds == sorted(kinds, key=list(Kind).index)


def test_no_question_stands_twice():
    told = Counter(one.about for one in QUESTIONS)
    assert max(told.values()) == 1


def test_who_reads_nothing_is_right_only_where_nothing_is_asked():
    blank = [one.kind for one in READINGS if '' in one.right]
    assert set(blank) == {Kind.NOTHING}
    assert len(blank) < len(READINGS) / 4


def test_one_option_is_right_and_guessing_is_right_seldom():
    for question in CHOICES:
        options = {*question.offered, DONE, FAILURE}
        assert len(options) == len(question.offered) + 2
        assert len(question.right) == 1 and set(question.right) <= options, question.task
        assert len(options) >= 6


def test_skills_that_are_offered_are_skills_of_the_domain():
    for domain in exam_domains():
        verbs = {template.partition('<')[0] for template in domain.vocabulary.templates}
        for question in domain.questions:
            skills = [getattr(question, field, ()) for field in ('offered', 'forbids', 'allows')]
            for skill in (one for each in skills for one in each):
                assert skill.startswith(tuple(verbs)), skill


def test_no_shipped_domain_or_world_knows_their_things():
    things = {
        name
        for domain in exam_domains()
        for name in (*domain.vocabulary.object_classes, *domain.vocabulary.place_classes)
    }
    folders = [SOURCE / 'reactree_domains', SOURCE / 'sim_bridge' / 'worlds' / 'household']
    files = [path for folder in folders for path in folder.rglob('*.yaml')]
    assert files
    for path in files:
        words = set(path.read_text(encoding='utf-8').casefold().split())
        assert not words & {f'{thing}:' for thing in things}, path
