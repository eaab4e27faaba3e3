"""What a task was read as, how far it has come, and whether its end is verified: for people.

Terminal, viewer and assistants show what stands here; it follows from the record of a run alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from rich.text import Text

from reactree_core.record.goal_record import GoalRecord
from reactree_core.record.snapshot import TreeSnapshot
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import count, visible

_BETWEEN = '; '


class MilestoneState(Enum):
    """MET: in its turn. NEXT: the first that was not met. OPEN: comes later.

    NOT_FOLLOWED: of a reading that is not acted on, nobody follows the milestones.
    """

    MET = 'met'
    NEXT = 'next'
    OPEN = 'open'
    NOT_FOLLOWED = 'not followed'


@dataclass(frozen=True, slots=True)
class Milestone:
    """A milestone of a task. :param text: what is new in it; of one that only takes back, all."""

    text: str
    state: MilestoneState


def milestone_texts(goal: GoalRecord) -> tuple[str, ...]:
    """Of each milestone what is new in it."""
    before: list[str] = []
    found = []
    for milestone in goal.milestones:
        conditions = milestone.split(_BETWEEN)
        new = [one for one in conditions if one not in before] or conditions
        found.append(_BETWEEN.join(new))
        before = conditions
    return tuple(found)


def milestones(tree: TreeSnapshot) -> tuple[Milestone, ...]:
    """The milestones of a run's task, each with its state."""
    met = tree.milestones_met
    return tuple(
        Milestone(text, _state(tree.goal.acts, number, met))
        for number, text in enumerate(milestone_texts(tree.goal))
    )


def _state(acts: bool, number: int, met: int) -> MilestoneState:
    if number < met:
        return MilestoneState.MET
    if not acts:
        return MilestoneState.NOT_FOLLOWED
    return MilestoneState.NEXT if number == met else MilestoneState.OPEN


def reading_text(goal: GoalRecord) -> str:
    """What was not read of a task, as a sentence's end; '' for nothing.

    Of a language that the grammar does not know, the sentence that says what follows from it.
    """
    if goal.whole and not goal.unread:
        return ''
    # Lexicon and languages, of which most commands show nothing.
    from reactree_planner.reading.record import is_in_unread_language, quoted, why_not_whole

    return why_not_whole(goal) if is_in_unread_language(goal) else quoted(goal.unread)


def unread_line(tree: TreeSnapshot) -> str:
    """What was not read of a task, in a line; '' for nothing."""
    unread = visible(reading_text(tree.goal), 2000)
    if not unread:
        return ''
    from reactree_planner.reading.record import is_in_unread_language

    head = 'not understood' if is_in_unread_language(tree.goal) else 'not read'
    return f'{head}: {unread}'


def milestones_line(tree: TreeSnapshot) -> str:
    """How many milestones were met, and which is next; '' where there are not several, or
    nobody follows them.
    """
    found = milestones(tree)
    if len(found) < 2 or not tree.goal.acts:
        return ''
    pending = (visible(one.text) for one in found if one.state is MilestoneState.NEXT)
    next_one = ''.join(f'; next: {text}' for text in pending)
    return f'milestones: {tree.milestones_met} of {len(found)} met{next_one}'


def living_lines(tree: TreeSnapshot) -> tuple[str, ...]:
    """What people said meanwhile, how often what is waited for has happened, and what is waited
    for now: a line each.
    """
    lines = [f'said: {visible(one, 400)}' for one in tree.corrections]
    if tree.firings:
        lines.append(
            f'happened {count(tree.firings, "time")}, done {count(tree.firings_done, "time")}'
        )
    if tree.waiting_for:
        lines.append(f'waits: {visible(tree.waiting_for, 400)}')
    return tuple(lines)


def sources_line(tree: TreeSnapshot) -> str:
    """Where the task says that things are now, in a line; '' where it does not."""
    return f'taken from: {visible(", ".join(tree.goal.sources))}' if tree.goal.sources else ''


_STYLES = {
    MilestoneState.MET: 'green',
    MilestoneState.NEXT: 'yellow',
    MilestoneState.OPEN: 'bright_black',
    MilestoneState.NOT_FOLLOWED: 'bright_black',
}


def milestone_line(milestone: Milestone, glyphs: Glyphs) -> Text:
    """A milestone with its state in words; the sign alone says whether it was met."""
    met = milestone.state is MilestoneState.MET
    sign = glyphs.success if met else glyphs.idle
    style = _STYLES[milestone.state]
    line = Text(f'{sign} {visible(milestone.text)}', style=style)
    return line if met else line.append(f'  ({milestone.state.value})', style='dim')
