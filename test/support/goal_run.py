"""A run whose task was read in part: two milestones, of which one is met."""

from __future__ import annotations

from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind, NodeStatus
from reactree_core.record.goal_record import GoalRecord

TASK = 'load the crate from the dock, start the pump, then shut it, for uncle'
GOAL = GoalRecord(
    milestones=('crate in truck; pump is on', 'crate in truck; pump is off'),
    sources=('crate from dock',),
    unread=('for uncle',),
    words=('load', 'the', 'crate'),
    accounts=('crate in truck', 'the', 'crate in truck'),
    language='en',
    read_by='grammar',
    acts=True,
)
#: Of a task in a language that is not read.
GERMAN = GoalRecord(unread=('Lade die Kiste',), words=('Lade',), language='de', read_by='grammar')
WHY = 'not known: not all of the task was read'


def goal_run(goal=GOAL, end=WHY, status=NodeStatus.SUCCESS):
    return [
        Decision(1, 0, DecisionKind.START, text=TASK),
        Decision(2, 0, DecisionKind.GROUND, subgoals=('crate in truck',), goal=goal),
        Observation('You see a dock.', sequence=3, node_id=1),
        Decision(4, 1, DecisionKind.ACT, skill='load crate'),
        Observation('You load crate.', sequence=5, node_id=1, skill='load crate'),
        Decision(6, 0, DecisionKind.MILESTONE, subgoals=('crate in truck', 'pump is on')),
        Decision(7, 1, DecisionKind.FINISH, status=status),
        Decision(8, 0, DecisionKind.FINISH, text=end, status=status),
    ]
