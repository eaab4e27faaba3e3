"""A goal as its event has it, and why it was not read whole."""

from __future__ import annotations

from reactree_core.record.goal_record import GoalRecord
from reactree_planner.reading.goal import Goal, ReadBy
from reactree_planner.reading.languages import ENGLISH, name_of
from reactree_planner.reading.plain_words import plain_words
from reactree_planner.reading.small_words import small_phrases, small_words

_SIDES = small_phrases('record', 'sides')
#: Begins what a person has to confirm, among what was not read.
_TO_CONFIRM = 'to confirm: '
_RANKING = small_words('record', 'ranking')


def record_of(goal: Goal) -> GoalRecord:
    """A goal in texts, for the record of a run; what is to be confirmed stands with the unread."""
    return GoalRecord(
        tuple('; '.join(one.text for one in step) for step in goal.milestones),
        tuple(f'{thing} from {place}' for thing, place in goal.sources),
        (*goal.unread, *(f'{_TO_CONFIRM}{one}' for one in goal.questions)),
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
    """The reason why a reading is not whole, as the end of a sentence; '' where it is."""
    if record.whole:
        return ''
    if not record.words:
        return 'it has no words'
    if is_in_unread_language(record):
        return (
            f'it seems to be {name_of(record.language)}, which the grammar does not know: nothing '
            f'was read of {quoted(record.unread)}, and what it forbids cannot be kept; say it in '
            'English, or let a strong model read it (reading=model)'
        )
    unread = tuple(one for one in record.unread if not one.startswith(_TO_CONFIRM))
    parts = []
    if unread:
        parts.append('this was not read: ' + quoted(unread))
        if any(map(_tells_position, unread)):
            parts.append('no skill knows on which side of another thing, or how near, a thing is')
    parts += [one for one in record.unread if one not in unread]
    # Words of a prohibition that were not read are named; what a sentence forbids beside them is
    # kept, and shown.
    left = tuple(
        one
        for one in record.left_to_model
        if one not in record.unread and not any(part in one for part in unread)
    )
    if left:
        parts.append('this cannot be kept for certain: ' + quoted(left))
    return '; '.join(parts)


def _tells_position(phrase: str) -> bool:
    """Whether words depend on positions of things: "left of the rack", "the nearest drum"."""
    words = plain_words(phrase)
    return _SIDES.stand_in(words) or not _RANKING.isdisjoint(words)


def quoted(phrases: tuple[str, ...]) -> str:
    """Phrases of a task for people."""
    return '; '.join(f'"{one}"' for one in phrases)
