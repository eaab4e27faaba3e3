"""Conversions between dataclasses and messages: there, over the wire, and back."""

from __future__ import annotations

import math
import uuid
from dataclasses import replace

import pytest
from builtin_interfaces.msg import Duration, Time
from hypothesis import example, given, HealthCheck, settings
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message
from unique_identifier_msgs.msg import UUID

from reactree_core.belief import Fact, Source, SourceKind
from reactree_core.errors import ConfigurationError, MemoryStoreError, SkillError
from reactree_core.experience import Experience, Termination
from reactree_core.foreign_text import cleaned
from reactree_core.observation import (
    ObjectFact,
    Observation,
    OBSERVATION_LIMIT,
    Outcome,
    Progress,
    TEXT_LIMIT,
    Vocabulary,
)
from reactree_core.ros import conversions, fields
from reactree_core.ros.conversions import observation_from_message, observation_to_message
from reactree_core.skill_types import MOST_TRIES, read_proposition, SkillKind, SkillType
from reactree_core.usage import LlmUsage
from reactree_ros.msg import Experience as ExperienceMessage
from reactree_ros.msg import ObjectFact as ObjectFactMessage
from reactree_ros.msg import Observation as ObservationMessage
from reactree_ros.srv import GetWorldState, ListSkills

#: The machine may be busy: how long an example takes says nothing.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
UINT32 = st.integers(0, 2**32 - 1)
UINT64 = st.integers(0, 2**64 - 1)
#: What any message carries unchanged.
TEXTS = st.text(st.characters(exclude_categories=['Cs', 'Cc', 'Zl', 'Zp']), max_size=60).map(
    cleaned
)
NAMES = st.lists(TEXTS, max_size=5).map(tuple)
UNIQUE = st.lists(TEXTS, max_size=5, unique=True).map(tuple)
#: Whatever a world or a model may say.
WILD = st.text(st.characters(), max_size=200)
#: Multiples of 1/512 s are whole nanoseconds, and exact as a float too.
TIMES = st.integers(-(2**40), 2**40 - 513).map(lambda number: number / 512)
RUN_IDS = st.one_of(st.just(''), st.uuids().map(lambda value: value.hex))

FACTS = st.builds(ObjectFact, TEXTS, UINT32, TEXTS, TEXTS, TEXTS, TIMES)
PROPOSITIONS = st.sampled_from(
    [
        'at dock 1', 'holding cup 1', 'not holding cup 1', 'crate 1 in dock 2',
        'not crate 1 in dock 2', 'gate 1 is open', 'battery is 80 %', 'plant 3 is moisture 23 %',
    ]
).map(read_proposition)  # fmt: skip
EVIDENCE = st.builds(
    Fact,
    PROPOSITIONS,
    st.builds(Source, st.sampled_from(SourceKind), TEXTS),
    TIMES,
    st.one_of(st.just(math.inf), st.floats(0.001, 1e6)),
)
OBSERVATIONS = st.builds(
    Observation,
    TEXTS,
    st.sampled_from(Outcome),
    TEXTS,
    TEXTS,
    TEXTS,
    NAMES,
    NAMES,
    NAMES,
    st.lists(FACTS, max_size=4).map(tuple),
    UINT32,
    UINT32,
    TIMES,
    st.floats(0.0, 1e6, width=32),
    st.booleans(),
    evidence=st.lists(EVIDENCE, max_size=3).map(tuple),
)
EXPERIENCES = st.builds(
    Experience,
    TEXTS,
    TEXTS,
    TEXTS,
    st.sampled_from(Termination),
    TEXTS,
    TEXTS,
    TEXTS,
    TEXTS,
    UINT32,
    st.floats(-1.0, 1.0, width=32),
)
USAGES = st.builds(
    LlmUsage, TEXTS, UINT64, UINT64, UINT64, UINT64, UINT32, st.floats(0.0, 1e9, width=64)
)


def over_the_wire(message):
    """The same message as a subscriber of another process gets it."""
    return deserialize_message(serialize_message(message), type(message))


# Texts ---------------------------------------------------------------------------------------


