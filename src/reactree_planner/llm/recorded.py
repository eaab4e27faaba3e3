"""Record a run's talk with its model, and replay it: `RecordingModel`, `ReplayedModel`."""

from reactree_planner.llm.recording import RecordingModel
from reactree_planner.llm.recording import RecordingSession
from reactree_planner.llm.replaying import ReplayDivergedError
from reactree_planner.llm.replaying import ReplayedModel
from reactree_planner.llm.replaying import ReplayedSession

__all__ = [
    'RecordingModel',
    'RecordingSession',
    'ReplayDivergedError',
    'ReplayedModel',
    'ReplayedSession',
]
