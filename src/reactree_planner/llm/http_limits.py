"""How long, how often and how much a model server may be asked and may answer."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_core.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Deadlines, retries and sizes of one server.

    :param connect_timeout: seconds until a connection stands, over 0.
    :param read_timeout: longest silence in seconds; a model on a CPU is silent while it reads
        a long prompt. Over 0.
    :param total_timeout: seconds for one request with all its tries, over 0.
    :param max_retries: further tries after 429, 5xx or a lost connection, 0..20.
    :param first_pause: seconds before the second try; doubles with each, with jitter.
    :param max_answer_bytes: longest answer that is read, 1024 or more.
    """

    connect_timeout: float = 5.0
    read_timeout: float = 300.0
    total_timeout: float = 600.0
    max_retries: int = 4
    first_pause: float = 0.5
    max_answer_bytes: int = 4 * 1024**2

    def __post_init__(self) -> None:
        for name in ('connect_timeout', 'read_timeout', 'total_timeout'):
            if not getattr(self, name) > 0.0:
                raise ConfigurationError(f'{name} must be more than 0 seconds.')
        if not 0 <= self.max_retries <= 20:
            raise ConfigurationError('max_retries must be 0 to 20.')
        if self.first_pause < 0.0 or self.max_answer_bytes < 1024:
            raise ConfigurationError(
                'first_pause must not be negative, and max_answer_bytes 1024 or more.'
            )
