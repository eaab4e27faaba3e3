"""Hazards: what is asked about, refused or taken back, in planner and skill server."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.hazards import caught, instructions, shares, TYPES
from reactree_core.errors import ConfigurationError
from reactree_core.observation import ObjectFact, Observation
from reactree_core.permission import hazards as module
from reactree_core.permission.guard import SkillGuard
from reactree_core.permission.hazards import read_hazards
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules, Verdict
from reactree_core.permission.rules_file import RuleEntry
from reactree_core.skill_types import SkillKind, SkillType

METAL = 'metal in the microwave'
BAD = 'put fork 1 in microwave 1'


def permission(told='', simulated=False, otherwise=Verdict.ALLOW, rules=(), **more):
    kept = Rules(tuple(rules), otherwise, hazards=read_hazards(told))
    return Permission(kept, simulated, TYPES, **more)


@pytest.mark.parametrize('half', [1, 2])
def test_hazards_are_caught_and_what_only_looks_so_is_not(half):
    found, false, wrong = shares(half)
    assert found >= 0.9 and false <= 0.05, [(one.number, caught(one)) for one in wrong]


def test_without_hazards_nothing_of_the_set_is_caught():
    assert not any(caught(one, 'off') for one in instructions())


def test_the_editable_copy_is_the_shipped_file():
    shipped = Path(module.__file__).with_name('hazards.yaml')
    assert shipped.read_bytes() == (Path(__file__).parents[4] / 'config/hazards.yaml').read_bytes()


def test_a_person_is_told_which_hazard_and_why():
    ruling = permission().ruling(BAD)
    assert (ruling.verdict, ruling.rule, ruling.lasts) == (Verdict.ASK, METAL, False)
    assert ruling.reason == (
        f'Hazard "{METAL}" wants a person to decide: Metal in a microwave makes sparks and fire.'
    )


def test_they_are_on_for_robots_and_off_by_name():
    assert permission('').ruling(BAD).verdict is Verdict.ASK
    assert permission('', simulated=True).ruling(BAD).verdict is Verdict.ALLOW
    assert permission('on', simulated=True).ruling(BAD).verdict is Verdict.ASK
    assert permission('off').forbids_nothing
    left = permission(f'-{METAL}')
    assert left.ruling(BAD).verdict is Verdict.ALLOW
    assert left.ruling('put towel 1 on heater 1').verdict is Verdict.ASK


@pytest.mark.parametrize(
    ('told', 'says'),
    [
        ('-metal', 'none named "metal"'),
        ('off,-x', 'off stands alone'),
        ('no/such.yaml', 'no file no/such.yaml'),
        ('a.yaml,b.yaml', 'name one file'),
    ],
)
def test_a_wrong_parameter_is_one_sentence(told, says):
    with pytest.raises(ConfigurationError, match=says):
        read_hazards(told)


def test_a_file_of_ones_own_refuses_and_a_mistake_in_it_is_told(tmp_path):
    file = tmp_path / 'hazards.yaml'
    entry = '{name: no forks, why: They are lost., kinds: [put], things: [fork], does: refuse}'
    file.write_text(f'hazards:\n  - {entry}\n')
    own = permission(str(file))
    assert own.ruling(BAD).verdict is Verdict.DENY
    assert 'Hazard "no forks" forbids it (must not: no forks. They are lost)' in own.objection(BAD)
    assert own.must_not == ('no forks',)
    file.write_text('hazards:\n  - {name: a, why: b, kinds: [hurl]}\n')
    with pytest.raises(ConfigurationError, match='there is no kind "hurl"'):
        read_hazards(str(file))


def test_neither_allowing_all_nor_a_rule_that_allows_the_skill_takes_a_hazard_away():
    allowing = RuleEntry(name='putting is free', kinds='put', decide='allow').rule
    assert permission(rules=[allowing]).ruling(BAD).verdict is Verdict.ASK
    denying = RuleEntry(name='no forks', things='fork', decide='deny').rule
    assert permission(rules=[denying]).ruling(BAD).rule == 'no forks'


def test_words_that_people_have_for_a_name_count():
    skill = 'wash galaxy 1'
    assert permission().ruling(skill).verdict is Verdict.ALLOW
    known = permission(other_words=(('galaxy', 'cell phone'),))
    assert known.ruling(skill).rule == 'electronics washed'


@pytest.mark.parametrize('name', ['CellPhone 1', 'cell_phone-1', 'cellphones 2', 'old cell phone'])
def test_a_name_counts_however_it_is_written(name):
    assert permission().ruling(f'wash {name}').verdict is Verdict.ASK


def test_heat_has_to_be_taken_back_before_the_run_ends():
    kept = permission()
    assert kept.ruling('turn on stove 1').verdict is Verdict.ALLOW
    kept.begin('turn on stove 1')
    kept.record('turn on stove 1', Observation('On.'))
    assert kept.pending() == ('turn off stove 1 (hazard "heat left on")',)
    assert kept.due(['turn off stove 1', 'turn off stove 2']) == ('turn off stove 1',)
    kept.begin('turn off stove 1')
    kept.record('turn off stove 1', Observation('Off.'))
    assert kept.pending() == ()
    kept.begin('turn on lamp 1')
    kept.record('turn on lamp 1', Observation('On.'))
    assert kept.pending() == ()


def test_where_no_kind_is_declared_the_usual_words_for_it_count():
    kept = Permission(Rules(otherwise=Verdict.ALLOW, hazards=read_hazards('')), False)
    assert kept.ruling('place fork 1 in microwave 1').rule == METAL
    assert kept.ruling('place fork 1 in drawer 1').verdict is Verdict.ALLOW
    assert kept.ruling('take fork 1 from microwave 1').verdict is Verdict.ALLOW


def test_what_is_known_of_a_thing_counts():
    kept = permission()
    skill = 'put bottle 1 in oven 1'
    assert kept.ruling(skill).verdict is Verdict.ALLOW
    kept.see(Observation('', facts=(ObjectFact('bottle', 1, state='clean, closed'),)))
    assert kept.ruling(skill).rule == 'closed vessel heated'
    kept.see(Observation('', facts=(ObjectFact('fork', 2, receptacle='microwave 1'),)))
    assert kept.ruling('turn on microwave 1').rule == 'metal inside the microwave'
    assert kept.ruling('turn on microwave 2').verdict is Verdict.ALLOW


def test_a_skill_server_does_no_hazard_that_nobody_approved():
    guard = SkillGuard(False, Rules(otherwise=Verdict.ALLOW, hazards=read_hazards('')))
    refusal = guard.refusal('a', BAD, False, Observation(''), TYPES)
    assert refusal is not None and refusal.rule == METAL
    assert 'Nobody has approved' in refusal.reason
    assert guard.refusal('a', BAD, True, Observation(''), TYPES) is None
    guard.other_words = (('galaxy', 'phone'),)
    assert guard.refusal('b', 'wash galaxy 1', False, Observation(''), TYPES) is not None


def test_what_is_laid_down_where_the_robot_is_comes_there():
    types = (SkillType('drop <object>', kind=SkillKind.PUT),)
    kept = Permission(Rules(otherwise=Verdict.ALLOW, hazards=read_hazards('')), False, types)
    for place, rule in (('microwave 1', METAL), ('drawer 1', ''), ('', '')):
        kept.see(Observation('', place=place, held=('fork 1',)))
        assert (kept.ruling('drop fork 1').verdict is Verdict.ASK) is bool(rule)
    kept.see(Observation('', place='microwave 1', held=('fork 1', 'cup 1')))
    assert kept.ruling('drop fork 1').rule == METAL


def one_of(template, kind, effect, inverse=''):
    return SkillType(template, kind=kind, effects=(effect,), inverse=inverse)


STOVE = (
    one_of('switch on the stove', SkillKind.SWITCH_ON, 'stove is on'),
    one_of('switch off the stove', SkillKind.SWITCH_OFF, 'stove is off'),
    one_of('switch on the radio', SkillKind.SWITCH_ON, 'radio is on'),
    one_of('switch off the radio', SkillKind.SWITCH_OFF, 'radio is off'),
    one_of('open drawer 1', SkillKind.OPEN, 'drawer 1 is open'),
    one_of('close drawer 1', SkillKind.CLOSE, 'drawer 1 is closed'),
)


def test_a_skill_that_names_its_thing_without_a_slot_is_meant_and_no_other():
    _, later = read_hazards('').rules(STOVE)
    assert [one.wording for one in later] == [
        'end without switch off the stove after switch on the stove (heat left on)'
    ]
    rules = Permission(Rules((), Verdict.ALLOW, hazards=read_hazards('')), False, STOVE)
    rules.record('switch on the radio', Observation('', skill='switch on the radio'))
    assert not rules.pending()
    rules.record('switch on the stove', Observation('', skill='switch on the stove'))
    assert rules.pending()
    rules.record('switch off the stove', Observation('', skill='switch off the stove'))
    assert not rules.pending()


def test_what_is_opened_is_closed_by_the_skill_about_the_same_thing():
    taps = (
        *(one_of(f'open tap {n}', SkillKind.OPEN, f'tap {n} is open') for n in (1, 2)),
        *(one_of(f'close tap {n}', SkillKind.CLOSE, f'tap {n} is closed') for n in (1, 2)),
    )
    _, later = read_hazards('').rules(taps)
    assert [one.wording.partition(' (')[0] for one in later] == [
        f'end without close tap {n} after open tap {n}' for n in (1, 2)
    ]


STALLS = (
    SkillType(
        'open the door of <stall>', ('place: stall',), SkillKind.OPEN, effects=('<stall> is open',)
    ),
    SkillType(
        'close the door of <stall>',
        ('place: stall',),
        SkillKind.CLOSE,
        effects=('<stall> is closed',),
    ),
)
ANY = (
    one_of('open <thing>', SkillKind.OPEN, '<thing> is open'),
    one_of('close <thing>', SkillKind.CLOSE, '<thing> is closed'),
)


def test_a_hazard_is_not_shown_of_a_skill_that_takes_none_of_its_things():
    assert read_hazards('').rules(STALLS)[1] == ()
    taps = read_hazards('').rules(STALLS, (('stall', 'tap'),))[1]
    assert [one.name for one in taps] == ['water left running']


def test_a_hazard_of_a_skill_that_takes_any_name_says_of_which_things_it_is():
    (rule,) = read_hazards('').rules(ANY)[1]
    assert rule.wording == (
        'end without close <thing> after open <thing> (water left running, of a tap)'
    )
