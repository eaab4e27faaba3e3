"""Phrasings with their goals: files, scores, and readers of published ones."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.grounding.alfred import read_alfred
from benchmarks.grounding.conditions import (
    ALL,
    Condition,
    read_condition,
    read_wanted,
    Score,
    score,
)
from benchmarks.grounding.eb_alfred import read_eb_alfred, results_of, table_of
from benchmarks.grounding.measured_reader import grammar_reader, Reading
from benchmarks.grounding.not_told import counted, mark_of, read_not_told
from benchmarks.grounding.phrasings import (
    Half,
    own_sets,
    PHENOMENA,
    Phrasing,
    read_own_set,
    read_phrasings,
)
from benchmarks.grounding.wah_nl import read_wah_nl
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import class_and_number, Relation
from sim_bridge.worlds.household.scenes import generate_apartment
from support.needs import need_data

WORDS = st.text('abcdefg', min_size=1, max_size=6)
NAMES = st.lists(WORDS, min_size=1, max_size=2).map(' '.join)
COUNTS = st.one_of(st.just(ALL), st.integers(1, 99).map(str))
CONDITIONS = st.one_of(
    st.builds(Condition, st.sampled_from([Relation.IN, Relation.IS]), NAMES, NAMES, COUNTS),
    st.builds(Condition, st.just(Relation.HOLDING), st.just(''), NAMES, COUNTS),
    st.builds(Condition, st.just(Relation.AT), st.just(''), NAMES),
    st.builds(Condition, st.none(), st.just(''), NAMES),
)


def known_names(vocabulary: Vocabulary) -> set[str]:
    rooms = {class_and_number(room)[0] for room in vocabulary.rooms}
    return rooms.union(
        vocabulary.object_classes, vocabulary.place_classes, vocabulary.other_classes
    )


def known_states(vocabulary: Vocabulary) -> set[str]:
    told = {
        fact.value
        for skill in vocabulary.skills
        for fact in skill.facts
        if fact.relation is Relation.IS
    }
    return told | {'on', 'off', 'open', 'closed'}


def conditions_of(phrasing: Phrasing) -> Iterator[Condition]:
    for options in phrasing.wanted.conditions:
        yield from options
    yield from phrasing.wanted.allowed


# The files


def test_there_are_seven_sets_of_seventy_phrasings_and_more() -> None:
    sizes = [len(read_own_set(name)) for name in own_sets()]
    assert len(sizes) == 7
    assert min(sizes) >= 70


@pytest.mark.parametrize('name', own_sets())
def test_conditions_are_about_names_and_states_of_the_vocabulary(name: str) -> None:
    for phrasing in read_own_set(name):
        names, states = known_names(phrasing.vocabulary), known_states(phrasing.vocabulary)
        for condition in conditions_of(phrasing):
            if condition.relation is None:
                assert condition.value not in names, phrasing.text
                assert set(condition.value.split()) <= set(
                    phrasing.text.casefold().replace('.', ' ').replace(',', ' ').split()
                ), phrasing.text
                continue
            is_state = condition.relation is Relation.IS
            used = {condition.subject, '' if is_state else condition.value} - {''}
            assert {class_and_number(one)[0] for one in used} <= names, phrasing.text
            assert not is_state or condition.value in states, phrasing.text


@pytest.mark.parametrize('name', own_sets())
def test_both_halves_have_the_same_mix_and_no_text_stands_twice(name: str) -> None:
    phrasings = read_own_set(name)
    texts = [phrasing.text.casefold() for phrasing in phrasings]
    assert len(set(texts)) == len(texts)
    halves = Counter(phrasing.half for phrasing in phrasings)
    assert abs(halves[Half.DEVELOPMENT] - halves[Half.HELD_OUT]) <= 1
    for phenomenon in PHENOMENA:
        mix = Counter(one.half for one in phrasings if phenomenon in one.about)
        assert mix.total() >= 4, phenomenon
        assert abs(mix[Half.DEVELOPMENT] - mix[Half.HELD_OUT]) <= 1, phenomenon


@pytest.mark.parametrize('name', own_sets())
def test_other_words_are_for_names_that_there_are(name: str) -> None:
    vocabulary = read_own_set(name)[0].vocabulary
    assert {told for told, *_ in vocabulary.other_words} <= known_names(vocabulary)


@pytest.mark.parametrize(
    ('wrong', 'said'),
    [
        ('conditions: [crate shelf]', 'is no condition'),
        ('conditions: [not crate in shelf]', 'is no condition'),
        ('conditions: []\n    about: [songs]', "about 'songs', which is none of"),
        ('conditions: []\n    half: third', 'must be one of'),
    ],
)
def test_a_mistake_in_a_file_is_said_in_a_sentence(tmp_path: Path, wrong: str, said: str) -> None:
    file = tmp_path / 'set.yaml'
    for line in ('about: [plain]', 'half: development'):
        if line.split(':')[0] not in wrong:
            wrong += f'\n    {line}'
    file.write_text(f'vocabulary:\n  skills: []\nphrasings:\n  - text: Do it.\n    {wrong}\n')
    with pytest.raises(ConfigurationError, match=said):
        read_phrasings(file)


# Conditions and scores


@pytest.mark.parametrize(
    ('text', 'condition'),
    [
        ('2 crate in shelf', Condition(Relation.IN, 'crate', 'shelf', '2')),
        ('1 crate on shelf 4', Condition(Relation.IN, 'crate', 'shelf 4')),
        ('all crate 2 in  shelf', Condition(Relation.IN, 'crate 2', 'shelf', ALL)),
        ('pump is on', Condition(Relation.IS, 'pump', 'on')),
        ('holding 2 plank', Condition(Relation.HOLDING, '', 'plank', '2')),
        ('at dock 1', Condition(Relation.AT, '', 'dock 1')),
        ('unknown: Glimmer crystal', Condition(None, '', 'glimmer crystal')),
    ],
)
def test_conditions_are_read(text: str, condition: Condition) -> None:
    assert read_condition(text) == condition


@pytest.mark.parametrize('text', ['', 'crate', 'unknown:', 'not holding crate', 'in shelf'])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match='is no condition'):
        read_condition(text)


@given(CONDITIONS)
def test_a_condition_is_what_its_text_says(condition: Condition) -> None:
    assert read_condition(condition.text) == condition


def test_a_phrasing_is_exact_when_all_that_is_wanted_is_told_and_no_more() -> None:
    wanted = read_wanted(['2 crate in shelf', 'pump is on'])
    assert score(['pump is on', '2 crate on shelf'], wanted).flawless
    assert score(['pump is on'], wanted) == Score(1, 2, 1, 1, 0, 0)
    assert score(['pump is on', '2 crate in shelf', 'at dock'], wanted) == Score(1, 2, 3, 2, 0, 0)
    assert score([], read_wanted([])).flawless


def test_a_wrong_count_is_wrong_but_told_apart() -> None:
    wanted = read_wanted(['2 crate in shelf', 'all crate in truck'])
    told = ['crate in shelf', '3 crate in truck']
    assert score(told, wanted) == Score(1, 2, 2, 0, 0, 1)


def test_one_of_several_texts_is_enough_and_each_counts_once() -> None:
    wanted = read_wanted(['rope in shelf | twine in shelf', 'rope in shelf'])
    assert score(['rope in shelf', 'twine in shelf'], wanted).flawless
    assert score(['rope in shelf', 'rope in shelf'], wanted) == Score(1, 2, 1, 1, 0, 0)


def test_what_is_allowed_is_neither_right_nor_wrong() -> None:
    wanted = read_wanted(['crate in shelf'], ['shelf is open'])
    assert score(['crate in shelf', 'shelf is open'], wanted) == Score(1, 1, 1, 1, 1, 1)
    assert score(['shelf is open'], wanted) == Score(1, 1, 0, 0, 0, 0)


def test_unknown_words_are_counted_apart() -> None:
    wanted = read_wanted(['crate in shelf', 'unknown: glimmer crystal'])
    told = ['crate in shelf', 'unknown: crystal', 'unknown: the drivers']
    assert score(told, wanted) == Score(1, 1, 1, 1, 1, 1, 1, 1, 1)
    assert not score(told, wanted).flawless
    assert score(told[:2], wanted).flawless


def test_a_text_of_another_form_is_told_and_wrong() -> None:
    assert score(['crate'], read_wanted(['crate in shelf'])) == Score(1, 1, 1, 0, 0, 0)


def test_shares_are_told_only_of_something() -> None:
    nothing = score([], read_wanted([]))
    assert nothing.precision is None
    assert nothing.recall is None
    both = nothing + score(['pump is on'], read_wanted(['pump is on', 'fan is on']))
    assert both == Score(2, 2, 1, 1, 1, 1)
    assert (both.precision, both.recall) == (1.0, 0.5)


@given(st.lists(CONDITIONS, max_size=6), st.lists(CONDITIONS, max_size=6))
def test_no_more_is_right_than_was_wanted_or_told(
    told: list[Condition], wanted: list[Condition]
) -> None:
    texts = [condition.text for condition in told]
    gold = read_wanted(dict.fromkeys(condition.text for condition in wanted))
    one = score(texts, gold)
    assert one.right <= min(one.wanted, one.told)
    assert one.unknown_right <= one.unknown
    assert one.exact <= one.exact_but_counts
    assert one == score(texts[::-1], gold)
    # What is wanted, told as it is written, is flawless.
    assert score([condition.text for condition in wanted], gold).flawless


def test_a_whole_reading_is_right_when_nothing_at_all_is_wrong() -> None:
    wanted = read_wanted(['crate in shelf', 'unknown: crystal'])
    partial = score(['crate in shelf'], wanted)
    assert (partial.whole, partial.whole_right, partial.whole_wrong) == (0, 0, 0)
    wrong = score(['crate in shelf'], wanted, whole=True)
    assert (wrong.whole, wrong.whole_right, wrong.whole_wrong) == (1, 0, 1)
    right = score(['crate in shelf', 'unknown: crystal'], wanted, whole=True)
    assert (right.whole, right.whole_right, right.whole_wrong) == (1, 1, 0)
    both = wrong + right
    assert (both.whole, both.whole_right, both.whole_wrong) == (2, 1, 1)


# The reader, and phrasings that are not counted


def test_the_grammar_reads_a_plain_phrasing_and_says_that_it_is_whole() -> None:
    phrasing = next(one for one in read_own_set('household') if one.half is Half.DEVELOPMENT)
    reading = grammar_reader()(phrasing.text, phrasing.vocabulary)
    assert score(reading.conditions, phrasing.wanted, whole=reading.whole).whole_right == 1
    assert reading.steps == phrasing.wanted.text


def test_a_phrasing_whose_goal_is_not_told_is_not_counted(tmp_path: Path) -> None:
    first, second = read_own_set('garden')[:2]
    file = tmp_path / 'not_told.txt'
    file.write_text(f'# why\n\ngarden {mark_of(first)} the shed is not named\n')
    not_told = read_not_told(file)
    assert not_told == {'garden': {mark_of(first): 'the shed is not named'}}
    assert counted([first, second], not_told['garden']) == (second,)
    assert counted([first, second], {}) == (first, second)


@pytest.mark.parametrize('line', ['garden 12 short', 'garden 0123456789ab', '0123456789ab why'])
def test_a_line_of_another_form_is_said_in_a_sentence(tmp_path: Path, line: str) -> None:
    file = tmp_path / 'not_told.txt'
    file.write_text(f'# first\n{line}\n')
    with pytest.raises(ConfigurationError, match='line 2: write the set, the mark'):
        read_not_told(file)


def test_failures_of_the_held_out_half_are_not_shown() -> None:
    command = [sys.executable, '-m', 'benchmarks.grounding', '--set', 'garden']
    refused = subprocess.run(
        [*command, '--half', 'held_out', '--failures'], capture_output=True, text=True, timeout=60
    )
    assert refused.returncode == 2
    assert 'the held-out half is for measuring only' in refused.stderr
    shown = subprocess.run([*command, '--failures'], capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0, shown.stderr
    held_out = [one.text for one in read_own_set('garden') if one.half is Half.HELD_OUT]
    assert not any(text in shown.stdout for text in held_out)


# Published instructions, from files of the user


PLAN = [
    *('find a fridge', 'open the fridge', 'find a juice', 'pick up the juice'),
    *('find a coffee table', 'put down the juice', 'find a juice', 'pick up the juice'),
    *('find a coffee table', 'put down the juice', 'switch on the dishwasher'),
]


def test_wah_nl_has_the_goals_of_its_gold_plans(tmp_path: Path) -> None:
    tasks = [
        {'task_id': 7, 'nl_instructions': ['Two juices!', 'Juice, twice.'], 'task_plan': PLAN}
    ] * 7
    file = tmp_path / 'wah_examples_for_prompt_default.json'
    file.write_text(json.dumps(tasks))
    apartment = tmp_path / 'graph_env_setup_0.json'
    apartment.write_text(json.dumps(generate_apartment(1)))
    phrasings = read_wah_nl(tmp_path, tmp_path)
    assert len(phrasings) == 14
    first = phrasings[0]
    assert first.wanted.text == '2 juice in coffee table; dishwasher is on'
    assert {'juice'} <= set(first.vocabulary.object_classes)
    assert {'coffee table'} <= set(first.vocabulary.place_classes)
    assert score(['2 juice on coffee table', 'dishwasher is on'], first.wanted).flawless
    # The sixth has an even index, and is one that whole runs are measured on.
    held_out = [one.half is Half.HELD_OUT for one in phrasings[::2]]
    assert held_out == [False, True, False, True, False, True, True]


def test_alfred_has_the_goals_of_its_parameters(tmp_path: Path) -> None:
    def task(family: str, thing: str, place: str, **more: object) -> dict[str, object]:
        told = {'object_target': thing, 'parent_target': place, 'mrecep_target': ''}
        told |= {'toggle_target': '', 'object_sliced': False, **more}  # type: ignore[dict-item]
        return {
            'task_type': family,
            'pddl_params': told,
            'floor_plan': 'FloorPlan1',
            'task_descs': ['Do it. ', 'Do it.'],
            'high_pddl': [['PutObject', ['knife', 'sinkbasin']]],
        }

    tasks = [
        task('pick_and_place_simple', 'Mug', 'Desk'),
        task('pick_two_obj_and_place', 'CD', 'Safe'),
        task('look_at_obj_in_light', 'Bowl', '', toggle_target='DeskLamp'),
        task('pick_heat_then_place_in_recep', 'Egg', 'Fridge', object_sliced=True),
        task('pick_and_place_with_movable_recep', 'Fork', 'Desk', mrecep_target='Cup'),
    ]
    (tmp_path / 'valid_index.json').write_text(json.dumps(tasks))
    (tmp_path / 'FloorPlan1-objects.json').write_text('["Desk", "DeskLamp", "Window", "Mug"]')
    phrasings = read_alfred(tmp_path, tmp_path)
    assert [one.wanted.text for one in phrasings] == [
        'mug in desk',
        '2 cd in safe',
        'holding bowl; desklamp is on',
        'egg is sliced; egg is hot; egg in fridge',
        'fork in cup; cup in desk',
    ]
    names = phrasings[0].vocabulary
    assert (names.place_classes, names.other_classes) == (('desk',), ('desklamp',))
    assert read_condition('knife in sinkbasin') in phrasings[0].wanted.allowed
    assert read_condition('fork in desk') in phrasings[4].wanted.allowed
    assert [one.half is Half.HELD_OUT for one in phrasings] == [False, True, False, True, False]


def test_folders_without_the_published_files_are_told_of(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='with --wah and that of'):
        read_wah_nl(tmp_path, tmp_path)
    with pytest.raises(ConfigurationError, match='cannot be read: name the folder'):
        read_alfred(tmp_path, tmp_path)


def test_the_published_files_name_what_their_worlds_have(shared_data: Path) -> None:
    need_data(shared_data / 'wah_nl_train')
    # Each task builds its apartment.
    wah = read_wah_nl(shared_data / 'wah_nl_train', shared_data / 'wah_graphs', every=5)
    alfred = read_alfred(shared_data / 'alfred_traj', shared_data / 'alfred_layouts')
    for phrasing in (*wah, *alfred):
        names = known_names(phrasing.vocabulary)
        for options in phrasing.wanted.conditions:
            for condition in options:
                is_state = condition.relation is Relation.IS
                used = {condition.subject, '' if is_state else condition.value} - {''}
                # The fault does not show the text: some are only for measuring.
                assert used <= names


def test_eb_alfred_compares_the_target_object_and_its_place(tmp_path: Path) -> None:
    trial = tmp_path / 'tasks' / 'pick' / 'trial_1'
    trial.mkdir(parents=True)
    goal = {'object_target': 'Mug', 'parent_target': '', 'toggle_target': 'DeskLamp'}
    task = {'pddl_params': goal, 'scene': {'floor_plan': 'FloorPlan1'}}
    (trial / 'traj_data.json').write_text(json.dumps(task))
    told = [{'task': 'pick/trial_1', 'instruction': one} for one in ('Mug, light', 'Bowl', 'Hm')]
    (tmp_path / 'splits.json').write_text(json.dumps({'base': told[:2], 'spatial': told[2:]}))
    (tmp_path / 'FloorPlan1-objects.json').write_text('["Desk", "DeskLamp", "Mug", "Bowl"]')
    tasks = read_eb_alfred(tmp_path, tmp_path)
    assert [(one.kind, one.target, one.place) for one in tasks] == [
        ('base', 'mug', 'desklamp'),
        ('base', 'mug', 'desklamp'),
        ('spatial', 'mug', 'desklamp'),
    ]
    readings = {
        'Mug, light': Reading(('holding mug', 'desklamp is on'), whole=True),
        'Bowl': Reading(('holding bowl',), whole=True, steps='holding bowl'),
        'Hm': Reading(('unknown: mug',)),
    }
    results = results_of(tasks, lambda text, _: readings[text])
    assert [(one.has_target, one.has_place) for one in results] == [
        (True, True),
        (False, False),
        (False, False),
    ]
    table = table_of(results)
    assert '| base | 2 | 1 | 1 | 2 | 1 | 1 |' in table
    assert '| all | 3 | 1 | 1 | 2 | 1 | 1 |' in table
    assert table.endswith('Bowl (base)\n    got:    holding bowl\n    target: mug, desklamp')
    with pytest.raises(ConfigurationError, match='with --eb-alfred and that of'):
        read_eb_alfred(tmp_path / 'tasks', tmp_path)
