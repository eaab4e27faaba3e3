"""What is kept of an exam: the model's profile, which the preset `default` reads.

What a preset says itself holds, whatever the profile says; `published` reads none.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from reactree_core.durability import write_private
from reactree_core.errors import ConfigurationError
from reactree_core.written_files import read_file, Written
from reactree_planner.exam.advice import Advice
from reactree_planner.exam.answers import Answer, ReadingMeasure, Score
from reactree_planner.exam.profile_file import profile_file
from reactree_planner.exam.questions import VERSION
from reactree_planner.llm.two_models import parts_of
from reactree_planner.runs.presets import DEFAULT, setting_of
from reactree_planner.runs.settings import PlannerSettings

_FORM = 'is no profile of a model'


class Profile(Written):
    """An exam and what came of it.

    :param model: as the parameter `model`, :param server_model: as that parameter.
    :param name: what the model calls itself. :param version: of the questions.
    :param date: when it was taken, as YYYY-MM-DD.
    :param readings: of the model, :param grammar: of the grammar, to the same sentences.
    :param advice: what to set, and why.
    """

    model: str
    server_model: str = ''
    name: str
    version: int
    date: str
    scores: list[Score]
    readings: ReadingMeasure
    grammar: ReadingMeasure
    advice: list[Advice]
    answers: list[Answer]

    @property
    def changes(self) -> tuple[str, ...]:
        """Settings that it would have other than they are, as a preset says them."""
        usual = PlannerSettings()
        return tuple(
            f'{one.setting}={one.value}'
            for one in self.advice
            if one.value != setting_of(usual, one.setting).value
        )


def keep_profile(profile: Profile) -> Path:
    """Write a profile, whole or not at all; answers where.

    :raises ConfigurationError: it cannot be written.
    """
    file = profile_file(profile.model, profile.server_model)
    try:
        write_private(file, profile.model_dump_json(indent=2) + '\n')
    except OSError as error:
        raise ConfigurationError(
            f'The profile cannot be kept in {file.parent}: {error.strerror or error}. Set '
            'XDG_STATE_HOME to a folder that can be written.'
        ) from error
    return file


def read_profile(model: str, server_model: str = '') -> Profile | None:
    """The profile that is kept of a model; None where there is none.

    :raises ConfigurationError: it is damaged; says what to do.
    """
    file = profile_file(model, server_model)
    if not file.is_file():
        return None
    try:
        profile: Profile = read_file(file, Profile, form=_FORM)
    except ConfigurationError as error:
        raise ConfigurationError(
            f'{str(error).rstrip(".")}. Repeat `reactree model exam {model}`, or delete the file.'
        ) from error
    return profile


class ProfiledPreset(NamedTuple):
    """A preset with what a profile sets. :param told: of that, for people; '' for nothing."""

    preset: str
    told: str = ''


def profiled_preset(preset: str, model: str, server_model: str, name: str) -> ProfiledPreset:
    """The preset of a run with this model.

    :param preset: as the parameter `preset`; what it sets itself holds.
    :param model: as that parameter. :param name: what the model calls itself.
    """
    parts = [part.strip() for part in preset.split(',')]
    if '=' not in parts[0] and not parts[0].startswith('no-') and parts[0] != DEFAULT:
        return ProfiledPreset(preset)
    try:
        profile = read_profile(model, server_model)
    except ConfigurationError as error:
        return ProfiledPreset(preset, f'No profile of the model is used: {error}')
    if profile is None or not profile.changes:
        return ProfiledPreset(preset)
    stale = _why_stale(profile, parts_of(name)[0])
    if stale:
        return ProfiledPreset(
            preset, f'The profile of {model} is not used: {stale}. Repeat `reactree model exam`.'
        )
    own = {part.partition('=')[0].strip() for part in parts}
    added = [one for one in profile.changes if one.partition('=')[0] not in own]
    if not added:
        return ProfiledPreset(preset)
    notice = (
        f'By the profile of {profile.name} (`reactree model exam`, {profile.date}): '
        f'{", ".join(added)}. What the preset says itself holds.'
    )
    behind = parts[1:] if parts[0] == DEFAULT else parts
    return ProfiledPreset(','.join((DEFAULT, *added, *behind)), notice)


def _why_stale(profile: Profile, name: str) -> str:
    if profile.version != VERSION:
        return 'it was made with other questions'
    if profile.name != name:
        return f'it is of {profile.name}, and the model is {name} now'
    return ''