@given(TEXTS)
@patient
def test_a_text_that_fits_stays_as_it_is(text):
    assert fields.bounded(text) == text


@given(WILD, st.integers(3, 40))
@example('\ud800' * 20, 10)
@example('€' * 20, 10)
@example('\0' * 20, 10)
@patient
def test_any_text_becomes_one_that_a_message_carries(text, limit):
    cut = fields.bounded(text, limit)
    data = cut.encode()
    assert len(data) <= limit
    assert '\0' not in cut
    assert fields.bounded(cut, limit) == cut
    message = ObservationMessage(text=cut)
    assert over_the_wire(message).text == cut


def test_a_long_text_is_cut_visibly():
    cut = fields.bounded('x' * (TEXT_LIMIT + 1))
    assert len(cut.encode()) == TEXT_LIMIT
    assert cut.endswith('x' + fields.ELLIPSIS)


def test_a_character_is_never_cut_in_half():
    assert fields.bounded('ää', 3) == fields.ELLIPSIS
    assert fields.bounded('aää', 4) == 'a' + fields.ELLIPSIS


def test_lists_of_names_are_bounded():
    names = fields.bounded_names(f'{"n" * 600} {number}' for number in range(5000))
    assert len(names) == fields.LIST_LIMIT
    assert all(len(name.encode()) == fields.NAME_LIMIT for name in names)


def test_facts_that_are_left_out_are_said_and_nothing_follows_from_them():
    facts = tuple(ObjectFact('pin', number) for number in range(fields.LIST_LIMIT + 1))
    whole = Observation('You see pins.', facts=facts[:-1], looked_at=('bin',))
    assert observation_from_message(observation_to_message(whole)) == whole
    cut = observation_from_message(observation_to_message(replace(whole, facts=facts)))
    assert len(cut.facts) == fields.LIST_LIMIT and cut.looked_at == ()
    assert cut.text.endswith('Of 4097 things 4096 are reported: others may be here all the same.')


# Times and ids -------------------------------------------------------------------------------


@given(st.floats(-(2.0**31), 2.0**31 - 2))
@patient
def test_any_time_comes_back_to_the_nanosecond(seconds):
    message = conversions.time_to_message(seconds)
    assert 0 <= message.nanosec < 1_000_000_000
    assert abs(conversions.time_from_message(message) - seconds) <= 1e-9


@given(TIMES)
@patient
def test_times_and_durations_come_back(seconds):
    assert conversions.time_from_message(conversions.time_to_message(seconds)) == seconds
    assert conversions.duration_from_message(conversions.duration_to_message(seconds)) == seconds


def test_negative_seconds_have_positive_nanoseconds():
    assert conversions.time_to_message(-0.25) == Time(sec=-1, nanosec=750_000_000)
    assert conversions.duration_to_message(1.5) == Duration(sec=1, nanosec=500_000_000)


@pytest.mark.parametrize('seconds', [math.nan, math.inf, -math.inf, 2.0**31, -(2.0**32)])
def test_a_time_that_does_not_fit_is_refused(seconds):
    with pytest.raises(SkillError, match='does not fit'):
        conversions.time_to_message(seconds)


@given(RUN_IDS)
@patient
def test_run_ids_come_back(run_id):
    message = over_the_wire(conversions.run_id_to_message(run_id))
    expected = '' if set(run_id) == {'0'} else run_id
    assert conversions.run_id_from_message(message) == expected


def test_a_run_id_may_have_dashes():
    value = uuid.uuid4()
    assert conversions.run_id_to_message(str(value)) == conversions.run_id_to_message(value.hex)


@pytest.mark.parametrize('run_id', ['seed', '12', 'g' * 32])
def test_what_is_no_run_id_is_refused(run_id):
    with pytest.raises(ConfigurationError, match='32 hexadecimal digits'):
        conversions.run_id_to_message(run_id)


def test_the_goal_id_of_a_skill_is_uuid5_of_run_and_number():
    run = uuid.UUID('12345678123456781234567812345678')
    expected = uuid.uuid5(run, '7')
    message = conversions.skill_goal_id(run.hex, 7)
    assert isinstance(message, UUID)
    assert bytes(message.uuid) == expected.bytes


