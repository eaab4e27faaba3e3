"""ReAcTree's own prompt with pictures of the world, for a model that sees."""

from __future__ import annotations

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.chat import PictureFile, Role
from reactree_core.errors import ModelError
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.chat import PlainChat
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.registry import make_planner
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import Decides, PlannerSettings

TASK = 'bring the apple to the table'
WAY = (
    'go to kitchen 1',
    'go to fridge 1',
    'open fridge 1',
    'pick up apple 1',
    'go to bedroom 1',
    'go to table 1',
    'put down apple 1',
    'done',
)


class Seer(PolicyModel):
    """Takes pictures; `turns` has what it was told and shown, in order."""

    takes_pictures = True

    def __init__(self, policy):
        super().__init__(policy)
        self.turns = []

    def chat(self, cancel, turns=()):
        seer = self

        class Chat(PlainChat):
            def say(self, role, text, pictures=()):
                seer.turns.append((role, text, tuple(pictures)))
                super().say(role, text)

        return Chat(self.session(cancel), self.name)


class Camera:
    """A new picture each time."""

    def __init__(self):
        self.taken = 0

    def newest(self, cancel):
        self.taken += 1
        return PictureFile(b'picture %d' % self.taken)


def go_on(text, options):
    """Act along the way, by what has been done in this conversation."""
    if options is None:
        return ' I go on.'
    names = [option.strip() for option in options]
    done = sum(f'Act: {one}' in text.rsplit('Your task is to: ', 1)[1] for one in WAY)
    return names.index(WAY[done]) if WAY[done] in names else names.index('Act:')


def run_of(model, home, memory, pictures=True, camera=None):
    settings = PlannerSettings(decides=Decides.MODEL, pictures=pictures)
    ports = Ports(model, home, memory, pictures=camera or Camera())
    return PlanRun(TASK, ports, settings, Limits(60, 40), CancelToken(), lambda event: None)


def test_the_prompt_and_each_observation_come_with_the_newest_picture(make_home, make_memory):
    model, home = Seer(go_on), make_home()
    run = run_of(model, home, make_memory())
    assert make_planner('reactree').run(run)
    assert home.apple == 'table 1'
    (first, *rest) = model.turns
    assert first[0] is Role.USER and f'Your task is to: {TASK}' in first[1]
    assert first[2] == (PictureFile(b'picture 1'),)
    # One for each skill, and none is shown twice.
    assert len(rest) == len(home.executed) == len(WAY) - 1
    assert rest[2][1] == 'You open fridge 1.'
    assert [pictures for _, _, pictures in rest] == [
        (PictureFile(b'picture %d' % number),) for number in range(2, len(rest) + 2)
    ]
    assert all(role is Role.USER for role, _, _ in rest)


def test_without_the_setting_nothing_is_shown_and_the_text_is_as_before(make_home, make_memory):
    model, camera = Seer(go_on), Camera()
    run = run_of(model, make_home(), make_memory(), pictures=False, camera=camera)
    assert make_planner('reactree').run(run)
    assert model.turns == [] and camera.taken == 0


def test_a_model_that_reads_only_text_is_told_to_be_one(make_home, make_memory):
    run = run_of(PolicyModel(go_on), make_home(), make_memory())
    with pytest.raises(ModelError, match='takes no pictures: use a vision-language model'):
        make_planner('reactree').run(run)
