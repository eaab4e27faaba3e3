"""Several robots with one task: hand-overs, and what becomes of losses.

(`reactree bench run` compares a team with one robot alone: see docs/team.md.)

python -m benchmarks.team hand_overs   # three robots with different skills
python -m benchmarks.team losses       # a robot is lost at every tenth event
python -m benchmarks.team interrupted  # the planner is killed at every tenth event, and resumed
python -m benchmarks.team bound --study FOLDER  # how fast a team could be, beside one robot
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from math import ceil
from pathlib import Path

from reactree_core.errors import ReactreeError
from reactree_core.observation import Observation, Outcome
from reactree_core.record.events import Decision, DecisionKind, Event
from reactree_core.record.journal_lines import decode_record
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_tools.bench.rows import read_rows
from reactree_tools.team_episode import TeamEpisode
from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.team import read_robots

#: Seeds of the tasks of `losses` and `interrupted`; from which on `hand_overs` looks for its own.
TASKS = range(10000, 10020)
HAND_OVERS = 10020
_FARTHEST = 1000
_WANTED = 10
_EVERY = 10
_FILES = Path(__file__).parents[1] / 'examples/team'
_DIFFERENT = tuple(str(_FILES / f'{name}.yaml') for name in ('cook', 'carrier', 'scout'))
#: Rooms of the cook alone, and of the carrier alone.
_KITCHEN, _ELSEWHERE = ('kitchen',), ('bedroom', 'bathroom')


class Killed(BaseException):
    """The planner ends here."""


def _task(seed: int) -> tuple[str, str, int]:
    return f'generated:{seed}', f'generated:{seed}', seed


def _run(team: TeamEpisode, see: Callable[[Event], None] = lambda event: None) -> str:
    """Run to the end. :return: the error that ended it; '' for none."""
    try:
        team.run(see)
    except ReactreeError as error:
        return str(error)[:120]
    return ''


def hand_overs(model: str, first: int = HAND_OVERS) -> None:
    """Three robots with different skills, where one has to hand things to another."""
    robots = read_robots(_DIFFERENT)
    solved = handed = tasks = 0
    for seed, thing, word in _things_elsewhere(first):
        team = TeamEpisode(
            f'generated:{seed}',
            '',
            seed,
            tuple(robots),
            robots,
            f'Put one {word} on the kitchen table.',
            {f'on_{thing}_kitchentable': 1},
            model=load_model(model, ModelOptions()),
        )
        error = _run(team)
        carriers = {who for who, skill in team.skills.executed if skill.startswith('pick up')}
        tasks += 1
        solved += team.is_met
        handed += len(carriers) > 1
        print(
            f'{seed}   {team.is_met!s:5} {team.makespan:4.0f} {len(team.skills.executed):4} '
            f'{team.idle_share:5.2f}  {team.sentence} {error}',
            flush=True,
        )
    print(f'{model}: solved {solved} of {tasks}, by hand-overs {handed}')


def _things_elsewhere(first: int) -> Iterator[tuple[int, str, str]]:
    """Tasks whose thing lies only where the robot that enters the kitchen does not come.

    The first ten seeds that have one: seed, class of the thing, and its name.
    """
    found = 0
    for seed in range(first, first + _FARTHEST):
        world = HouseholdWorld()
        world.reset(f'generated:{seed}', '', seed)
        state = world.state
        graph = state.graph
        rooms = {state.names.word[room] for room in state.rooms}
        tables = [key for key, node in graph.nodes.items() if node.class_name == 'kitchentable']
        if not {'kitchen', 'living room'} <= rooms or rooms.isdisjoint(_ELSEWHERE) or not tables:
            continue
        if any(state.names.word[graph.room_of(one) or 0] != 'kitchen' for one in tables):
            continue
        where: dict[str, set[str]] = {}
        for key, roles in state.roles.items():
            room = graph.room_of(key)
            if roles.grabbable and roles.observable and room in state.rooms:
                name = graph.nodes[key].class_name
                where.setdefault(name, set()).add(state.names.word[room])
        names = {graph.nodes[key].class_name: state.names.word[key] for key in state.roles}
        only = sorted(name for name, places in where.items() if places <= set(_ELSEWHERE))
        if only:
            found += 1
            yield seed, only[0], names[only[0]]
        if found == _WANTED:
            return


def losses(model: str) -> None:
    """One robot of two is lost at every tenth event."""
    runs = met = hit = holding = blamed = twice = 0
    for seed in TASKS:
        whole = TeamEpisode(*_task(seed))
        _run(whole)
        for number, at in enumerate(range(_EVERY, len(whole.events), _EVERY)):
            who = whole.robots[number % 2]
            team = TeamEpisode(*_task(seed), model=load_model(model, ModelOptions()))

            def see(event: Event, team: TeamEpisode = team, at: int = at, who: str = who) -> None:
                if len(team.events) == at:
                    team.skills.lose(who)

            _run(team, see)
            lost = [
                one
                for one in team.events
                if isinstance(one, Observation) and one.outcome is Outcome.BRIDGE_LOST
            ]
            answers = [one for one in team.events if isinstance(one, Observation) and one.skill]
            twice += len(answers) != len({one.sequence for one in answers})
            twice += len(team.skills.executed) != len(answers) - sum(bool(e.skill) for e in lost)
            runs += 1
            hit += bool(lost)
            met += team.is_met
            if not team.is_met:
                holds = bool(lost and lost[0].held)
                holding += holds
                told = ' '.join(team.plan.notices if team.plan is not None else ())
                blamed += holds and all(name in told for name in lost[0].held)
                print(f'{seed} {who} at {at}: {team.progress}; {told[:200]}', flush=True)
    print(
        f'{model}: {runs} losses ({hit} before the end), goal met in {met}; of the other '
        f'{runs - met} the lost robot held a thing in {holding}, which the run names in '
        f'{blamed}; skills done twice: {twice}'
    )


def interrupted(model: str) -> None:
    """The planner is killed at every tenth event, and goes on with the same world."""
    runs = same = met = 0
    for seed in TASKS:
        whole = TeamEpisode(*_task(seed), model=load_model(model, ModelOptions()))
        _run(whole)
        for at in range(_EVERY, len(whole.events) + 1, _EVERY):
            team = TeamEpisode(*_task(seed), model=load_model(model, ModelOptions()))

            def see(event: Event, team: TeamEpisode = team, at: int = at) -> None:
                if len(team.events) == at:
                    raise Killed

            try:
                team.run(see)
            except Killed:
                team.run(resumes=True)
            runs += 1
            same += team.skills.executed == whole.skills.executed
            met += team.is_met
    print(f'{model}: {runs} interruptions, goal met in {met}, the same skills in {same}')


def bound(folder: str) -> None:
    """How fast a team could be whose looks are all of use, by what one robot alone has done.

    Looks are divided by the robots. All that is done with one thing in the hand, and the way to
    it, is one robot's, and ends after the looks that one robot alone has made before.
    """
    rows = [row for row in read_rows(Path(folder) / 'episodes.jsonl') if row.success]
    alone = {
        (row.cell.world, row.cell.task, row.cell.model): row
        for row in rows
        if row.cell.planner == 'reactree'
    }
    sums: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        one = alone.get((row.cell.world, row.cell.task, row.cell.model))
        if row.makespan is None or one is None:
            continue
        least = _least(Path(folder) / 'runs' / f'{one.run}.jsonl', row.robots)
        found = sums.setdefault((row.cell.world, row.cell.model), [0.0] * 4)
        for place, value in enumerate((1, one.steps, row.makespan, least)):
            found[place] += value
    for (world, model), (count, steps, makespan, least) in sums.items():
        print(
            f'{world} {model}: {count:.0f} tasks, one robot {steps / count:.1f}, team '
            f'{makespan / count:.1f} ({makespan / steps:.2f}), at least {least / count:.1f} '
            f'({least / steps:.2f})'
        )


def _least(journal: Path, robots: int) -> float:
    """A bound for several robots by the journal of one."""
    looking: dict[int, bool] = {}
    held: tuple[str, ...] = ()
    deeds: Counter[str] = Counter()
    looks = steps = on_the_way = 0
    least = 0.0
    for line in journal.read_text().splitlines():
        record = decode_record(line)
        if isinstance(record, Decision) and record.kind is DecisionKind.ACT:
            looking[record.sequence] = record.text.startswith('to look for')
        elif isinstance(record, Observation):
            things, held = {*held, *record.held}, record.held
            if not record.skill:
                continue
            steps += 1
            if looking.get(record.sequence, False):
                looks += 1
                continue
            on_the_way += 1
            for thing in things:
                deeds[thing] += on_the_way
                least = max(least, looks / robots + deeds[thing])
            on_the_way *= not things
    return max(ceil(steps / robots), ceil(least))


def main() -> int:
    """Run one of the studies."""
    studies = {one.__name__: one for one in (hand_overs, losses, interrupted)}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('study', choices=[*studies, bound.__name__])
    parser.add_argument('--study', dest='folder', help='of `reactree bench run`, for bound')
    parser.add_argument('--model', default='none', help='none, random:SEED, or any other model')
    parser.add_argument('--first', type=int, help='of the seeds of hand_overs')
    args = parser.parse_args()
    if args.study == bound.__name__:
        bound(args.folder)
    elif args.first is not None:
        hand_overs(args.model, args.first)
    else:
        studies[args.study](args.model)
    return 0


if __name__ == '__main__':
    sys.exit(main())
