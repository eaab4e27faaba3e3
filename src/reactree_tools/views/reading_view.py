"""What a task is read as, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from reactree_planner.reading.goal import Goal
from reactree_planner.reading.languages import is_foreign, name_of
from reactree_planner.reading.record import record_of, why_not_whole
from reactree_planner.reading.speech_acts import answer_to, speech_act
from reactree_tools.plain_text import visible

_HEADS = 12
#: Words that are shown with what accounts for them.
_MOST_WORDS = 200


def reading_lines(goal: Goal, offers: Sequence[str] = ()) -> Iterator[Text]:
    """The sentence with its unread words marked, what it asks for, and whether it is whole.

    :param offers: the nearest sentences that would be read.
    """
    if goal.trigger is not None:
        yield _line('when', goal.trigger.text, 'cyan')
    for number, milestone in enumerate(goal.milestones):
        for position, condition in enumerate(milestone):
            head = 'and' if position else 'then' if number else 'goal'
            yield _line(head, condition.text, 'green')
    for one in goal.never:
        yield _line('must not', one.wording, 'yellow')
    for rule in goal.rules:
        yield _line('rule', rule.wording, 'yellow')
    for thing, place in goal.sources:
        yield _line('now', f'{thing} from {place}')
    for tie in goal.ties:
        yield _line('taken for', tie)
    for text in goal.questions:
        yield _line('to confirm', text, 'yellow')
    for text in goal.unreachable:
        yield _line('unreachable', text, 'yellow')
    if not goal.milestones and not goal.never and not goal.rules:
        yield _line('goal', 'nothing that the robot could do was read', 'yellow')
    if is_foreign(goal.language):
        yield _line('language', name_of(goal.language))
    yield _line('read by', {'both': 'grammar and model'}.get(goal.by.value, goal.by.value))
    if goal.words:
        yield Text()
        yield from _word_lines(goal)
        yield Text()
    reason = why_not_whole(record_of(goal))
    answer = 'no, because ' + visible(reason, 2000) if reason else 'yes, every word was read'
    yield _line('whole', answer, 'bold yellow' if reason else 'bold green')
    for number, offer in enumerate(offers, 1):
        yield _line('' if number > 1 else 'you can say', f'{number} {offer}', 'cyan')
    if reply := answer_to(speech_act(goal.text)):
        yield _line('answer', reply, 'yellow')


def _line(head: str, text: str, style: str = '') -> Text:
    return Text(f'{head:<{_HEADS}}').append(visible(text, 4000), style)


def _word_lines(goal: Goal) -> Iterator[Text]:
    """Words in a row that one thing accounts for stand together."""
    groups: list[tuple[list[str], str]] = []
    for word in goal.words[:_MOST_WORDS]:
        if not any(map(str.isalnum, word.text)):
            continue
        if groups and groups[-1][1] == word.account:
            groups[-1][0].append(word.text)
        else:
            groups.append(([word.text], word.account))
    accounts = [(visible(' '.join(words), 200), account) for words, account in groups]
    width = min(40, max((len(words) for words, _ in accounts), default=0))
    for words, account in accounts:
        if account:
            yield Text(f'  {words:<{width}}  ').append(visible(account, 400), 'dim')
        else:
            yield Text('  ').append(f'{words:<{width}}', 'yellow').append('  ? not read', 'yellow')
    more = len(goal.words) - _MOST_WORDS
    if more > 0:
        yield Text(f'  ... and {more:,} words more')


def reading_fields(goal: Goal, offers: Sequence[str] = ()) -> dict[str, Any]:
    """The whole goal as values of JSON.

    :param offers: the nearest sentences that would be read.
    """
    return {
        'text': goal.text,
        'whole': goal.whole,
        'because': why_not_whole(record_of(goal)),
        'offers': list(offers),
        'answer': answer_to(speech_act(goal.text)),
        'milestones': [[one.text for one in milestone] for milestone in goal.milestones],
        'when': goal.trigger.text if goal.trigger is not None else '',
        'never': [one.wording for one in goal.never],
        'rules': [rule.wording for rule in goal.rules],
        'unread': list(goal.unread),
        'left_to_model': list(goal.left_to_model),
        'language': goal.language,
        'by': goal.by.value,
        'acts': goal.acts,
        'sources': [{'thing': thing, 'place': place} for thing, place in goal.sources],
        'ties': list(goal.ties),
        'questions': list(goal.questions),
        'unreachable': list(goal.unreachable),
        'plainly': goal.plainly,
        'words': [{'text': word.text, 'account': word.account} for word in goal.words],
    }
