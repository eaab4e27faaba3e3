"""Every world of the package, served by the real bridge, keeps what a robot has to keep."""

from __future__ import annotations

import pytest

from reactree_core.conformance import Verdict
from reactree_tools.ros.conformance.robot_contract import check_skill_server
from reactree_tools.ros.conformance.trial import Patience
from reactree_tools.ros.session import Session
from sim_bridge.worlds.registry import WORLDS
from support.needs import needs

PATIENCE = Patience(find=15.0, answer=10.0, skill=6.0, cancel=2.0)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    'world',
    [
        *sorted(set(WORLDS) - {'virtualhome_unity', 'household_member', 'scienceworld'}),
        pytest.param('scienceworld', marks=needs('java')),
        'faulty,world=alfworld,jam=0.5,vanish=0.5',
        'faulty,world=household,fail=1',
    ],
)
def test_a_world_keeps_the_contract(world, namespace, serve_named):
    serve_named(world=world, task='generated:3')
    with Session(f'/{namespace}') as session:
        results = check_skill_server(session, may_move=True, patience=PATIENCE)
    assert [result for result in results if result.verdict is not Verdict.KEPT] == []
    assert len(results) >= 14
