"""Variants of the settings that are compared, each by a name that stands in the results.

A name is a list with commas: `full`, `neutral` for no guard of the domain alone, or `published`
for none at all; `no-<guard>`; and `<setting>=<value>`, as in
`full,plans.samples=25,plans.votes=10`.
"""

from __future__ import annotations

from dataclasses import fields
from dataclasses import replace
from enum import Enum
from typing import Any

from reactree_planner.runs.settings import Guards
from reactree_planner.runs.settings import PlannerSettings
from reactree_planner.runs.settings import Preset

_PLANS = 'plans.'
#: Settings that are not one number or word, or that the evaluation itself decides.
_NOT_SET = ('guards', 'plans', 'working_memory')
_PRESETS = {'full': Preset.ALL, 'neutral': Preset.NEUTRAL, 'published': Preset.NONE}
_SWITCHES = {'true': True, 'false': False}


def settings_of_variant(variant: str) -> PlannerSettings:
    """The planner's settings under a variant.

    :raises ValueError: there is no such variant; the text says what there is.
    """
    settings = PlannerSettings()
    for place, part in enumerate(variant.split(',')):
        name, equals, text = part.strip().partition('=')
        if equals:
            settings = _with_value(settings, name.strip(), text.strip())
        elif place == 0 and name in _PRESETS:
            settings = replace(settings, guards=Guards().under(_PRESETS[name]))
        else:
            settings = replace(settings, guards=_without(settings.guards, name))
    return settings


def _without(guards: Guards, part: str) -> Guards:
    name = part.removeprefix('no-').replace('-', '_')
    if not part.startswith('no-') or name not in _names(guards):
        known = ', '.join(_names(guards)).replace('_', '-')
        raise ValueError(
            f'there is no variant "{part}": begin with full or published, and go on with '
            f'no-<guard> or <setting>=<value>. Guards: {known}'
        )
    return replace(guards, **{name: False})


def _with_value(settings: PlannerSettings, name: str, text: str) -> PlannerSettings:
    if name.startswith(_PLANS):
        plans = settings.plans
        inner = name.removeprefix(_PLANS)
        if inner in _names(plans):
            value = _read(getattr(plans, inner), name, text)
            return replace(settings, plans=replace(plans, **{inner: value}))
    elif name in _names(settings):
        return replace(settings, **{name: _read(getattr(settings, name), name, text)})
    known = (*_names(settings), *(_PLANS + inner for inner in _names(settings.plans)))
    raise ValueError(f'there is no setting "{name}"; there are: {", ".join(known)}')


def _names(settings: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(settings) if field.name not in _NOT_SET)


def _read(default: Any, name: str, text: str) -> Any:
    """The value of a setting, in the type that it has by default."""
    try:
        if isinstance(default, bool):
            return _SWITCHES[text]
        if isinstance(default, Enum):
            return type(default)(text)
        value = type(default)(text)
    except (KeyError, ValueError):
        kinds = {bool: 'true or false', int: 'a whole number', float: 'a number'}
        if isinstance(default, Enum):
            kind = 'one of ' + ', '.join(str(known.value) for known in type(default))
        else:
            kind = kinds.get(type(default), 'a text')
        raise ValueError(f'{name} is {kind}, not "{text}"') from None
    if isinstance(value, int | float) and not 0 <= value < 1e6:
        raise ValueError(f'{name} is 0 or more, not "{text}"')
    return value
