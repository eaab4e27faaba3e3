"""Places with room for one robot: it is never exceeded, and nobody waits for ever."""

from dataclasses import replace

import pytest

from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind
from reactree_planner.team.reservations import Reservations
from reactree_tools.team_episode import TeamEpisode
from sim_bridge.worlds.household.team import ALL, LimitedMember, TeamHome

#: Classes of furniture with one seat. (What lies on open furniture is gone to by its own name, and
#: nobody knows beforehand where one will stand then.)
NARROW = ('fridge', 'dishwasher', 'microwave', 'stove')


class NarrowMember(LimitedMember):
    """A robot that tells of furniture at which only one can stand."""

    def observe(self) -> Observation:
        return told(super().observe())

    def step(self, skill: str) -> Observation:
        return told(super().step(skill))


def told(observation: Observation) -> Observation:
    facts = [
        replace(fact, state=', '.join(filter(None, (fact.state, 'seats 1'))))
        if fact.object_class in NARROW
        else fact
        for fact in observation.facts
    ]
    return replace(observation, facts=tuple(facts))


class NarrowHome(TeamHome):
    def _member(self, number, who):
        return NarrowMember(self, number, who, ALL)


def narrow_episode(seed: int, robots: int) -> TeamEpisode:
    names = tuple(f'robot_{number}' for number in range(robots))
    task = f'generated:{seed}'
    return TeamEpisode(task, task, seed, names, within=NarrowHome(names))


def most_at_once(one: TeamEpisode) -> tuple[int, int]:
    """The most robots at a narrow place, those on their way counted, and how often one waited."""
    at = dict.fromkeys(one.robots, '')
    to = dict.fromkeys(one.robots, '')
    most = waits = 0
    for event in one.events:
        if isinstance(event, Observation) and event.who:
            at[event.who] = event.place
            to[event.who] = '' if event.skill else to[event.who]
        elif isinstance(event, Decision) and event.kind is DecisionKind.ACT:
            to[event.who] = event.skill.removeprefix('go to ') if 'go to ' in event.skill else ''
        elif isinstance(event, Decision):
            waits += event.text.startswith('waits for')
        for name in {*at.values(), *to.values()}:
            if name.rpartition(' ')[0] in NARROW:
                most = max(most, sum(name in (at[who], to[who]) for who in one.robots))
    return most, waits


@pytest.mark.parametrize('robots', [2, 3])
def test_two_robots_never_stand_where_one_has_room(robots: int) -> None:
    waited = 0
    for seed in range(9862, 9868):
        one = narrow_episode(seed, robots)
        assert one.run() and one.is_met, (seed, one.plan and one.plan.aims.ending)
        most, waits = most_at_once(one)
        assert most <= 1, seed
        waited += waits
    assert waited


def test_a_robot_on_its_way_takes_the_place_that_it_leaves_and_the_one_that_it_goes_to() -> None:
    table = Reservations(['a', 'b'])
    table.seats.update({'dock 1': 1, 'dock 2': 1})
    table.stand('a', 'dock 1')
    assert table.reserve('a', (), 'dock 2') is None
    for dock in ('dock 1', 'dock 2'):
        wait = table.reserve('b', (), dock)
        assert wait is not None and wait.whom == 'a'
    table.release('a', 'dock 2')
    assert table.reserve('b', (), 'dock 1') is None


def test_a_robot_with_nothing_to_do_makes_room_though_another_one_works() -> None:
    table = Reservations(['a', 'b', 'c'])
    table.seats['dock 1'] = 1
    table.stand('a', 'dock 1')
    table.reserve('c', ['door 1'])
    assert table.reserve('b', (), 'dock 1') is not None
    assert table.standing_in_the_way({'c'}) == 'a'
    assert table.standing_in_the_way({'a', 'c'}) == ''
