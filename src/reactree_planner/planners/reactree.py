"""ReAcTree: every agent node thinks, acts, or expands its goal into a subtree (section 4.1)."""

from __future__ import annotations

import math

from reactree_core.experience import Experience
from reactree_core.experience import Termination
from reactree_core.ports import LanguageSession
from reactree_core.usage import LlmUsage
from reactree_planner.planners import offering
from reactree_planner.planners.coverage import completed_counts
from reactree_planner.planners.coverage import missing_things
from reactree_planner.planners.coverage import named_counts
from reactree_planner.planners.coverage import with_full_names
from reactree_planner.planners.examples import choose_examples
from reactree_planner.planners.examples import nearest_examples
from reactree_planner.planners.names import words_of
from reactree_planner.planners.run import PlanRun
from reactree_planner.planners.situation import NodeSituation
from reactree_planner.planners.situation import RECALL
from reactree_planner.planners.subgoals import completed_search
from reactree_planner.planners.subgoals import split_subgoals
from reactree_planner.planners.subgoals import usable_subgoals
from reactree_planner.planners.transcript import act_block
from reactree_planner.planners.transcript import expand_block
from reactree_planner.planners.transcript import NodeTranscript
from reactree_planner.planners.transcript import think_block
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import NodeKind

#: Experiences asked of the memory before the choice of examples.
_CANDIDATES = 120

Expansion = tuple[ControlFlow, tuple[str, ...]]

_FLOW_OPTIONS = (ControlFlow.SEQUENCE, ControlFlow.FALLBACK, ControlFlow.PARALLEL)


class ReAcTreePlanner:
    """Grows the agent tree of one run at a time."""

    name = 'reactree'

    def run(self, run: PlanRun) -> bool:
        """Grow and run the whole tree; True when its root succeeds.

        :raises ReactreeError: whatever ended the run early.
        """
        self.transcripts: dict[int, NodeTranscript] = {}
        run.run_node = lambda node_id: self._run_node(run, node_id)
        run.start(self.name)
        return self._run_node(run, 1)

    def experiences(self, run_id: str, run: PlanRun, task_type: str) -> tuple[Experience, ...]:
        """The nodes of the run as experiences, to be kept when its goal was met."""
        model = run.ports.model
        return tuple(
            transcript.experience(
                run_id,
                node_id,
                self.name,
                model.name,
                task_type,
                model.count_tokens(transcript.text),
            )
            for node_id, transcript in self.transcripts.items()
        )

    def _run_node(self, run: PlanRun, node_id: int) -> bool:
        node = _AgentNode(run, node_id)
        self.transcripts[node_id] = node.transcript
        return node.run_to_end()


