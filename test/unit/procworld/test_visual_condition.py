"""ProcWorld's visual condition (figure 6a): what a vision-language model is told, and shown."""

from __future__ import annotations

import pytest

from reactree_core.record.run_settings import Limits
from reactree_planner.llm.chat import PlainChat
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.runs.presets import settings_of_preset
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.worlds.procworld import ProcWorldWorld

PRESET = 'published,pictures=true'


class Seer(PolicyModel):
    """Takes pictures, and keeps every turn with its own."""

    takes_pictures = True

    def __init__(self, policy):
        super().__init__(policy)
        self.turns = []

    def chat(self, cancel, turns=()):
        told = self.turns

        class Chat(PlainChat):
            def say(self, role, text, pictures=()):
                told.append((text, pictures))
                super().say(role, text)

        chat = Chat(self.session(cancel), self.name)
        for turn in turns:
            chat.say(turn.role, turn.text)
        return chat


def first_offered(text, options):
    """Goes to the first location or thing of the newest list."""
    offered = text.rpartition('AVAILABLE ACTIONS:\n')[2].splitlines()
    return f' ACTION: {next(one for one in offered if one.startswith("go to "))}'


def play(model, planner='agentbench', turns=4):
    world = ProcWorldWorld(reach=1.5, visual=True)
    world.reset('', 'published_mix:0', 0)
    return plan_episode(
        world,
        model,
        InProcessMemory(),
        settings_of_preset(f'{PRESET},turns={turns},executor_prompt=retrieved', planner),
        Limits(decisions=20),
        planner,
    )


@pytest.mark.parametrize('planner', ['agentbench', 'alfchat'])
def test_each_turn_has_a_picture_of_its_own_and_no_words_of_what_is_seen(planner):
    model = Seer(first_offered)
    play(model, planner)
    own = [(text, pictures) for text, pictures in model.turns if 'AVAILABLE ACTIONS:' in text]
    assert len(own) == 4
    assert all(len(pictures) == 1 for _, pictures in own)
    assert len({pictures[0].data for _, pictures in own}) > 1
    # Places are named by what can be done alone; where they are, only the picture shows.
    for text, _ in own:
        seen = text.partition('AVAILABLE ACTIONS:')[0]
        assert 'Looking around' not in seen and 'You are facing' not in seen


def test_a_model_that_takes_no_pictures_is_told_before_anything_is_done():
    episode = play(PolicyModel(first_offered))
    assert not episode.outcome.success
    assert 'takes no pictures' in episode.outcome.message
