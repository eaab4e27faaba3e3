"""What a text negates, and how far each negation reaches."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace

from reactree_planner.instructions.negation_words import AFTER_THING
from reactree_planner.instructions.negation_words import DIRECTIVES
from reactree_planner.instructions.negation_words import FORGETTING
from reactree_planner.instructions.negation_words import GERUND_CUES
from reactree_planner.instructions.negation_words import HEADS_OF_WORK
from reactree_planner.instructions.negation_words import KEPT_STATES
from reactree_planner.instructions.negation_words import LEAVING
from reactree_planner.instructions.negation_words import LEFT_STATES
from reactree_planner.instructions.negation_words import NEVER
from reactree_planner.instructions.negation_words import NO_ACTION
from reactree_planner.instructions.negation_words import NO_FURTHER
from reactree_planner.instructions.negation_words import NOT_EXCEPTED
from reactree_planner.instructions.negation_words import PHRASES
from reactree_planner.instructions.negation_words import RELEASES
from reactree_planner.instructions.negation_words import SELF_OR_IT
from reactree_planner.instructions.negation_words import SELF_OR_YOU
from reactree_planner.instructions.words import BEING
from reactree_planner.instructions.words import COORDINATORS
from reactree_planner.instructions.words import LEADING_WORDS
from reactree_planner.instructions.words import MODALS
from reactree_planner.instructions.words import PERSONS
from reactree_planner.instructions.words import PREPOSITIONS
from reactree_planner.instructions.words import Text
from reactree_planner.instructions.words import UNMARKED


@dataclass(frozen=True, slots=True)
class ProhibitionSpan:
    """Words that forbid something, by index.

    :param start: first word after the negation. :param end: after its last word.
    :param clause: where its clause begins: a passive names its thing before the negation.
    :param enforced: whether it holds always; not "until", "more than twice", "if" and the like.
    :param inherits: whether its verb stands before: "the pallet, but not the crate".
    :param verb: words that stand for its verb, e.g. 'approach' for "stay away from"; '' for none.
    """

    start: int
    end: int
    clause: int
    enforced: bool = True
    inherits: bool = False
    passive: bool = False
    verb: str = ''


class Negations:
    """Finds what a text negates."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._plain = text.plain
        #: What is forbidden, as far as the text was read.
        self.found: list[ProhibitionSpan] = []

    def at(self, i: int, begin: int, end: int) -> ProhibitionSpan | None:
        """What is negated from this word on; verb '-' where it is no prohibition."""
        plain = self._plain
        word, after = plain[i], plain[i + 1 : end]
        clause = self._text.clause_start(i, begin)
        before = [w for w in plain[clause:i] if w not in LEADING_WORDS]
        rest = ' '.join(plain[i : min(end, i + 5)])
        if word in ('stay', 'stays', 'remain', 'remains', 'kept') and before:
            stays = self._stays(i, clause, end)
            if stays is not None:
                return stays
        for phrase, verb in PHRASES:
            if rest.startswith(phrase + ' ') or rest == phrase:
                start = i + len(phrase.split())
                return self._region(start, end, clause, 'gerund', verb=verb)
        for phrase in AFTER_THING:
            stop = i + len(phrase.split())
            follows = ' '.join(plain[stop : stop + 1]) in ('to', 'from')
            is_told = any(w in BEING for w in before[1:]) and before[0] != 'you'
            if (rest.startswith(phrase + ' ') or rest == phrase) and is_told and not follows:
                first = clause
                while first < i and plain[first] in LEADING_WORDS:
                    first += 1
                verb = '' if plain[first] in self._text.gerunds else 'anything'
                return ProhibitionSpan(first, stop, first, True, False, True, verb)
        kept = bool(self.found) and self.found[-1].end == i
        if kept and word == 'and' and self.found[-1].verb in KEPT_STATES.values():
            # "leave the gate closed and the pump off"
            return self._kept_as_it_is(i, end)
        if word in ('keep', 'leave') and (same := self._kept_as_it_is(i, end)) is not None:
            return same
        if word in GERUND_CUES or (
            word in ('no', 'stop') and after[:1] and self._text.is_gerund(i + 1)
        ):
            if any(plain[k] in ('not', 'never') for k in range(clause, i)):
                return None
            return self._region(i + 1, end, clause, 'gerund')
        if rest.startswith(('instead of', 'rather than')):
            verb = '' if self._text.is_gerund(i + 2) else '-'
            return self._region(i + 2, end, clause, 'gerund', verb=verb)
        if word == 'but' and self._excepts(i, begin, end):
            return self._region(i + 1, end, clause, 'noun', inherits=True)
        if rest.startswith(('anywhere but', 'everything but', 'all but')):
            return self._region(i + 2, end, clause, 'noun', inherits=True)
        if rest.startswith(('except for', 'except', 'apart from', 'other than', 'anything but')):
            length = 1 if word == 'except' and plain[i + 1 : i + 2] != ['for'] else 2
            return self._region(i + length, end, clause, 'noun', inherits=True)
        if word in NEVER or (word == 'nor' and self.found):
            return self._after_never(i, clause, before, end)
        if word == 'not':
            return self._after_not(i, clause, before, end)
        if word == 'no' and after[:1] == ['one'] and after[1:2]:
            for start in range(i + 2, min(i + 5, end)):
                if self._text.begins_verb(start) or plain[start] == 'be':
                    return self._region(start, end, clause, 'base')
            return self._region(i + 1, end, clause, 'noun', verb='-')
        if word in ('no', 'nothing', 'nobody', 'none'):
            if word == 'no' and before[-1:] == ['with']:
                # "the crate with no lid"
                return ProhibitionSpan(i + 1, min(i + 2, end), clause, verb='-')
            if word == 'no' and (self._text.begins_verb(i + 1) or not after[:1]):
                return self._region(i + 1, end, clause, 'base')
            if word == 'no' and (self._text.has_comma(i + 1) or after[0] in SELF_OR_YOU):
                return ProhibitionSpan(i, i, clause)
            if word == 'nothing' and 'be' in after[:4]:
                return ProhibitionSpan(i + 1, end, i, passive=True)
            if after[:1] and after[0] in ('need', 'matter', 'problem', 'later', 'more', 'hurry'):
                return ProhibitionSpan(i + 1, i + 2, clause, verb='-')
            if word == 'nobody' and after[:1] and after[0] in MODALS:
                return self._region(i + 2, end, clause, 'base')
            if self._follows_verb(i) and word in ('no', 'nothing', 'none'):
                # "put no crate on the truck"
                start = {'no': i + 1, 'nothing': i}.get(word, i + 2)
                if after[:1] and after[0] not in NO_FURTHER:
                    return self._region(start, end, clause, 'noun', inherits=True)
            return self._region(i + 1, end, clause, 'noun', verb='-')
        return None

    def _follows_verb(self, i: int) -> bool:
        """Whether an imperative's verb stands right before a word: "put", "switch on"."""
        verbs = (self._text.heads | HEADS_OF_WORK) - LEAVING
        before = self._plain[max(0, i - 2) : i]
        joined = before[1:] and before[1] in ('on', 'off', 'up', 'down', 'to')
        return bool(before) and (before[-1] in verbs or bool(joined and before[0] in verbs))

    def _excepts(self, i: int, begin: int, end: int) -> bool:
        """Whether a "but" excepts something from all of a sort: "every crate but crate 2"."""
        follows = self._plain[i + 1] if i + 1 < end else ''
        told = HEADS_OF_WORK | MODALS | BEING | SELF_OR_YOU | NEVER | NOT_EXCEPTED
        if not follows or follows in told or self._text.begins_verb(i + 1):
            return False
        if self._text.has_comma(i) and not told.isdisjoint(
            self._plain[i + 1 : self._text.next_comma(i, end) or end]
        ):
            # "all crates, but crate 2 is broken"
            return False
        for k in range(i - 1, max(begin, i - 6) - 1, -1):
            if (k + 1 < i and self._text.has_comma(k + 1)) or self._plain[k] in PREPOSITIONS:
                return False
            if self._plain[k] in ('all', 'every', 'each', 'any'):
                return k < i - 1
        return False

    def _after_never(self, i: int, clause: int, before: list[str], end: int) -> ProhibitionSpan:
        if self._plain[i + 1 : i + 2] == ['be'] and before:
            return self._region(i + 2, end, clause, 'participle', passive=True)
        following = self._plain[i + 1] if i + 1 < end else ''
        later = self._plain[i + 1 : end]
        if self._plain[i] == 'neither' and 'be' in later and set(later) & MODALS:
            return ProhibitionSpan(i + 1, end, i + 1, passive=True)
        if following in FORGETTING or following in NO_ACTION:
            return ProhibitionSpan(i, i, clause)
        if following in self._text.thirds and before:
            return self._region(i + 1, end, clause, 'base', verb='-')
        others = before and before[0] != 'you' and before[-1] != 'do'
        if (others and before[0] in PERSONS) or set(before) & {'have', 'has', 'had'}:
            return self._region(i + 1, end, clause, 'base', verb='-')
        if self._plain[i + 1 : i + 2] and self._plain[i + 1] in ('ever', 'again'):
            return self._region(i + 2, end, clause, 'base')
        return self._region(i + 1, end, clause, 'base')

    def _after_not(self, i: int, clause: int, before: list[str], end: int) -> ProhibitionSpan:
        plain = self._plain
        after = [w for w in plain[i + 1 : end] if w not in ('ever', 'even', 'you')]
        skip = i + 1
        while skip < end and plain[skip] in ('ever', 'even', 'you', 'dare', 'please'):
            skip += 1
        nothing = ProhibitionSpan(i, i, clause)
        last_do = before[-1:] == ['do'] or self._text.words[i] == 'dont'
        last_you = before[-1:] == ['you']
        last_not_be = not before or before[-1] not in BEING
        merely = self._region(i + 1, end, clause, 'noun', verb='-')
        if after[:1] and after[0] in ('only', 'just', 'merely', 'simply') and 'but' in after:
            # "not only the crate but also the drum"
            return nothing
        if after[:1] == ['not'] or (after[:1] == ['to'] and set(after[1:2]) & FORGETTING):
            return nothing
        if last_you and before[0] in MODALS:
            # "can you not turn it on"
            return self._region(skip, end, clause, 'base')
        if after[:1] and (after[0] in FORGETTING or (after[0] in ('just', 'be') and last_do)):
            return nothing
        if after[:1] == ['leave'] and any(word in LEFT_STATES for word in after[1:7]):
            return merely
        if self._text.is_gerund(skip) and last_not_be:
            return self._region(skip, end, clause, 'gerund')
        subject = before[0] if before else ''
        last = before[-1] if before else ''
        unmarked = self._text.words[i] in UNMARKED
        if last == 'do' or (unmarked and self._text.words[i] == 'dont'):
            who = [w for w in before if w != 'do']
            if who[:1] == ['why']:
                return nothing
            if who and who[-1] in ('i', 'we'):
                if after[:1] and after[0] in ('want', 'wish', 'like'):
                    wish = self._region(skip + 1, end, skip + 1, 'wish')
                    passive = 'to' not in plain[wish.start : wish.end]
                    return replace(wish, passive=passive)
                return merely
            plural = who and len(who) <= 3 and who[-1].endswith('s') and who[0] != 'whatever'
            if who and who[-1] != 'you' and (plural or who[-1] in PERSONS):
                return merely
            if after[:1] and after[0] in NO_ACTION:
                return merely
            return self._region(skip, end, clause, 'base')
        if last in ('did', 'would') and before[-2:-1] == ['you'] and len(before) > 2:
            # "I would rather you did not", "it would be nice if you would not"
            return self._region(skip, end, clause, 'base')
        if last in ('does', 'do') and after[:1] in (['get'], ['be']):
            return self._region(skip + 1, end, clause, 'participle', passive=True)
        if last in ('does', 'did', 'was', 'were', 'have', 'has', 'had'):
            return merely
        if last in MODALS or (unmarked and self._text.words[i] != 'dont'):
            if last == 'need' or after[:1] == ['need'] or (after[:1] and after[0] in SELF_OR_IT):
                return merely
            if after[:1] == ['be'] and subject != 'you':
                return self._region(skip + 1, end, clause, 'participle', passive=True)
            if subject in ('', 'you', last):
                return self._region(skip, end, clause, 'base')
            return merely
        if last in BEING:
            if after[:2] in (['allowed', 'that'], ['permitted', 'that']):
                return self._region(skip + 2 + (after[2:3] == []), end, clause, 'base')
            if after[:1] and after[0] in DIRECTIVES:
                if subject == 'you':
                    start = skip + (2 if plain[skip + 1 : skip + 2] == ['to'] else 1)
                    return self._region(start, end, clause, 'base')
                if after[:2] == ['to', 'be']:
                    return self._region(skip + 2, end, clause, 'participle', passive=True)
            return merely
        if after[:1] == ['to']:
            told = [k for k, w in enumerate(before) if w in ('told', 'asked', 'tell', 'ask')]
            if told and before[told[-1] + 1 : told[-1] + 2] != ['you']:
                return merely
            if set(before) & (PERSONS - {'i', 'we'}) or set(before) & {'was', 'were'}:
                return merely
            return self._region(skip + 1, end, clause, 'base')
        if not before:
            # "but not the crate", ", not the crate"
            verbs = any(self._text.begins_verb(k) for k in range(skip, min(skip + 2, end)))
            if verbs:
                return self._region(skip, end, clause, 'base')
            return self._region(skip, end, clause, 'noun', inherits=True)
        return merely

    def _region(
        self,
        start: int,
        end: int,
        clause: int,
        form: str,
        inherits: bool = False,
        passive: bool = False,
        verb: str = '',
    ) -> ProhibitionSpan:
        """How far a negation reaches: over lists and what is joined by "or" and "and"."""
        if start < end and self._text.has_comma(start) and form == 'base':
            # "you should not, however, open it", "do not, I repeat, do not close it"
            aside = self._text.next_comma(start, end)
            if aside is None or self._plain[aside] in ('do', 'never'):
                return ProhibitionSpan(start, start, clause)
            start = aside
        stop = start
        while stop < end:
            word = self._plain[stop]
            if stop > start and (
                word in ('but', 'then', 'so', 'because', 'since', 'instead', 'however')
                or (word in ('do', 'never', 'please', 'you') and word != self._plain[start])
                or (word == 'just' and self._plain[stop + 1 : stop + 2] != ['yet'])
            ):
                break
            comma = stop > start and self._text.has_comma(stop)
            if comma and not self._list_goes_on(stop, end, form):
                break
            if word == 'and' and not comma and not self._joins(stop + 1, end, form):
                break
            stop += 1
        seen = stop + 1 if stop < end and not self._text.has_comma(stop) else stop
        enforced = not any(
            self._plain[k] in RELEASES
            and (self._plain[k] != 'without' or self._text.is_gerund(k + 1))
            for k in range(start, seen)
        )
        for_now = 'for now' in ' '.join(self._plain[max(0, clause - 3) : stop])
        enforced = enforced and not for_now and self._plain[stop - 1 : stop] != ['now']
        return ProhibitionSpan(start, stop, clause, enforced, inherits, passive, verb)

    def _list_goes_on(self, i: int, end: int, form: str) -> bool:
        """Whether a list of what is forbidden goes on behind a comma."""
        word = self._plain[i]
        if word in ('or', 'nor') or (word + self._plain[i - 1]).isdecimal():
            return True
        if word == 'and':
            return self._joins(i + 1, end, 'noun')
        if form == 'gerund':
            # A clause with "without" before the main one ends here, unless a list is closed later.
            later = self._plain[i:end]
            return self._text.is_gerund(i) or ('or' in later and not self._has_verb(i, end))
        if self._text.begins_verb(i):
            # "Do not open the gate, start the pump or go to the hall"
            return 'or' in self._plain[i:end] and 'and' not in self._plain[i:end]
        if word in ('the', 'a', 'an', 'any', 'its', 'my', 'your', 'our'):
            return not self._has_verb(i, end) or 'or' in self._plain[i:end]
        return ('or' in self._plain[i : i + 5] or 'and' in self._plain[i : i + 4]) and (
            word not in LEADING_WORDS
            and word not in HEADS_OF_WORK
            and word not in self._text.heads
        )

    def _has_verb(self, begin: int, end: int) -> bool:
        return any(
            self._text.begins_verb(k) or self._plain[k] in MODALS or self._plain[k] in BEING
            for k in range(begin, end)
        )

    def _joins(self, i: int, end: int, form: str) -> bool:
        """Whether what follows an "and" is forbidden with what stands before it."""
        if i >= end or self._plain[i] in ('do', 'please', 'then', 'you', 'never', 'just'):
            return False
        word = self._plain[i]
        if form in ('gerund', 'wish'):
            return self._text.is_gerund(i) or (
                word not in HEADS_OF_WORK and not self._text.begins_verb(i)
            )
        if form in ('noun', 'participle'):
            return word not in HEADS_OF_WORK and not self._text.begins_verb(i)
        return True

    def _kept_as_it_is(self, i: int, end: int) -> ProhibitionSpan | None:
        """ "keep the gate closed", "leave the crate alone", "leave it where it is"."""
        for k in range(i + 2, min(end, i + 8)):
            word = self._plain[k]
            if self._text.has_comma(k) or word in COORDINATORS:
                return None
            if word in KEPT_STATES and (
                word not in ('on', 'open') or self._text.is_last_of_clause(k, end)
            ):
                return ProhibitionSpan(i + 1, k + 1, i, True, False, False, KEPT_STATES[word])
        return None

    def _stays(self, i: int, clause: int, end: int) -> ProhibitionSpan | None:
        """ "the gate must stay closed"."""
        after = self._plain[i + 1 : end]
        if after[:1] and after[0] in KEPT_STATES and i > clause:
            start = clause
            while start < i and self._plain[start] in LEADING_WORDS:
                start += 1
            return ProhibitionSpan(start, i + 2, start, True, False, True, KEPT_STATES[after[0]])
        return None
