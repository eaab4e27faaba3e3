"""What the planner says of itself on /diagnostics: its model, its robot and its runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reactree_core.ports import FetchedModel, LanguageModel
from reactree_core.record.outcome import ErrorCode, RunOutcome
from reactree_core.ros.diagnostics import Health
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.ros.team_client import RosTeam

if TYPE_CHECKING:
    from reactree_planner.ros.run_worker import RunWorker

#: Ends of a run that say nothing about the planner, its model or its robot.
_HARMLESS = (
    ErrorCode.NONE,
    ErrorCode.TASK_FAILED,
    ErrorCode.DECISION_LIMIT,
    ErrorCode.STEP_LIMIT,
    ErrorCode.DEPTH_LIMIT,
    ErrorCode.TOKEN_LIMIT,
    ErrorCode.TIME_LIMIT,
    ErrorCode.COST_LIMIT,
    ErrorCode.CANCELED,
    ErrorCode.NOT_PERMITTED,
    ErrorCode.INVALID_TASK,
    ErrorCode.UNKNOWN_PLANNER,
)


def is_missing(model: object) -> bool:
    """Whether a model is still to be fetched."""
    return isinstance(model, FetchedModel) and not model.is_loaded


class PlannerHealth:
    """Counts what runs came to, and says how the planner is."""

    def __init__(self) -> None:
        #: Why there is no model; '' when there is one.
        self.model_fault = ''
        #: How far a model is that is being fetched, or was.
        self.fetching = ''
        self._runs = 0
        self._solved = 0
        self._errors = 0
        self._last_error = ''
        self._trouble = ''

    def ended(self, outcome: RunOutcome) -> None:
        """A run came to its end."""
        self._runs += 1
        self._solved += outcome.success
        self._trouble = ''
        if outcome.code not in _HARMLESS:
            self._errors += 1
            self._last_error = f'{outcome.code.name}: {outcome.message}'
            self._trouble = f'The last run ended with {self._last_error}'

    def read(
        self,
        model: LanguageModel | None,
        worker: RunWorker | None,
        skills: RosSkillServer | RosTeam,
        paused: bool,
    ) -> Health:
        """How the planner is now. :param worker: of the present run, if there is one."""
        bridge = 'lost' if skills.lost else 'not seen' if skills.status is None else 'there'
        loaded = 'loaded' if model is not None else 'not loaded'
        if is_missing(model):
            loaded = self.fetching or 'not on this machine yet'
        state = 'idle' if worker is None else 'planning'
        values = {
            'state': f'{state}, paused' if paused else state,
            'model': model.name if model is not None else '',
            'model state': 'not reached' if model is not None and self.model_fault else loaded,
            'skill server': bridge,
            'run': worker.request.run_id if worker is not None else '',
            'task': worker.request.task if worker is not None else '',
            'runs ended': str(self._runs),
            'runs solved': str(self._solved),
            'runs ended by an error': str(self._errors),
            'last error': self._last_error,
        }
        missing = '' if bridge == 'there' else f'The skill server is {bridge}: start the bridge.'
        return Health(self.model_fault, missing or self._trouble, values, values['state'])
