"""The skill server of the example without its emergency stop; prints the skills that it does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / 'examples' / 'robot_skill_server'
sys.path.insert(0, str(EXAMPLE))

from robot_skill_server.ros_server import serve  # noqa: E402
from robot_skill_server.skill_server import SkillServer  # noqa: E402


class BareServer(SkillServer):
    """A skill server as people had it before the contract knew a stop."""

    def __init__(self) -> None:
        super().__init__()
        for service in list(self.services):
            if service.srv_name.endswith('emergency_stop'):
                self.destroy_service(service)

    def act(self, skill: str, must_stop: Callable[[], bool]) -> tuple[int, str]:
        """Do a skill, and print it."""
        sys.stdout.write(f'{skill}\n')
        sys.stdout.flush()
        return super().act(skill, must_stop)


if __name__ == '__main__':
    serve(BareServer)
