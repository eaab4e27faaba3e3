"""Events become frames: what each event changed, ready for a page that knows no rules.

The planner's reducer makes the tree and the planner's working memory takes the observations in;
a page that lays frames over each other, up to any one of them, shows the run at that moment.
"""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, dataclass, field
from typing import Any

from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.record.events import Decision, DecisionKind, Event, is_world_reset, NodeStatus
from reactree_core.record.run_settings import Limits, NO_SETTINGS
from reactree_core.record.snapshot import AgentTree, TreeNode, TreeSnapshot
from reactree_core.skill_types import SkillKind, SWITCHING
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_core.working_memory import AGENT, WorkingMemory
from reactree_planner.facts.skills import Skills
from reactree_tools.views.goal_view import living_lines, milestones, unread_line
from reactree_tools.views.statuses import means, repair_words, result_words

#: A frame as it goes to the page: JSON, and small, since there is one for every event.
Frame = dict[str, Any]


@dataclass
class FrameMaker:
    """Follows one run. Give it every event, in order."""

    tree: AgentTree = field(default_factory=AgentTree)
    usage: LlmUsage = NO_USAGE
    status: NodeStatus = NodeStatus.RUNNING
    limits: Limits = NO_SETTINGS.limits
    #: Why the run ended, as its last event says.
    reason: str = ''

    def __post_init__(self) -> None:
        self._nodes: dict[int, TreeNode] = {}
        self._time = 0.0
        self._left_to_model = ''
        self._skills = Skills(Vocabulary())
        self._forget()

    def know(self, vocabulary: Vocabulary) -> None:
        """Know from now on what the skill server declares of its skills and names."""
        self._skills = Skills(vocabulary)

    def _forget(self) -> None:
        """Know nothing of the world, as the planner before its first look and after a reset."""
        self._memory = WorkingMemory()
        self._facts: dict[str, list[str]] = {}
        self._places: set[str] = set()
        self._things: set[str] = set()
        self._looked_at = 0

    def adopt(self, snapshot: TreeSnapshot) -> Frame:
        """Begin, or go on, in the middle of a run of which earlier events are lost."""
        self.tree = AgentTree.from_snapshot(snapshot)
        if snapshot.finished and snapshot.nodes:
            self.status = snapshot.nodes[0].status
        frame = self._after(self._time)
        frame['event'] = {'kind': 'joined', 'node': 0}
        return frame

    def take(self, event: Event) -> None:
        """Follow an event that nobody wants to see."""
        self.tree.apply(event)
        if isinstance(event, Observation):
            if is_world_reset(event):
                self._forget()
            self._memory.update(event)
            self._tell_places(event)
        else:
            self._decide(event)

    def frame(self, event: Event) -> Frame:
        """What this event is and what it changed."""
        known = self._nodes.get(event.node_id)
        self.take(event)
        frame = self._after(event.stamp)
        frame['event'] = (
            _observation(event) if isinstance(event, Observation) else _decision(event, known)
        )
        if isinstance(event, Observation):
            frame |= self._learned()
            if is_world_reset(event):
                frame['cleared'] = True
        return frame

    def _decide(self, event: Decision) -> None:
        self.usage = self.usage + event.usage
        if event.kind is DecisionKind.START:
            self.limits = event.settings.limits
        elif event.kind is DecisionKind.FINISH and event.node_id == 0:
            self.status = event.status
            self.reason = event.text
        elif event.kind is DecisionKind.FORBID:
            self._left_to_model = event.text

    def _after(self, stamp: float) -> Frame:
        self._time = stamp
        snapshot = self.tree.snapshot()
        changed = [node for node in snapshot.nodes if self._nodes.get(node.node_id) is not node]
        self._nodes.update((node.node_id, node) for node in changed)
        usage = self.usage
        return {
            'time': round(stamp, 3),
            'nodes': [_node(node) for node in changed],
            'run': {
                'task': snapshot.task,
                'planner': snapshot.planner,
                'means': means(snapshot),
                'ties': list(snapshot.ties),
                'milestones': [[one.text, one.state.value] for one in milestones(snapshot)],
                'sources': list(snapshot.goal.sources),
                'unread': unread_line(snapshot),
                'must_not': list(snapshot.must_not),
                'left_to_model': self._left_to_model,
                'living': list(living_lines(snapshot)),
                'waits': snapshot.waiting_for,
                'limits': asdict(self.limits),
                'model': usage.model,
                'decisions': snapshot.decisions,
                'steps': snapshot.steps,
                'tokens': usage.evaluated_tokens + usage.completion_tokens,
                'cached': usage.cached_tokens,
                'requests': usage.requests,
                'latency': round(usage.latency, 3),
                'cost': float(f'{usage.cost:.4g}'),
                'active': snapshot.active_node_id,
                'finished': snapshot.finished,
                'status': int(self.status),
                'result': result_words(self.status, self.reason),
                'reason': self.reason,
            },
        }

    def _tell_places(self, event: Observation) -> None:
        """Learn which names are places, from where things are looked at, and which are things."""
        self._places.update(event.looked_at, filter(None, (event.place,)))
        self._places.update(fact.receptacle for fact in event.facts if fact.receptacle)
        self._things.update(event.held)
        for skill in filter(None, map(self._skills.parse, event.admissible_skills)):
            if skill.kind in SWITCHING:
                # What is opened or switched on is furniture or an appliance, where it stands.
                self._places.add(skill.target)
            elif skill.kind is SkillKind.TAKE:
                self._things.add(skill.target)

    def _told(self, fact: ObjectFact) -> list[str]:
        """Room, place and state. A place is near another one, not in it: it stands in the room."""
        stands = fact.name in self._places and fact.name not in self._things
        place = '' if stands and fact.receptacle != AGENT else fact.receptacle
        return [fact.room, place, fact.state]

    def _learned(self) -> Frame:
        """What working memory knows now and did not before."""
        now = {fact.name: self._told(fact) for fact in self._memory.facts()}
        changed: dict[str, list[str] | None] = {
            name: latest for name, latest in now.items() if self._facts.get(name) != latest
        }
        changed |= dict.fromkeys(self._facts.keys() - now.keys())
        self._facts = now
        looked_at = self._memory.looked_at()
        new = looked_at[self._looked_at :]
        self._looked_at = len(looked_at)
        return {'facts': changed, 'looked_at': list(new)}


