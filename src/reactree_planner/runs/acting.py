"""What a run lets its agents do: within its limits, and past its rules and people.

A skill is decided on, ruled on, shown to whoever is to be asked, written down, and sent.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from reactree_core.errors import NotPermittedError
from reactree_core.foreign_text import bounded
from reactree_core.observation import Observation
from reactree_core.permission.permission import FREE, OTHERWISE, Ruling
from reactree_core.permission.rules import Verdict
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.questions import Question
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_core.working_memory import RECALL
from reactree_planner.runs.aims import Aims
from reactree_planner.runs.budget import Budget
from reactree_planner.runs.correcting import Correcting
from reactree_planner.runs.run_ports import Basis, SkillGate
from reactree_planner.runs.run_world import RunWorld


class Acting:
    """Of all agents of one run.

    :param correcting: hears what people say before each decision.
    :param gate: asked before every skill; without one, a skill of which a rule wants a person to
        decide is not done.
    """

    def __init__(
        self,
        basis: Basis,
        world: RunWorld,
        aims: Aims,
        budget: Budget,
        correcting: Correcting,
        gate: SkillGate | None,
    ) -> None:
        self._events = basis.events
        self._cancel = basis.cancel
        self._timing = basis.timing
        self._world = world
        self._aims = aims
        self._budget = budget
        self._correcting = correcting
        self._gate = gate
        #: Why a person is to decide on the skill that is at the gate; '' where nobody has to.
        self.asking = ''
        #: Whether that may be answered by MCP.
        self.by_mcp = True
        #: Who approved the skill at the gate, '' for a person without a name; None: nobody did.
        self.approver: str | None = None

    def before_decision(self) -> None:
        """Check cancel, episode and limits, and hear what people have said.

        :raises CanceledError: stopped. :raises EpisodeOver: :raises LimitReached: nothing may be
            decided any more. :raises Corrected: what was planned is to be planned anew.
        """
        if self._cancel.canceled:
            self._cancel.check()
        self._correcting.hear()
        self._world.check_episode()
        self._budget.check()

    def look(self, node_id: int, recalled: str = '', known: str = '') -> Observation:
        """What a node sees first; its node begins with it.

        :param recalled: class of which it is also told where things were seen; '' for none.
        :param known: what it is told of what was done before it; '' for nothing.
        :raises EpisodeOver: it can do nothing any more.
        """
        self._world.check_episode()
        seen = self._world.look(node_id, recalled, known)
        if self._aims.trigger is not None:
            # Nothing may be left to do.
            self._aims.note_milestones()
        return seen

    def act(
        self,
        node_id: int,
        skill: str,
        usage: LlmUsage = NO_USAGE,
        reason: str = '',
        recalled_too: str = '',
    ) -> Observation:
        """Run a skill, a recall or a question, and take its observation in.

        :param reason: why it was taken without asking the model; '' when the model chose it.
        :param recalled_too: what stands after the answer of a recall.
        :raises BridgeLostError: the server disappeared. :raises CanceledError: stopped.
        :raises SkillResultError: its result is none; what the world is now was looked at.
        :raises LimitReached: the step or decision limit. :raises NotPermittedError: one of
            permission.
        """
        # As it is sent: rules and people read what the robot will.
        skill = bounded(skill)
        # The last gate: whatever was offered, what a rule denies is not sent.
        ruling = FREE if skill.startswith(RECALL) else self._ruled(skill)
        understanding = self._aims.understanding
        is_denied = ruling.verdict is Verdict.DENY
        question = None if is_denied else understanding.question(node_id, skill)
        if question is not None:
            return understanding.ask(question, usage, reason)[1]
        decision, refusal = self._decided(node_id, skill, reason, ruling, usage=usage)
        token = self._correcting.skill_token()
        observation = self._world.answer(decision, refusal, token, recalled_too)
        self._aims.note_milestones()
        return observation

    def begin(
        self, who: str, node_id: int, skill: str, reason: str, seen: Observation
    ) -> tuple[Decision, str | None]:
        """Decide on a skill of one robot of a team; it is sent by whoever asks.

        :param seen: what that robot saw last.
        :return: the decision, as it was emitted, and why its skill may not be done; None: it may.
        :raises LimitReached: the step or decision limit. :raises NotPermittedError: one of
            permission.
        """
        skill = bounded(skill)
        return self._decided(node_id, skill, reason, self._ruled(skill, seen), who=who)

    def ask(self, node_id: int, question: Question) -> str:
        """Ask a person; the answer is an observation. It is no step of the robot.

        :param node_id: agent node that asks; 0 before the root has looked.
        :return: the answer, one of the options where there are any; the default where nobody
            answers.
        :raises CanceledError: stopped. :raises LimitReached: the decision limit.
        """
        return self._aims.understanding.ask(replace(question, node_id=node_id))[0]

    def learn(self, observation: Observation, of_all: Observation, began: float = 0.0) -> None:
        """Take in what one robot of a team has answered or seen, and emit it.

        :param of_all: the same as the team sees it, with all that its robots hold.
        :param began: seconds at which its skill was begun.
        """
        self._world.learn(observation, of_all, began)
        self._aims.note_milestones()

    def _ruled(self, skill: str, seen: Observation | None = None) -> Ruling:
        """What rules say of a skill. :raises NotPermittedError: nothing may be done any more."""
        ruling = self._world.rules.begin(skill, seen)
        if ruling.ends:
            raise NotPermittedError(ruling.reason)
        return ruling

    def _decided(
        self,
        node_id: int,
        skill: str,
        reason: str,
        ruling: Ruling,
        usage: LlmUsage = NO_USAGE,
        who: str = '',
    ) -> tuple[Decision, str | None]:
        """Decide on a skill, ask whoever is to be asked, and emit the decision.

        :return: as it was emitted, and why its skill may not be done; None: it may.
        """
        self._events.limits.check_step(self._events.tree.steps)
        decision = self._events.decision(
            node_id, DecisionKind.ACT, skill=skill, text=reason, usage=usage, who=who
        )
        self._world.skills_chosen.append(skill)
        refused = self._world.refused
        is_denied = ruling.verdict is Verdict.DENY
        refusal = ruling.reason if is_denied else refused.get(skill)
        if not refusal:
            refusal = self._asked(decision, ruling)
            if refusal:
                refused[skill] = refusal
            elif not skill.startswith(RECALL):
                decision = self._allowed(decision, ruling)
        with self._events.before(decision):
            # Also what was said while a person was asked, or the run was paused.
            self._correcting.hear(at_gate=True)
        self._events.emit(decision)
        log = self._events.log
        if decision.sequence == log.in_doubt:
            log.refusal_now = partial(self._refusal_now, decision)
        return decision, refusal

    def _allowed(self, decision: Decision, ruling: Ruling) -> Decision:
        """The decision with who let its skill through, and what takes it back."""
        by = f'rule "{ruling.rule}"'
        if ruling.rule in ('', OTHERWISE):
            by = 'default'
        if ruling.verdict is Verdict.ASK:
            by = f'person ({by})'
        elif self.approver is not None:
            by = 'person (require_approval)'
        skill = self._world.belief.skills.parse(decision.skill)
        return replace(
            decision,
            allowed_by=by,
            approver=self.approver or '',
            undone_by=skill.inverse if skill is not None else '',
        )

    def _refusal_now(self, decision: Decision) -> str | None:
        """Why a skill that was let through before an interruption may not be done now: by the
        clock of now, and asked anew where a person decides.
        """
        ruling = self._world.rules.ruling(decision.skill)
        if ruling.verdict is Verdict.DENY:
            return ruling.reason
        return self._asked(decision, ruling)

    def _asked(self, decision: Decision, ruling: Ruling) -> str | None:
        """Why a skill may not be done, by whoever is asked; None when it may."""
        self.asking = ruling.reason if ruling.verdict is Verdict.ASK else ''
        self.by_mcp = ruling.by_mcp
        self.approver = None
        with self._timing.measure('waiting'):
            if self._gate is not None:
                return self._gate(decision)
        if not self.asking:
            return None
        return f'{self.asking} Nobody is there to ask; "{decision.skill}" was not done.'
