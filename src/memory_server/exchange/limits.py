"""What an experience from a file must keep to, so that every store and message can hold it."""

from __future__ import annotations

from memory_server.episodic.episodic_memory import NAME_LIMIT
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience
from reactree_core.experience import LONGEST_TRAJECTORY

#: Largest uint32.
LARGEST_COUNT = 2**32 - 1
_NAMES = ('experience_id', 'goal', 'run_id', 'task_type', 'planner', 'model', 'domain')
_REQUIRED = ('experience_id', 'goal', 'trajectory')


def check_limits(experience: Experience, where: str) -> None:
    """Make sure that an experience can be stored.

    :param where: begins the sentence of an error.
    :raises ConfigurationError: a text is missing, too long or no text.
    """
    for name in (*_NAMES, 'trajectory'):
        text = getattr(experience, name)
        longest = LONGEST_TRAJECTORY if name == 'trajectory' else NAME_LIMIT
        if name in _REQUIRED and not text.strip():
            raise ConfigurationError(f'{where}: the {name} is empty')
        if len(text) > longest:
            raise ConfigurationError(
                f'{where}: the {name} has {len(text)} characters, more than {longest}: shorten it'
            )
        try:
            text.encode('utf-8')
        except UnicodeEncodeError as error:
            raise ConfigurationError(
                f'{where}: the {name} is no valid Unicode: {error}'
            ) from error