def _node(node: TreeNode) -> list[Any]:
    return [
        node.node_id,
        node.parent_id,
        int(node.kind),
        int(node.status),
        node.goal,
        node.detail,
        node.decisions,
        node.steps,
        round(node.started, 3),
        round(node.ended, 3),
    ]


def _observation(event: Observation) -> dict[str, Any]:
    return {
        'kind': 'see',
        'node': event.node_id,
        'sequence': event.sequence,
        'skill': event.skill,
        'outcome': event.outcome.name.lower(),
        'text': event.text,
        'place': event.place,
        'room': event.room,
        'held': list(event.held),
        'offered': len(event.admissible_skills),
        **({'who': event.who} if event.who else {}),
    }


def _decision(event: Decision, before: TreeNode | None) -> dict[str, Any]:
    """:param before: the node that decides, as it was."""
    usage = event.usage
    shown: dict[str, Any] = {
        'kind': event.kind.name.lower(),
        'node': event.node_id,
        'sequence': event.sequence,
        'text': event.text,
    }
    if event.who:
        shown['who'] = event.who
    if event.kind is DecisionKind.ACT:
        shown['skill'] = event.skill
        permission = {'by': event.allowed_by, 'approver': event.approver, 'back': event.undone_by}
        shown |= {name: text for name, text in permission.items() if text}
    if event.kind in (DecisionKind.EXPAND, DecisionKind.REPAIR):
        shown['flow'] = event.control_flow.name.lower()
        shown['subgoals'] = list(event.subgoals)
    if event.kind is DecisionKind.REPAIR and not event.subgoals:
        status = NodeStatus.IDLE if before is None else before.status
        shown['end'] = repair_words(status, event.status)
    if event.kind in (DecisionKind.FINISH, DecisionKind.REPAIR):
        shown['status'] = int(event.status)
    if event.kind in (DecisionKind.CORRECT, DecisionKind.FIRE):
        shown['follows'] = list(event.subgoals)
        shown['by'] = event.approver
    if event.kind is DecisionKind.FORBID:
        shown['forbidden'] = list(event.subgoals)
    if usage.requests:
        shown['tokens'] = usage.evaluated_tokens + usage.completion_tokens
        shown['latency'] = round(usage.latency, 3)
    return shown


