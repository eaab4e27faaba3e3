"""Readings of the tests' sentences, and their meaning: which skills a goal forbids.

    PYTHONPATH=src:test:. python -m support.readings        # writes the file anew

The file says what is read, right or wrong: `sentences.yaml`, `instructions.txt` and
`time_rules.txt` say what a careful person accepts. It shows what else a change of the grammar
changes; read that diff as whoever said the sentence would.

Expectations are compared by meaning and not by wording: "pick up plate" and "take plate" forbid
the same skills (`forbids`, `weaker`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from pathlib import Path

import yaml

from benchmarks.grounding.phrasings import own_sets, read_own_set, read_vocabulary
from reactree_core.observation import Observation, Vocabulary
from reactree_core.permission.acts import Act, Side
from reactree_core.permission.matching import Moment
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.goal import Goal
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone
from support.skill_kinds import HOME

TESTS = Path(__file__).parents[1] / 'unit'
FILE = TESTS / 'reading' / 'readings.txt'
REGENERATE = 'PYTHONPATH=src:test:. python -m support.readings'
_ACT_OF_KIND = {
    SkillKind.TAKE: 'take',
    SkillKind.PUT: 'put',
    SkillKind.MOVE: 'go',
    SkillKind.OPEN: 'open',
    SkillKind.CLOSE: 'close',
    SkillKind.SWITCH_ON: 'switch on',
    SkillKind.SWITCH_OFF: 'switch off',
}


# What is forbidden -------------------------------------------------------------------------------


@cache
def skills_of(vocabulary: Vocabulary, more: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Skills with each name of a server in their slots. :param more: names beside its own."""
    things = (*vocabulary.object_classes, *vocabulary.place_classes, *vocabulary.other_classes)
    names = (*things, *(room.rpartition(' ')[0] or room for room in vocabulary.rooms), *more)
    found = []
    for one in vocabulary.skills:
        if len(one.slots) == 1:
            found += [one.filled([name]) for name in names]
        else:
            fixed = ['<x>'] * max(0, len(one.slots) - 2)
            pairs = product(names, repeat=min(2, len(one.slots)))
            found += [one.filled([*each, *fixed]) for each in pairs]
    return tuple(dict.fromkeys(found))


def forbids(
    acts: Iterable[Act], vocabulary: Vocabulary, more: frozenset[str] = frozenset()
) -> frozenset[str]:
    """Skills that acts forbid, those included of which nobody knows whether they do.

    :param more: names of skills beside those of the server.
    """
    given = tuple(acts)
    more |= _names(given)
    moments = (
        Moment(skill, Observation(''), {}, vocabulary.skills)
        for skill in skills_of(vocabulary, more)
    )
    return frozenset(
        one.skill for one in moments if any(act.matches(one) is not False for act in given)
    )


def _names(acts: Iterable[Act]) -> frozenset[str]:
    return frozenset(name for one in acts for name in (one.thing, one.place, *one.but) if name)


def acts_of(wording: str, vocabulary: Vocabulary) -> tuple[Act, ...]:
    """Acts of a wording such as "open fridge; pick up plate at sink"; "-" for none."""
    told = (one.strip() for one in wording.split(';'))
    return tuple(_act(one, vocabulary.skills) for one in told if one not in ('', '-'))


def _act(wording: str, types: tuple[SkillType, ...]) -> Act:
    doings = {one.verb: _ACT_OF_KIND.get(one.kind, one.verb) for one in types if one.verb}
    doings |= {'use': 'touch', 'touch': 'touch', 'go to': 'go'} | {
        act: act for act in _ACT_OF_KIND.values()
    }
    verb = max((v for v in doings if f'{wording} '.startswith(f'{v} ')), key=len)
    thing, _, place = wording[len(verb) :].strip().partition(' at ')
    thing = '' if thing == 'anything' else thing
    if doings[verb] == 'go':
        return Act('go', '', thing, Side.TO)
    return Act(doings[verb], thing, place, Side.AT)


def weaker(goal: Goal, wording: str, vocabulary: Vocabulary) -> frozenset[str]:
    """Skills that a wording forbids and a goal does not."""
    wanted = acts_of(wording, vocabulary)
    more = _names((*wanted, *goal.never))
    return forbids(wanted, vocabulary, more) - forbids(goal.never, vocabulary, more)


# Rules in time -----------------------------------------------------------------------------------


