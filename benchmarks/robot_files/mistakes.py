"""One mistake in a generated file: what a user may mistype, with the line on which it stands.

file, token = mistaken(file, seed)      # the file's own line with the token is to be named
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any

#: Word that stands in no generated file, in every mistake.
TOKEN = 'qqzyx'
#: What is changed; False where the file has nothing of the sort.
_Mistake = Callable[[dict[str, Any], Random], bool]


def mistaken(file: dict[str, Any], seed: int) -> tuple[dict[str, Any], str]:
    """A copy of a file with one mistake, and the name of the mistake."""
    draw = Random(seed)
    kinds = list(MISTAKES)
    draw.shuffle(kinds)
    for kind in kinds:
        changed = copy.deepcopy(file)
        if MISTAKES[kind](changed, draw):
            return changed, kind
    raise AssertionError('every file has skills')


def _skill(file: dict[str, Any], draw: Random) -> dict[str, Any]:
    skill: dict[str, Any] = draw.choice(file['skills'])
    return skill


def _unknown_field(file: dict[str, Any], draw: Random) -> bool:
    _skill(file, draw)[TOKEN] = 1
    return True


def _unknown_kind(file: dict[str, Any], draw: Random) -> bool:
    _skill(file, draw)['kind'] = TOKEN
    return True


def _unknown_slot_in_need(file: dict[str, Any], draw: Random) -> bool:
    _skill(file, draw).setdefault('needs', []).append(f'at <{TOKEN}>')
    return True


def _unknown_place_in_need(file: dict[str, Any], draw: Random) -> bool:
    _skill(file, draw).setdefault('needs', []).append(f'at {TOKEN}')
    return True


def _unmeasured_need(file: dict[str, Any], draw: Random) -> bool:
    _skill(file, draw).setdefault('needs', []).append(f'{TOKEN} > 5')
    return True


def _effect_on_nothing(file: dict[str, Any], draw: Random) -> bool:
    _skill(file, draw).setdefault('effects', []).append(f'{TOKEN} is open')
    return True


def _no_inverse(file: dict[str, Any], draw: Random) -> bool:
    _skill(file, draw)['inverse'] = f'{TOKEN} it'
    return True


def _slot_class(file: dict[str, Any], draw: Random) -> bool:
    """A class that is not there, in place of a slot's own type."""
    skill = _skill(file, draw)
    names = [name for name in ('<place>', '<spot>', '<item>', '<thing>') if name in skill['skill']]
    if not names or 'inverse' in skill or any(
        'inverse' in one for one in file['skills']
    ):  # fmt: skip
        return False
    name = draw.choice(names)
    if draw.random() < 0.5:
        skill.setdefault('slots', {})[name] = f'place: {TOKEN}'
    else:
        skill.get('slots', {}).pop(name, None)
        skill['skill'] = skill['skill'].replace(name, f'{name[:-1]}: {TOKEN}>')
    return True


def _member(file: dict[str, Any], draw: Random) -> bool:
    groups = [one for one in file.get('classes', ()) if 'members' in one]
    if groups:
        draw.choice(groups)['members'].append(TOKEN)
    return bool(groups)


def _no_type(file: dict[str, Any], draw: Random) -> bool:
    _skill(file, draw)['do']['service'] = f'{TOKEN}_msgs/srv/Go'
    return True


def _source_type(file: dict[str, Any], draw: Random) -> bool:
    state = file['state']
    draw.choice([state['place'], state['held'], *state.get('facts', ())])['type'] = (
        f'{TOKEN}_msgs/msg/Go'
    )
    return True


def _source_field(file: dict[str, Any], draw: Random) -> bool:
    draw.choice([file['state']['place'], file['state']['held']])['field'] = TOKEN
    return True


MISTAKES: dict[str, _Mistake] = {
    'unknown field': _unknown_field,
    'unknown kind': _unknown_kind,
    'unknown slot in a need': _unknown_slot_in_need,
    'unknown place in a need': _unknown_place_in_need,
    'unmeasured number in a need': _unmeasured_need,
    'effect on nothing': _effect_on_nothing,
    'inverse that is no skill': _no_inverse,
    'slot of no class': _slot_class,
    'member that is no place': _member,
    'type of a service that is not there': _no_type,
    'type of a source that is not there': _source_type,
    'field of a source that is not there': _source_field,
}
