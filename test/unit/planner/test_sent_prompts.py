"""What the model is sent, kept as text: a change of a prompt is seen in review."""

from __future__ import annotations

import difflib
import re
from functools import cache

import pytest

from support import sent_prompts
from support.sent_prompts import DOMAINS
from support.sent_prompts import file_of
from support.sent_prompts import FOLDER
from support.sent_prompts import NAMES
from support.sent_prompts import REGENERATE

sent = cache(sent_prompts.sent)
CELLS = [(domain, name) for domain in DOMAINS for name in NAMES]


@pytest.mark.parametrize(('domain', 'name'), CELLS)
def test_the_model_is_sent_what_was_read_and_kept(domain, name):
    now, file = sent(domain, name), file_of(domain, name)
    kept = file.read_text(encoding='utf-8') if file.exists() else ''
    changed = '\n'.join(difflib.unified_diff(kept.splitlines(), now.splitlines(), lineterm=''))
    assert now == kept, (
        f'{file} is not what is sent now. Read the change; if it is meant, write the files anew:\n'
        f'{REGENERATE}\n{changed[:4000]}'
    )


def test_every_file_is_of_a_domain_and_planner():
    there = {file.relative_to(FOLDER) for file in FOLDER.rglob('*.txt')}
    assert there == {file_of(domain, name).relative_to(FOLDER) for domain, name in CELLS}


@pytest.mark.parametrize(('domain', 'name'), CELLS)
def test_nothing_stands_there_by_mistake(domain, name):
    text = sent(domain, name)
    # Gaps that were not filled, lines of a world taken for the planner's, a robot in other hands.
    assert not re.search(r'\$[a-z]', text)
    assert '\n| ' not in text
    assert domain == 'neutral' or 'part 4' not in text
    assert not re.search(r'\b(?:two|three) (?:wine|water) glass\b', text)
    if 'Now it is your turn' in text:
        assert 'Here is how' in text
