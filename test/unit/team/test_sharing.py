"""Auction, reservations, hand-overs and the nodes of a team: what needs no run."""

from contextlib import nullcontext
from dataclasses import replace
from math import inf
from types import SimpleNamespace

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.journal_lines import decode_event, encode_event
from reactree_planner.team.auction import sell
from reactree_planner.team.parts import is_about_world, parts_of
from reactree_planner.team.reservations import Reservations
from reactree_planner.team.work import Work
from reactree_tools.team_episode import TeamEpisode
from reactree_tools.team_nodes import team_nodes
from sim_bridge.team_home import HomeServer
from sim_bridge.worlds.household.member import HomeMember
from sim_bridge.worlds.household.team import read_robots, RobotLimits, TeamHome


def by_place(at: dict[str, int]):
    """Bids of robots on a line that go to their parts in order."""

    def bid(who: str, parts: tuple[int, ...]) -> float:
        here, way = at[who], 0
        for part in sorted(parts):
            way, here = way + abs(part - here), part
        return float(way)

    return bid


def test_each_robot_gets_what_is_near() -> None:
    sale = sell([1, 2, 9, 8], ['left', 'right'], by_place({'left': 0, 'right': 10}))
    assert (sorted(sale.work['left']), sorted(sale.work['right'])) == ([1, 2], [8, 9])
    assert not sale.unsold


def test_the_longest_work_is_made_short_and_not_the_sum() -> None:
    # By the sum alone, the first robot would do all.
    sale = sell([1, 2, 3, 4], ['a', 'b'], by_place({'a': 0, 'b': 0}))
    assert max(sale.costs.values()) == 4.0
    assert all(sale.work.values())


def test_what_nobody_can_do_is_left_over() -> None:
    sale = sell(['easy', 'hard'], ['a'], lambda who, parts: inf if 'hard' in parts else 1.0)
    assert sale.work['a'] == ('easy',) and sale.unsold == ('hard',)
    assert sell(['easy'], [], lambda who, parts: 1.0).unsold == ('easy',)


def test_what_a_robot_is_at_stays_with_it() -> None:
    sale = sell([1], ['a', 'b'], by_place({'a': 0, 'b': 10}), {'b': (9,)})
    assert sale.work == {'a': (1,), 'b': (9,)}


def test_facts_of_one_thing_are_one_part() -> None:
    groups = [(('in', 'cup 1', 'table 1'),), (('is', 'cup 1', 'clean', True),)]
    (part,) = parts_of(groups)
    assert part.thing == 'cup 1' and len(part.conditions) == 2
    assert all(map(is_about_world, groups))
    assert not is_about_world((('near', 'table 1'),))


def test_what_robots_undo_again_and_again_is_left_to_one(monkeypatch) -> None:
    monkeypatch.setattr('reactree_planner.team.work.as_if_done', lambda *_: nullcontext())
    groups = [(('is', 'laptop 1', 'open', True),), (('is', 'phone 1', 'on', True),)]
    holds: set[object] = set()
    robots = {
        who: SimpleNamespace(
            who=who, parts=(), held=(), refuses={}, aim=None, cost_of=lambda conditions: 1.0
        )
        for who in ('a', 'b')
    }
    some = type('Some', (SimpleNamespace,), {'__getitem__': lambda _, who: robots[who]})
    mates = some(working=list(robots.values()), holder=lambda thing: '')
    problem = SimpleNamespace(has=lambda group: group[0][1] in holds)
    whole = SimpleNamespace(
        belief=SimpleNamespace(vanished=set()),
        bound=lambda begun: SimpleNamespace(goal=groups, later=[], missing=[], problem=problem),
        goal=SimpleNamespace(standing=(), holds=lambda one: one.subject in holds),
    )
    work = Work(mates, whole)
    turns = 0
    while not work.alone:
        work.share()
        assert {part.thing for mate in mates.working for part in mate.parts} >= {
            'laptop 1', 'phone 1'
        } - holds  # fmt: skip
        # Whatever opens the laptop turns off the phone, and the other way round.
        holds = {'phone 1'} if 'laptop 1' in holds else {'laptop 1'}
        work.share()
        turns += 1
        assert turns < 10
    assert turns > 2 and not any(mate.parts for mate in mates.working)


def test_a_thing_is_used_by_one_robot_at_a_time() -> None:
    table = Reservations(['a', 'b'])
    assert table.reserve('a', ['fridge 1']) is None
    wait = table.reserve('b', ['cup 1', 'fridge 1'])
    assert wait is not None and (wait.whom, wait.what) == ('a', 'fridge 1')
    # Nothing is held while it waits.
    assert table.reserve('a', ['cup 1']) is None
    table.release('a', 'fridge 1')
    assert table.reserve('b', ['cup 1', 'fridge 1']) is None


def test_robots_that_stand_in_each_others_way_do_not_wait_for_ever() -> None:
    table = Reservations(['a', 'b'], {'dock 1': 1, 'dock 2': 1})
    for who, dock in (('a', 'dock 1'), ('b', 'dock 2')):
        assert table.reserve(who, (), dock) is None
        table.release(who, dock)
    assert table.reserve('a', (), 'dock 2') is not None
    assert not table.standing_in_the_way() or table.standing_in_the_way() == 'b'
    assert table.reserve('b', (), 'dock 1') is not None
    assert table.standing_in_the_way() == 'b'
    table.give_up('b')
    assert table.reserve('b', (), 'hall') is None
    table.release('b', 'hall')
    assert table.reserve('a', (), 'dock 2') is None


