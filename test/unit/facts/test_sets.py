"""Goals over what is seen: all but some, where things were, and the place of another thing."""

from __future__ import annotations

from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.skill_types import class_and_number, SkillKind, SkillType
from reactree_planner.facts.conditions import read_condition
from reactree_planner.facts.reasoner import Reasoner

START = {'cog 1': 'tray', 'cog 2': 'tray', 'vial 1': 'rack', 'pad 1': 'scale'}


class Table:
    """Spots under a camera. :param drives: it goes to a spot, and sees what is there only."""

    def __init__(self, drives=False, **more):
        self.things = START | more
        self.drives = drives
        self.at = 'door' if drives else ''
        self.held = ''
        self.done = []
        #: Hidden from the camera.
        self.hidden = set()

    def vocabulary(self):
        move = (SkillType('go to <place>', ('place',), SkillKind.MOVE),) if self.drives else ()
        # What stands over a table reaches all of it.
        take, put = ((), ()) if self.drives else (('hands free',), ('holding <thing>',))
        return Vocabulary(
            object_classes=('cog', 'vial', 'pad'),
            place_classes=('tray', 'rack', 'scale', 'bin', 'door'),
            skill_types=(
                *move,
                SkillType('pick up <thing>', ('thing',), SkillKind.TAKE, needs=take),
                SkillType('put <thing> on <place>', ('thing', 'place'), SkillKind.PUT, needs=put),
            ),
        )

    @property
    def spots(self):
        return ('tray', 'rack', 'scale', 'bin', 'door')

    def look(self, skill='', outcome=Outcome.SUCCEEDED):
        seen = {
            name: spot
            for name, spot in self.things.items()
            if name != self.held and name not in self.hidden
            if not self.drives or spot == self.at
        }
        facts = [ObjectFact(spot, 0) for spot in self.spots]
        facts += [ObjectFact(*class_and_number(name), receptacle=spot)
                  for name, spot in seen.items()]  # fmt: skip
        offered = [f'go to {spot}' for spot in self.spots if self.drives and spot != self.at]
        offered += [f'pick up {name}' for name in seen if not self.held]
        near = self.spots if not self.drives else (self.at,)
        offered += [f'put {self.held} on {spot}' for spot in near if self.held]
        looked = (self.at,) if self.drives else self.spots
        return Observation(
            '', outcome, skill, self.at, '', looked, held=(self.held,) if self.held else (),
            admissible_skills=tuple(offered), facts=tuple(facts), sensed=('holding',),
        )  # fmt: skip

    def execute(self, skill):
        self.done.append(skill)
        words = skill.split(' ')
        if skill.startswith('go to '):
            self.at = words[2]
        elif skill.startswith('pick up '):
            self.held = ' '.join(words[2:])
        else:
            self.things[self.held] = words[-1]
            self.held = ''
        return self.look(skill)


def reach(table, *milestones, most=40):
    """:return: whether the goal was met, and the reasoner."""
    goal = tuple(tuple(map(read_condition, one.split('; '))) for one in milestones)
    reasoner = Reasoner(table.vocabulary(), goal)
    reasoner.see(table.look())
    for _ in range(most):
        step = reasoner.next()
        if not step.skill:
            return step.is_done, reasoner
        reasoner.see(table.execute(step.skill))
    raise AssertionError(f'no end: {table.done}')


def test_everything_that_was_on_a_place_goes_and_nothing_else_is_touched():
    table = Table()
    done, _ = reach(table, 'everything in bin being in tray')
    assert done and table.things == START | {'cog 1': 'bin', 'cog 2': 'bin'}
    assert len(table.done) == 4


def test_what_is_excepted_stays():
    table = Table()
    assert reach(table, 'everything in rack but for pad, cog 2')[0]
    assert table.things == START | {'cog 1': 'rack'} and len(table.done) == 2


def test_all_of_a_class_but_one():
    table = Table()
    assert reach(table, 'all cog in bin but for cog 1')[0]
    assert table.things == START | {'cog 2': 'bin'}


def test_what_is_brought_to_a_place_does_not_belong_to_what_was_there():
    table = Table()
    goal = 'everything in rack being in tray; everything in tray being in rack'
    assert reach(table, goal)[0]
    expected = {'cog 1': 'rack', 'cog 2': 'rack', 'vial 1': 'tray', 'pad 1': 'scale'}
    assert table.things == expected and len(table.done) == 6


def test_two_things_change_places():
    table = Table()
    assert reach(table, 'vial where pad was; pad where vial was')[0]
    assert table.things == START | {'vial 1': 'scale', 'pad 1': 'rack'}


def test_the_place_of_a_thing_is_where_it_was_before_anything_moved():
    table = Table()
    assert reach(table, 'pad in bin', 'pad in bin; vial where pad was')[0]
    assert table.things == START | {'pad 1': 'bin', 'vial 1': 'scale'}


def test_of_two_at_different_places_neither_place_is_meant():
    table = Table(**{'pad 2': 'rack'})
    done, _ = reach(table, 'vial where pad was')
    assert not done and not table.done


def test_a_thing_that_is_lost_on_the_way_is_not_forgotten():
    table = Table()
    goal = (tuple(map(read_condition, ('everything in bin being in tray',))),)
    reasoner = Reasoner(table.vocabulary(), goal)
    reasoner.see(table.look())
    table.hidden.add('cog 1')
    del table.things['cog 1']
    reasoner.belief._lose(reasoner.belief.things['cog 1'])
    for _ in range(10):
        step = reasoner.next()
        if not step.skill:
            break
        reasoner.see(table.execute(step.skill))
    assert not step.is_done and table.things['cog 2'] == 'bin'


def test_nothing_is_known_of_a_place_that_was_not_looked_at():
    table = Table(drives=True)
    goal = 'everything in bin being in tray'
    reasoner = Reasoner(table.vocabulary(), ((read_condition(goal),),))
    reasoner.see(table.look())
    assert reasoner.goal.holds(read_condition(goal)) is not True
    assert reach(table, goal)[0]
    assert table.things == START | {'cog 1': 'bin', 'cog 2': 'bin'}


def test_the_place_of_a_thing_is_looked_for():
    table = Table(drives=True)
    assert reach(table, 'vial where pad was')[0]
    assert table.things == START | {'vial 1': 'scale'}


def test_each_thing_of_a_set_is_a_condition_of_its_own_for_what_senses_tell():
    table = Table()
    _, reasoner = reach(table, 'everything in bin being in tray but for cog 2')
    condition = read_condition('everything in bin being in tray but for cog 2')
    assert [one.text for one in reasoner.goal.things_meant(condition)] == ['cog 1 in bin']
    placed = read_condition('vial where pad was')
    assert [one.text for one in reasoner.goal.things_meant(placed)] == ['vial in scale']
