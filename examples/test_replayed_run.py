"""A run that was seen to work, as a test of the world it ran in. Needs no ROS and no model.

python -m pytest examples/test_replayed_run.py

The skills of the journal are done again and every answer is compared: outcome, text, place, what
is held, what can be done, what is seen. Here the run is made on the spot; a project of yours keeps
the journal of a good run (~/.local/state/reactree/runs) beside its tests.
"""

from __future__ import annotations

from pathlib import Path

from own_world import follow, RECIPE, TeaKitchen

from reactree_core.cancellation import CancelToken
from reactree_core.observation import Observation
from reactree_core.record.journal import Journal, read_journal
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.runs.settings import Guards, PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from reactree_tools.recording.rerun import rerun
from sim_bridge.in_process_skill_server import InProcessSkillServer


class CoolingKitchen(TeaKitchen):
    """The same with a mistake: the water is cold again once tea was brewed."""

    def step(self, skill: str) -> Observation:
        """Do one skill, and forget the heat."""
        seen = super().step(skill)
        if not skill.startswith('brew'):
            return seen
        self._hot = False
        return self.observe()


def begun(world: TeaKitchen) -> TeaKitchen:
    """A world in the state in which the run began."""
    world.reset('', 'generated:1', 0)
    return world


def record(folder: Path) -> Path:
    """The journal of a run that serves mint tea."""
    journal = Journal(folder, 'tea')
    settings = PlannerSettings(guards=Guards.none(), thoughts=0)
    world, model = begun(TeaKitchen()), PolicyModel(follow(RECIPE))
    episode = plan_episode(
        world, model, InProcessMemory(), settings, Limits(30, 15), 'react', watch=journal.append
    )
    journal.close()
    assert episode.goal_met
    return journal.path


def test_the_world_answers_as_it_did(tmp_path: Path) -> None:
    """What a change of the world must not break."""
    events = list(read_journal(record(tmp_path)))
    again = rerun(events, InProcessSkillServer(begun(TeaKitchen())), CancelToken())
    assert again.divergence is None, again.divergence.sentence
    assert again.steps == 3


def test_a_mistake_in_the_world_is_found(tmp_path: Path) -> None:
    """The sentence says at which step, and what is different."""
    events = list(read_journal(record(tmp_path)))
    again = rerun(events, InProcessSkillServer(begun(CoolingKitchen())), CancelToken())
    assert again.divergence is not None
    assert 'brew mint tea' in again.divergence.sentence
