"""Exit status, result, assistants, viewer and record agree how a task ended."""

from __future__ import annotations

from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st

from reactree_core.belief import Status
from reactree_core.record.events import Decision, DecisionKind, NodeStatus
from reactree_core.record.journal_lines import decode_record, encode_record
from reactree_core.record.outcome import Ending, ErrorCode, RunOutcome, WHY
from reactree_planner.ros.plan_task import result_of, RunReport
from reactree_planner.ros.run_messages import decision_from_message, decision_to_message
from reactree_ros.msg import TreeSnapshot as TreeSnapshotMessage
from reactree_tools.exit_codes import ExitCode
from reactree_tools.ros.followed_runs import end_lines
from reactree_tools.ros.plan_client import summary_of
from reactree_tools.views.statuses import result_words

RUN = 'ab' * 16
CODES = {
    ExitCode.OK: Status.VERIFIED,
    ExitCode.ASSUMED: Status.ASSUMED,
    ExitCode.NOT_KNOWN: Status.NOT_KNOWN,
    ExitCode.FAILED: Status.NOT_MET,
}
CONDITIONS = st.lists(
    st.sampled_from(
        ('crate 1 in dock 2', 'door 1 is open: last seen 3 s ago by /door', 'at dock')
    ),
    max_size=2,
).map(tuple)
ENDINGS = st.builds(Ending, CONDITIONS, CONDITIONS, CONDITIONS, CONDITIONS, CONDITIONS)


def value_in(text: str) -> Status:
    """The value that a text for people says."""
    text = text.replace('all goal conditions are verified', Status.VERIFIED.value)
    return next(one for one in Status if f'{one.value}{WHY}' in f'{text}{WHY}')


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(ENDINGS)
def test_exit_status_result_assistants_viewer_and_record_say_the_same(ending: Ending) -> None:
    report = RunReport(RunOutcome(ErrorCode.NONE), ending=ending)
    result = summary_of(RUN, result_of(report, TreeSnapshotMessage()))
    assert result.ending == ending, 'the result message'
    # Where nothing was read as a condition, the planner's word counts.
    is_judged = ending.is_judged or ending.status is not Status.NOT_KNOWN
    judged = ending.status if is_judged else Status.VERIFIED
    assert CODES[result.exit_code] is judged, 'the exit status'
    assert result.record()['status'] == ending.status.value, 'JSON'
    said = end_lines(result)[0]
    assert value_in(said.rstrip(').')) is ending.status, 'the assistant and the terminal'
    for told, name in (('verified', 'holds'), ('assumed', 'assumed'), ('unknown', 'unknown')):
        shown = any(line.startswith(name) for line in end_lines(result))
        assert shown == bool(getattr(ending, told)), name
    end = Decision(9, 0, DecisionKind.FINISH, text=ending.told, status=NodeStatus.SUCCESS)
    kept = decode_record(encode_record(end))
    assert isinstance(kept, Decision)
    sent = decision_from_message(decision_to_message(end, RUN, 0.0))
    for record in (kept, sent):
        assert value_in(result_words(record.status, record.text)) is ending.status, 'the viewer'
