"""The exam's questions: whole, in invented domains, with answers that are right."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from pathlib import Path

from reactree_planner.agents.offering import DONE, FAILURE
from reactree_planner.exam.asking import grammar_answers
from reactree_planner.exam.questions import (
    ChoiceQuestion,
    exam_domains,
    exam_questions,
    Kind,
    ReadingQuestion,
)
from reactree_planner.reading.languages import language_of
from reactree_planner.reading.names import Names

SOURCE = Path(__file__).resolve().parents[3] / 'src'
QUESTIONS = [question for _, question in exam_questions()]
READINGS = [(d, q) for d, q in exam_questions() if isinstance(q, ReadingQuestion)]
CHOICES = [question for question in QUESTIONS if isinstance(question, ChoiceQuestion)]


def test_there_are_about_sixty_in_three_domains_and_of_every_kind():
    assert len(exam_domains()) == 3
    assert 55 <= len(QUESTIONS) <= 70
    assert Counter(one.kind for one in QUESTIONS).keys() == set(Kind)
    for domain in exam_domains():
        assert {one.kind for one in domain.questions} == set(Kind)
    # Those of a kind are asked behind each other.
    kinds = [one.kind for one in QUESTIONS]
    assert kinds == sorted(kinds, key=list(Kind).index)


def test_no_question_stands_twice():
    told = Counter((one.about, getattr(one, 'seen', '')) for one in QUESTIONS)
    assert max(told.values()) == 1


def test_sentences_are_in_english_and_five_other_languages_each_in_each_domain():
    for domain, question in READINGS:
        known = Names(domain.vocabulary).all_words().words
        assert language_of(question.say, known) == question.language, question.say
    languages = Counter((domain.name, question.language) for domain, question in READINGS)
    assert {code for _, code in languages} == {'en', 'de', 'es', 'fr', 'ja', 'zh'}
    assert len(languages) == 18 and set(languages.values()) == {1, 3}


def test_the_grammar_comes_to_the_same_answers_in_english():
    """Whoever wrote them: a second reader agrees with each, and reads nothing else."""
    answers = grammar_answers()
    english = [one for one in answers if one.kind == Kind.ENGLISH.value]
    assert [one.question for one in english if not one.right] == []
    assert not any(one.right for one in answers if one not in english)


def test_readings_name_only_what_their_domain_has():
    for domain, question in READINGS:
        vocabulary = domain.vocabulary
        names = {*vocabulary.object_classes, *vocabulary.place_classes}
        for text in (*chain(*question.wanted), *question.never):
            assert set(text.split()) & names, text


def test_one_option_is_right_and_guessing_is_right_seldom():
    for question in CHOICES:
        options = {*question.offered, DONE, FAILURE}
        assert len(options) == len(question.offered) + 2
        assert len(question.right) == 1 and set(question.right) <= options, question.task
        assert len(options) >= 6


def test_ends_come_in_pairs_so_that_always_or_never_done_is_half_right():
    ends = [one for one in CHOICES if one.kind is Kind.END]
    by_task = Counter((one.task, one.right == [DONE]) for one in ends)
    assert set(by_task.values()) == {1}
    assert {task for task, _ in by_task} == {task for task, done in by_task if done}


def test_skills_that_are_offered_are_skills_of_the_domain():
    for domain in exam_domains():
        verbs = {template.partition('<')[0] for template in domain.vocabulary.templates}
        for question in domain.questions:
            for skill in getattr(question, 'offered', ()):
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
