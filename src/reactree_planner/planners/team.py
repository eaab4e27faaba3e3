"""Several robots do one task: facts share its parts among them, and they work at the same time.

The tree has a lane for each robot: its milestones are a sequence, and below each stands a parallel
node with one agent a robot. All decisions are made here, one after the other, from the answers of
the robots in the order in which they came; so a record says one order, and a resumed run decides
the same. Only the skills themselves run at the same time.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from reactree_core.errors import BridgeLostError, ConfigurationError, NotUnderstoodError
from reactree_core.observation import Observation, Outcome, ROBOT_STOPPED
from reactree_core.ports import TeamSkillServer
from reactree_core.record.events import ControlFlow, DecisionKind
from reactree_core.record.run_settings import ParallelPolicy
from reactree_planner.agents.offering import DONE
from reactree_planner.runs.correcting import Corrected
from reactree_planner.runs.planner import PlannedRun
from reactree_planner.team.mate import Does, Mate
from reactree_planner.team.reservations import Reservations
from reactree_planner.team.team import Team

_ROOT = 1
_CORRECTED = 'a person has corrected the task'
#: Most robots of a team: the children of one node.
MOST_ROBOTS = 16
#: Seconds between two looks whether a lost robot is there again.
_POLL = 0.2


class TeamPlanner:
    """Runs one task with all robots of a team."""

    name = 'team'

    def __init__(self) -> None:
        self._team_run: _TeamRun | None = None

    def run(self, run: PlannedRun) -> bool:
        """Share the work and do it; True when all milestones are met.

        :raises ConfigurationError: the skill server is that of one robot.
        :raises NotUnderstoodError: the task was not read whole: no robot has moved.
        :raises ReactreeError: whatever ended the run early.
        """
        skills = run.ports.skills
        if not isinstance(skills, TeamSkillServer):
            raise ConfigurationError(
                'The planner "team" is for several robots, and there is one: choose another '
                'planner, or start a team (docs/team.md).'
            )
        # A robot that is lost does not fail the others' work.
        run.settings = replace(run.settings, parallel_policy=ParallelPolicy.ANY)
        run.start(self.name)
        if run.world.reasoner is None or not run.aims.is_read:
            raise NotUnderstoodError(
                'A team acts on tasks that were read whole, and this one was not: say it in other '
                'words (`reactree read` shows what is read), or give it to one robot.'
            )
        if self._team_run is None:
            self._team_run = _TeamRun(run, skills)
        else:
            # What the task waits for has happened once more.
            self._team_run.begin_again()
        return self._team_run.run_to_end()


@dataclass
class _TeamRun:
    """One task of a team.

    :param lanes: the node of each robot in the milestone that comes next.
    """

    run: PlannedRun
    skills: TeamSkillServer
    lanes: dict[str, int] = field(default_factory=dict)
    _began: dict[str, float] = field(default_factory=dict)
    _told: dict[str, str] = field(default_factory=dict)
    _lost: dict[str, str] = field(default_factory=dict)
    #: Robots that were stopped: they do no more, also once their stop is released.
    _stopped: set[str] = field(default_factory=set)
    _is_anew: bool = False
    #: Seconds in which robots that are lost were waited for.
    _waited: float = 0.0
    _in_vain: str = ''

    def __post_init__(self) -> None:
        world = self.run.world
        assert world.reasoner is not None, 'checked before'
        listed = self.skills.list_team(self.run.cancel)
        if len(listed) > MOST_ROBOTS:
            raise ConfigurationError(
                f'A team has at most {MOST_ROBOTS} robots, and here are {len(listed)}.'
            )
        self.team = Team(
            listed,
            world.reasoner,
            [world.reasoner_for(one.vocabulary) for one in listed],
            Reservations(tuple(one.who for one in listed)),
        )

    def run_to_end(self) -> bool:
        """Meet the milestones one after the other; those that are left anew once people say so."""
        while True:
            try:
                return self._meet_all()
            except Corrected:
                self._begin_anew()

    def _meet_all(self) -> bool:
        run, whole = self.run, self.team.whole
        goal = run.aims.goal
        if goal is not None and goal.trigger is not None and not goal.trigger.waits:
            raise NotUnderstoodError(
                'A team does not find out whether a task is to be done: give it to one robot.'
            )
        met = whole.goal.met
        left = whole.goal.milestones[met:]
        milestones = ['; '.join(one.text for one in milestone) for milestone in left]
        nodes: tuple[int, ...] = (_ROOT,)
        if not milestones:
            run.events.overrule(_ROOT, success=True, reason=DONE)
        if len(milestones) > 1:
            nodes = self._grow(_ROOT, ControlFlow.SEQUENCE, milestones, 'in this order')
        for number, (node_id, milestone) in enumerate(zip(nodes, milestones, strict=False), 1):
            if whole.goal.met >= met + number:
                # It was met together with the one before.
                run.events.end_node(node_id, True, DONE)
            elif not self._meet(node_id, milestone):
                return False
        return True

    def begin_again(self) -> None:
        """Do the task once more, with all that is known."""
        while any(mate.is_busy for mate in self.team.mates.working):
            self._take_next()
        self.team.begin_milestone()
        self.lanes.clear()
        self._told.clear()

    def _begin_anew(self) -> None:
        """After a correction: what is under way ends, and nobody is at anything."""
        team, run = self.team, self.run
        while any(mate.is_busy for mate in team.mates.working):
            self._take_next()
        for mate in team.mates.values():
            team.reservations.release(mate.who, team.station(mate.last.place))
            if mate.who in self.lanes:
                run.events.end_node(self.lanes[mate.who], False, _CORRECTED)
        team.begin_milestone()
        self._is_anew = True

    def _grow(
        self, node_id: int, flow: ControlFlow, subgoals: Sequence[str], reason: str
    ) -> tuple[int, ...]:
        """Grow the tree; the root a second time where the task was corrected."""
        kind = DecisionKind.EXPAND
        if self._is_anew and node_id == _ROOT:
            kind, reason = DecisionKind.REPAIR, _CORRECTED
        return self.run.events.grow(node_id, flow, subgoals, reason=reason, kind=kind)

    def _meet(self, node_id: int, milestone: str) -> bool:
        """Meet the milestone that comes next."""
        run, team = self.run, self.team
        # Also of those that are lost: they may come back.
        robots = list(team.mates)
        grown = self._grow(
            node_id,
            ControlFlow.PARALLEL,
            [f'{who}: {milestone}' for who in robots],
            'at the same time, each robot what it can',
        )
        self.lanes = dict(zip(robots, grown, strict=True))
        team.begin_milestone()
        wanted = team.whole.goal.met + 1
        for mate in team.mates.working:
            self._look(mate)
        while team.whole.goal.met < wanted:
            run.acting.before_decision()
            if self._begin_what_can_be():
                self._take_next()
            elif not self._wait_for_lost():
                return self._end(False)
        while any(mate.is_busy for mate in team.mates.working):
            self._take_next()
        return self._end(True)

    def _begin_what_can_be(self) -> bool:
        """Have every robot that does nothing begin something; whether any does something."""
        team = self.team
        self._take_back()
        team.whole.advance()
        # What one robot sees as it looks again may be of use to those before it.
        for _ in range(2 * len(team.mates) + 1):
            for mate in team.work.share():
                if mate.parts:
                    wanted = '; '.join(part.text for part in mate.parts)
                    self._remark(mate, f'takes on: {wanted}')
            again = [self._begin(mate) for mate in team.mates.working if not mate.is_busy]
            if not any(again) and not self._step_aside():
                break
        return any(mate.is_busy for mate in team.mates.working)

    def _begin(self, mate: Mate) -> bool:
        """Have one robot begin something. :return: whether something else has come of it."""
        if mate.is_outdated:
            self._look(mate)
            if mate.is_lost:
                return True
        known = mate.parts, self.team.work.sought
        turn = self.team.next(mate.who)
        if turn.does is Does.SKILL:
            return self._do(mate, turn.skill, turn.reason)
        if turn.does is Does.WAIT:
            self._remark(mate, turn.reason)
        return known != (mate.parts, self.team.work.sought)

    def _do(self, mate: Mate, skill: str, reason: str) -> bool:
        """Have a robot begin a skill. :return: whether it was answered at once, by a refusal."""
        run, who = self.run, mate.who
        self._told.pop(who, None)
        decision, refusal = run.acting.begin(who, self.lanes[who], skill, reason, mate.last)
        self._began[who] = run.events.elapsed()
        mate.is_busy = True
        if refusal is None:
            token = run.correcting.skill_token()
            self.skills.send(who, decision.sequence, decision.node_id, decision.skill, token)
            return False
        unmoved = replace(
            mate.last,
            text=refusal,
            outcome=Outcome.SAFETY_REJECTED,
            skill=decision.skill,
            facts=(),
            looked_at=(),
            sequence=decision.sequence,
            node_id=decision.node_id,
        )
        self._take(unmoved)
        return True

    def _take_next(self) -> None:
        """Wait for the skill that ends next."""
        with self.run.timing.measure('skills'):
            observation = self.skills.next_ended(self.run.cancel)
        mate = self.team.mates[observation.who]
        if observation.outcome is Outcome.BRIDGE_LOST:
            # It stands, and holds, what it did when it was heard of last.
            observation = replace(
                mate.last,
                text=observation.text,
                outcome=observation.outcome,
                skill=observation.skill,
                sequence=observation.sequence,
                node_id=observation.node_id,
                admissible_skills=(),
                facts=(),
                looked_at=(),
            )
        self._take(observation)

    def _take(self, observation: Observation) -> None:
        """Know what a robot has answered."""
        run, team = self.run, self.team
        mate = team.mates[observation.who]
        mate.is_busy = False
        team.reservations.release(mate.who, team.station(observation.place))
        team.observe(observation)
        run.acting.learn(observation, team.of_all(observation), self._began.get(mate.who, 0.0))
        if observation.outcome is Outcome.BRIDGE_LOST:
            self._lose(mate, observation.text)

    def _look(self, mate: Mate) -> None:
        """Have a robot tell what it sees: others have changed something there."""
        run = self.run
        try:
            seen = self.skills.look_of(mate.who, run.cancel)
        except BridgeLostError as error:
            seen = replace(mate.last, text=str(error), outcome=Outcome.BRIDGE_LOST, facts=())
        seen = replace(
            seen,
            who=mate.who,
            skill='',
            sequence=run.events.next_number(),
            node_id=self.lanes[mate.who],
        )
        self.team.observe(seen)
        run.acting.learn(seen, self.team.of_all(seen))
        if seen.outcome is Outcome.BRIDGE_LOST:
            self._lose(mate, seen.text)

    def _lose(self, mate: Mate, why: str) -> None:
        """Go on without a robot; others take on what they can."""
        self.team.lose(mate.who)
        held = ', '.join(mate.held)
        holds = f'; it holds {held}, which nobody can get at' if held else ''
        if why.startswith(ROBOT_STOPPED):
            self._stopped.add(mate.who)
            why = why.removeprefix(ROBOT_STOPPED).strip()
        self._lost[mate.who] = f'{mate.who} is {self._fate(mate)}: {why}{holds}'
        self.run.notify(self._lost[mate.who])

    def _fate(self, mate: Mate) -> str:
        """In a word, why a robot does no more."""
        return 'stopped' if mate.who in self._stopped else 'lost'

    def _take_back(self) -> None:
        """Go on with robots that were lost and are there again."""
        for mate in self.team.mates.values():
            if mate.is_lost and self.skills.is_there(mate.who):
                self.team.take_back(mate.who)
                self.run.notify(f'{mate.who} is there again')
                self._look(mate)

    def _wait_for_lost(self) -> bool:
        """Where nobody can go on, wait for robots that may come back; whether one has.

        The past of a run that goes on says whether one had come back.
        """
        run = self.run
        lost = [mate for mate in self.team.mates.lost if mate.who not in self._stopped]
        most = run.waits.lost
        if not lost or most <= self._waited:
            return False
        for mate in lost:
            # In words of a wait, which the viewer draws in the lane of the robot.
            why = f'{most:g} s in all: no other robot can go on'
            self._remark(mate, f'waits for its skill server, {why}')
        while True:
            run.correcting.woken.clear()
            run.cancel.check()
            run.correcting.hear(again=True)
            self._take_back()
            if not all(mate.is_lost for mate in lost):
                return True
            if run.events.log.replaying or self._waited >= most:
                self._in_vain = f', and none came back within {most:g} s'
                return False
            began = time.monotonic()
            run.correcting.woken.wait(min(_POLL, most - self._waited))
            self._waited += time.monotonic() - began

    def _step_aside(self) -> bool:
        """Have a robot make room where robots stand in each other's way; whether one does."""
        team = self.team
        busy = [mate.who for mate in team.mates.values() if mate.is_busy or mate.is_lost]
        mate = team.mates.get(team.reservations.standing_in_the_way(busy))
        if mate is None:
            return False
        skill = team.way_out(mate)
        if not skill:
            return False
        team.reservations.give_up(mate.who)
        return not self._do(mate, skill, 'steps aside: it stands where others have to be')

    def _remark(self, mate: Mate, text: str) -> None:
        if self._told.get(mate.who) != text:
            self._told[mate.who] = text
            self.run.events.think(self.lanes[mate.who], text, who=mate.who)

    def _end(self, success: bool) -> bool:
        """End the lanes."""
        team, run = self.team, self.run
        reason = DONE if success else self._why()
        for mate in team.mates.values():
            why = self._lost[mate.who] if mate.is_lost else reason
            run.events.end_node(self.lanes[mate.who], success and not mate.is_lost, why)
        return success

    def _why(self) -> str:
        """Why the milestone cannot be met, as far as it is known."""
        team = self.team
        if not team.mates.working:
            return '; '.join(self._lost.values()) + self._in_vain
        reasons = []
        for name, who in team.out_of_reach.items():
            fate = self._fate(team.mates[who])
            reasons.append(f'{name} is in the hand of {who}, which is {fate}{self._in_vain}')
        reasons += [
            f'{part.text}: no robot can do it, and no two together' for part in team.work.left
        ]
        if team.work.missing:
            reasons.append(f'not found: {", ".join(team.work.missing)}')
        if team.reason:
            reasons.append(team.reason)
        return '; '.join(reasons) or 'no robot knows how to go on'
