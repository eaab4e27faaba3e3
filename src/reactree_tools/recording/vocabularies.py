"""What the skill server of a recorded run told of its skills: by its journal, or asked again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from reactree_core.errors import ConfigurationError, JournalError, RecordingError
from reactree_core.observation import Vocabulary
from reactree_core.record.answers import vocabulary_in
from reactree_core.record.events import Decision
from reactree_core.record.journal import read_records
from reactree_core.record.journal_lines import Answer, Record


def vocabulary_of_run(start: Decision, backend: str, journal: Path) -> Vocabulary:
    """The skills and names of a run: from its journal where there is one, else from a world of
    the recorded kind.

    :param start: of the run. :param backend: of its bridge; '' takes the household.
    :param journal: where the planner's journal of it would be.
    :raises JournalError: the journal is damaged.
    :raises RecordingError: there is no journal, and no such world here.
    """
    try:
        vocabulary = vocabulary_among(read_records(journal)) if journal.is_file() else None
    except JournalError as error:
        raise JournalError(f'{journal}: {error}') from error
    if vocabulary is not None:
        return vocabulary
    # A robot has no simulators.
    from sim_bridge.worlds.registry import given_back, make_world

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


def vocabulary_among(records: Iterable[Record]) -> Vocabulary | None:
    """What the records of a journal tell of the skill server; None where they do not.

    :raises JournalError: it cannot be read.
    """
    answers = (one for one in records if isinstance(one, Answer))
    return next(filter(None, map(vocabulary_in, answers)), None)
