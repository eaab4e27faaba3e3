"""What the model is sent, kept as text: a change of a prompt is seen in review."""

from __future__ import annotations

import difflib
import re
from functools import cache
from itertools import pairwise

import pytest

from benchmarks.reproduce import commands
from reactree_core.domain import load_domain
from support import sent_prompts
from support.sent_prompts import DOMAINS, file_of, FOLDER, NAMES, REGENERATE

sent = cache(sent_prompts.sent)
#: World or file of tasks, as commands name it -> domain.
DOMAIN_OF = {'procworld_aligned': 'procworld', 'wah': 'household', 'thor': 'alfred'}
#: Domain -> how the texts of its worlds begin.
OPENINGS = {
    'alfred': 'You are in the house, and you arrive at the ',
    'alfworld': 'You are in the middle of a room. Looking quickly around you, you see ',
    'household': 'You are in the house, and there are ',
    'procworld': 'You arrive at loc |You are facing ',
    'programs': 'Currently, you are ',
    'scienceworld': 'This room is called ',
    'textcraft': 'Crafting commands:',
    'webshop': r'WebShop$|\[Back to Search\]$',
}
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


#: Planners that ask no model.
WITHOUT_MODEL = {'oracle', 'naive_buyer'}
#: Planners that talk in turns.
CHATS = ('agentbench', 'alfchat', 'stateflow')


def published_cells():
    """Every planner and domain of the papers' studies."""
    found = {}
    for command in commands():
        options = list(pairwise(command))
        planners = dict(options).get('--planner', '')
        if command[:3] != ['reactree', 'bench', 'run']:
            continue
        for world in (value for option, value in options if option == '--tasks'):
            name = re.split('[,:]', world)[0]
            for planner in sorted(set(planners.split(',')) - WITHOUT_MODEL):
                found[DOMAIN_OF.get(name, name), planner] = None
    return list(found)


def shown_to(domain, planner):
    """The lines of every demonstration that a planner is sent, behind its task."""
    for request in sent(domain, planner).split('\n======== ')[1:]:
        heads = ('Here is how', 'Source domain', 'User: Here is your task.')
        begun = [request.index(head) for head in heads if head in request]
        if begun:
            *demonstrations, _ = request[min(begun) :].split('Your task is to: ')[1:]
            yield from (one.splitlines()[1:] for one in demonstrations)


@pytest.mark.parametrize(('domain', 'planner'), published_cells())
def test_demonstrations_of_the_papers_studies_are_of_the_world_that_is_played(domain, planner):
    templates = sent_prompts.templates(domain)
    skills = re.compile('|'.join(re.sub('<[^<>]*>', '.+', re.escape(one)) for one in templates))
    functions = {'_'.join(re.sub('<[^<>]*>', '', one).split()) for one in templates} | {'assert'}
    shown = list(shown_to(domain, planner))
    for first, *lines in shown:
        if first.startswith('def '):
            called = re.findall(r'(\w+)\(', '\n'.join(lines))
            assert called and functions.issuperset(called)
        elif first == 'Plan:':
            steps = [re.sub(r'^(?:\d+\.|Act:) ', '', line) for line in lines]
            assert all(skills.fullmatch(step) for step in steps[: steps.index('done')])
        else:
            assert re.match(OPENINGS[domain], first)
    # Where the domain has no demonstrations, the executor reads none.
    executors = ('adapt', 'plan_and_execute', 'try_again', 'reflexion', *CHATS)
    assert shown or (planner in executors and not load_domain(domain).has('task_examples'))
