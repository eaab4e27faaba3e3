"""Presets: settings of a planner by one word, and what differs from it, in one line of text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from enum import Enum
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_planner.runs.published import (
    FROM_CODE,
    FROM_PAPERS,
    PresetValue,
    PUBLISHED,
    PUBLISHED_CODE,
)
from reactree_planner.runs.settings import Guards, PlannerSettings, PlanSettings

DEFAULT = 'default'
_PLANS = 'plans.'
#: Settings that are not one number or word, or that have an option of their own.
_NOT_SET = ('guards', 'plans', 'working_memory', 'preset')
#: Settings of earlier versions, which recorded presets may still have.
RETIRED = ('interprets', 'wrong_at_most')
_ON_OFF = {'true': True, 'false': False}


def preset_names(planner: str = '') -> tuple[str, ...]:
    """The first words that a preset of this planner may have.

    :param planner: its name; '' for what any planner has.
    """
    code = any(planner in ('', value.planner) for value in FROM_CODE)
    return (DEFAULT, PUBLISHED, *((PUBLISHED_CODE,) if code else ()))


def values_of_preset(name: str, planner: str) -> tuple[PresetValue, ...]:
    """What a preset sets that the default does not, the last of each setting.

    :param name: of the preset, one word. :param planner: its name.
    """
    values = {
        DEFAULT: (),
        PUBLISHED: FROM_PAPERS,
        PUBLISHED_CODE: FROM_PAPERS + FROM_CODE,
    }[name]
    found = {one.setting: one for one in values if one.planner in ('', planner)}
    return tuple(found.values())


def settings_of_preset(preset: str, planner: str) -> PlannerSettings:
    """The settings under a preset, such as 'published,plans.samples=25'.

    :param preset: 'default', 'published' (as in the planner's paper) or 'published-code' (as in
        its code), then no-<guard>, no-guards or <setting>=<value>, with commas.
    :param planner: whose preset; '' for what every planner has in common.
    :raises ValueError: there is no such preset; the text says what there is.
    """
    settings = PlannerSettings(preset=preset)
    names = preset_names(planner)
    for place, part in enumerate(preset.split(',')):
        name, equals, text = part.strip().partition('=')
        name = name.strip()
        if name in RETIRED:
            continue
        if equals:
            settings = _with_text(settings, name, text.strip())
        elif place == 0 and name in names:
            for value in values_of_preset(name, planner):
                settings = _with_value(settings, value.setting, value.value)
        else:
            settings = replace(settings, guards=_without(settings.guards, name, planner))
    return settings


def checked_settings(preset: str, planner: str) -> PlannerSettings:
    """The same for a run. :raises ConfigurationError: the planner has no such preset."""
    try:
        return settings_of_preset(preset, planner)
    except ValueError as error:
        raise ConfigurationError(f'The preset cannot be taken: {error}.') from None


def differences(preset: str, planner: str) -> tuple[tuple[str, str, str, str], ...]:
    """Setting, value, default and source of all that a preset sets, for people.

    :raises ValueError: the planner has no such preset.
    """
    settings, default = settings_of_preset(preset, planner), PlannerSettings()
    first = preset.partition(',')[0].strip()
    sources = {}
    if first in preset_names(planner):
        sources = {one.setting: one.source for one in values_of_preset(first, planner)}
    parts = [part.strip() for part in preset.split(',')]
    own = {part.partition('=')[0].strip() for part in parts if '=' in part}
    own |= {'guards' for part in parts if part.startswith('no-')}
    found = []
    for name in ('guards', 'working_memory', *setting_names()):
        value, usual = setting_of(settings, name), setting_of(default, name)
        if value != usual or name in sources:
            source = 'given here' if name in own else sources.get(name, 'given here')
            found.append((name, _words(value), _words(usual), source))
    return tuple(found)


def setting_names() -> tuple[str, ...]:
    """Names that an override may give a value."""
    return (*_names(PlannerSettings()), *(_PLANS + inner for inner in _names(PlanSettings())))


def setting_of(settings: PlannerSettings, name: str) -> Any:
    """The value of a setting by its name, e.g. 'plans.samples'."""
    group, _, inner = name.rpartition('.')
    return getattr(getattr(settings, group) if group else settings, inner)


def _words(value: Any) -> str:
    """A value as it is written in an override; guards by what is off."""
    if isinstance(value, Guards):
        off = [name for name in _names(value) if not getattr(value, name)]
        none = len(off) == len(_names(value))
        return 'none' if none else 'all' if not off else f'all but {", ".join(off)}'
    if isinstance(value, bool):
        return str(value).lower()
    return str(value.value if isinstance(value, Enum) else value)


def _without(guards: Guards, part: str, planner: str) -> Guards:
    if part == 'no-guards':
        return Guards.none()
    name = part.removeprefix('no-').replace('-', '_')
    if not part.startswith('no-') or name not in _names(guards):
        known = ', '.join(_names(guards)).replace('_', '-')
        *names, last = preset_names(planner)
        whose = f' of the planner {planner}' if planner else ''
        raise ValueError(
            f'there is no preset "{part}"{whose}: begin with {", ".join(names)} or {last}; then '
            f'no-<guard>, no-guards or <setting>=<value> may follow. Guards: {known}'
        )
    return replace(guards, **{name: False})


def _with_text(settings: PlannerSettings, name: str, text: str) -> PlannerSettings:
    if name not in setting_names():
        raise ValueError(f'there is no setting "{name}"; there are: {", ".join(setting_names())}')
    return _with_value(settings, name, _read(setting_of(settings, name), name, text))


def _with_value(settings: PlannerSettings, name: str, value: Any) -> PlannerSettings:
    if name.startswith(_PLANS):
        inner: Mapping[str, Any] = {name.removeprefix(_PLANS): value}
        return replace(settings, plans=replace(settings.plans, **inner))
    outer: Mapping[str, Any] = {name: value}
    return replace(settings, **outer)


def _names(settings: Guards | PlanSettings | PlannerSettings) -> tuple[str, ...]:
    return tuple(field.name for field in fields(settings) if field.name not in _NOT_SET)


def _read(default: Any, name: str, text: str) -> Any:
    """The value of a setting, in the type that it has by default."""
    try:
        if isinstance(default, bool):
            return _ON_OFF[text]
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
