"""Skills without names, and with words of the model's own: asked for, done, not done for ever."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.offering import choices
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.runs.settings import Guards

LAMP = Vocabulary(('wake up', 'shine on <exhibit>', 'say <text>', 'wait'))
ASLEEP = ('wake up',)
AWAKE = ('shine on globe', 'shine on old clock', 'say <text>', 'wait')


class Lamp:
    """A node of one run with a lamp that answers in text."""

    def __init__(self, goal, skills=AWAKE):
        self.belief = BeliefState(LAMP)
        self.sees(Observation('A museum.', admissible_skills=skills))
        self.node = NodeSituation(goal, (), self.belief, is_executor=True)

    def sees(self, observation):
        self.belief.update(self.belief.with_sightings(observation))

    def offers(self):
        now = self.belief.observation.admissible_skills
        return choices(self.node, now, Guards(), remembers=False)

    def does(self, skill, text='', outcome=Outcome.SUCCEEDED, skills=AWAKE):
        before = self.belief.observation
        text = text or f'Done: {skill}.'
        self.sees(Observation(text, outcome, skill, admissible_skills=skills))
        self.node.record(skill, before)


@pytest.mark.parametrize(
    ('goal', 'asked'),
    [
        ('wake up', ['wake up']),
        ('shine on the globe, then say that it is noon', ['say <text>']),
        ('say good morning to the guests', ['say <text>']),
        ('wake up and say hello', ['wake up', 'say <text>']),
        ('shine on the globe', []),
        ('do not wake up', []),
        ('if it is dark, wake up', []),
        ('the guests say it is dark', []),
        ('Anna said that you never wake up', []),
    ],
)
def test_a_goal_asks_for_skills_in_their_words(goal, asked):
    assert [one.template for one in Lamp(goal).node.reading.asked_types] == asked


def test_done_waits_for_what_the_goal_says_and_the_robot_can_do():
    lamp = Lamp('wake up and say hello', ASLEEP)
    assert lamp.offers() == ['wake up', 'failure']
    lamp.does('wake up')
    assert 'say <text>' in lamp.offers()
    assert not {'done', 'failure'} & set(lamp.offers())
    lamp.does('say hello')
    assert 'done' in lamp.offers()


def test_what_always_fails_does_not_keep_a_node_from_ending():
    lamp = Lamp('say hello')
    lamp.does('say hello', 'Say a sentence.', Outcome.PRECONDITION_FAILED)
    assert 'say <text>' in lamp.offers()
    assert 'failure' in lamp.offers()
    lamp.does('say hello to all', 'Say a sentence.', Outcome.PRECONDITION_FAILED)
    assert 'say <text>' not in lamp.offers()
    assert 'failure' in lamp.offers()
    lamp.does('shine on globe')
    assert 'say <text>' in lamp.offers()


@pytest.mark.parametrize('written', [lambda n: 'say noon', lambda n: f'say {n} times noon'])
def test_words_that_change_nothing_are_not_written_for_ever(written):
    lamp = Lamp('amuse the guests')
    for count in range(30):
        if 'say <text>' not in lamp.offers():
            break
        lamp.does(written(count), 'You have been heard.')
    assert count < 6
    assert 'done' in lamp.offers()


def test_a_robot_that_shows_the_same_again_and_again_comes_to_an_end():
    lamp = Lamp('tell something')
    for _ in range(60):
        skills = [skill for skill in lamp.offers() if skill in AWAKE]
        if not skills:
            break
        skill = skills[0].replace('<text>', 'noon')
        lamp.does(skill, f'Your light is on the {skill.removeprefix("shine on ")}.')
    assert not skills
    assert lamp.offers() == ['done', 'failure']


def test_a_node_that_has_tried_all_there_is_may_fail_though_regions_are_unseen():
    vocabulary = Vocabulary(('call <room>',), rooms=('hall 1', 'hall 2'))
    call = SkillType('call <room>', kind=SkillKind.MOVE)
    belief = BeliefState(replace(vocabulary, skill_types=(call,)))
    belief.update(Observation('Here.', room='hall 1', admissible_skills=('call hall 2',)))
    node = NodeSituation('tidy up', (), belief)
    for _ in range(2):
        assert ('failure' in choices(node, ('call hall 2',), Guards())) == bool(node.done)
        before = node.observation
        belief.update(replace(before, skill='call hall 2', text='Nobody comes.'))
        node.record('call hall 2', before)


def test_a_search_in_free_words_that_finds_nothing_may_fail():
    lamp = Lamp('find out who made the vase', ('say <text>',))
    for question in ('the vase', 'its maker'):
        lamp.does(f'say {question}', f'Nobody knows {question}.', skills=('say <text>',))
    assert {'done', 'failure'} <= set(lamp.offers())


def test_a_name_that_is_learned_on_the_way_is_read_in_the_goal():
    lamp = Lamp('wake up, then shine on the old clock', ASLEEP)
    assert lamp.node.reading.asked == ()
    lamp.does('wake up')
    assert [one.text for one in lamp.node.reading.asked] == ['shine on old clock']
    assert not lamp.node.asked_is_done(lamp.node.reading.asked[0])
    lamp.does('shine on old clock')
    assert lamp.node.asked_is_done(lamp.node.reading.asked[0])


@pytest.mark.parametrize(
    ('goal', 'more'),
    [
        ('shine on the globe', False),
        ('shine on the globe in the hall', False),
        ('wake up, shine on the globe', False),
        ('wake up, greet the guests', True),
        ('wake up and greet the guests', True),
        ('shine on the globe and tell its age', True),
        ('Shine on the globe. Then be quiet.', True),
        ('say hello', False),
        ('say hello, and bow', True),
        ('amuse the guests', False),
    ],
)
def test_a_goal_that_goes_on_is_not_done_unasked(goal, more):
    assert Lamp(goal).node.reading.asks_more == more