# Messages ------------------------------------------------------------------------------------


@given(FACTS)
@patient
def test_facts_come_back(fact):
    message = over_the_wire(conversions.facts_to_messages([fact])[0])
    assert conversions.fact_from_message(message) == fact


@given(OBSERVATIONS, RUN_IDS)
@patient
def test_observations_come_back(observation, run_id):
    message = over_the_wire(conversions.observation_to_message(observation, run_id))
    assert conversions.observation_from_message(message) == observation
    assert message.run_id == conversions.run_id_to_message(run_id)


@given(st.lists(WILD, min_size=8, max_size=8))
@patient
def test_wild_texts_never_break_an_observation(texts):
    fact = ObjectFact(texts[0], 1, texts[1], texts[2], texts[3])
    observation = Observation(
        texts[4] * 100, skill=texts[5], place=texts[6], held=(texts[7],), facts=(fact,) * 3
    )
    message = conversions.observation_to_message(observation)
    again = over_the_wire(message)
    assert again == message
    assert len(again.text.encode()) <= OBSERVATION_LIMIT
    assert conversions.observation_from_message(again).held[0] == again.held[0]


@pytest.mark.parametrize('letter', ['x', 'é', '家'])
def test_over_long_texts_of_a_foreign_server_are_cut_on_arrival(letter):
    message = ObservationMessage(text=letter * (OBSERVATION_LIMIT + 1))
    observation = conversions.observation_from_message(message)
    assert len(observation.text.encode()) <= OBSERVATION_LIMIT
    assert observation.text.endswith(letter + fields.ELLIPSIS)