def test_a_robot_that_waits_for_long_turns_to_other_work() -> None:
    table = Reservations(['a', 'b'], patience=2)
    table.reserve('a', ['door 1'])
    table.reserve('b', ['door 1'])
    for _ in range(2):
        assert not table.is_tired('b')
        table.release('a', 'hall')
        table.reserve('a', ['door 1'])
    assert table.is_tired('b')


COOK = RobotLimits(rooms=('kitchen', 'living room'))
CARRIER = RobotLimits(('living room', 'bedroom', 'bathroom'), ('go to', 'pick up', 'put down'))
SCOUT = RobotLimits(skills=('go to', 'open'), hands=0)


def test_a_thing_passes_through_hands() -> None:
    team = TeamEpisode(
        'generated:10402',
        '',
        10402,
        ('cook', 'carrier', 'scout'),
        {'cook': COOK, 'carrier': CARRIER, 'scout': SCOUT},
        'Put one bar soap on the kitchen table.',
        {'on_barsoap_kitchentable': 1},
    )
    assert team.run() and team.is_met
    hands = [who for who, skill in team.skills.executed if skill.startswith('pick up')]
    assert hands[0] == 'carrier' and hands[-1] == 'cook'
    done = {
        who: {text.rpartition(' ')[0] for w, text in team.skills.executed if w == who}
        for who in team.robots
    }
    assert 'go to kitchen' not in done['carrier']
    told = [event.text for event in team.events if 'for cook' in event.text]
    assert told  # who does it for whom is in the record


def test_robots_in_one_home_see_the_same_things() -> None:
    home = TeamHome(('a', 'b'))
    home.reset('generated:9', '', 9)
    one, other = home.members['a'], home.members['b']
    kitchen = 'go to kitchen 1'
    for member in (one, other):
        if kitchen in member.admissible_skills():
            member.step(kitchen)
    taken = next(text for text in one.admissible_skills() if text.startswith('go to water glass'))
    one.step(taken)
    glass = taken.removeprefix('go to ')
    assert one.step(f'pick up {glass}').held == (glass,)
    assert other.observe().held == ()
    assert taken not in other.admissible_skills()


def test_limits_of_a_robot_hold() -> None:
    home = TeamHome(('carrier',), {'carrier': CARRIER})
    home.reset('generated:10402', '', 10402)
    member = home.members['carrier']
    assert not any(text.startswith('open') for text in member.admissible_skills())
    assert 'kitchen 1' not in member.vocabulary().rooms
    refused = member.step('go to kitchen 1')
    assert not refused.succeeded and 'cannot enter' in refused.text
    with pytest.raises(ConfigurationError, match='no skill fly'):
        RobotLimits(skills=('fly',))


def test_a_home_answers_over_its_socket(tmp_path) -> None:
    import threading

    home = TeamHome(('a', 'b'))
    with HomeServer(tmp_path / 'home', home) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        one, other = (HomeMember(str(tmp_path / 'home'), who) for who in ('a', 'b'))
        assert one.reset('generated:9', 'generated:9', 9).admissible_skills
        one.step('go to kitchen 1')
        before = home.members['a'].observe()
        # The second robot comes in, and finds the home as it is.
        other.reset('generated:9', 'generated:9', 9)
        assert home.members['a'].observe() == before == one.observe()
        assert one.vocabulary() == home.members['a'].vocabulary()
        assert one.task() is not None and one.progress() == home.members['a'].progress()
        with pytest.raises(ConfigurationError, match='same scene'):
            HomeMember(str(tmp_path / 'home'), 'b').reset('generated:8', '', 8)
        with pytest.raises(ConfigurationError, match='no robot'):
            HomeMember(str(tmp_path / 'home'), 'c').reset('generated:9', 'generated:9', 9)
        for member in (one, other):
            member.close()
        server.shutdown()


def test_a_team_has_one_planner_and_a_bridge_for_each(tmp_path) -> None:
    (tmp_path / 'cook.yaml').write_text('world: household\nrooms: [kitchen]\n')
    given = {'scene': 'generated:3', 'memory': False, 'model': 'none'}
    nodes = team_nodes(['robot_1', str(tmp_path / 'cook.yaml')], given, '/home')
    assert [(one.node.executable, one.namespace) for one in nodes] == [
        ('team_home', '/home'),
        ('bridge_node', '/home/robot_1'),
        ('bridge_node', '/home/cook'),
        ('planner_node', '/home'),
    ]
    assert nodes[-1].parameters['team'] == ('robot_1', 'cook')
    assert nodes[1].parameters['world'].endswith(',robot=robot_1')
    assert nodes[1].parameters['scene'] == 'generated:3'
    with pytest.raises(ValueError, match='name of its own'):
        team_nodes(['a', 'a'], given)


def test_a_robot_file_with_a_mistake_is_refused(tmp_path) -> None:
    path = tmp_path / 'cook.yaml'
    path.write_text('world: household\nwheels: 4\n')
    with pytest.raises(ConfigurationError, match='nothing else'):
        read_robots([str(path)])


def test_a_journal_of_one_robot_is_as_it_was() -> None:
    act = Decision(1, 1, DecisionKind.ACT, skill='open door 1')
    seen = Observation('It is open.', skill='open door 1')
    assert 'who' not in encode_event(act) and 'who' not in encode_event(seen)
    for event in (replace(act, who='robot_1'), replace(seen, who='robot_1')):
        assert decode_event(encode_event(event)) == event
