"""A goal as its event tells it, and why it was not read whole."""

from __future__ import annotations

from reactree_core.record.goal_record import GoalRecord
from reactree_planner.language import lexicon
from reactree_planner.language.goal import Goal, ReadBy
from reactree_planner.language.languages import ENGLISH, name_of
from reactree_planner.language.words import words_of


def record_of(goal: Goal) -> GoalRecord:
    """A goal in texts, for the record of a run."""
    return GoalRecord(
        tuple('; '.join(one.text for one in step) for step in goal.milestones),
        tuple(f'{thing} from {place}' for thing, place in goal.sources),
        goal.unread,
        goal.left_to_model,
        tuple(word.text for word in goal.words),
        tuple(word.account for word in goal.words),
        goal.language,
        goal.by.value,
        goal.whole,
        goal.acts,
        goal.trigger.text if goal.trigger is not None else '',
    )


def is_in_unread_language(record: GoalRecord) -> bool:
    """Whether the grammar alone read a task that is not in its language, as far as is known."""
    is_english = record.language == ENGLISH or not record.words
    return not is_english and record.read_by == ReadBy.GRAMMAR.value


def why_not_whole(record: GoalRecord) -> str:
    """Why a reading is not whole, as the end of a sentence; '' where it is."""
    if record.whole:
        return ''
    if not record.words:
        return 'it has no words'
    if is_in_unread_language(record):
        told = name_of(record.language)
        return (
            f'it seems to be {told}, which the grammar does not know: nothing was read of '
            f'{quoted(record.unread)}, and what it forbids cannot be kept; say it in English, or '
            'let a strong model read it (reading=model)'
        )
    parts = []
    if record.unread:
        parts.append('this was not read: ' + quoted(record.unread))
        if any(map(_tells_position, record.unread)):
            parts.append(
                'on which side of another thing, or how near, a thing is nobody tells here'
            )
    # Words of time or prohibition that were not read are named; what a sentence forbids beside
    # them is kept, and shown.
    silent = lexicon.FORBIDDING | lexicon.TIMING
    telling = [one for one in record.unread if not silent.isdisjoint(words_of(one))]
    left = tuple(
        one
        for one in record.left_to_model
        if one not in record.unread and not any(part in one for part in telling)
    )
    if left:
        parts.append('this cannot be kept for certain: ' + quoted(left))
    return '; '.join(parts)


def _tells_position(phrase: str) -> bool:
    """Whether words depend on positions of things: "left of the rack", "the nearest drum"."""
    told = tuple(words_of(phrase))
    sides = lexicon.ON_SIDE_OF
    is_side = any(any(True for _ in sides.at(told, at)) for at in range(len(told)))
    return is_side or not lexicon.RANKING.isdisjoint(told)


def quoted(phrases: tuple[str, ...]) -> str:
    """Phrases of a task for people."""
    return '; '.join(f'"{one}"' for one in phrases)