def folded(frames: list[Frame]) -> Frame:
    """Several frames of one run as one, which says where they lead to but not what happened."""
    nodes: dict[int, list[Any]] = {}
    facts: dict[str, list[str] | None] = {}
    looked_at: list[str] = []
    cleared = False
    for frame in frames:
        nodes.update((node[0], node) for node in frame['nodes'])
        if frame.get('cleared'):
            cleared = True
            facts.clear()
            looked_at.clear()
        facts |= frame.get('facts', {})
        looked_at += frame.get('looked_at', [])
    last = frames[-1]
    return {
        **last,
        'event': {'kind': 'earlier', 'node': 0, 'count': sum(map(count_of, frames))},
        'nodes': list(nodes.values()),
        'facts': {name: fact for name, fact in facts.items() if fact is not None},
        'looked_at': looked_at,
        'cleared': cleared,
    }


def count_of(frame: Frame) -> int:
    """How many events a frame stands for."""
    count: int = frame['event'].get('count', 1)
    return count


#: Frames kept of a run, several times those of a long one; older ones are folded into one.
KEPT_FRAMES = 4000
#: Characters of JSON that are kept of a run, whatever a world or a model says.
KEPT_CHARACTERS = 32_000_000


class RunHistory:
    """Grows by events; readers keep a position and take what is new, as JSON made once.

    Nobody waits here for a reader: one that is slow finds more at once, or the oldest folded.

    :param kept: frames that are kept one by one, 8 or more.
    """

    def __init__(self, run_id: str, kept: int = KEPT_FRAMES) -> None:
        self.run_id = run_id
        self._kept = kept
        self._maker = FrameMaker()
        self._lock = threading.Lock()
        self._frames: list[str] = []
        #: Frames that are folded into the first one.
        self._folded = 0
        self._size = 0

    def add(self, event: Event) -> None:
        """Take the next event in."""
        self._append(self._maker.frame(event))

    def know(self, vocabulary: Vocabulary) -> None:
        """Know what the skill server declares, for the events that come from now on."""
        self._maker.know(vocabulary)

    def adopt(self, snapshot: TreeSnapshot) -> None:
        """Begin with a tree whose events are lost."""
        self._append(self._maker.adopt(snapshot))

    def _append(self, frame: Frame) -> None:
        text = json.dumps(frame, ensure_ascii=False, separators=(',', ':'))
        with self._lock:
            self._frames.append(text)
            self._size += len(text)
            if len(self._frames) > self._kept or self._size > KEPT_CHARACTERS:
                self._fold(max(2, len(self._frames) // 4))

    def _fold(self, count: int) -> None:
        frame = folded([json.loads(text) for text in self._frames[:count]])
        text = json.dumps(frame, ensure_ascii=False, separators=(',', ':'))
        self._frames[:count] = [text]
        self._folded += count - 1
        self._size = sum(map(len, self._frames))

    @property
    def end(self) -> int:
        """Position after the last frame."""
        return self._folded + len(self._frames)

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return self._maker.tree.finished

    @property
    def maker(self) -> FrameMaker:
        """The run as it is now; belongs to the thread that adds events."""
        return self._maker

    def after(self, position: int, most: int = 500) -> tuple[str, int, bool]:
        """Frames from a position on.

        :param position: of the first frame wanted, 0 for all.
        :param most: frames at once.
        :return: a JSON list, the position after it, and whether the reader must begin anew
            because frames at its position were folded (the list then starts with the folded one).
        """
        with self._lock:
            anew = position > self.end or 0 < position < self._folded + 1
            begin = 0 if anew else max(0, position - self._folded)
            frames = self._frames[begin : begin + most]
            return f'[{",".join(frames)}]', self._folded + begin + len(frames), anew
