"""What the grammar reads in the sentences of the tests, right or wrong, is what it read before."""

from __future__ import annotations

from itertools import zip_longest

from support.readings import FILE, readings, REGENERATE


def test_a_change_of_the_grammar_changes_no_other_reading():
    before = FILE.read_text(encoding='utf-8').splitlines()
    now = readings().splitlines()
    changed = [
        (now[at - 1] if old and old[0] == ' ' else '', old, new)
        for at, (old, new) in enumerate(zip_longest(before, now))
        if old != new
    ]
    assert not changed, f'if that is better: {REGENERATE}'
