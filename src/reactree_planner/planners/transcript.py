"""The text of one agent node, as it becomes an experience (published trajectory form)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field

from reactree_core.experience import Experience
from reactree_core.experience import Termination
from reactree_planner.planners.offering import FAILURE
from reactree_planner.planners.run import PlanRun
from reactree_planner.prompting.reactree_prompt import ACKNOWLEDGE
from reactree_planner.prompting.reactree_prompt import FLOW_WORDS
from reactree_planner.prompting.reactree_prompt import quoted
from reactree_planner.prompting.reactree_prompt import task_line
from reactree_planner.tree.events import ControlFlow


def think_block(text: str) -> str:
    """A thought in a trajectory."""
    return f'Think: {text}\n{ACKNOWLEDGE}'


def act_block(skill: str, observation: str | None) -> str:
    """A skill in a trajectory, with what was observed; None for `done` and `failure`."""
    if observation is None:
        return f'Act: {skill}\n'
    return f'Act: {skill}\n{quoted(observation)}\n'


def expand_block(flow: ControlFlow, subgoals: tuple[str, ...]) -> str:
    """An expansion in a trajectory."""
    return (
        f'Expand:\n- control flow: {FLOW_WORDS[flow]}\n'
        f'- subgoals: {", ".join(subgoals)}\n{ACKNOWLEDGE}'
    )


@dataclass
class NodeTranscript:
    """Grows with a node; becomes an experience when the run's goal was met."""

    goal: str
    termination: Termination = Termination.FAILURE
    _blocks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._blocks.append(task_line(self.goal))

    def add(self, block: str) -> None:
        """Take a block in."""
        self._blocks.append(block)

    @property
    def first_observation(self) -> str:
        """What was seen first, as one line; '' before anything was seen."""
        return self._blocks[1].strip() if len(self._blocks) > 1 else ''

    @property
    def steps(self) -> tuple[str, ...]:
        """What came after the goal and the first observation."""
        return tuple(self._blocks[2:])

    @property
    def is_lesson(self) -> bool:
        """Whether it shows anything: not where the node failed before it had done anything."""
        return self.steps != (act_block(FAILURE, None),)

    @property
    def text(self) -> str:
        """Everything so far."""
        return ''.join(self._blocks)

    def experience(
        self,
        run_id: str,
        node_id: int,
        planner: str,
        model: str,
        task_type: str,
        tokens: int,
        domain: str = '',
    ) -> Experience:
        """The node as an experience; its id follows from the run and the text."""
        digest = hashlib.sha256(f'{run_id}:{node_id}:{self.text}'.encode()).hexdigest()[:32]
        return Experience(
            digest,
            self.goal,
            self.text,
            self.termination,
            run_id,
            task_type,
            planner,
            model,
            tokens,
            domain=domain,
        )


def experiences_of(
    transcripts: Mapping[int, NodeTranscript],
    run_id: str,
    planner: str,
    run: PlanRun,
    task_type: str,
) -> tuple[Experience, ...]:
    """The agent nodes of a run as experiences, in the order they began.

    :param transcripts: by node. :param planner: name of who made them.
    """
    model = run.ports.model
    return tuple(
        transcript.experience(
            run_id,
            node_id,
            planner,
            model.name,
            task_type,
            model.count_tokens(transcript.text),
            run.domain_name,
        )
        for node_id, transcript in transcripts.items()
        if transcript.is_lesson
    )
