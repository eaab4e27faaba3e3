"""Reads English with the grammar: the cheapest way to account for every word of a text.

Clauses are put side by side, with words between them that part or lead in; a word that nothing
accounts for costs much. So one mechanism reads a whole text, and of another what can be read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reactree_core.permission.matching import SkillPattern
from reactree_core.permission.rules import Rule
from reactree_planner.language import lexicon
from reactree_planner.language.amounts import ToldLimit
from reactree_planner.language.discourse import Told
from reactree_planner.language.domain import Domain
from reactree_planner.language.forbidding_words import EXCEPTIONS
from reactree_planner.language.goal import When
from reactree_planner.language.islands import covered, Island, islands_of
from reactree_planner.language.languages import (
    is_courtesy,
    is_foreign,
    is_foreign_word,
    language_of,
)
from reactree_planner.language.meanings import ALL, Clause, Noun, parts_of, Perform, Shall
from reactree_planner.language.names import NameKind
from reactree_planner.language.names_in_text import Tied
from reactree_planner.language.skill_goals import clauses_of
from reactree_planner.language.skill_sentence import matcher_of
from reactree_planner.language.tokens import (
    dropped_before,
    MARK,
    STEP,
    Token,
    without_courtesy,
)
from reactree_planner.language.triggered import TriggeredDiscourse
from reactree_planner.language.triggers import ToldTrigger, Triggers
from reactree_planner.language.words import Form

#: Of words that say so.
ANY_ONE = 'any of them'
COURTESY = 'courtesy'
_SKIPPED = 20
_CLAUSE = 2
#: What it costs that something is not wanted now: whatever else can be read is read so.
_TRIGGER = 8
#: Tokens of a text whose lists are read from their ends, so that none is too deep.
_LONG, _VERY_LONG = 200, 1200
#: Ways to read the text up to a token that are followed.
_MOST_WAYS = 8
_SENTENCE_ENDS = frozenset('.?\n')
_SEPARATORS = frozenset({'.', ',', '\n', ':', '"', MARK, 'and', '?', ';'})
#: Before which "then" or "first" leads nothing in.
_NO_LEAD = frozenset({'', '.', '?', '\n', 'and'})


@dataclass(frozen=True, slots=True)
class Part:
    """Some tokens in a row, and what they are. :param account: why no condition is needed for
    them; '' for a clause, or for what was not read. :param later: "then".
    :param island: what it forbids; None for nothing. :param trigger: when the rest is wanted.
    """

    start: int
    end: int
    clauses: tuple[Clause, ...] = ()
    account: str = ''
    later: bool = False
    island: Island | None = None
    trigger: ToldTrigger | None = None

    @property
    def is_read(self) -> bool:
        """Whether something accounts for its words."""
        return bool(self.clauses or self.account)

    @property
    def unread(self) -> Part:
        """The same words, not read."""
        return Part(self.start, self.end)


#: Cost and parts of one way to read the tokens so far.
Way = tuple[int, tuple[Part, ...]]


#: What may stand behind a skill that is forbidden for good.
_CLAUSE_ENDS = frozenset(
    {(), *((one,) for one in ('.', ',', ';', '\n', 'and', 'or', 'but', 'nor'))}
)


class GrammarReader:
    """Reads one text.

    :param tokens: of the text. :param tied: words that were taken for a name.
    :param in_time: whether rules in time are read. :param limits: of numbers in skills.
    :param describes: whether things that no name stands for may be told of in many words.
    :param text: of the tokens, in which clauses may be skills word for word; '' for none.
    """

    def __init__(
        self,
        tokens: Sequence[Token],
        domain: Domain,
        tied: Mapping[int, tuple[Tied, ...]] = {},
        in_time: bool = True,
        limits: Sequence[ToldLimit] = (),
        describes: bool = False,
        text: str = '',
    ) -> None:
        self.domain = domain
        self.tokens = tuple(tokens)
        self.limits = tuple(limits)
        #: Indices of tokens that the grammar sees: without words of courtesy.
        self.kept = without_courtesy(tokens)
        at = {index: position for position, index in enumerate(self.kept)}
        moved = {
            at[start]: tuple(
                Tied(one.name, at[one.end - 1] + 1, one.sure, one.plural)
                for one in ties
                if one.end - 1 in at
            )
            for start, ties in tied.items()
            if start in at
        }
        told = [tokens[index].text for index in self.kept]
        # The Spanish "nevera" is no slip of "never", nor the German "ohne" one of "one".
        is_other = is_foreign(language_of(' '.join(told), domain.names.all_words().words))
        self.words = tuple(
            word if is_other or is_foreign_word(word) else domain.spelling.right(word)
            for word in told
        )
        self.chart = Triggers(self.words, domain, moved, dropped_before(tokens, self.kept))
        self.chart.describes = describes
        if len(self.words) > _LONG:
            self._read_backwards()
        #: Token -> clauses that are skills word for word, and the token behind.
        self._said: dict[int, list[tuple[int, tuple[Clause, ...]]]] = {}
        forbidden = self._find_skills(text) if text else []
        #: What it forbids, whatever else is read.
        self.islands = islands_of(self.chart, in_time, self._amounts(limits))
        known = frozenset(covered(self.islands))
        self.islands += tuple(
            one for one in forbidden if in_time and known.isdisjoint(range(one.start, one.end))
        )
        self._forbidding = {one.start: one for one in self.islands if not one.asks}
        self._covered = frozenset(covered(self.islands))

    def _amounts(self, limits: Sequence[ToldLimit]) -> list[Island]:
        found = []
        for one in limits:
            starts = enumerate(self.tokens[index].start for index in self.kept)
            inside = [position for position, start in starts if one.begin <= start < one.end]
            if inside:
                found.append(Island(inside[0], inside[-1] + 1, rules=tuple(one.rules)))
        return found

    def _find_skills(self, text: str) -> list[Island]:
        """Find clauses that are skills word for word, and those that a text forbids."""
        names = self.domain.names
        ends = {self.tokens[index].end: position + 1 for position, index in enumerate(self.kept)}
        starts = {self.tokens[index].start: position for position, index in enumerate(self.kept)}
        forbidden = []
        for match in matcher_of(names).find(text):
            at, end = starts.get(match.start), ends.get(match.end)
            if at is None or end is None or end <= at:
                continue
            if clauses := clauses_of(match, names, at, end):
                self._said.setdefault(at, []).append((end, clauses))
            begin = at - 1 if self.words[at - 1 : at] == ('never',) else at - 2
            denied = begin == at - 1 or self.words[max(0, begin) : at] == ('do', 'not')
            # "Do not lift crate 1 again before ..." forbids it for a time only.
            denied &= self.words[end : end + 1] in _CLAUSE_ENDS
            skill = match.only
            if denied and skill is not None and not (skill.open or skill.times):
                never = SkillPattern(skill.text)
                rule = Rule('the task', never, at_most=0, of_task=True)
                forbidden.append(Island(begin, end, rules=(rule,)))
        return forbidden

    def _read_backwards(self) -> None:
        for at in reversed(range(len(self.words))):
            if len(self.words) > _VERY_LONG:
                self.chart._rest_of_list(at)
            for subject in (False, True) if at in self.chart.cued else ():
                self.chart.listed(at, subject)
            for form in (Form.BASE, Form.GERUND, Form.PARTICIPLE) if at in self.chart.cued else ():
                self.chart.actions(at, form)

    def ways(self) -> list[Way]:
        """The best ways to read the whole text, the best first."""
        count = len(self.words)
        #: Ways to each token, by the way that they go on from and their last part.
        best: list[dict[tuple[int, Part], Way]] = [{} for _ in range(count + 1)]
        begin: tuple[Part, ...] = ()
        best[0][0, Part(0, 0)] = 0, begin
        for at in range(count):
            ways = sorted(best[at].values(), key=lambda one: one[0])[:_MOST_WAYS]
            for part, cost in self._parts(at) if ways else ():
                for before, parts in ways:
                    more = cost
                    joined = (*parts, part)
                    last = parts[-1] if parts else None
                    if not part.is_read:
                        if last is not None and not last.is_read:
                            joined = (*parts[:-1], Part(last.start, part.end))
                        else:
                            more += _SKIPPED
                    total = before + more
                    best[part.end].setdefault((id(parts), part), (total, joined))
        return sorted(best[count].values(), key=lambda one: one[0])[:_MOST_WAYS]

    def _parts(self, at: int) -> list[tuple[Part, int]]:
        if (island := self._forbidding.get(at)) is not None:
            return [(Part(at, island.end, island.asked, island.account, island=island), 0)]
        word = self.words[at]
        ends = at - 1 if self.chart.word(at - 1) != ',' else at - 2
        if word in ('but', 'so') and (at + 1 in self._forbidding or ends in self._covered):
            # "..., but do not open it": it contrasts nothing that is asked.
            return [(Part(at, at + 1, account='between'), 0)]
        found = [(Part(at, at + 1), 0 if word in _SEPARATORS else _SKIPPED)]
        if word in _SEPARATORS:
            found = [(Part(at, at + 1, account='between'), 1 if word in ':"' else 0)]
            if word == ':' and self.chart.announces:
                for begin in self.chart.announced(at):
                    for end, _, cost in self.chart.things(begin):
                        found.append((Part(at, end, account='list'), cost))
        if word == STEP:
            return [(Part(at, at + 1, account='order', later=True), 0)]
        said_otherwise = set()
        for end, clauses, cost in self.chart.clause(at):
            said_otherwise.add(end)
            if not self._covered.isdisjoint(range(at, end)):
                continue
            joined = 0 if at == 0 or self.words[at - 1] in _SEPARATORS | {STEP} else 1
            found.append((Part(at, end, clauses), cost + _CLAUSE + joined))
        for end, said in self._said.get(at, ()):
            # A clause of the grammar says the same effects, and more of what they are about.
            is_new = any(True for _ in parts_of(said, Perform)) or end not in said_otherwise
            if is_new and self._covered.isdisjoint(range(at, end)):
                joined = 0 if at == 0 or self.words[at - 1] in _SEPARATORS | {STEP} else 1
                found.append((Part(at, end, said), _CLAUSE + joined - 1))
        for island in self.islands:
            if island.asks and island.start <= at < island.end:
                found += [
                    (Part(at, end, account=island.account), 0) for end in self.chart.tails(at)
                ]
        for end, account, cost in self.chart.reason(at):
            if self._covered.isdisjoint(range(at, end)):
                found.append((Part(at, end, account=account), cost))
        for end, trigger, cost in self.chart.trigger(at) if self.chart.is_triggered else ():
            if self._covered.isdisjoint(range(at, end)):
                part = Part(at, end, account='when it is wanted', trigger=trigger)
                found.append((part, cost + _TRIGGER))
        if (end := self._courtesy(at)) > at and self._covered.isdisjoint(range(at, end)):
            found.append((Part(at, end, account=COURTESY), 1))
        for phrases, account, later in (
            (lexicon.THEN, 'order', True),
            (lexicon.FIRST, 'order', False),
            (lexicon.GREETINGS, COURTESY, False),
            (lexicon.ANY_ONE, ANY_ONE, False),
        ):
            end = self.chart.longest(at, phrases)
            if end > at and account == COURTESY:
                end = self._named_person(end)
            leads = account in (COURTESY, ANY_ONE) or self.chart.word(end) not in _NO_LEAD
            # "next to the crate" is a place.
            leads &= self.words[end - 1 : end + 1] != ('next', 'to')
            if end > at and leads and self._covered.isdisjoint(range(at, end)):
                found.append((Part(at, end, account=account, later=later), 1))
        return found

    def _courtesy(self, at: int) -> int:
        """Index behind "Danke!" between signs; the same index for other words."""
        end = at
        while end < len(self.words) and self.words[end] not in _SENTENCE_ENDS | {','}:
            end += 1
        begins = at == 0 or self.words[at - 1] in _SENTENCE_ENDS | {','}
        said = ' '.join(self.tokens[index].text for index in self.kept[at:end])
        return end if begins and is_courtesy(said) else at

    def _named_person(self, at: int) -> int:
        """Index behind who is greeted: "Hello Ada,"; the same index where nobody is."""
        end = at
        while self.chart.word(end) == '"' or (
            end < at + 4 and self.chart.unknown(end, False) and not any(self.chart.name(end))
        ):
            end += 1
        return end if self.chart.word(end) in _SEPARATORS - {'and'} else at

    def _without_denied(self, parts: Sequence[Part]) -> list[Part]:
        """The parts; of a sentence with a word that was not read, and that forbids or contrasts,
        nothing is asked."""
        kept: list[Part] = []
        begin = 0
        for number, part in enumerate(parts):
            is_end = self.words[part.start] in _SENTENCE_ENDS
            if not is_end and number + 1 < len(parts):
                continue
            sentence = parts[begin : number + 1]
            begin = number + 1
            unread = {n: self._words_of(one) for n, one in enumerate(sentence) if not one.is_read}
            # What a model takes a sentence for is told to people, whatever it contrasts.
            contrasts = any(lexicon.CONTRASTING & told for told in unread.values())
            denied = contrasts and not self.chart.describes
            taken_back = [n for n, told in unread.items() if lexicon.TAKING_BACK & told]
            words = set(self.words[sentence[0].start : sentence[-1].end])
            asks = any(one.clauses for one in sentence)
            if taken_back:
                # "Weigh the beaker - strike that, the sample.", "Open gate 1. No, stop."
                before = [one.unread for one in sentence[: taken_back[-1]]]
                sentence = [*before, *sentence[taken_back[-1] :]]
                if not asks:
                    kept = [one.unread for one in kept]
            denied |= self._excepts(sentence)
            # "Open the chest?" is no request, "could you open the chest?" is one.
            denied |= '?' in words and asks and lexicon.ASKING.isdisjoint(words)
            told = [*kept, *sentence] if self._goes_on(sentence[0].start) else sentence
            kept += [
                one.unread
                if (denied or self._is_led_in(one, told)) and (one.clauses or not one.island)
                else one
                for one in sentence
            ]
        return kept

    def _goes_on(self, at: int) -> bool:
        """Whether a sentence may share the words of the one before: "...; and ..."."""
        while self.chart.word(at) == '\n':
            at += 1
        is_joined = at > 0 and self.tokens[self.kept[at - 1]].joins
        return is_joined or self.chart.word(at) in ('and', 'or', 'nor')

    def _excepts(self, sentence: Sequence[Part]) -> bool:
        """Whether it takes some out of all, or may: "label all crates but crate 3"; unread words
        that name such a one, or a number, may: "the crates (1 and 2)"."""
        taken = [
            ' '.join(never.thing)
            for one in sentence
            if one.island and any(self.chart.says(one.start, EXCEPTIONS))
            for never in one.island.never
        ]
        for one in sentence:
            places = range(one.start, one.end if not one.is_read else one.start)
            taken += [noun.name for at in places for _, (noun, _), _ in self.chart.name(at)]
            taken += [self.words[at] for at in places if self.words[at].isdecimal()]
        return any(
            noun.count == ALL and (name.startswith(noun.name) or name.isdecimal())
            for one in sentence
            for noun in parts_of(one.clauses, Noun)
            for name in taken
        )

    def _is_told_alone(self, trigger: Part, parts: Sequence[Part]) -> bool:
        """Whether no other part says when something is wanted, nor asks for something in another
        sentence; and how things shall be "in ten minutes" is a deadline."""
        begin, end = self.chart.sentence(trigger.start, trigger.end)
        is_due = trigger.trigger is not None and trigger.trigger.when is When.AFTER
        if is_due and any(isinstance(one, Shall) for part in parts for one in part.clauses):
            return False
        return all(
            one is trigger or (one.trigger is None and begin <= one.start < end)
            for one in parts
            if one.clauses or one.trigger is not None
        )

    def _words_of(self, part: Part) -> set[str]:
        return set(self.words[part.start : part.end])

    def _is_led_in(self, part: Part, sentence: Sequence[Part]) -> bool:
        """Whether a clause without a verb of its own may share that of words that were not read,
        "we left a crate and a drum on the rack", or that forbid, "never put a crate in the shed
        and the drum on the rack"; or whether such words lead it in, "resist the urge to ...", or
        say what of it: "opening the chest would be a pity"."""
        before = [one for one in sentence if part.clauses and one.end <= part.start]
        if any(one.end == part.start and not one.is_read for one in before):
            return True
        if part.clauses and self.words[part.start].endswith('ing'):
            if any(one.start == part.end and not one.is_read for one in sentence):
                return True
        for one in (part, *reversed(before)):
            if not one.is_read or (one.island and not one.island.asks and one is not part):
                return True
            if one.clauses and self._has_verb(one):
                # "I would hate to see a crate in the shed and a drum on the rack"
                return one is not part and self._is_led_in(one, sentence)
        return False

    def _has_verb(self, part: Part) -> bool:
        others = lexicon.BE | lexicon.SHALL | lexicon.NEEDS | {'belongs', 'belong'}
        return any(word in others or self.domain.is_verb(word) for word in self._words_of(part))

    def _leaves_open(self, part: Part | None) -> bool:
        """Whether it is left open which thing is meant: "a drum", "one of the drums"."""
        nouns = parts_of(part.clauses, Noun) if part is not None else ()
        return any(
            noun.count > ALL
            and not (noun.instance or noun.label)
            and (not noun.definite or self.words[noun.start] in lexicon.NUMBERS)
            for noun in nouns
            if noun.kind is NameKind.THING
        )

    def tell(self, parts: Sequence[Part]) -> Told:
        """What a way to read the text asks for; unread tokens are those of the chart."""
        discourse = TriggeredDiscourse(self.domain)
        parts = self._without_denied(parts)
        later = False
        begun: list[int] = []
        last: Part | None = None
        # "bring it to the dock whenever ...": what it is was told there.
        for part in parts:
            if part.trigger is not None:
                discourse.take_trigger(part.trigger, self._is_told_alone(part, parts))
        for part in parts:
            later |= part.later
            if part.account == 'order' and not part.later and discourse.has_begun:
                # "Finally scan the drum. First load it."
                begun += range(part.start, part.end)
            if part.island is not None:
                discourse.mention(part.island.named)
                discourse.forbid(part.island.spoken)
            if part.account == ANY_ONE and not self._leaves_open(last):
                # "the drum, either will do": which two?
                begun += range(part.start, part.end)
            last = part if part.clauses else last
            for clause in part.clauses:
                discourse.take(clause, later)
                later = False
        told = discourse.told()
        told.trigger = discourse.trigger
        told.unread.update(begun)
        for part in parts:
            if not part.is_read:
                told.unread.update(range(part.start, part.end))
        return told
