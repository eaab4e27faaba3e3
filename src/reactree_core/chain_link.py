"""Where an event stands in the chain of its run's record (see `record.chain`)."""

from __future__ import annotations

from dataclasses import dataclass

#: What stands for the line before the first.
NO_LINE = '0' * 64


@dataclass(frozen=True, slots=True)
class ChainLink:
    """The fields of RecordLink.msg.

    :param format: of the journal's line of the event; 0 for an event of no journal.
    :param line_before: SHA-256 of the line before that one.
    :param event_before: SHA-256 of the line of the event before; between the two there may be
        answers, which only the journal has.
    """

    format: int = 0
    line_before: str = NO_LINE
    event_before: str = NO_LINE


#: Of an event that was not written down, or before there were links.
NO_LINK = ChainLink()