def rules_of(wording: str, vocabulary: Vocabulary) -> frozenset[str]:
    """Rules of a wording such as "load <crate> before scan <crate> or <crate> is scanned".

    Acts stand for the verbs of the server; of a skill or the fact that it brings about, the fact.
    """
    told = wording.replace('<', '').replace('>', '').split('; ')
    return frozenset(_rule(one, vocabulary.skills) for one in told if one not in ('', '-'))


def _rule(wording: str, types: tuple[SkillType, ...]) -> str:
    if wording.startswith('end without '):
        first, _, act = wording.removeprefix('end without ').partition(' after ')
        return f'end without {_fact(first, types)} after {_skill(act, types)}'
    for joint in (' before ', ' without '):
        act, found, first = wording.partition(joint)
        if found:
            first, within, often = first.partition(' in the next ')
            return f'{_skill(act, types)}{joint}{_fact(first, types)}{within}{often}'
    act, found, often = wording.partition(' more than ')
    return f'{_skill(act, types)}{found}{often}'


def _fact(text: str, types: tuple[SkillType, ...]) -> str:
    told = text.split(' or ')
    said = (' is ', ' in ')
    facts = [
        one
        for one in told
        if any(each in one for each in said) or one.startswith(('holding ', 'at '))
    ]
    return ' or '.join(facts or [_skill(one, types) for one in told])


#: Words behind the thing of a skill.
_BEHIND = re.compile(r' (?:onto|into|in|on|to|from|with) .*')


def _skill(text: str, types: tuple[SkillType, ...]) -> str:
    verbs = (*(one.verb for one in types), *_ACT_OF_KIND.values(), 'go to', 'touch', 'use')
    verb = max((one for one in verbs if text.startswith(f'{one} ')), key=len, default='')
    text = verb + _BEHIND.sub('', text[len(verb) :])
    (act,) = acts_of(text, Vocabulary(skill_types=types))
    return act.wording


def unkept(goal: Goal, wording: str, vocabulary: Vocabulary) -> frozenset[str]:
    """Rules of a wording that a goal neither has nor makes needless by forbidding more."""
    found = rules_of('; '.join(one.wording for one in goal.rules), vocabulary)
    never = frozenset(one.wording for one in goal.never)
    return frozenset(
        one
        for one in rules_of(wording, vocabulary) - found
        if not any(one.startswith(f'{act} ') for act in never)
        # "Touch" and several acts in one rule are more than one of them.
        and not any(
            rule.partition(' before ')[2] == one.partition(' before ')[2] != ''
            and (rule.startswith('touch ') or ' or ' in rule.partition(' before ')[0])
            for rule in found
        )
    )


# The sentences -----------------------------------------------------------------------------------


def sentences() -> Iterator[tuple[str, str, Names]]:
    """Name of a vocabulary, sentence, and the names of the vocabulary."""
    path = TESTS / 'reading' / 'sentences.yaml'
    told = yaml.safe_load(path.read_text(encoding='utf-8'))
    names = {
        name: Names(read_vocabulary(vocabulary, path))
        for name, vocabulary in told['vocabularies'].items()
    }
    sets = {name: read_own_set(name) for name in own_sets()}
    names |= {name: Names(one[0].vocabulary) for name, one in sets.items()}
    for name, one in sets.items():
        # Every other one: there are hundreds.
        yield from ((name, phrasing.text, names[name]) for phrasing in one[::2])
    for sentence in told['sentences']:
        yield sentence['domain'], sentence['text'], names[sentence['domain']]
    home = Names(HOME)
    for file in ('instructions.txt', 'time_rules.txt'):
        for line in (TESTS / 'planner' / file).read_text(encoding='utf-8').splitlines():
            text, arrow, _ = line.removeprefix('H: ').partition(' => ')
            if arrow and text[1:2] != ':':
                yield 'home', text, home


def text_of(goal: Goal) -> str:
    """The reading of a sentence, on one line."""
    parts = {
        'asks': goal.means,
        'never': '; '.join(one.wording for one in goal.never),
        'rules': '; '.join(one.wording for one in goal.rules),
        'unread': ' / '.join(goal.unread),
        'model': ' / '.join(goal.left_to_model),
        'asks about': ' / '.join(goal.questions),
        'taken': ', '.join(goal.ties),
    }
    return ' | '.join(f'{name}: {text}' for name, text in parts.items() if text) or 'nothing'


def readings() -> str:
    """The whole file."""
    return ''.join(
        f'{where}: {" ".join(text.split())}\n    {text_of(read_alone(text, names))}\n'
        for where, text, names in sentences()
    )


if __name__ == '__main__':
    FILE.write_text(readings(), encoding='utf-8')
