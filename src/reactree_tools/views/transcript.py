"""A run as scrolling lines: what each agent thinks, does, sees and expands into."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from reactree_core.observation import Observation, Outcome
from reactree_core.record.events import (
    Decision,
    DecisionKind,
    Event,
    NodeKind,
    NodeStatus,
    QUESTION,
)
from reactree_core.record.goal_record import NO_GOAL
from reactree_core.record.snapshot import AgentTree, ENDED, TreeNode
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import count, seconds, visible
from reactree_tools.views.agent_tree import FIXED_SPACE, Rails
from reactree_tools.views.goal_view import milestones, sources_line, unread_line
from reactree_tools.views.statuses import (
    means_line,
    must_not_line,
    node_figures,
    repair_words,
    status_glyph,
    status_style,
    status_word,
)

#: Characters of an observation that are shown, unless everything is asked for.
OBSERVATION_CHARACTERS = 600
#: Columns of the clock at the left.
CLOCK_COLUMNS = 7
#: Reasons that only repeat the status.
_SAID_BY_STATUS = ('done', 'failure', 'success', 'canceled')


def clock(value: float) -> str:
    """Run time as minutes and seconds, '0:07' or '72:10'."""
    whole = int(max(0.0, value))
    return f'{whole // 60}:{whole % 60:02d}'


class Transcript:
    """Turns events into lines, in their order. Shares the reducer with everything else.

    :param full: show observations whole, however long.
    """

    def __init__(self, glyphs: Glyphs, width: int, full: bool = False) -> None:
        self.tree = AgentTree()
        self._glyphs = glyphs
        self._rails = Rails(glyphs, width, CLOCK_COLUMNS)
        self._limit = 10**6 if full else OBSERVATION_CHARACTERS
        self._begun: set[int] = set()
        self._last_look = ''
        self._left_to_model = ''
        self._meaning_told = False
        self._reading_told = False

    def lines(self, event: Event) -> Iterator[Text]:
        """Lines that this event adds.

        :param event: the next event of the run; events come in order.
        """
        before = {node.node_id: node.status for node in self.tree.snapshot().nodes}
        self.tree.apply(event)
        if self._known(event.node_id):
            node = self.tree.node(event.node_id)
            if node.node_id not in self._begun:
                self._begun.add(node.node_id)
                yield from self._begin(node, event.stamp)
            if isinstance(event, Observation):
                yield from self._observation(node, event)
            else:
                yield from self._decision(node, event, before.get(event.node_id, NodeStatus.IDLE))
        elif not event.node_id:
            yield from self._of_the_run(event)
        yield from self._endings(before, event)

    def _of_the_run(self, event: Event) -> Iterator[Text]:
        """What belongs to no node: asked before the root begins, or found in the task."""
        if isinstance(event, Observation) or event.kind is DecisionKind.ACT:
            yield from self._question(event, 0)
        else:
            yield from self._about_task(event)

    def _known(self, node_id: int) -> bool:
        return any(node.node_id == node_id for node in self.tree.snapshot().nodes)

    def _level(self, node: TreeNode) -> int:
        return len(self.tree.ancestors(node.node_id))

    def _begin(self, node: TreeNode, stamp: float) -> Iterator[Text]:
        title = Text(f'{node.node_id}  ', style='bold')
        # The root's goal may be given in other words than the task.
        title.append(visible(node.goal if node.parent_id else self.tree.task), style='bold')
        sign = Text(self._glyphs.agent, style='bold blue')
        level = self._level(node)
        if level:
            yield self._rails.empty_line(level)
        yield from self._rails.lines(level, sign, title, clock(stamp), hanging=5)
        if not node.parent_id:
            yield from self._meaning()
            yield from self._forbidden()

    def _about_task(self, event: Decision) -> Iterator[Text]:
        """What comes too late to stand below the task: its events were out of order."""
        if event.kind is DecisionKind.FORBID:
            self._left_to_model = event.text
            if self._begun:
                yield from self._forbidden()
        elif event.kind is DecisionKind.GROUND and self._begun:
            yield from self._meaning()
        elif event.kind is DecisionKind.MILESTONE:
            yield from self._milestone(event)
        elif event.kind in (DecisionKind.CORRECT, DecisionKind.WAIT, DecisionKind.FIRE):
            yield from self._meanwhile(event)

    def _meanwhile(self, event: Decision) -> Iterator[Text]:
        """What a person said and what follows, what is waited for, or what has happened."""
        text = visible('; '.join(event.subgoals))
        if event.kind is DecisionKind.CORRECT:
            by = f'{visible(event.approver)} says' if event.approver else 'said'
            sign, head = self._glyphs.repair, f'{by}: {visible(event.text)}'
        elif event.kind is DecisionKind.WAIT:
            sign, head = self._glyphs.idle, f'waits: {visible(event.text)}'
        else:
            sign = self._glyphs.running
            head = f'happened ({self.tree.firings}): {visible(event.text)}'
        body = Text(head, style='bold magenta')
        if text:
            body.append(f'  {text}', style='not bold default')
        yield from self._rails.lines(1, Text(sign, style='bold magenta'), body, clock(event.stamp))

    def _milestone(self, event: Decision) -> Iterator[Text]:
        """A milestone that was met now."""
        found = milestones(self.tree.snapshot())
        number = self.tree.milestones_met
        text = found[number - 1].text if number <= len(found) else '; '.join(event.subgoals)
        body = Text(f'milestone {number} of {max(number, len(found))} is met: ', style='green')
        body.append(visible(text), style='bold')
        sign = Text(self._glyphs.success, style='bold green')
        yield from self._rails.lines(1, sign, body, clock(event.stamp))

    def _meaning(self) -> Iterator[Text]:
        """What the task was taken to mean, and which words for which names."""
        means = means_line(self.tree.snapshot())
        if means:
            self._meaning_told = True
            sign = Text(self._glyphs.means, style='bold cyan')
            yield from self._rails.lines(1, sign, Text(means, style='cyan'))
        yield from self._reading()

    def _reading(self) -> Iterator[Text]:
        """Where things are taken from, what was not read, and ties: once, when that is known."""
        tree = self.tree.snapshot()
        if self._reading_told or (tree.goal == NO_GOAL and not tree.ties):
            return
        self._reading_told = True
        if sources := sources_line(tree):
            yield from self._rails.lines(1, Text(' '), Text(sources, style='cyan'))
        if unread := unread_line(tree):
            sign = Text(self._glyphs.warning, style='bold yellow')
            yield from self._rails.lines(1, sign, Text(unread, style='yellow'))
        for tie in self.tree.ties:
            yield from self._rails.lines(1, Text(' '), Text(visible(tie), style='dim'))

    def _forbidden(self) -> Iterator[Text]:
        """What the task forbids."""
        forbidden = must_not_line(self.tree.snapshot())
        if forbidden:
            sign = Text(self._glyphs.refused, style='bold yellow')
            yield from self._rails.lines(1, sign, Text(forbidden, style='yellow'))
        if self._left_to_model:
            line = Text(f'left to the model: {visible(self._left_to_model)}', style='dim')
            yield from self._rails.lines(1, Text(' '), line)

    def _decision(self, node: TreeNode, event: Decision, before: NodeStatus) -> Iterator[Text]:
        level = self._level(node) + 1
        glyphs = self._glyphs
        if not self._meaning_told:
            # An observation may overtake what the task means; a decision does not.
            yield from self._meaning()
        if event.kind is DecisionKind.THINK:
            sign = Text(glyphs.thought, style='cyan')
            body = Text(visible(event.text), style='italic cyan')
            yield from self._rails.lines(level, sign, _by(event, body), clock(event.stamp))
        elif event.skill.startswith(QUESTION):
            yield from self._question(event, level)
        elif event.kind is DecisionKind.ACT:
            sign = Text(glyphs.act, style='bold yellow')
            body = Text(visible(event.skill), style='bold')
            if event.text:
                body.append(f'  ({visible(event.text)})', style='not bold dim')
            if event.approver:
                body.append(f'  approved by {visible(event.approver)}', style='not bold green')
            yield from self._rails.lines(level, sign, _by(event, body), clock(event.stamp))
        elif event.kind is DecisionKind.EXPAND:
            sign = Text(glyphs.expand, style='bold magenta')
            flow = _flow(event)
            if event.text:
                flow.append(f'  ({visible(event.text)})', style='not bold dim')
            yield from self._rails.lines(level, sign, flow, clock(event.stamp))
            yield from self._subgoals(node, level)
        elif event.kind is DecisionKind.REPAIR:
            sign = Text(glyphs.repair, style='bold yellow')
            body = Text(repair_words(before, event.status), style='bold yellow')
            if event.subgoals:
                body = Text('repair, ', style='bold yellow').append_text(_flow(event))
            if event.text:
                body.append(f': {visible(event.text)}', style='not bold default')
            yield from self._rails.lines(level, sign, body, clock(event.stamp))
            if event.subgoals:
                yield from self._subgoals(node, level)

    def _subgoals(self, node: TreeNode, level: int) -> Iterator[Text]:
        """The agents of the newest expansion."""
        glyphs, style = self._glyphs, 'magenta'
        control = self.tree.children(node.node_id)
        agents = self.tree.children(control[-1].node_id) if control else ()
        for number, agent in enumerate(agents, start=1):
            branch = glyphs.last_branch if number == len(agents) else glyphs.branch
            body = Text(f'{agent.node_id}  ', style=style)
            body.append(visible(agent.goal))
            yield from self._rails.lines(level, Text(branch, style=style), body, hanging=5)

    def _question(self, event: Event, level: int) -> Iterator[Text]:
        """What a person is asked, or what came of it."""
        if isinstance(event, Observation):
            sign, text, style = self._glyphs.observation, event.text, 'default'
        else:
            sign, text, style = self._glyphs.question, event.skill.removeprefix(QUESTION), 'bold'
        body = Text(visible(text, self._limit), style=style)
        yield from self._rails.lines(
            level, Text(sign, style='bold yellow'), body, clock(event.stamp)
        )

    def _observation(self, node: TreeNode, event: Observation) -> Iterator[Text]:
        level = self._level(node) + 1
        if event.skill.startswith(QUESTION):
            yield from self._question(event, level)
            return
        text = visible(event.text, self._limit)
        if not event.skill:
            # Every agent begins with a look; the same view again says nothing new.
            if text == self._last_look:
                return
            self._last_look = text
        if event.outcome is Outcome.SUCCEEDED:
            sign = Text(self._glyphs.observation, style='bright_black')
            body = Text(text, style='dim')
        else:
            sign = Text(self._glyphs.refused, style='bold red')
            body = Text(event.outcome.name.lower().replace('_', ' ') + ': ', style='red')
            body.append(text, style='dim')
        yield from self._rails.lines(level, sign, _by(event, body))

    def _endings(self, before: dict[int, NodeStatus], event: Event) -> Iterator[Text]:
        """A line for every agent whose end this event decided, innermost first."""
        ended = [
            node
            for node in self.tree.snapshot().nodes
            if node.kind is NodeKind.AGENT
            and node.status in ENDED
            # A repair may overrule an end by another one.
            and before.get(node.node_id) is not node.status
            and node.started >= 0
        ]
        shown = False
        for node in reversed(ended):
            # Why the run ended is said once, at the innermost node.
            yield from self._ending(node, event, shown)
            shown = True

    def _ending(self, node: TreeNode, event: Event, shown: bool) -> Iterator[Text]:
        style = status_style(node.status)
        body = Text(f'{node.node_id}  ', style=style)
        body.append(status_word(node.status), style=f'bold {style}')
        reason = ''
        if isinstance(event, Decision) and event.kind is DecisionKind.FINISH:
            shown = shown if event.node_id == 0 else event.node_id != node.node_id
            reason = '' if shown else visible(event.text)
            reason = '' if reason in _SAID_BY_STATUS else reason
        control = self.tree.children(node.node_id)
        overruled = isinstance(event, Decision) and event.kind is DecisionKind.REPAIR
        if control and not reason and not (overruled and event.node_id == node.node_id):
            agents = self.tree.children(control[-1].node_id)
            met = sum(agent.status is NodeStatus.SUCCESS for agent in agents)
            reason = f'{control[-1].kind.name.lower()}: {met} of {len(agents)} succeeded'
        if reason:
            body.append(f': {reason}', style=style)
        figures = node_figures(node)
        if node.ended >= node.started >= 0:
            figures.append(seconds(node.ended - node.started))
        if figures:
            together = ', '.join(figures).replace(' ', FIXED_SPACE)
            body.append(f'{FIXED_SPACE} ({together})', style='dim')
        sign = Text(status_glyph(node.status, self._glyphs), style=f'bold {style}')
        yield from self._rails.lines(self._level(node), sign, body, clock(event.stamp), hanging=5)


def _by(event: Event, body: Text) -> Text:
    """What is told, behind the robot of a team that it is about."""
    return Text(f'{visible(event.who)}: ', style='blue').append_text(body) if event.who else body


def _flow(event: Decision) -> Text:
    number = len(event.subgoals)
    if number == 1:
        # In which order one is tried says nothing.
        return Text('1 subgoal', style='magenta')
    flow = Text(event.control_flow.name.lower(), style='bold magenta')
    return flow.append(f' of {count(number, "subgoal")}', style='magenta')
