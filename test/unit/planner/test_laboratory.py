"""Tasks in a domain that no rule was made for: what a run says of them is true."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.observation import Observation, Vocabulary
from reactree_core.record.events import NodeStatus
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone
from reactree_planner.runs.presets import settings_of_preset
from support.laboratory import carried_out, Laboratory, TYPES


def read(text, vocabulary):
    """Conditions of a task that is read whole; () where it asks for nothing."""
    goal = read_alone(text, Names(vocabulary))
    return tuple(one.text for one in goal.conditions) if goal.acts else ()


@pytest.mark.parametrize('seed', range(3))
def test_another_thing_is_looked_for_where_one_is_changed_already(seed):
    lab = Laboratory()
    success, _ = carried_out('Label two flasks.', lab, seed=seed)
    assert success
    assert {name for name, states in lab.states.items() if states} == {'flask 1', 'flask 2'}


def test_a_thing_that_lies_where_one_condition_wants_it_is_left_there():
    lab = Laboratory()
    success, _ = carried_out('Put a flask in cabinet 2 and a flask on the bench.', lab)
    assert success
    assert sorted(lab.at[name] for name in ('flask 1', 'flask 2')) == ['bench 1', 'cabinet 2']


@pytest.mark.parametrize('seed', range(3))
def test_what_the_robot_holds_at_first_and_nobody_wants_is_laid_down(seed):
    lab = Laboratory(held='vial 3')
    success, _ = carried_out('Put a flask in the incubator.', lab, seed=seed)
    assert success
    assert 'incubator 1' in {lab.at.get('flask 1'), lab.at.get('flask 2')}


@pytest.mark.parametrize('planner', ['zero_shot', 'adapt', 'tree_planner', 'plan_and_execute'])
@pytest.mark.parametrize('seed', range(4))
def test_no_planner_says_that_a_task_is_done_of_which_a_condition_is_missing(planner, seed):
    success, run = carried_out('Label vial 1.', planner=planner, seed=seed)
    assert not (success and run.aims.ending.missing)
    assert (run.tree.node(1).status is NodeStatus.SUCCESS) == success
    published = settings_of_preset('published', planner)
    _, run = carried_out('Label vial 1.', planner=planner, seed=seed, settings=published)
    assert not any('Not done yet' in node.detail for node in run.tree.snapshot().nodes)


class Cafe(Laboratory):
    """A skill that makes something tells only how many."""

    types = (*TYPES, SkillType('brew <number> cups', ('number',), SkillKind.MAKE))

    def _skills(self):
        return (*super()._skills(), 'brew 2 cups')


def test_a_skill_that_makes_a_number_of_something_tells_no_recipe():
    assert carried_out('Put a vial in the incubator.', Cafe())[0]


class Carpentry:
    """Port `SkillServer`: a crate is made of two planks of one sort; nothing ends the episode."""

    types = (
        SkillType('get <number> <item>', ('number', 'name'), effects=('holding <item>',)),
        SkillType('craft <items> using <items>', kind=SkillKind.MAKE),
    )
    sorts = tuple(f'{wood} plank' for wood in ('oak', 'birch', 'spruce', 'acacia', 'jungle'))

    def __init__(self):
        self.has = []
        self.executed = []

    def list_skills(self, cancel):
        templates = tuple(one.template for one in self.types)
        names = (*self.sorts, 'crate')
        vocabulary = Vocabulary(templates, other_classes=names, skill_types=self.types)
        return vocabulary, self.look(cancel)

    def look(self, cancel):
        return self._seen('Recipes:\ncraft 1 crate using 2 plank\n')

    def progress(self, cancel):
        return None

    def execute(self, sequence, node_id, skill, cancel):
        self.executed.append(skill)
        verb, number, *words = skill.split()
        if verb == 'get':
            self.has += [' '.join(words)] * int(number)
        else:
            self.has.append('crate')
        return self._seen(f'Done: {skill}.')

    def _seen(self, text):
        skills = [f'get {number} {sort}' for number in (1, 2) for sort in self.sorts]
        skills += [
            f'craft 1 crate using 2 {sort}' for sort in self.sorts if self.has.count(sort) > 1
        ]
        return replace(Observation(text), admissible_skills=tuple(skills))


@pytest.mark.parametrize('task', ['craft a crate', 'make a crate'])
def test_a_task_whose_things_are_made_is_done_though_nothing_ends_the_episode(task):
    world = Carpentry()
    assert carried_out(task, world)[0]
    # Of sorts that are as good, the first by name: the same in every process.
    assert world.executed == ['get 2 acacia plank', 'craft 1 crate using 2 acacia plank']


class Airlock(Laboratory):
    """Skills without names, with one that says what is no longer so; and a printer."""

    types = (
        *TYPES[:3],
        SkillType(
            'open airlock',
            kind=SkillKind.OPEN,
            inverse='close airlock',
            effects=('airlock is open',),
        ),
        SkillType('close airlock', kind=SkillKind.CLOSE, effects=('not airlock is open',)),
        SkillType('call lift', kind=SkillKind.CHANGE),
        SkillType('print <number> labels saying <text>', kind=SkillKind.MAKE),
    )

    @property
    def vocabulary(self):
        return replace(super().vocabulary, other_classes=('airlock',))

    def _skills(self):
        named = tuple(skill for skill in super()._skills() if not skill.startswith('open'))
        lock = 'close airlock' if 'airlock' in self.opened else 'open airlock'
        return (*named, lock, 'call lift', 'print <number> labels saying <text>')

    def execute(self, sequence, node_id, skill, cancel):
        if skill.startswith(('walk', 'grasp', 'place', 'label', 'sterilise')):
            return super().execute(sequence, node_id, skill, cancel)
        self.executed.append(skill)
        if skill == 'open airlock':
            self.opened.add('airlock')
        self.opened -= {'airlock'} if skill == 'close airlock' else set()
        return self._seen(f'Done: {skill}.')


@pytest.mark.parametrize('task', ['close the airlock', 'make sure that the airlock is closed'])
def test_a_door_is_closed_though_its_skill_tells_only_that_it_is_not_open(task):
    world = Airlock()
    world.opened.add('airlock')
    success, run = carried_out(task, world)
    assert success and world.executed == ['close airlock']
    assert run.aims.ending.verified == ('airlock is closed',)


@pytest.mark.parametrize(
    ('task', 'skill'),
    [
        ('call lift', 'call lift'),
        ('Please call the lift.', 'call lift'),
        ('print 2 labels saying Morphine', 'print 2 labels saying Morphine'),
        ('Print two labels saying vial 1', 'print 2 labels saying vial 1'),
    ],
)
def test_a_task_that_is_a_skill_word_for_word_is_done_without_the_model(task, skill):
    world = Airlock()
    success, run = carried_out(task, world)
    assert success and world.executed == [skill]
    assert run.budget.usage.requests == 0


def test_a_skill_that_says_itself_what_it_is_done_with_can_be_forbidden():
    world = Airlock()
    _, run = carried_out('Put vial 1 in the incubator. Never open the airlock.', world)
    assert not run.world.permitted(('open airlock',)) and run.world.permitted(('close airlock',))
    assert 'open airlock' not in world.executed


def test_a_state_is_wanted_of_the_thing_that_it_is_told_of():
    world = Laboratory()
    success, run = carried_out('Put a vial in cabinet 2 and a labelled vial on the bench.', world)
    assert success and 'vial in bench is labelled' in run.aims.ending.verified
    labelled = {name for name, states in world.states.items() if states}
    assert {world.at[name] for name in labelled} == {'bench 1'}
    assert 'cabinet 2' in world.at.values()


def test_nothing_is_opened_for_what_was_seen_nowhere_in_particular():
    world = Airlock()
    world.places = (*world.places, 'ward 1')
    assert not any(
        'airlock' in skill
        for seed in range(5)
        for skill in (
            carried_out('Put vial 1 in the incubator.', world, seed=seed),
            world.executed,
        )[1]
    )


@pytest.mark.parametrize(
    'question',
    [
        'Where is vial 3?',
        'How many vials are in the freezer?',
        'Which vial is in the freezer',
        'Is vial 1 labelled?',
        'Do you have vial 1?',
        'Put either vial 1 or vial 2 in the freezer.',
    ],
)
def test_a_question_or_a_choice_asks_for_nothing_that_it_names(question):
    assert read(question, Laboratory().vocabulary) == ()
    assert read(question, Airlock().vocabulary) == ()


@pytest.mark.parametrize(
    'request_',
    [
        'Could you put vial 1 in the freezer?',
        'Is it possible to put vial 1 in the freezer?',
        'Do you think you could put vial 1 in the freezer?',
        'Would you mind putting vial 1 in the freezer?',
    ],
)
def test_a_request_in_the_form_of_a_question_stays_a_request(request_):
    assert read(request_, Laboratory().vocabulary) == ('vial 1 in freezer',)


CLOSED_FIRST = [
    'close airlock',
    'grasp vial 1',
    'walk to incubator 1',
    'place vial 1 in incubator 1',
]
CLOSED_LAST = [*CLOSED_FIRST[1:], CLOSED_FIRST[0]]
TOLD_LAST = pytest.mark.xfail(
    strict=True,
    reason='"first" behind what comes after it is not read, so that facts choose nothing',
)


@pytest.mark.parametrize(
    ('task', 'skills'),
    [
        ('First close the airlock, then put vial 1 in the incubator.', CLOSED_FIRST),
        pytest.param(
            'Put vial 1 in the incubator, but first close the airlock.',
            CLOSED_FIRST,
            marks=TOLD_LAST,
        ),
        pytest.param(
            'Put vial 1 in the incubator and close the airlock first.',
            CLOSED_FIRST,
            marks=TOLD_LAST,
        ),
        ('Close the airlock before putting vial 1 in the incubator.', CLOSED_FIRST),
        ('Put vial 1 in the incubator, then close the airlock.', CLOSED_LAST),
        ('Close the airlock after putting vial 1 in the incubator.', CLOSED_LAST),
        ('Put vial 1 in the incubator and close the airlock.', CLOSED_LAST),
    ],
)
def test_an_order_that_is_told_is_kept(task, skills):
    world = Airlock()
    world.opened.add('airlock')
    assert carried_out(task, world)[0]
    assert world.executed == skills


@pytest.mark.parametrize(
    ('task', 'unread'),
    [
        ('Weigh vial 1 and put it in the incubator.', 'Weigh vial 1'),
        ('Put vial 1 in the incubator, then photograph it.', 'photograph'),
        ('Put vial 1 in the incubator and label it.', ''),
    ],
)
def test_what_the_robot_cannot_do_is_told_and_not_left_out(task, unread):
    # What is not read is left to a model that draws its answers: not every seed comes to an end.
    _, run = carried_out(task, seed=1)
    assert run.aims.goal.unread[:1] == ((unread,) if unread else ())
    assert run.aims.ending.holds == (not unread)


def test_a_verb_is_not_taken_for_its_opposite():
    found = read_alone('Lock the freezer.', Names(Laboratory().vocabulary))
    assert not found.conditions and not found.whole
