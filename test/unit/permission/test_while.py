"""Rules that hold while facts do: of numbers, at their edges, and where nobody tells."""

from __future__ import annotations

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.observation import ObjectFact, Observation
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Verdict
from reactree_core.permission.rules_file import read_rules
from reactree_core.skill_types import SkillKind, SkillType

TYPES = (
    SkillType('go to <place>', ('place',), SkillKind.MOVE),
    SkillType('water <plant> with <ml> ml', ('thing', 'number'), SkillKind.CHANGE),
)
RULES = """\
rules:
  - name: home is always allowed
    skills: go to charger
    decide: allow
  - name: no ways on a low battery
    kinds: move
    while: battery < 20 %
    decide: deny
  - name: water what is dry
    skills: water <plant> with <ml> ml
    while: [moisture of <plant> < 30 %, battery > 30 %]
    decide: allow
"""


@pytest.fixture
def permission(tmp_path):
    path = tmp_path / 'rules.yaml'

    def made(text=RULES):
        path.write_text(text)
        return Permission(read_rules(str(path)), types=TYPES)

    return made


def see(permission, battery=None, **plants):
    told = [ObjectFact('battery', 0, state='' if battery is None else f'{battery} %')]
    for name, moisture in plants.items():
        state = 'unripe' + ('' if moisture is None else f', moisture {moisture} %')
        told.append(ObjectFact('plant', int(name[-1]), state=state))
    permission.see(Observation('', facts=tuple(told)))
    return permission


@pytest.mark.parametrize(
    ('battery', 'verdict'), [(50, Verdict.ASK), (19.9, Verdict.DENY), (None, Verdict.DENY)]
)
def test_a_rule_that_denies_holds_where_the_number_is_so_or_not_known(
    permission, battery, verdict
):
    rules = see(permission(), battery)
    assert rules.ruling('go to bed 1').verdict is verdict
    assert rules.ruling('go to charger').verdict is Verdict.ALLOW


def test_before_anything_was_seen_nothing_is_permitted(permission):
    assert permission().ruling('go to bed 1').verdict is Verdict.DENY


@pytest.mark.parametrize(
    ('battery', 'moisture', 'verdict'),
    [
        (50, 12, Verdict.ALLOW),
        (50, 31, Verdict.ASK),
        (50, None, Verdict.ASK),
        (None, 12, Verdict.ASK),
        (25, 12, Verdict.ASK),
    ],
)
def test_a_rule_that_allows_needs_all_its_numbers(permission, battery, moisture, verdict):
    rules = see(permission(), battery, plant_1=moisture, plant_2=5)
    assert rules.ruling('water plant 1 with 50 ml').verdict is verdict


def test_at_its_edge_the_stricter_answer_stays(permission):
    rules = permission()
    answers = []
    for battery in (21, 19.9, 20.1, 20.9, 21.1, 20.1):
        see(rules, battery)
        answers.append(rules.ruling('go to bed 1').verdict is Verdict.DENY)
    assert answers == [False, True, True, True, False, False]
    rules, answers = permission(), []
    for battery in (31, 30, 30.5, 31.4, 31.6, 30.5):
        see(rules, battery, plant_1=5)
        answers.append(rules.ruling('water plant 1 with 10 ml').verdict is Verdict.ALLOW)
    assert answers == [True, False, False, False, True, True]


def test_what_is_denied_for_a_while_is_not_denied_for_good(permission):
    rules = see(permission(), 10)
    ruling = rules.ruling('go to bed 1')
    assert 'while battery < 20 %' in ruling.reason
    assert not ruling.lasts


@pytest.mark.parametrize(
    ('before', 'after', 'sentence'),
    [
        ('while: battery < 20 %', 'while: battery is', 'of "while" cannot be read'),
        ('moisture of <plant> < 30', 'moisture of <bush> < 30', '<bush> of "moisture of <bush>'),
    ],
)
def test_mistakes_get_a_sentence(permission, before, after, sentence):
    with pytest.raises(ConfigurationError) as caught:
        permission(RULES.replace(before, after))
    assert sentence in str(caught.value)
