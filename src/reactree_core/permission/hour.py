"""What rules of an hour, and of times of day, are held against: what the clock reads."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from reactree_core.bounds import number_text
from reactree_core.permission.spending import Amounts, Ledger, NOTHING
from reactree_core.permission.totals import Sums


@dataclass(frozen=True, slots=True)
class Hour:
    """What depends on the clock. :param spent: in the last hour, :param counted: by each rule.

    :param summed: by each rule that adds up numbers, of each name.
    """

    when: datetime
    spent: Amounts = NOTHING
    counted: dict[str, int] = field(default_factory=dict)
    summed: dict[str, Sums] = field(default_factory=dict)


def hour_of(ledger: Ledger) -> Hour:
    """What the clock reads now."""
    return Hour(datetime.now(), ledger.spent(), ledger.counted(), ledger.summed())


def hour_record(hour: Hour) -> dict[str, Any]:
    """The same as JSON values."""
    return {
        'when': hour.when.isoformat(),
        'spent': list(astuple(hour.spent)),
        'counted': hour.counted,
        'summed': {
            rule: {name: number_text(amount) for name, amount in sums.items()}
            for rule, sums in hour.summed.items()
        },
    }


def read_hour(record: dict[str, Any]) -> Hour:
    """What `hour_record` tells."""
    summed: dict[str, Sums] = {
        rule: {name: Decimal(amount) for name, amount in sums.items()}
        for rule, sums in record.get('summed', {}).items()
    }
    when = datetime.fromisoformat(record['when'])
    return Hour(when, Amounts(*record['spent']), dict(record['counted']), summed)
