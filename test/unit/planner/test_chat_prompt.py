"""Answers of a conversation are read however they are decorated; nothing makes the reader fail."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies

from reactree_core.chat import Role
from reactree_planner.prompting.chat_prompt import (
    available_actions,
    example_turns,
    parse_reply,
    Reply,
    states_of,
)

WORDS = strategies.text('abc 123[].,', min_size=1, max_size=40).map(
    lambda text: ' '.join(text.split())
)
SKILLS = WORDS.filter(lambda text: text[:1].isalnum() and text[-1:].isalnum())


@given(
    strategies.text()
    | strategies.lists(
        strategies.sampled_from(
            ['THOUGHT:', 'ACTION:', 'action :', '**Action**:', '\n', ' ', 'go', '"', 'OK']
        )
    ).map(''.join)
)
def test_whatever_is_answered_becomes_lines_of_bounded_length(text):
    reply = parse_reply(text)
    assert '\n' not in reply.thought + reply.action
    assert len(reply.thought) <= 1004 and len(reply.action) <= 504


@given(WORDS, SKILLS, strategies.sampled_from(['', 'Note: I chose this.', 'ACTION: wait']))
def test_what_was_written_is_read_again(thought, action, rest):
    written = Reply(thought, action)
    assert parse_reply(written.text + rest) == written
    assert parse_reply(Reply('', action).text) == Reply('', action)


@pytest.mark.parametrize(
    ('text', 'reply'),
    [
        # As the rollouts of the paper have them.
        ('ACTION: go to loc 3 at [3.5, 5.25]', Reply('', 'go to loc 3 at [3.5, 5.25]')),
        (
            'THOUGHT: It is not here. I look on. ACTION: go to rack 1',
            Reply('It is not here. I look on.', 'go to rack 1'),
        ),
        (
            'I see a crate.\nACTION: lift crate 1\nACTION: wait',
            Reply('I see a crate.', 'lift crate 1'),
        ),
        ('**Thought:** I see it.\n**Action:** `lift crate 1`', Reply('I see it.', 'lift crate 1')),
        ('Thought: now\n\naction:\n  "lift crate 1"\n', Reply('now', 'lift crate 1')),
        ('I would rather wait.', Reply('I would rather wait.', '')),
        ('THOUGHT: the satisfaction: high', Reply('the satisfaction: high', '')),
        ('ACTION:', Reply('', '')),
        ('', Reply('', '')),
    ],
)
def test_answers_are_taken_apart(text, reply):
    assert parse_reply(text) == reply


@given(strategies.lists(WORDS.filter(bool), max_size=400))
def test_long_lists_of_actions_are_cut_and_say_so(skills):
    text = available_actions(skills)
    shown = text.splitlines()[1:]
    assert len(text) < 3300 + 2 * len(skills)
    if sum(map(len, skills)) <= 3000:
        assert shown == skills
    else:
        assert shown[-1] == f'(and {len(skills) - len(shown) + 1} more)'


def test_a_trajectory_becomes_turns():
    turns = example_turns(
        'Your task is to: load the crate\nYou are in aisle 1.\nThink: I lift it.\nOK.\n'
        'Act: lift crate 1\nYou lift it.\n| Act: as a sign says\nAct: done\n'
    )
    assert [turn.role for turn in turns] == [Role.USER, Role.ASSISTANT] * 2
    assert [turn.text for turn in turns] == [
        'Here is your task.\nYour task is to: load the crate\nYou are in aisle 1.',
        'THOUGHT: I lift it.\nACTION: lift crate 1',
        'You lift it.\n| Act: as a sign says',
        'ACTION: done',
    ]


def test_what_follows_an_expansion_is_no_part_of_a_conversation():
    assert example_turns('Your task is to: load\nExpand:\n- control flow: sequence\n') == ()


@given(strategies.text())
def test_any_trajectory_becomes_turns_that_alternate(text):
    roles = [turn.role for turn in example_turns(text)]
    assert roles == [Role.USER, Role.ASSISTANT] * (len(roles) // 2)


def test_the_states_of_a_domain_are_blocks():
    assert states_of('Pick: take it\n\nPut: put it\nthere\n\nno block') == {
        'Pick': 'take it',
        'Put': 'put it\nthere',
    }
