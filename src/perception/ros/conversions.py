"""What is known of things, as a message."""

from __future__ import annotations

from collections.abc import Iterable

from builtin_interfaces.msg import Time

from perception.perceiver import Findings, MARKER
from perception.tracking import Track
from perception.vision_language import Answer
from reactree_ros.msg import PerceivedThing, PerceivedThings


def to_message(
    findings: Findings, answers: Iterable[Answer], frame: str, at: float
) -> PerceivedThings:
    """:param frame: of all poses. :param at: when the newest picture was taken, s."""
    message = PerceivedThings()
    message.header.frame_id = frame
    message.header.stamp = to_time(at)
    message.things = [*map(_seen, findings.things), *map(_said, answers)]
    message.looked_at = list(findings.looked_at)
    message.gone = list(findings.gone)
    message.tells = list(findings.tells)
    return message


def _seen(track: Track) -> PerceivedThing:
    by_marker = track.by.startswith(MARKER)
    thing = PerceivedThing(
        name=track.name,
        by=PerceivedThing.BY_MARKER if by_marker else PerceivedThing.BY_DETECTOR,
        has_pose=True,
        score=track.score,
        seen_at=to_time(track.seen_at),
        camera=track.camera,
        outline=list(track.outline),
    )
    position, turn, pose = thing.pose.position, thing.pose.orientation, track.pose
    position.x, position.y, position.z = pose.x, pose.y, pose.z
    turn.x, turn.y, turn.z, turn.w = pose.qx, pose.qy, pose.qz, pose.qw
    return thing


def _said(answer: Answer) -> PerceivedThing:
    return PerceivedThing(
        name=answer.name,
        by=PerceivedThing.BY_MODEL,
        place=answer.place,
        state=answer.state,
        seen_at=to_time(answer.seen_at),
    )


def to_time(seconds: float) -> Time:
    """A time of a header."""
    whole = int(seconds)
    return Time(sec=whole, nanosec=int((seconds - whole) * 1e9))
