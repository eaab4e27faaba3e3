"""Limits of amounts that a task tells: read whole and kept, or said not to be kept."""

from __future__ import annotations

import pytest

from reactree_core.observation import Observation, Vocabulary
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules, Verdict
from reactree_core.skill_types import SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone

TYPES = (
    SkillType('water <plant> with <ml> ml', ('thing: plant, tomato', 'number: 0..500 step 10 ml')),
    SkillType('wait <number> s'),
    SkillType('drive to <place>'),
)
TOTAL = 'water <thing> with more than 300 ml in all'
EACH = f'{TOTAL} for each <thing>'

#: Sentence -> what must not be; '-' where it is said not to be kept, '' where there is no limit.
SENTENCES = {
    'Water the plants, never more than 300 ml.': TOTAL,
    'Water the plants, but never use more than 300 ml.': TOTAL,
    'Never more than 300 ml!': TOTAL,
    'Do not use more than 300 ml of water.': TOTAL,
    "Don't exceed 300 ml in total.": TOTAL,
    'You must not exceed 300 millilitres.': TOTAL,
    'No more than 300ml, please.': TOTAL,
    'Water plant 1 with at most 300 ml.': 'water plant 1 with more than 300 ml in all',
    'Use at most three hundred ml.': TOTAL,
    'Use at most twenty ml.': 'water <thing> with more than 20 ml in all',
    'Use up to 2.5 ml.': 'water <thing> with more than 2.5 ml in all',
    'Use a maximum of 300 ml per plant.': EACH,
    'Never give a plant more than 300 ml.': EACH,
    'Water every tomato, never more than 300 ml each.': EACH,
    'Never give any plant more than 300 ml an hour.': f'{EACH} in an hour',
    'At most 300 ml a plant an hour.': f'{EACH} in an hour',
    'Never more than 300 ml at a time.': 'water <thing> with more than 300 ml',
    'Never give plant 1 more than 300 ml.': 'water plant 1 with more than 300 ml in all',
    'Never wait more than 5 seconds at once.': 'wait more than 5 s',
    'Water the plants. Never more than 300 ml. Wait at most 9 s.':
        f'{TOTAL}; wait more than 9 s in all',
    # Read as more, or not whole.
    'Never more than 1,000 ml.': '-',
    'Never more than 1e9 ml.': '-',
    'Never more than ٣٠٠ ml.': '-',
    'Never more than 300-400 ml.': '-',
    'Never more than 300 to 400 ml.': '-',
    'Never more than half a litre.': '-',
    'Never more than 2 gallons.': '-',
    'Never more than 0.3 l.': '-',
    'Never more than 300 ml a day.': '-',
    'Never more than 300 ml if it rained.': '-',
    'If it rained, never more than 300 ml.': '-',
    'Today never more than 300 ml.': '-',
    'Never more than 300 ml in the greenhouse.': '-',
    'Always less than 300 ml.': '-',
    'Do you use no more than 300 ml?': '-',
    # No limits of amounts.
    'Water plant 1 with 300 ml.': '',
    'Take at most two crates.': '',
    'Do not drive to the dock more than twice.': '',
    'Say "never more than 300 ml" to me.': '',
}  # fmt: skip


NAMES = Names(Vocabulary((), ('plant', 'tomato'), ('dock',), skill_types=TYPES))


@pytest.mark.parametrize(('sentence', 'forbidden'), SENTENCES.items())
def test_a_limit_is_read_whole_or_said_not_to_be_kept(sentence, forbidden):
    goal = read_alone(sentence, NAMES)
    # A limit of a case or of another time is kept always: in doubt more is kept.
    told = {
        rule.wording.replace('<plant>', '<thing>') for rule in goal.rules if rule.total is not None
    }
    if forbidden == '-':
        assert told or not goal.whole
    elif forbidden == '':
        assert not told or not goal.whole
    else:
        assert told == set(forbidden.split('; ')) or not goal.whole


def test_most_limits_of_amounts_are_kept():
    kept = [one for one in SENTENCES if SENTENCES[one] not in ('', '-')]
    read = [one for one in kept if any(rule.total for rule in read_alone(one, NAMES).rules)]
    assert len(read) >= 0.9 * len(kept), sorted(set(kept) - set(read))


def test_one_limit_counts_all_skills_with_the_unit():
    types = (*TYPES, SkillType('spray <row> with <amount>', ('thing', 'number: 0..500 ml')))
    names = Names(Vocabulary((), ('plant',), ('dock',), skill_types=types))
    goal = read_alone('Never use more than 300 ml.', names)
    rules = Permission(Rules(), True, types, goal.rules)
    skill = 'water plant 1 with 200 ml'
    rules.begin(skill)
    rules.record(skill, Observation('x', skill=skill))
    assert rules.ruling('spray plant 1 with 100').verdict is Verdict.ALLOW
    assert rules.ruling('spray plant 1 with 110').verdict is Verdict.DENY
