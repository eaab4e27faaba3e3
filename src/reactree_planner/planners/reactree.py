"""ReAcTree: every agent node thinks, acts, or expands its goal into a subtree (section 4.1)."""

from __future__ import annotations

from reactree_core.experience import Experience
from reactree_core.experience import Termination
from reactree_planner.planners import offering
from reactree_planner.planners.coverage import named_counts
from reactree_planner.planners.examples import choose_examples
from reactree_planner.planners.examples import nearest_examples
from reactree_planner.planners.expansion import Expander
from reactree_planner.planners.expansion import Expansion
from reactree_planner.planners.node_context import NodeContext
from reactree_planner.planners.run import PlanRun
from reactree_planner.planners.situation import NodeSituation
from reactree_planner.planners.situation import RECALL
from reactree_planner.planners.transcript import act_block
from reactree_planner.planners.transcript import expand_block
from reactree_planner.planners.transcript import NodeTranscript
from reactree_planner.planners.transcript import think_block
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.prompting.budget import PromptParts
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import NodeKind

#: Experiences asked of the memory before the choice of examples.
_CANDIDATES = 120


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
        self._chain = tuple(ancestor.goal for ancestor in tree.ancestors(node_id))
        self._guards = run.settings.guards
        self._situation = NodeSituation(self._goal, self._chain, run.knowledge)
        self._thoughts = 0
        self._thought_last = False
        self._may_expand = run.limits.allows_depth(tree.node(node_id).depth + 2)
        first_observation = prompt.single_line(run.look(node_id).text)
        examples = self._retrieve(first_observation)
        self._context = NodeContext(
            run,
            self._goal,
            PromptParts(
                prompt.read_template('reactree_system'),
                tuple(example.trajectory for example in examples),
                self._goal_information() + prompt.task_line(self._goal),
                first_observation,
            ),
        )
        self._expander = Expander(run, self._context, self._situation, examples)

    @property
    def transcript(self) -> NodeTranscript:
        """What the node thought, did and saw."""
        return self._context.transcript

    def run_to_end(self) -> bool:
        """Decide until the node ends; True for success."""
        run = self._run
        expansion = None
        try:
            while expansion is None:
                run.before_decision()
                self._context.make_room()
                if self._guards.first_thought and self._thoughts == 0:
                    thought = self._first_thought()
                    self._thoughts += 1
                    if thought:
                        self._note_thought(thought)
                        continue
                ended, expansion = self._decide()
                if ended is not None:
                    return ended
            usage = self._context.take_usage()
        finally:
            self._context.end()
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
            found = run.retrieve(
                self._goal, settings.example_tokens, settings.example_count, first_observation
            )
            return nearest_examples(
                found, settings.example_count, settings.example_tokens, count_tokens
            )
        found = run.retrieve(self._goal, 0, _CANDIDATES, first_observation)
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

    def _first_thought(self) -> str:
        """The planning thought, or '' when every try was about things that the goal is not."""
        if self._guards.thought_on_goal:
            return self._context.first_thought(self._is_on_goal)
        return self._context.first_thought(lambda thought: True)

    def _is_on_goal(self, thought: str) -> bool:
        """Whether a thought speaks of no other movable things than the nearest goal with any."""
        wanted = self._situation.wanted_counts
        named = named_counts(thought, self._run.knowledge.names)
        return not wanted or wanted.keys() >= named.keys()

    def _note_thought(self, thought: str) -> None:
        self._context.session.append('\n' + prompt.ACKNOWLEDGE)
        thought = prompt.single_line(thought, 1000)
        self._thought_last = True
        self.transcript.add(think_block(thought))
        self._run.think(self._id, thought, self._context.take_usage())

    def _decide(self) -> tuple[bool | None, Expansion | None]:
        """One decision: (how the node ended or None, its expansion or None)."""
        session = self._context.session
        offered = self._offered()
        if self._guards.goal_match:
            if offering.DONE in offered and self._situation.asked:
                session.append(f'{prompt.ACT} {offering.DONE}\n')
                return self._conclude(offering.DONE, 'the goal asks for no more'), None
            matched = offering.matched_skill(self._situation, offered)
            if matched is not None:
                session.append(f'{prompt.ACT} {matched}\n')
                self._execute(matched, 'the goal asks for it')
                return None, None
        kind = self._choose_kind(offered)
        if kind == prompt.THINK:
            self._thoughts += 1
            self._note_thought(session.generate(max_tokens=self._run.settings.thought_tokens))
            return None, None
        if kind == prompt.EXPAND:
            expansion = self._expander.propose()
            if expansion is not None:
                self.transcript.add(expand_block(*expansion))
                return None, expansion
            # No more tries: it would only fail again.
            self._may_expand = False
            session.append(prompt.ACT)
        self._thought_last = False
        texts = [f' {skill}\n' for skill in offered]
        skill = offered[self._run.choose(session, texts)]
        if skill in (offering.DONE, offering.FAILURE):
            return self._conclude(skill), None
        self._execute(skill, '')
        return None, None

    def _offered(self) -> list[str]:
        skills = (
            self._situation.observation.admissible_skills
            if self._guards.admissible_only
            else self._run.candidates()
        )
        return offering.choices(self._situation, skills, self._guards)

    def _choose_kind(self, offered: list[str]) -> str:
        session = self._context.session
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
        with self._context.fork() as fork:
            kind = kinds[self._run.choose(fork, kinds)]
        session.append(kind if kind != prompt.EXPAND else '')
        return kind

    def _execute(self, skill: str, reason: str) -> None:
        run = self._run
        before = self._situation.observation
        observation = run.act(self._id, skill, self._context.take_usage(), reason)
        self._situation.record(skill, before)
        text = prompt.single_line(observation.text)
        if skill.startswith(RECALL) and self._guards.skip_explored:
            explored = run.knowledge.explored_text(self._situation.scope)
            text = f'{text} {explored}'.strip()
        self.transcript.add(act_block(skill, text))
        self._context.session.append(text + '\n')
        self._thought_last = False

    def _conclude(self, skill: str, reason: str = '') -> bool:
        run = self._run
        success = skill == offering.DONE
        run.conclude(self._id, skill, self._context.take_usage(), reason)
        self.transcript.add(act_block(skill, None))
        self.transcript.termination = Termination.SUCCESS if success else Termination.FAILURE
        run.end_node(self._id, success, skill)
        return success
