"""The reasoner knows no domain: in a home whose verbs and names are made up it does the same."""

from __future__ import annotations

import pytest

from reactree_core.cancellation import CancelToken
from reactree_planner.facts.conditions import Condition, conditions_of
from reactree_planner.facts.reasoner import Reasoner
from sim_bridge.in_process_skill_server import InProcessSkillServer
from sim_bridge.worlds.registry import make_world
from unit.planner.test_renamed import RenamedServer, Renaming

CANCEL = CancelToken()
TASKS = (
    ('setup_table:41', '2 wine glass in kitchen table; plate in kitchen table'),
    ('put_fridge:42', 'pudding in fridge; cupcake in fridge; fridge is closed'),
    ('put_dishwasher:43', 'plate in dishwasher; dishwasher is on'),
)


def played(task, asked, seed=None):
    """The skills of a run and how it ended, in the words of the home."""
    world = make_world('household')
    number = int(task.partition(':')[2])
    world.reset(f'generated:{number}', task, number)
    server, to, fro = InProcessSkillServer(world), str, str
    if seed is not None:
        renaming = Renaming(world.vocabulary(), seed)
        server, to, fro = RenamedServer(server, renaming), renaming.to, renaming.fro
    vocabulary, look = server.list_skills(CANCEL)
    conditions = tuple(
        # The words of states are English of the kinds, and stay.
        Condition(
            one.relation,
            to(one.subject),
            to(one.value) if one.relation.value == 'in' else one.value,
            one.count,
        )
        for one in conditions_of(tuple(asked.split('; ')))
    )
    reasoner = Reasoner(vocabulary, (conditions,))
    reasoner.see(look)
    done = []
    for number in range(80):
        step = reasoner.next()
        if not step.skill:
            return done, step.is_done
        done.append(fro(step.skill))
        reasoner.see(server.execute(number, 0, step.skill, CANCEL))
    return done, False


@pytest.mark.parametrize(('task', 'asked'), TASKS)
@pytest.mark.parametrize('seed', [3, 77])
def test_the_same_is_done_in_made_up_words(task, asked, seed):
    plain, is_done = played(task, asked)
    assert is_done
    renamed, is_done = played(task, asked, seed)
    assert is_done
    assert len(renamed) == len(plain)
    assert sorted(renamed) == sorted(plain) or len(set(renamed) & set(plain)) > len(plain) // 2
