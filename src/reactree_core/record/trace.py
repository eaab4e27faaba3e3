"""A run as a trace: another function of its records, beside the tree and the trajectories.

    invoke_workflow reactree                the run; the trace's id is the run's
      invoke_agent reactree                 an agent node of the tree
        text_completion qwen                  one request to the model
        sequence                              a control-flow node
          invoke_agent reactree
            execute_tool load <crate>          a skill, as the robot's bridge goes on with

Names and attributes are OpenTelemetry's conventions for generative AI, else begin with `reactree.`
(docs/telemetry.md). All ids follow from the run's id and a number, so a run that is resumed by
another process goes on with the same spans.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any, TYPE_CHECKING

from reactree_core.foreign_text import bounded
from reactree_core.observation import Observation, Vocabulary
from reactree_core.record.events import Decision, DecisionKind, Event, NodeKind, NodeStatus
from reactree_core.record.journal_lines import Answer, Record, value_of
from reactree_core.record.snapshot import AgentTree, ENDED, is_step, TreeNode
from reactree_core.skill_types import SkillType
from reactree_core.telemetry import LONGEST_TEXT, Telemetry

if TYPE_CHECKING:
    from opentelemetry.trace import Span

#: Counts of a request, and where the conventions put them.
_USAGE = {
    'prompt_tokens': 'gen_ai.usage.input_tokens',
    'cached_tokens': 'gen_ai.usage.cache_read.input_tokens',
    'completion_tokens': 'gen_ai.usage.output_tokens',
    'requests': 'reactree.requests',
}
_BILLION = 1_000_000_000


class RunTrace:
    """Listens to the records of one run, from its thread.

    :param run_id: 32 hexadecimal digits.
    :param model: name of the model. :param provider: what serves it, e.g. 'llama.cpp'.
    :param remote: whether the model runs in another process.
    """

    def __init__(
        self, telemetry: Telemetry, run_id: str, model: str, provider: str, remote: bool
    ) -> None:
        self._telemetry = telemetry
        self._run_id = run_id
        self._model = {'gen_ai.provider.name': provider, 'gen_ai.request.model': bounded(model)}
        self._model_kind = 'client' if remote else 'internal'
        self._tree = AgentTree()
        #: When the run's clock was 0, in nanoseconds since 1970.
        self._zero: int | None = None
        #: Spans that have not ended: of the run, its nodes, and the skill under way.
        self._run: Span | None = None
        self._nodes: dict[int, Span] = {}
        self._skill: tuple[int, Span] | None = None
        #: Nodes as they were, and how often each has begun.
        self._known: dict[int, TreeNode] = {}
        self._lives: dict[int, int] = {}
        self._requests = 0
        self._types: tuple[SkillType, ...] = ()
        self._replaying = False

    def replay(self, past: Iterable[Record], used_seconds: float, written: int) -> None:
        """Take the records of a run in that another process has begun, and go on from there.

        :param used_seconds: which the run had taken. :param written: when its last record was, in
            nanoseconds since 1970; breaks before that count for nothing.
        """
        past = tuple(past)
        # What the model answered last may have come long after the last event.
        behind = 0.0
        for record in reversed(past):
            if not isinstance(record, Answer):
                break
            behind += _usage_of(record).get('latency', 0.0)
        self._replaying = True
        self._zero = written - round((used_seconds + behind) * _BILLION)
        for record in past:
            self.take(record, used_seconds)
        self._replaying = False
        self._zero = None

    def take(self, record: Record, elapsed: float) -> None:
        """Take a record in, in the order of the journal.

        :param elapsed: seconds since the run's start, now.
        """
        if self._zero is None:
            self._zero = time.time_ns() - round(elapsed * _BILLION)
        if isinstance(record, Answer):
            self._answer(record, elapsed)
        else:
            self._event(record)

    def traceparent(self, sequence: int) -> str:
        """W3C trace context of a skill that is under way; '' for another one."""
        number, span = self._skill or (0, None)
        return self._telemetry.traceparent(span) if span and number == sequence else ''

    # Records -----------------------------------------------------------------------------

    def _event(self, event: Event) -> None:
        self._tree.apply(event)
        if isinstance(event, Decision) and event.kind is DecisionKind.START:
            self._start(event)
        self._follow_nodes(event.stamp)
        if isinstance(event, Observation):
            self._observe(event)
        elif event.kind is DecisionKind.ACT and is_step(event.skill):
            self._act(event)
        elif event.kind is DecisionKind.REPAIR and self._run is not None:
            # A node that has been told of as ended: what is right now stands with the run.
            attributes: dict[str, str | int] = {
                'reactree.node.id': event.node_id,
                'reactree.status': event.status.name.lower(),
            }
            self._run.add_event('repair', attributes, self._at(event.stamp))
        elif event.kind is DecisionKind.FINISH and event.node_id == 0:
            self._finish(event)

    def _start(self, event: Decision) -> None:
        if self._run is not None:
            self._run.add_event('resumed', timestamp=self._at(event.stamp))
            return
        planner = event.settings.planner
        attributes = {
            'gen_ai.operation.name': 'invoke_workflow',
            'gen_ai.workflow.name': planner,
            'gen_ai.conversation.id': self._run_id,
            'reactree.preset': event.settings.preset,
            **self._texts({'reactree.task': event.text}),
        }
        self._run = self._begin('run', f'invoke_workflow {planner}', attributes, event.stamp)

    def _finish(self, event: Decision) -> None:
        assert self._run is not None
        if self._skill is not None:
            self._end(self._skill[1], event.stamp, 'canceled')
            self._skill = None
        self._run.set_attributes(
            {
                'reactree.status': event.status.name.lower(),
                'reactree.decisions': self._tree.decisions,
                'reactree.steps': self._tree.steps,
                **self._texts({'reactree.reason': event.text}),
            }
        )
        self._end(self._run, event.stamp, _error_of(event.status))

    def _act(self, event: Decision) -> None:
        template = self._template(event.skill)
        attributes = {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': template,
            'gen_ai.tool.type': 'function',
            'gen_ai.tool.call.id': str(event.sequence),
            'reactree.node.id': event.node_id,
            **self._texts({'gen_ai.tool.call.arguments': event.skill}),
        }
        span = self._begin(
            f'skill {event.sequence}',
            f'execute_tool {template}',
            attributes,
            event.stamp,
            self._span_of(event.node_id),
        )
        self._skill = event.sequence, span

    def _observe(self, event: Observation) -> None:
        number, span = self._skill or (0, None)
        if span is None or event.sequence != number or not event.skill:
            return
        outcome = event.outcome.name.lower()
        span.set_attribute('reactree.outcome', outcome)
        span.set_attributes(self._texts({'gen_ai.tool.call.result': event.text}))
        self._end(span, event.stamp, '' if event.succeeded else outcome)
        self._skill = None

    def _answer(self, answer: Answer, elapsed: float) -> None:
        if answer.kind == 'list_skills':
            self._types = value_of(Vocabulary, answer.content['vocabulary']).skills
        if 'usage' not in answer.content or self._run is None:
            return
        usage = _usage_of(answer)
        self._requests += 1
        if self._replaying:
            return
        content = answer.content
        operation = 'text_completion'
        said = str(content.get('option') or content.get('text') or '')
        attributes: dict[str, Any] = {
            'gen_ai.operation.name': operation,
            'gen_ai.conversation.id': self._run_id,
            **self._model,
            'reactree.request': answer.kind,
            **{name: usage[count] for count, name in _USAGE.items() if count in usage},
        }
        if self._telemetry.with_content and said:
            parts = [{'type': 'text', 'content': said[: LONGEST_TEXT // 2]}]
            messages = [{'role': 'assistant', 'parts': parts, 'finish_reason': 'stop'}]
            attributes['gen_ai.output.messages'] = json.dumps(messages, ensure_ascii=False)
        span = self._begin(
            f'request {self._requests}',
            f'{operation} {self._model["gen_ai.request.model"]}',
            attributes,
            elapsed - usage.get('latency', 0.0),
            self._span_of(self._tree.active_node_id),
            self._model_kind,
        )
        self._end(span, elapsed, str(content.get('error', '')))

    # Nodes -------------------------------------------------------------------------------

    def _follow_nodes(self, stamp: float) -> None:
        """Begin and end the spans of nodes that have begun or ended."""
        for node in self._tree.snapshot().nodes:
            if self._known.get(node.node_id) is node:
                continue
            self._known[node.node_id] = node
            span = self._nodes.get(node.node_id)
            if node.status in ENDED:
                if span is not None:
                    del self._nodes[node.node_id]
                    self._end_node(span, node)
            elif span is None and node.started >= 0.0:
                self._nodes[node.node_id] = self._begin_node(node, stamp)

    def _begin_node(self, node: TreeNode, stamp: float) -> Span:
        lives = self._lives[node.node_id] = self._lives.get(node.node_id, 0) + 1
        kind = node.kind.name.lower()
        attributes: dict[str, Any] = {'reactree.node.id': node.node_id, 'reactree.node.kind': kind}
        name = kind
        if node.kind is NodeKind.AGENT:
            name = f'invoke_agent {self._tree.planner}'
            attributes |= {
                'gen_ai.operation.name': 'invoke_agent',
                'gen_ai.agent.name': self._tree.planner,
                'gen_ai.agent.id': str(node.node_id),
                **self._texts({'reactree.goal': node.goal}),
            }
        return self._begin(
            f'node {node.node_id}.{lives}',
            name,
            attributes,
            # One that goes on after a repair has ended before.
            node.started if lives == 1 else stamp,
            self._span_of(node.parent_id),
        )

    def _end_node(self, span: Span, node: TreeNode) -> None:
        span.set_attributes(
            {
                'reactree.status': node.status.name.lower(),
                'reactree.decisions': node.decisions,
                'reactree.steps': node.steps,
            }
        )
        self._end(span, node.ended, _error_of(node.status))

    def _span_of(self, node_id: int) -> Span | None:
        return self._nodes.get(node_id, self._run)

    # Spans -------------------------------------------------------------------------------

    def _begin(
        self,
        key: str,
        name: str,
        attributes: dict[str, Any],
        stamp: float,
        parent: Span | None = None,
        kind: str = 'internal',
    ) -> Span:
        """:param key: what the span is of, different from all others of the run."""
        digest = hashlib.sha256(f'{self._run_id} {key}'.encode()).digest()
        ids = int(self._run_id, 16), int.from_bytes(digest[:8], 'big')
        at = self._at(stamp)
        return self._telemetry.begin(name, attributes, parent or '', at, ids, kind)

    def _end(self, span: Span, stamp: float, error: str) -> None:
        # What had ended when the run was interrupted was reported by the process before.
        if not self._replaying:
            self._telemetry.end(span, self._at(stamp), error)

    def _at(self, stamp: float) -> int:
        return (self._zero or 0) + round(stamp * _BILLION)

    def _texts(self, texts: dict[str, str]) -> dict[str, str]:
        """Attributes that hold texts, where they may; the shorter ones that are not empty."""
        if not self._telemetry.with_content:
            return {}
        return {name: bounded(text, LONGEST_TEXT) for name, text in texts.items() if text}

    def _template(self, skill: str) -> str:
        """What a skill is called without the things in it."""
        fits = (one.template for one in self._types if next(one.splits(skill), None) is not None)
        return bounded(next(fits, skill.partition(' ')[0]), 200)


def _usage_of(answer: Answer) -> Mapping[str, Any]:
    """What a request cost, by the names of LlmUsage; what is 0 may be missing."""
    return answer.content.get('usage') or {}


def _error_of(status: NodeStatus) -> str:
    return '' if status is NodeStatus.SUCCESS else status.name.lower()
