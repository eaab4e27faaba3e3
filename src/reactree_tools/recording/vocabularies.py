"""What the skill server of a recorded run told of its skills: by its journal, or asked again."""

from __future__ import annotations

from pathlib import Path

from reactree_core.errors import ConfigurationError
from reactree_core.errors import JournalError
from reactree_core.errors import RecordingError
from reactree_core.observation import Vocabulary
from reactree_core.record.events import Decision
from reactree_core.record.journal import Answer
from reactree_core.record.journal import read_records
from reactree_core.record.journal import value_of
from sim_bridge.worlds.registry import given_back
from sim_bridge.worlds.registry import make_world


def vocabulary_of_run(start: Decision, backend: str, journal: Path) -> Vocabulary:
    """The skills and names of a run: from its journal where there is one, else from a world of
    the recorded kind.

    :param start: of the run. :param backend: of its bridge; '' takes the household.
    :param journal: where the planner's journal of it would be.
    :raises JournalError: the journal is damaged.
    :raises RecordingError: there is no journal, and no such world here.
    """
    told = _vocabulary_of_journal(journal) if journal.is_file() else None
    if told is not None:
        return told
    try:
        with given_back(make_world(backend or 'household')) as world:
            world.reset(start.settings.scene, start.settings.world_task, 0)
            return world.vocabulary()
    except ConfigurationError as error:
        raise RecordingError(
            f'The skills of the run are unknown: there is no journal {journal}, and its world '
            f"cannot be made: {error}. Give the run's journal, or start its skill server and add "
            '--bridge.'
        ) from error


def _vocabulary_of_journal(journal: Path) -> Vocabulary | None:
    """What a journal tells of the skill server; None where it does not.

    :raises JournalError: it is damaged.
    """
    for record in read_records(journal):
        if isinstance(record, Answer) and record.kind == 'list_skills':
            try:
                return value_of(Vocabulary, record.content['vocabulary'])
            except (TypeError, ValueError, KeyError) as error:
                raise JournalError(
                    f'The skills in the journal {journal} cannot be read ({error}).'
                ) from error
    return None