def test_a_page_of_64_kb_goes_there_and_back_with_its_line_breaks():
    page = 'craft 4 oak planks\n' * (OBSERVATION_LIMIT // 19)
    observation = Observation(page.ljust(OBSERVATION_LIMIT, '.'))
    message = over_the_wire(conversions.observation_to_message(observation))
    assert conversions.observation_from_message(message) == observation


def test_an_unknown_outcome_is_refused():
    with pytest.raises(SkillError, match='outcome 99'):
        conversions.observation_from_message(ObservationMessage(outcome=99))


@pytest.mark.parametrize(
    'observation',
    [
        Observation('', sequence=-1),
        Observation('', node_id=2**32),
        Observation('', stamp=math.inf),
        Observation('', facts=(ObjectFact('apple', -1),)),
        Observation('', facts=(ObjectFact('apple', 1, seen_at=math.nan),)),
    ],
)
def test_numbers_that_do_not_fit_are_refused(observation):
    with pytest.raises(SkillError):
        conversions.observation_to_message(observation)


@pytest.mark.parametrize('told', [-1.0, math.inf, math.nan, 1e30])
def test_what_is_no_distance_counts_nothing(told):
    message = conversions.observation_to_message(Observation('x', distance=told))
    assert conversions.observation_from_message(message).distance == 0.0


@given(EXPERIENCES)
@patient
def test_experiences_come_back(experience):
    message = over_the_wire(conversions.experience_to_message(experience))
    assert conversions.experience_from_message(message) == experience


def test_an_unknown_termination_is_refused():
    with pytest.raises(MemoryStoreError, match='termination 9'):
        conversions.experience_from_message(ExperienceMessage(termination=9))


def test_a_long_trajectory_is_kept_longer_than_other_texts():
    experience = Experience('e', 'g', 'x' * 300_000, Termination.SUCCESS)
    message = conversions.experience_to_message(experience)
    assert len(message.trajectory.encode()) == fields.TRAJECTORY_LIMIT


@given(USAGES)
@patient
def test_usage_comes_back(usage):
    message = over_the_wire(conversions.usage_to_message(usage))
    assert conversions.usage_from_message(message) == usage


def test_negative_counts_are_refused():
    with pytest.raises(SkillError, match='prompt tokens'):
        conversions.usage_to_message(LlmUsage(prompt_tokens=-1))


SCORES = st.one_of(st.none(), st.floats(0.0, 1.0, width=32))


def made_progress(met, total, conditions, score):
    return Progress(min(met, total), total, conditions, score)


@given(st.one_of(st.none(), st.builds(made_progress, UINT32, UINT32, NAMES, SCORES)))
@patient
def test_progress_comes_back(progress):
    response = conversions.progress_to_response(progress, GetWorldState.Response())
    response = over_the_wire(response)
    assert conversions.progress_from_response(response) == progress
    assert response.success == (progress is not None and progress.success)


@given(
    st.builds(GetWorldState.Response, success=st.booleans()),
    st.sampled_from(['has_goal', 'has_score']),
    # A message refuses the very largest float32, for its bound is written with ten digits.
    st.floats(-(2.0**127), 2.0**127, width=32) | st.sampled_from([math.inf, -math.inf, math.nan]),
)
@patient
def test_a_server_that_only_says_whether_or_how_well_is_believed(response, told, score):
    setattr(response, told, True)
    response.score = score
    progress = conversions.progress_from_response(response)
    if told == 'has_goal':
        assert progress.success == response.success
    else:
        assert 0.0 <= progress.score <= 1.0
        assert progress.success == (score >= 1.0)


@given(st.builds(Vocabulary, UNIQUE, UNIQUE, UNIQUE, UNIQUE), NAMES, NAMES, OBSERVATIONS)
@patient
def test_skills_come_back(vocabulary, admissible, candidates, look):
    response = conversions.skills_to_response(
        vocabulary, admissible, candidates, look, ListSkills.Response()
    )
    known, wider, seen = conversions.skills_from_response(over_the_wire(response))
    assert (known, wider) == (vocabulary, candidates)
    assert seen.admissible_skills == admissible
    assert seen.text == look.text
    assert seen.facts == look.facts


def test_all_that_is_declared_of_a_skill_comes_back():
    water = SkillType(
        'water <plant> with <ml> ml',
        ('thing: plant, seedling', 'number: 0..300 step 10 ml'),
        SkillKind.CHANGE,
        '',
        ('<plant> is wet',),
        'with a hose',
        ('give',),
        ('at <plant>', 'hands free'),
        1,
    )
    rest = SkillType('rest')
    vocabulary = Vocabulary((water.template, rest.template), skill_types=(water, rest))
    response = conversions.skills_to_response(
        vocabulary, (), (), Observation(''), ListSkills.Response()
    )
    assert conversions.skills_from_response(over_the_wire(response))[0] == vocabulary
    response.skill_types[1].tries = 99
    assert conversions.skills_from_response(response)[0].skill_types[1].tries == MOST_TRIES


@pytest.mark.parametrize('control', ['\0', '\x07', '\r', '\x1b[2J', '\x1b]0;title\x07', '\x9b31m'])
def test_what_commands_a_terminal_is_replaced_and_line_breaks_stay(control):
    dirty = Observation(
        f'You see\n\ta {control}cup.\r\nThat is all.',
        place=f'table{control} 1',
        held=(f'cup{control} 1',),
        admissible_skills=(f'go to{control}\nshelf 1',),
        facts=(ObjectFact(f'cup{control}', 1, room='hall\n1'),),
    )
    for clean in (
        observation_from_message(observation_to_message(dirty)),
        observation_from_message(_as_a_foreign_server_sends(dirty)),
    ):
        names = [clean.place, *clean.held, *clean.admissible_skills, clean.facts[0].object_class]
        assert not fields.CONTROL_CHARACTER.search(' '.join([clean.text, *names]))
        assert 'cup' in clean.text and clean.held[0].startswith('cup')
        assert clean.text.startswith('You see\n\ta ') and clean.text.endswith('.\nThat is all.')
        assert clean.facts[0].room == 'hall 1'
        assert '\n' not in clean.admissible_skills[0]


def _as_a_foreign_server_sends(observation):
    """Without our fields."""
    message = observation_to_message(Observation(''))
    message.text, message.place = observation.text, observation.place
    message.held = list(observation.held)
    message.admissible_skills = list(observation.admissible_skills)
    fact = observation.facts[0]
    message.facts = [ObjectFactMessage(object_class=fact.object_class, room=fact.room)]
    return message
