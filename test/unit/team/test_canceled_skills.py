"""Skills of a team whose run was canceled."""

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_core.observation import Observation
from reactree_planner.team.skill_servers import TeamOfServers

PATIENCE = 10.0


class Server:
    """A skill lasts until it is canceled, but for "stay"."""

    def execute(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        if skill != 'stay':
            assert cancel.wait(PATIENCE)
            cancel.check()
        return Observation('It stays.')


def test_a_skill_that_was_canceled_with_its_run_does_not_end_the_next_run() -> None:
    team = TeamOfServers({'robot_1': Server(), 'robot_2': Server()})  # type: ignore[dict-item]
    first = CancelToken()
    for number, who in enumerate(('robot_1', 'robot_2')):
        team.send(who, number, 1, 'go', CancelToken(whole=first))
    first.cancel()
    # One of the two is taken, the other stays behind.
    with pytest.raises(CanceledError):
        team.next_ended(first)
    second = CancelToken()
    team.send('robot_2', 2, 1, 'stay', CancelToken(whole=second))
    seen = team.next_ended(second)
    assert (seen.text, seen.who, seen.sequence) == ('It stays.', 'robot_2', 2)