class _AgentNode:
    """One agent node: a fresh context, then decisions until it ends or expands."""

    def __init__(self, run: PlanRun, node_id: int) -> None:
        self._run = run
        self._id = node_id
        tree = run.tree
        self._goal = tree.node(node_id).goal
        ancestors = tree.ancestors(node_id)
        self._chain = tuple(ancestor.goal for ancestor in ancestors)
        self._guards = run.settings.guards
        self._situation = NodeSituation(self._goal, self._chain, run.knowledge)
        self.transcript = NodeTranscript(self._goal)
        self._examples: tuple[Experience, ...] = ()
        self._thoughts = 0
        self._thought_last = False
        self._spent = LlmUsage()
        self._may_expand = run.limits.allows_depth(tree.node(node_id).depth + 2)

    def run_to_end(self) -> bool:
        """Decide until the node ends; True for success."""
        run = self._run
        first = run.look(self._id)
        text = prompt.single_line(first.text)
        self.transcript.add(text + '\n')
        self._examples = self._retrieve(text)
        head = prompt.head_text(prompt.read_template('reactree_system'), self._examples)
        session = run.session(head)
        expansion = None
        try:
            session.append(self._goal_information() + prompt.task_line(self._goal) + text + '\n')
            while expansion is None:
                run.before_decision()
                if self._wants_thought():
                    session = self._first_thought(session)
                    continue
                ended, expansion = self._decide(session)
                if ended is not None:
                    return ended
            usage = self._take_usage(session)
        finally:
            run.drop(session)
        # The parent's context is not needed below: an expansion ends its own loop.
        flow, subgoals = expansion
        self.transcript.termination = Termination.EXPAND
        return run.expand(self._id, flow, subgoals, usage)

    def _retrieve(self, first_observation: str) -> tuple[Experience, ...]:
        run = self._run
        settings = run.settings
        if not settings.example_count or not settings.example_tokens:
            return ()
        count_tokens = run.ports.model.count_tokens
        if not self._guards.choose_examples:
            found = run.retrieve(self._goal, settings.example_tokens, settings.example_count)
            return nearest_examples(
                found, settings.example_count, settings.example_tokens, count_tokens
            )
        found = run.retrieve(self._goal, 0, _CANDIDATES)
        return choose_examples(
            found,
            self._goal,
            first_observation,
            run.knowledge.names,
            settings.example_count,
            settings.example_tokens,
            count_tokens,
        )

    def _goal_information(self) -> str:
        tree = self._run.tree
        control_id = tree.node(self._id).parent_id
        if not control_id:
            return ''
        control = tree.node(control_id)
        flow = ControlFlow(control.kind) if control.kind is not NodeKind.AGENT else None
        if flow is None:
            return ''
        siblings = [child.goal for child in tree.children(control_id)]
        return prompt.goal_information(self._chain[0], flow, siblings)

    def _wants_thought(self) -> bool:
        return self._guards.first_thought and self._thoughts == 0

    def _first_thought(self, session: LanguageSession) -> LanguageSession:
        """The planning thought; a try that speaks of things no goal names is taken back."""
        session.append(prompt.THINK)
        settings = self._run.settings
        for attempt in range(settings.thought_tries):
            last = attempt + 1 == settings.thought_tries or not self._guards.thought_on_goal
            spare = None if last else session.fork()
            thought = session.generate(
                max_tokens=settings.thought_tokens,
                temperature=0.7 if attempt else 0.0,
                seed=settings.seed + attempt,
            )
            if spare is None:
                break
            if self._is_on_goal(thought):
                self._spent += self._run.drop(spare)
                break
            self._spent += self._run.drop(session)
            session = spare
        self._note_thought(session, thought)
        return session

    def _is_on_goal(self, thought: str) -> bool:
        """Whether every movable thing of a thought stands in a goal from here to the root."""
        names = self._run.knowledge.names
        wanted = {
            name for goal in (self._goal, *self._chain) for name in named_counts(goal, names)
        }
        return not wanted or wanted.issuperset(named_counts(thought, names))

    def _note_thought(self, session: LanguageSession, thought: str) -> None:
        session.append('\n' + prompt.ACKNOWLEDGE)
        thought = prompt.single_line(thought, 1000)
        self._thoughts += 1
        self._thought_last = True
        self.transcript.add(think_block(thought))
        self._run.think(self._id, thought, self._take_usage(session))

    def _decide(self, session: LanguageSession) -> tuple[bool | None, Expansion | None]:
        """One decision: (how the node ended or None, its expansion or None)."""
        offered = self._offered()
        matched = None
        if self._guards.goal_match:
            if offering.DONE in offered and self._situation.asked:
                session.append(f'{prompt.ACT} {offering.DONE}\n')
                return self._conclude(session, offering.DONE, 'the goal asks for no more'), None
            matched = offering.matched_skill(self._situation, offered)
        if matched is not None:
            session.append(f'{prompt.ACT} {matched}\n')
            self._execute(session, matched, 'the goal asks for it')
            return None, None
        kind = self._choose_kind(session, offered)
        if kind == prompt.THINK:
            self._note_thought(
                session, session.generate(max_tokens=self._run.settings.thought_tokens)
            )
            return None, None
        if kind == prompt.EXPAND:
            expansion = self._expand(session)
            if expansion is not None:
                return None, expansion
            session.append(prompt.ACT)
        self._thought_last = False
        texts = [f' {skill}\n' for skill in offered]
        skill = offered[self._run.choose(session, texts)]
        if skill in (offering.DONE, offering.FAILURE):
            return self._conclude(session, skill), None
        self._execute(session, skill, '')
        return None, None

    def _offered(self) -> list[str]:
        skills = (
            self._situation.observation.admissible_skills
            if self._guards.admissible_only
            else self._run.candidates()
        )
        return offering.choices(self._situation, skills, self._guards)

    def _choose_kind(self, session: LanguageSession, offered: list[str]) -> str:
        kinds = [prompt.ACT]
        thinks = not (self._guards.first_thought and self._thought_last)
        if thinks and self._thoughts < self._run.settings.thoughts:
            kinds.append(prompt.THINK)
        if self._may_expand and not offering.should_act(self._situation, offered, self._guards):
            kinds.append(prompt.EXPAND)
        if len(kinds) == 1:
            session.append(kinds[0])
            return kinds[0]
        if prompt.EXPAND not in kinds:
            return kinds[self._run.choose(session, kinds)]
        # The session is kept from before an expansion, which may turn out unusable.
        fork = session.fork()
        try:
            kind = kinds[self._run.choose(fork, kinds)]
        finally:
            self._spent += self._run.drop(fork)
        session.append(kind if kind != prompt.EXPAND else '')
        return kind

    def _take_usage(self, session: LanguageSession) -> LlmUsage:
        """Model work since the last decision, forks included."""
        spent = self._spent + self._run.charge(session)
        self._spent = LlmUsage()
        return spent

    def _expand(self, session: LanguageSession) -> Expansion | None:
        """Control flow and subgoals, or None when no try was usable (then: no more tries)."""
        stem = session.fork()
        try:
            stem.append(prompt.EXPAND + '- control flow:')
            flows = self._flows()
            words = [f' {prompt.FLOW_WORDS[flow]}\n' for flow in flows]
            flow = flows[self._run.choose(stem, words)]
            stem.append('- subgoals:')
            subgoals = self._best_subgoals(stem, flow)
        finally:
            self._spent += self._run.drop(stem)
        if not subgoals:
            self._may_expand = False
            return None
        if self._guards.complete_search and flow is ControlFlow.FALLBACK:
            knowledge = self._run.knowledge
            unseen = tuple(room for room in self._situation.scope if knowledge.unseen((room,)))
            subgoals = completed_search(subgoals, knowledge.names, unseen)
        self.transcript.add(expand_block(flow, subgoals))
        return flow, subgoals

    def _flows(self) -> tuple[ControlFlow, ...]:
        """Control flows on offer: several things are not brought by one of several ways."""
        several = named_counts(self._goal, self._run.knowledge.names).total() > 1
        if self._guards.cover_goal and several:
            return (ControlFlow.SEQUENCE, ControlFlow.PARALLEL)
        return _FLOW_OPTIONS

    def _best_subgoals(self, stem: LanguageSession, flow: ControlFlow) -> tuple[str, ...]:
        """The first flawless list of subgoals, else the best try; () when none is usable."""
        best: tuple[str, ...] = ()
        fewest = math.inf
        for attempt in range(self._run.settings.expand_tries):
            listed = split_subgoals(self._list_subgoals(stem, attempt))
            names = self._run.knowledge.names
            if self._guards.known_subgoals:
                listed = tuple(with_full_names(text, self._goal, names) for text in listed)
            usable = self._usable(flow, listed)
            flaws = len(listed) - len(usable)
            if self._guards.cover_goal:
                usable = completed_counts(flow, usable, self._goal, names)
                flaws += missing_things(flow, usable, self._goal, names)
            if usable and flaws < fewest:
                best, fewest = usable, flaws
            if fewest == 0:
                break
        return best

    def _list_subgoals(self, stem: LanguageSession, attempt: int) -> str:
        """What the model writes after `- subgoals:`; greedy first, then sampled."""
        settings = self._run.settings
        fork = stem.fork()
        try:
            return fork.generate(
                stop=('\n',),
                max_tokens=settings.expand_tokens,
                temperature=0.7 if attempt else 0.0,
                seed=settings.seed + attempt,
            )
        finally:
            self._spent += self._run.drop(fork)

    def _usable(self, flow: ControlFlow, subgoals: tuple[str, ...]) -> tuple[str, ...]:
        knowledge = self._run.knowledge
        texts = [self._goal, *self._chain, *knowledge.vocabulary.templates]
        texts += [example.goal for example in self._examples]
        words = frozenset(word for text in texts for word in words_of(text))
        instances = frozenset(
            [fact.name for fact in knowledge.memory.facts()] + list(knowledge.vocabulary.rooms)
        )
        return usable_subgoals(
            flow,
            subgoals,
            self._goal,
            self._chain,
            knowledge.names,
            words,
            instances,
            self._guards,
        )

    def _execute(self, session: LanguageSession, skill: str, reason: str) -> None:
        run = self._run
        before = self._situation.observation
        observation = run.act(self._id, skill, self._take_usage(session), reason)
        self._situation.record(skill, before)
        text = prompt.single_line(observation.text)
        if skill.startswith(RECALL) and self._guards.skip_explored:
            explored = run.knowledge.explored_text(self._situation.scope)
            text = f'{text} {explored}'.strip()
        self.transcript.add(act_block(skill, text))
        session.append(text + '\n')
        self._thought_last = False

    def _conclude(self, session: LanguageSession, skill: str, reason: str = '') -> bool:
        run = self._run
        success = skill == offering.DONE
        run.conclude(self._id, skill, self._take_usage(session), reason)
        self.transcript.add(act_block(skill, None))
        self.transcript.termination = Termination.SUCCESS if success else Termination.FAILURE
        run.end_node(self._id, success, skill)
        return success
