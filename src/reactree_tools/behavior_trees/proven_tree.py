"""A recorded run as a behaviour tree: its control flow, its skills, and what is checked."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_core.errors import RecordingError
from reactree_core.observation import Vocabulary
from reactree_core.record.events import Decision, DecisionKind, Event, NodeKind, NodeStatus
from reactree_core.record.snapshot import AgentTree, TreeNode
from reactree_core.skill_types import plain_name, Relation, SkillKind, SWITCHING
from reactree_tools.behavior_trees.counted_skills import CountedSkill, proven_run, ProvenRun
from reactree_tools.behavior_trees.generalising import generalised
from reactree_tools.behavior_trees.tree_model import (
    action_types,
    ActionType,
    BehaviorTree,
    Branch,
    check,
    Constant,
    Flow,
    Leaf,
    leaves_of,
    Node,
    Part,
)

#: Longest name of a node, in characters.
_LONGEST_NAME = 200
_EXPANDING = (DecisionKind.EXPAND, DecisionKind.REPAIR)
_FLOWS = {
    NodeKind.SEQUENCE: Flow.SEQUENCE,
    NodeKind.FALLBACK: Flow.FALLBACK,
    NodeKind.PARALLEL: Flow.PARALLEL,
}
#: Facts that a part brings about: what the robot holds is on its way to somewhere.
_LASTING = (Relation.IN, Relation.IS)


def behavior_tree(events: Sequence[Event], vocabulary: Vocabulary, run_id: str) -> BehaviorTree:
    """The tree of what a run proved.

    :param vocabulary: of the skill server with which it ran.
    :raises RecordingError: the run did not end with success, or cannot be followed.
    """
    agents = AgentTree()
    # Number of the event that made it -> control-flow node.
    expansions: dict[int, int] = {}
    for event in events:
        known = len(agents.snapshot().nodes)
        agents.apply(event)
        expands = isinstance(event, Decision) and event.kind in _EXPANDING
        if expands and len(agents.snapshot().nodes) > known:
            expansions[event.sequence] = known + 1
    root = next(iter(agents.children(0)), None)
    if root is None or root.status is not NodeStatus.SUCCESS:
        ended = 'has not begun' if root is None else f'ended with {root.status.name}'
        raise RecordingError(
            f'The tree of run {run_id[:8]} {ended}: only a run that ended with SUCCESS can be '
            'exported as a behaviour tree.'
        )
    proven = proven_run(events, vocabulary, agents.wanted)
    actions = action_types(vocabulary.skills)
    built = _Builder(agents, expansions, proven, actions).agent(root)
    if built is None:
        raise RecordingError(f'The run {run_id[:8]} executed no skill that could be repeated.')
    goal = Branch(Flow.SEQUENCE, tuple(map(check, proven.goal)), 'goal')
    main, subtrees = generalised(built, actions)
    steps: tuple[Node, ...] = (main,)
    if isinstance(main, Branch) and main.flow is Flow.SEQUENCE:
        steps = main.children
    roots = [main, *(subtree.root for subtree in subtrees.values())]
    used = {leaf.node for one in roots for leaf in leaves_of(one) if isinstance(leaf, Leaf)}
    return BehaviorTree(
        agents.task,
        run_id,
        Branch(Flow.SEQUENCE, (*steps, goal) if proven.goal else steps, _name(agents.task)),
        subtrees,
        {name: action for name, action in actions.items() if name in used},
        proven.goal,
        proven.unproven,
    )


class _Builder:
    """Puts the skills that counted where the agents stand that chose them.

    :param expansions: number of an event -> control-flow node that it made.
    """

    def __init__(
        self,
        agents: AgentTree,
        expansions: dict[int, int],
        proven: ProvenRun,
        actions: dict[str, ActionType],
    ) -> None:
        self._agents = agents
        self._made_at = {node_id: number for number, node_id in expansions.items()}
        self._proven = proven
        self._types = {action.template: (name, action) for name, action in actions.items()}
        self._skills: dict[int, list[CountedSkill]] = {}
        for one in proven.skills:
            self._skills.setdefault(one.node_id, []).append(one)

    def agent(self, node: TreeNode) -> Node | None:
        """What an agent node did itself and through others, in order; None for nothing."""
        done: dict[int, CountedSkill | TreeNode] = {
            self._made_at.get(one.node_id, 0): one for one in self._agents.children(node.node_id)
        }
        done |= {one.sequence: one for one in self._skills.get(node.node_id, [])}
        found: list[Node] = []
        waiting: list[CountedSkill] = []
        for _, item in sorted(done.items()):
            if isinstance(item, CountedSkill):
                waiting.append(item)
                continue
            found += self._parts(waiting, node.goal)
            waiting = []
            control = self._control(item, node.goal)
            found += [control] if control is not None else []
        found += self._parts(waiting, node.goal)
        return _joined(found, node.goal)

    def _control(self, node: TreeNode, goal: str) -> Node | None:
        """A control-flow node with those of its children that have done something.

        :param goal: of the agent that split it.
        """
        flow = _FLOWS[node.kind]
        if node.status is not NodeStatus.SUCCESS:
            # A repair went on with what was left; what had been done until then counts.
            flow = Flow.SEQUENCE
        children: list[Node] = []
        for child in self._agents.children(node.node_id):
            built = self.agent(child)
            succeeded = child.status is NodeStatus.SUCCESS
            if built is None and succeeded and flow is Flow.FALLBACK and children:
                # What it was to reach was so after the way that failed.
                built = Constant.SUCCESS
            if built is None:
                continue
            if not succeeded and flow is not Flow.SEQUENCE:
                built = _as_it_failed(built, flow)
            children.append(built)
        if len(children) == 1:
            return children[0]
        return Branch(flow, tuple(children), _name(goal)) if children else None

    def _parts(self, skills: Sequence[CountedSkill], goal: str) -> list[Node]:
        """Skills one after another, in parts that each end with a fact of the goal."""
        parts: list[list[CountedSkill]] = [[]]
        for one in skills:
            parts[-1].append(one)
            if self._lasting(one):
                parts.append([])
        parts = [part for part in parts if part]
        return [self._part(part, goal if len(parts) == 1 else '') for part in parts]

    def _lasting(self, one: CountedSkill) -> list[Node]:
        """Checks of what a skill has brought about that holds at the end of the run."""
        return [
            check(fact)
            for fact in one.brings
            if fact in self._proven.goal and fact in one.new and fact.relation in _LASTING
        ]

    def _part(self, skills: Sequence[CountedSkill], goal: str) -> Part:
        steps = [step for one in skills for step in self._steps(one)]
        done = self._lasting(skills[-1])
        root: Node = Branch(Flow.SEQUENCE, tuple(steps))
        if len(done) == 1 and not any(map(self._is_asked_for, skills)):
            root = Branch(Flow.FALLBACK, (*done, root))
        return Part(goal, skills[-1].skill.text, root, _roles(skills))

    def _steps(self, one: CountedSkill) -> list[Node]:
        """A skill behind the conditions that it needs; a state is not set where it is so."""
        skill = one.skill
        name, action = self._types[skill.type.template]
        act = Leaf(name, tuple(zip(action.ports, skill.values, strict=True)))
        if self._is_asked_for(one):
            return [*map(check, one.needs), act]
        states = [fact for fact in one.new if fact.relation is Relation.IS]
        if skill.kind in SWITCHING and len(states) == 1:
            return [Branch(Flow.FALLBACK, (check(states[0]), act))]
        if skill.kind is SkillKind.MOVE and one.brings and not one.new:
            return [Branch(Flow.FALLBACK, (check(one.brings[0]), act))]
        return [*map(check, one.needs), act]

    def _is_asked_for(self, one: CountedSkill) -> bool:
        """Whether the task asks that the skill is executed, and not only for what it does."""
        return one.skill.text in self._proven.executed


def _as_it_failed(node: Node, flow: Flow) -> Node:
    """A child that did something and failed, among others: as it went, whatever comes of it."""
    if flow is Flow.FALLBACK:
        return Branch(Flow.SEQUENCE, (node, Constant.FAILURE), 'failed in the run')
    return Branch(Flow.FALLBACK, (node, Constant.SUCCESS), 'failed in the run')


def _name(goal: str) -> str:
    return ' '.join(goal.split())[:_LONGEST_NAME]


def _joined(nodes: Sequence[Node], name: str) -> Node | None:
    if len(nodes) < 2:
        return nodes[0] if nodes else None
    return Branch(Flow.SEQUENCE, tuple(nodes), _name(name))


def _roles(skills: Sequence[CountedSkill]) -> dict[str, str]:
    """What the names in some skills are there for: thing, source, destination, or their slot."""
    roles: dict[str, str] = {}
    last = skills[-1]
    if last.skill.target:
        roles[last.skill.target] = 'thing'
    for fact in last.brings:
        if fact.relation is Relation.IN:
            roles.setdefault(fact.value, 'destination')
    place = ''
    for one in skills:
        skill = one.skill
        if skill.kind is SkillKind.MOVE:
            place = skill.target
        elif skill.kind is SkillKind.TAKE:
            roles.setdefault(skill.destination or place, 'source')
    for one in skills:
        for slot, value in zip(one.skill.type.slots, one.skill.values, strict=True):
            roles.setdefault(plain_name(value), roles.setdefault(value, slot.name))
        for fact in one.needs:
            for name in fact.names:
                roles.setdefault(name, 'place' if name == fact.value else 'thing')
    return roles
