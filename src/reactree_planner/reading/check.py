"""The check of a goal: whether it says what its sentence says, whoever wrote it.

It knows no grammar. It compares quotes, names, numbers and marks under one principle, *nothing
added, nothing lost*:

* what a part of the goal says is said by the words that it quotes, or listed in `taken_for`;
* what the sentence says by name, state, number, negation, condition or order stands in the goal,
  or in `cannot_say`.

Three ends: what contradicts the sentence is `refused`, with one sentence each for whoever wrote
it; what has no evidence either way is `to confirm` by a person; all else is `whole`. A state that
no skill brings about stays in the goal and is reported as unreachable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, cached_property
from itertools import pairwise

from reactree_core.measures import read_comparison
from reactree_core.skill_types import class_and_number, is_of_class
from reactree_planner.facts.conditions import place_of
from reactree_planner.reading.form import (
    act_text,
    condition_text,
    FormCondition,
    GoalForm,
    Interpretation,
    Limit,
    Prohibition,
    Remainder,
)
from reactree_planner.reading.nouns import is_noun, Likeness
from reactree_planner.reading.phrases import listed, Phrases, words_named
from reactree_planner.reading.sentence import (
    inside,
    inside_any,
    list_numbers,
    Mark,
    ORDERING,
    overlap,
    Sentence,
    Sign,
    Span,
)
from reactree_planner.reading.tokens import is_plural, plain_text, words_of
from reactree_planner.reading.units import UNITS
from reactree_planner.reading.vocabulary import (
    ACT_OF_STATE,
    ACTS,
    english,
    Mention,
    NameKind,
    ServerWords,
)

_PRONOUN = re.compile(
    r'\b(?:its?|them|they|ones|that|those|this|there|these|each|both|so|same)\b'
    # "the other one", and not "one fork"
    r'|\bone\b(?=\W*$|\W+(?:in|on|to|at|from|into|onto|and|of|goes|should|is|under)\b)',
    re.I,
)
#: "by the light of": what gives it is on.
_LIT = Phrases(one for one in Phrases.named('clauses', 'by_light') if 'light' in one)
_FROM = re.compile(r'\b(?:from|out of|off)(?: (?:the|a|an|my|your))?\s*$', re.I)
_INTO = re.compile(r'\b(?:to|in|on|into|onto|inside)(?: (?:the|a|an|my|your))?\s*$', re.I)
_TO = re.compile(
    r'(?:(?<!next )(?<!close )\b(?:to|into|onto)|\bgather\b.*\bfor)(?: (?:the|a|an|my|your))?\s*$',
    re.I,
)
#: Before what is in a place: "a crate with a spoon in it".
_WITH = re.compile(r'\b(?:with|containing)(?: (?:the|a|an|my|your))?\s*$', re.I)
#: A further thing of the sort that was named: "another on the rack".
_FURTHER = re.compile(r'\b(?:another|other|one|rest|remaining)\b', re.I)
#: "take the crate on the rack", "get" it: it lies there, or goes there.
_TAKES = words_named('clauses', 'takes') | {'get'}
_AFTERWARDS = ('afterwards', 'afterward', 'after that', 'finally', 'at the end', 'in the end')
_ANOTHER = re.compile(r'\b(?:another|second|third|fourth|further)\b', re.I)
#: Before a pronoun for that of which something is made.
_FROM_THEM = re.compile(r'\b(?:of|from|with|using) $')
_IT = re.compile(r'\bit\b', re.I)
_PLURAL_PRONOUN = re.compile(r'\b(?:them|they|both)\b', re.I)
#: Words behind which something more has to stand.
_JOINING = re.compile(r'\b(?:and|or|but|for the first time)\b', re.I)
_SENTENCE_END = re.compile(r'[.!?;\n]')
#: Things beside those that were named.
_OTHERS = re.compile(r'\b(?:another|others?|else|further|remaining|rest|more)\b', re.I)
#: Before a noun for things that were named, or for all of them.
_DEFINITE = re.compile(
    r'\b(?:the|this|that|these|those|both|all|every|each|of)(?: (?:\w+|\d+)(?: of)?)?\s+$', re.I
)
#: Clauses that end with a question mark; words by which they ask the robot to do something.
_QUESTIONS = re.compile(r'[^.!?;\n]*\?')
_ADDRESSES = re.compile(r'\b(?:you|please|kindly|mind|possible|we)\b', re.I)
#: Acts of verbs behind which a place may be where a thing lies.
_TAKING = frozenset(['take', 'find', 'examine'])
_STAYING = ('stay', 'stays', 'remain', 'remains', 'kept', 'leave', 'left')
#: Kinds of relation that place a thing.
_PLACING = ('in', 'near', 'holding')
#: What each act would bring about, as the state of its thing.
_STATE_OF_ACT = {act: state for state, act in ACT_OF_STATE.items()}
_INSTEAD = re.compile(r'\s*(?:instead of|rather than)\b', re.I)
_SOME = re.compile(r'\b(?:a|an|some|any|one|two|three|four|five|\d+)\s+$', re.I)
_ANY = re.compile(r'(?:a|an|some|any)\b', re.I)
#: Letters before a preposition of place: "to the ".
_LEAD = 12
#: Seconds of what a number may count.
_FACTORS = (1, 60, 3600)
#: Acts of verbs that say no more than where a thing shall be.
_CARRYING = ('put', 'bring', 'take', 'find')
#: Fields of a form that hold numbers.
_NUMBERED = ('count', 'at_most', 'seconds', 'times', 'within')
#: States whose words also say where and which way: "switch on", "the open shelf".
_TURNED = ('on', 'off', 'open', 'closed')
_CLAUSE_END = re.compile(r'[,;:.，。、；](?=.)')


class End(Enum):
    """What becomes of a goal."""

    WHOLE = 'whole'
    TO_CONFIRM = 'to confirm'
    REFUSED = 'refused'


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found. :param end: what it leads to. :param text: a sentence, also for a model.

    :param widens: whether it only says that more is forbidden than is certain: without an answer
        nothing is lost.
    :param lost: words of the sentence that the goal leaves out; '' where all of it may be wrong.
    :param contradicts: whether the sentence asks for what it forbids, each of which was read.
    """

    end: End
    text: str
    widens: bool = False
    lost: str = ''
    contradicts: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What a goal is worth.

    :param form: the goal, unknown nouns of its prohibitions replaced by all names they may mean.
    :param unreachable: sentences on what no skill brings about.
    """

    form: GoalForm
    findings: tuple[Finding, ...] = ()
    unreachable: tuple[str, ...] = ()

    @property
    def end(self) -> End:
        """The strictest end that was found."""
        ends = {one.end for one in self.findings}
        return next((one for one in (End.REFUSED, End.TO_CONFIRM) if one in ends), End.WHOLE)

    def texts(self, end: End) -> tuple[str, ...]:
        """The sentences of one end, each once."""
        return tuple(dict.fromkeys(one.text for one in self.findings if one.end is end))


Part = FormCondition | Prohibition | Limit


def check(form: GoalForm, text: str, words: ServerWords) -> Report:
    """Hold a goal against its sentence and the names of the server.

    :param text: the sentence, word for word.
    """
    sentence = Sentence(text, words, form.language[:2].casefold())
    form, unknown = _resolved(replace(form, never=_as_said(form.never, sentence)), words)
    case = _Case(form, sentence)
    form = _with_remarks(case)
    case = _Case(form, sentence)
    findings = [one for rule in _RULES for one in rule(case)]
    return Report(form, (*findings, *unknown), tuple(_unreachable(case)))


# Unknown nouns in prohibitions -------------------------------------------------------------------


def _as_said(never: tuple[Prohibition, ...], sentence: Sentence) -> tuple[Prohibition, ...]:
    """Prohibitions, each also with the nouns as they were said, where these are no whole names.

    A name that only contains the noun must not stand in its place: "bin 1" is forbidden as well
    where a place is called "the room behind bin 1".
    """
    found = []
    for one in never:
        start = sentence.text.find(plain_text(one.words))
        span = (start, start + len(one.words))
        said = [
            mention
            for mention in sentence.mentions
            if not mention.exact and inside(sentence.span_of(mention), span)
        ]
        things, places = (
            (name, *_nouns_for(name, said, sentence)) for name in (one.thing, one.place)
        )
        found += [replace(one, thing=thing, place=place) for thing in things for place in places]
    return tuple(dict.fromkeys(found))


def _nouns_for(name: str | None, said: list[Mention], sentence: Sentence) -> tuple[str, ...]:
    """The nouns that may stand for a name, as they were said."""
    return tuple(
        sentence.part(sentence.span_of(mention))
        for mention in said
        if name and (name in mention.names or name == mention.name)
    )


def _resolved(form: GoalForm, words: ServerWords) -> tuple[GoalForm, list[Finding]]:
    """The form with each unknown noun of a prohibition replaced by all that it may mean."""
    never: list[Prohibition] = []
    findings = []
    for one in form.never:
        meant = [
            (replace(one, thing=thing, place=place), is_thing and is_place)
            for thing, is_thing in _names_for(one.thing, words)
            for place, is_place in _names_for(one.place, words)
        ]
        never += [ban for ban, _ in meant]
        if all(known for _, known in meant):
            continue
        found = [
            ban
            for ban, _ in meant
            if all(name is None or words.kind(name) for name in (ban.thing, ban.place))
        ]
        if found:
            told = '; '.join(dict.fromkeys(act_text(ban) for ban in found))
            text = f'"{one.words}" is taken to forbid: {told}.'
            findings.append(Finding(End.TO_CONFIRM, text, widens=True))
        else:
            noun = next(n for n in (one.thing, one.place) if n and not words.kind(n))
            findings.append(
                Finding(End.TO_CONFIRM, f'Nothing here is known as "{noun}": "{one.words}".')
            )
    return replace(form, never=tuple(dict.fromkeys(never))), findings


def _names_for(noun: str | None, words: ServerWords) -> list[tuple[str | None, bool]]:
    """Names that a noun of a prohibition may mean, each with whether it is surely this one."""
    if noun is None or words.kind(noun) is not None:
        return [(noun, True)]
    fixed = words.fixed_like(noun)
    if fixed:
        # "Any door" is what `open the door of <pen>` opens.
        return [(name, True) for name in dict.fromkeys((*fixed, *words.like(noun)))]
    like = words.like(noun)
    same = [name for name, near in like.items() if near is Likeness.SAME]
    if len(same) == 1:
        # "Refrigerator" where the server says "vault": also whatever else may be meant.
        return [(name, name in same) for name in like]
    return [(name, False) for name in like] or [(noun, False)]


# The case ----------------------------------------------------------------------------------------


class _Case:
    """A form and its sentence, with what several rules ask of them."""

    def __init__(self, form: GoalForm, sentence: Sentence) -> None:
        self.form = form
        self.sentence = sentence
        self.words = sentence.words
        self.wanted = form.wanted
        self.bans: tuple[Prohibition | Limit, ...] = (*form.never, *form.limits)
        self.conditions = tuple(one for each in form.circumstances for one in each.conditions)
        self.ordered = tuple(part for one in form.order for part in (one.then, one.first))
        self.ordered += tuple(part for one in form.sequels for part in (one.after, one.then))
        self.asked = (form.question.about,) if form.question else ()
        self.parts: tuple[Part, ...] = (
            *self.wanted,
            *self.bans,
            *self.conditions,
            *self.ordered,
            *self.asked,
        )

    def span(self, quote: str) -> Span:
        """Where a quote stands; (-1, -1) where it does not."""
        start = self.sentence.text.find(plain_text(quote)) if quote else -1
        return (start, start + len(quote)) if start >= 0 else (-1, -1)

    def spans(self, *entries: object) -> list[Span]:
        """Where the quotes of some entries stand, those that do not left out."""
        found = (self.span(str(getattr(one, 'words', ''))) for one in entries if one is not None)
        return [span for span in found if span[0] >= 0]

    @cached_property
    def values(self) -> frozenset[str | None]:
        """Places where things shall be."""
        return frozenset(one.value for one in self.wanted if one.relation in ('in', 'near'))

    @cached_property
    def aside(self) -> list[Span]:
        """What the form says that it cannot express."""
        return self.spans(*self.form.cannot_say)

    @cached_property
    def taken(self) -> list[Span]:
        """Words that are taken for a name."""
        return self.spans(*self.form.taken_for)

    @cached_property
    def when(self) -> list[Span]:
        """Quotes of circumstances, order rules and the question."""
        rules = (*self.form.order, *self.form.sequels)
        return self.spans(*self.form.circumstances, *rules, self.form.question)

    @cached_property
    def used(self) -> frozenset[str]:
        """Names in the goal, classes of instances included."""
        found: set[str] = set()
        for part in self.parts:
            for name in self.names_in(part):
                found |= {name, _class_of(name, self.words)}
        return frozenset(found) | self.tools

    @cached_property
    def tools(self) -> frozenset[str]:
        """Names of slots of the skills that bring a wanted state about: their tools."""
        states = {one.value for one in self.wanted if one.relation == 'is'}
        skills = (s for s in self.words.skills if any(f.value in states for f in s.facts))
        found = {slot.name for skill in skills for slot in skill.slots}
        ways = (skill.tools_for(one or '') for one in states for skill in self.words.skills)
        found |= {way[0] for each in ways for way in each if len(way) == 1}
        return frozenset(name for name in found if self.words.kind(name))

    def names_in(self, part: Part) -> tuple[str, ...]:
        """Names of the server in a part."""
        if isinstance(part, FormCondition):
            if part.relation == 'done':
                return self._names_said(part.thing or '')
            number = read_comparison(part.value or '')
            value = (number and number.name) if part.relation == 'is' else part.value
            found = (part.thing, place_of(value or '') or value, part.source, *part.but)
        else:
            but = part.but if isinstance(part, Prohibition) else ()
            # "never raise the brush", of a skill without slots
            own = () if part.doing in ACTS else self._names_said(part.doing)
            found = (part.thing, part.place, *but, *own)
        return tuple(one for one in found if one)

    def _names_said(self, text: str) -> tuple[str, ...]:
        told = Sentence(text, self.words, 'en').mentions
        return tuple(one.name or one.names[0] for one in told if one.exact)

    def said_in(self, span: Span) -> list[Mention]:
        """Mentions within a span."""
        return [m for m in self.sentence.mentions if inside(self.sentence.span_of(m), span)]

    def number_meant(self, part: Part, span: Span) -> str:
        """The number of a thing that a part's verb, or any skill, moves: "until it is above 2"."""
        inner = (t for t in self.sentence.tokens if inside((t.start, t.end), span))
        verbs = (verb for token in inner for verb in self.words.verbs.get(token.word, ()))
        skills = [skill for verb in verbs for skill in verb.skills if skill.changes]
        return self.words.number_of(part.thing or '', skills)

    def says(self, mention: Mention, name: str) -> bool:
        """Whether a mention may stand for a name or its class."""
        return (
            name in mention.names
            or name == mention.name
            or (_class_of(name, self.words) in mention.names and not mention.instance)
        )

    def states_said(self, span: Span) -> set[str]:
        """States that the words of a span say, or ask to bring about."""
        named = [self.sentence.span_of(m) for m in self.sentence.mentions if m.exact]
        tokens = [
            token
            for token in self.sentence.tokens
            if inside((token.start, token.end), span)
            and not inside_any((token.start, token.end), named)
        ]
        found = set()
        for at, token in enumerate(tokens):
            for length in (1, 2, 3):
                state = self.words.states.get(tuple(t.word for t in tokens[at : at + length]))
                found |= {state} if state else set()
            for verb in self.words.verbs.get(token.word, ()):
                rest = verb.words[1:]
                behind = [t.word for t in tokens[at + 1 : at + 8]]
                if verb.state and all(word in behind for word in rest):
                    found.add(verb.state)
                if verb.act == 'examine':
                    # "look at it under the lamp"
                    found.add('on')
        found |= {'on'} if _LIT.stand_in([token.word for token in tokens]) else set()
        turns = {'turn', 'turning', 'turned', 'switch', 'switching', 'switched', 'power', 'flip'}
        told = [token.word for token in tokens]
        for at, word in enumerate(told):
            if word in turns:
                found |= {one for one in ('on', 'off') if one in told[at + 1 : at + 8]}
        return found


def _class_of(name: str, words: ServerWords) -> str:
    """The class of an instance, where the server knows it; else the name itself."""
    head = name.rpartition(' ')[0]
    return head if head and words.kind(head) is not None else name


# Rules -------------------------------------------------------------------------------------------


def _refuse(text: str, lost: str = '') -> Finding:
    return Finding(End.REFUSED, text, lost=lost)


def _ask(text: str) -> Finding:
    return Finding(End.TO_CONFIRM, text)


def _quoted(case: _Case) -> Iterator[Finding]:
    """Quotes are exact and narrow, and each content word is quoted."""
    form, sentence = case.form, case.sentence
    entries: list[object] = [
        *case.parts,
        *form.circumstances,
        *form.order,
        *form.sequels,
        *form.cannot_say,
        *form.taken_for,
    ]
    entries += [form.question] if form.question else []
    for entry in entries:
        quote = str(getattr(entry, 'words', ''))
        if case.span(quote)[0] < 0:
            yield _refuse(f'The sentence does not contain the words "{quote}": quote it exactly.')
    for one in case.wanted:
        own = {one.thing, one.value, one.source, None}
        here = [m for span in case.spans(one) for m in case.said_in(span)]
        for other in case.wanted:
            if {other.thing, other.value} & own or not (other.thing and other.value):
                continue
            both = (other.thing, other.value)
            if all(any(case.says(m, name) for m in here) for name in both):
                yield _refuse(
                    f'"{one.words}" says more than its part: quote what asks for it only.'
                )
    for one in case.wanted:
        if any(inside_any(span, case.aside) for span in case.spans(one)):
            yield _refuse(f'"{one.words}" is asked for and set aside: put it into one of both.')
    covered = case.spans(*(one for one in entries if one not in form.taken_for))
    open_ = (Sign.BESIDE, Sign.AMOUNT)
    covered += [mark.span for mark in sentence.marks if mark.sign not in open_]
    covered += [(token.start, token.end) for token in list_numbers(sentence.tokens)]
    placed = case.spans(*(one for one in case.wanted if one.relation in _PLACING))
    for at, token in enumerate(sentence.tokens):
        span = (token.start, token.end)
        if sentence.is_english and _leads_to(case, at, placed):
            continue
        parted = not sentence.language.spaced and any(overlap(span, one) for one in covered)
        if token.is_word and not (
            sentence.is_function(token) or inside_any(span, covered) or parted
        ):
            yield _refuse(
                f'The word "{sentence.part(span)}" is quoted by no part of the goal: say what it '
                'asks for, or put it into cannot_say.'
            )


def _leads_to(case: _Case, at: int, placed: list[Span]) -> bool:
    """Whether a word is "put", "bring" or the like before words that place a thing."""
    tokens = case.sentence.tokens
    if all(verb.act not in _CARRYING for verb in case.words.verbs.get(tokens[at].word, ())):
        return False
    behind = at + 1
    while behind < len(tokens) and case.sentence.is_function(tokens[behind]):
        if inside_any((tokens[behind].start, tokens[behind].end), placed):
            return True
        behind += 1
    last = tokens[behind : behind + 1]
    return any(inside_any((one.start, one.end), placed) for one in last)


def _known(case: _Case) -> Iterator[Finding]:
    """Names are those of the server, each where it may stand."""
    words = case.words
    banned = set(case.form.never)
    for part in case.parts:
        for name in case.names_in(part):
            if words.kind(name) is None and part not in banned:
                yield _refuse(
                    f'The server has no name "{name}": use one of its names, or put '
                    f'"{part.words}" into cannot_say.'
                )
    for forbidden in case.form.never:
        for name in case.names_in(forbidden):
            if words.kind(name) is None and not _words_in(name, case.sentence.text):
                yield _refuse(f'The sentence does not say "{name}": forbid what it says.')
    for ban in case.bans:
        if ban.doing not in ACTS and not words.skills_of(ban.doing):
            yield _refuse(
                f'No act is called "{ban.doing}": use {", ".join(ACTS)} or a skill\'s verb.'
            )
        carried = ban.doing in ('take', 'put') and ban.thing is not None
        if carried and words.kind(ban.thing or '') in (NameKind.PLACE, NameKind.REGION):
            yield _refuse(
                f'"{ban.thing}" cannot be carried: the thing comes first, then its place.'
            )
    for one in case.wanted:
        if not _is_possible(one, words):
            yield _refuse(
                f'"{one.words}" cannot be: {condition_text(one)}; a thing comes first, then its '
                'place or state.'
            )
        if one.relation == 'in' and one.value is not None and one.value == one.source:
            yield _refuse(f'"{one.thing}" is taken from where it shall be, "{one.value}".')
        yield from _sides(case, one)


def _is_possible(one: FormCondition, words: ServerWords) -> bool:
    kind = words.kind(one.thing) if one.thing else None
    everything = one.thing is None and one.count == 'all'
    movable = everything or kind in (NameKind.THING, NameKind.OTHER)
    numbered = class_and_number(one.thing or '')[0] != one.thing
    if one.count != 1 and one.relation != 'done' and one.thing and numbered:
        # There is one "plant 3".
        return False
    if one.relation == 'done':
        return any(any(True for _ in s.splits(one.thing or '', True)) for s in words.skills)
    if one.relation == 'is':
        number = read_comparison(one.value or '')
        # A battery that is a number itself has none: "its moisture".
        measured = number is None or not number.name or one.thing not in words.own_numbers
        return bool(one.value) and (everything or kind is not None) and measured
    if one.relation == 'at':
        return bool(one.value) and one.thing is None
    if one.relation == 'holding':
        return movable
    own = (one.value, place_of(one.value or ''))
    return movable and bool(one.value) and one.thing not in own


def _sides(case: _Case, one: FormCondition) -> Iterator[Finding]:
    """A place behind "from" is where a thing comes from, behind "into" where it goes."""
    if not case.sentence.is_english or one.relation == 'is':
        return
    goes = any(
        case.says(m, one.value or '') for span in case.spans(one) for m in case.said_in(span)
    )
    # "the cup in the sink" lies there, "put it in the sink" does not.
    ways = [(one.value, _FROM), (one.source, _TO if goes or one.relation == 'holding' else _INTO)]
    # Behind "into" stands a place, and behind "with" what is in it.
    holders = [other.value for other in case.wanted if other.relation == 'in']
    if one.relation == 'in':
        ways += [(one.value, _WITH)]
        ways += [(one.thing, _INTO)] if one.thing not in holders else []
    for name, way in ways:
        for span in case.spans(one) if name else ():
            said = [
                case.sentence.span_of(m) for m in case.said_in(span) if case.says(m, name or '')
            ]
            said += [
                at
                for taken in case.form.taken_for
                for at in case.spans(taken)
                if taken.name == name and (way is _WITH or name == one.thing) and inside(at, span)
            ]
            before = [case.sentence.part((span[0], at[0])) for at in said]
            if before and all(map(way.search, before)):
                yield _refuse(f'"{one.words}" moves the other way: see "{name}".')


def _said(case: _Case) -> Iterator[Finding]:
    """Nothing is added: names and states of a part are said by its words, or taken for them."""
    for taken in case.form.taken_for:
        yield from _taken_rightly(case, taken)
    for part in case.parts:
        span = case.span(part.words)
        if span[0] < 0:
            continue
        here = case.said_in(span)
        near = [
            one
            for one in case.form.taken_for
            for at in case.spans(one)
            if (at[0] < span[1] and span[0] < at[1]) or _PRONOUN.search(part.words)
        ]
        own = set(case.names_in(part))
        for name in own - {case.number_meant(part, span)}:
            if case.words.kind(name) is not None and all(one.name != name for one in near):
                vouched = any(one.name in own for one in near)
                yield from _name_is_said(case, part, name, here, vouched)
        if isinstance(part, FormCondition) and part.relation == 'is':
            if all(one.name != part.value for one in near):
                yield from _state_is_said(case, part, span)
        elif isinstance(part, Prohibition | Limit):
            yield from _act_is_said(case, part, span)


def _taken_rightly(case: _Case, taken: Interpretation) -> Iterator[Finding]:
    quote, name = taken.words, taken.name
    known = case.words.kind(name) is not None or name in set(case.words.states.values())
    if not known:
        yield _refuse(f'taken_for: "{name}" is no name and no state of the server.')
    span = case.span(quote)
    exact = [m for m in case.said_in(span) if m.exact and len(m.names) == 1]
    beside = [mark.span for mark in case.sentence.marked(Sign.BESIDE)]
    near = _nearness(case, span, name)
    for mention in exact:
        at = case.sentence.span_of(mention)
        # "the rack in front of the couch"
        placed = any(span[0] <= mark[0] < at[0] for mark in beside)
        if mention.instance and name in mention.names:
            yield _refuse(f'"{quote}" is one {name}: name it with its number.')
            return
        strange = case.words.kind(name) is not None and not case.says(mention, name)
        admitted = any(case.says(mention, one) for one in taken.others)
        if strange and not placed and not admitted and near is Likeness.NONE:
            yield _refuse(f'"{quote}" says {mention.name}, not "{name}": quote the noun alone.')
            return
    crossing = [
        one
        for one in case.form.taken_for
        if one.name != name and any(overlap(span, at) for at in case.spans(one))
    ]
    if crossing or _begins_with_order(case, span):
        yield _refuse(f'"{quote}" is more than a name: quote the noun that stands for "{name}".')


def _begins_with_order(case: _Case, span: Span) -> bool:
    """Whether an English quote begins with a verb and its object: "move it to the table"."""
    tokens = [one for one in case.sentence.tokens if inside((one.start, one.end), span)]
    if not case.sentence.is_english or len(tokens) < 2:
        return False
    verbs = case.words.verbs.get(tokens[0].word, ())
    numbers = [mark.span for mark in case.sentence.marked(Sign.NUMBER)]
    second = tokens[1]
    object_ = case.sentence.is_function(second) or (second.start, second.end) in numbers
    return any(one.sort == 'base' for one in verbs) and object_


def _is_kind(case: _Case, content: tuple[str, ...], name: str) -> bool:
    """Whether a name is of the kind that words say: "drinking vessel", not "cooking container".

    The last word alone says too little where others narrow it.
    """
    size = min(2, len(content))
    parts = (content[at : at + size] for at in range(len(content) - size + 1))
    return any(case.words.like(' '.join(part)).get(name) for part in parts)


def _nearness(case: _Case, span: Span, name: str, but: Iterable[Span] = ()) -> Likeness:
    """How near the nouns of a span are to a name, those of other spans left out."""
    content = _content(case, span, but)
    best = Likeness.NONE
    for size in (3, 2, 1):
        for at in range(len(content) - size + 1):
            part = content[at : at + size]
            for noun in {' '.join(part), ''.join(part)}:
                best = max(best, case.words.like(noun).get(name, best))
    return best


def _content(case: _Case, span: Span, but: Iterable[Span] = ()) -> tuple[str, ...]:
    """The content words of a span. :param but: spans within it that are left out."""
    found = []
    for token in case.sentence.tokens:
        own = (token.start, token.end)
        if inside(own, span) and not case.sentence.is_function(token) and not inside_any(own, but):
            found.append(token.word)
    return tuple(found)


def _name_is_said(
    case: _Case, part: Part, name: str, here: list[Mention], vouched: bool
) -> Iterator[Finding]:
    own = set(case.names_in(part))
    hits = [m for m in here if case.says(m, name)]
    if hits:
        yield from _hits_are_sure(case, part, name, hits)
        return
    sentence = case.sentence
    elsewhere = any(
        case.says(m, name) and (m.exact or _is_thing(case, m)) for m in sentence.mentions
    )
    refers = bool(_PRONOUN.search(part.words))
    # "a drum, two drums on the table": the place is said once for all of them.
    shared = any(case.says(m, one) for m in here for one in own) or vouched
    free = case.aside + case.taken
    strange = [
        m
        for m in here
        if m.exact
        and not any(case.says(m, one) for one in own | case.tools)
        and not inside_any(sentence.span_of(m), free)
    ]
    places = (NameKind.PLACE, NameKind.REGION)
    sources = {one.source for one in case.wanted if one.source}
    elsewhere_placed = any(
        case.words.kind(one) in places and one not in sources for m in strange for one in m.names
    )
    synonym = _synonym(case, part, name)
    if shared and name in case.values and elsewhere and not elsewhere_placed:
        return
    if elsewhere and not strange and (refers or shared or not isinstance(part, FormCondition)):
        return
    if synonym is Likeness.SAME:
        return
    contradicts = sentence.is_english and (strange or elsewhere or (refers and not case.taken))
    if contradicts and synonym is Likeness.NONE:
        yield _refuse(
            f'"{part.words}" does not say "{name}": quote where it is said, or list it in '
            'taken_for.'
        )
    else:
        yield _ask(f'"{part.words}" is taken to mean: {_part_text(part)}.')


def _hits_are_sure(case: _Case, part: Part, name: str, hits: list[Mention]) -> Iterator[Finding]:
    quote = case.sentence.part(case.sentence.span_of(hits[0]))
    if all(m.instance and name in m.names for m in hits):
        yield _refuse(f'"{quote}" is one {name}: name it with its number.')
    surest = [m for m in hits if m.exact or len(m.names) == 1]
    if not surest and not case.used >= set(hits[0].names):
        others = ', '.join(one for one in hits[0].names if one != name)
        yield _ask(f'"{quote}" is taken for {name}; it could be {others}.')


def _synonym(case: _Case, part: Part, name: str) -> Likeness:
    """How near the nouns of a quote that are no names are to a name."""
    named = [case.sentence.span_of(m) for m in case.sentence.mentions if m.exact]
    near = [_nearness(case, one, name, named) for one in case.spans(part)]
    # "the ice box" where the server knows a box: the compound says what it is
    near += [
        case.words.like(' '.join(pair)).get(name, Likeness.NONE)
        for one in case.spans(part)
        for pair in pairwise(_content(case, one))
    ]
    return max(near, default=Likeness.NONE)


def _part_text(part: Part) -> str:
    if isinstance(part, FormCondition):
        return condition_text(part)
    if isinstance(part, Limit):
        return act_text(Prohibition(part.doing, part.thing, part.place))
    return f'never {act_text(part)}'


def _state_is_said(case: _Case, part: FormCondition, span: Span) -> Iterator[Finding]:
    value = part.value or ''
    if not case.sentence.is_english:
        return
    if read_comparison(value) is not None:
        if not re.search(r'\d', part.words) and not case.states_said(span):
            yield _ask(f'"{part.words}" is taken to mean: {condition_text(part)}.')
        return
    said = case.states_said(span)
    if value in said or _words_in(value, part.words):
        return
    alike = (one for one in case.wanted if one is not part and one.relation == 'is')
    shared = any(
        one.value == value and value in case.states_said(at)
        for one in alike
        for at in case.spans(one)
    )
    if shared and not said:
        # "disinfect the cart and the table"
        return
    opposite = set(english()['opposite'].get(value, ()))
    if said & opposite or (said and not _PRONOUN.search(part.words)):
        yield _refuse(f'"{part.words}" does not say "{value}" but {" or ".join(sorted(said))}.')
    else:
        yield _ask(f'"{part.words}" is taken to mean: {condition_text(part)}.')


def _words_in(phrase: str, text: str) -> bool:
    """Whether a text has the words of a phrase."""
    return f' {" ".join(words_of(phrase))} ' in f' {" ".join(words_of(text))} '


def _act_is_said(case: _Case, ban: Prohibition | Limit, span: Span) -> Iterator[Finding]:
    state = _STATE_OF_ACT.get(ban.doing)
    if state is None or not case.sentence.is_english:
        return
    said = case.states_said(span) & set(_STATE_OF_ACT.values())
    keeps = any(inside(mark.span, span) for mark in case.sentence.marked(Sign.KEEPING))
    if said and state not in said and not keeps:
        yield _refuse(f'"{ban.words}" does not say {ban.doing}: forbid what it says.')


def _lost(case: _Case) -> Iterator[Finding]:
    """Nothing is lost: names and states that the sentence says stand in the goal."""
    sentence = case.sentence
    ordered = (one for one in case.ordered if isinstance(one, FormCondition))
    states = {one.value for one in (*case.wanted, *case.conditions, *case.asked, *ordered)}
    states |= {one.being for one in case.wanted}
    for taken in case.form.taken_for:
        if taken.name not in case.used | states:
            yield _refuse(
                f'"{taken.words}" is taken for {taken.name}, which the goal does not use.'
            )
    free = case.aside + case.taken + case.spans(case.form.question)
    for mention in sentence.mentions:
        span = sentence.span_of(mention)
        if inside_any(span, free) or any(case.says(mention, name) for name in case.used):
            continue
        behind = sentence.tokens[mention.end : mention.end + 1]
        if any(token.word in ('items', 'objects', 'things') for token in behind):
            # "the following food items"
            continue
        if mention.exact or (sentence.is_english and _is_thing(case, mention)):
            quote = sentence.part(span)
            yield _refuse(
                f'The goal leaves out "{quote}": add what is asked of it, or put it into '
                'cannot_say.',
                quote,
            )
    if sentence.is_english:
        yield from _lost_states(case, states)


def _lost_states(case: _Case, said: set[str | None]) -> Iterator[Finding]:
    """States that English words ask for or tell, and that stand nowhere in the goal."""
    sentence, words = case.sentence, case.words
    free = [*case.aside, *case.taken, *case.when, *case.spans(*case.bans)]
    free += [sentence.span_of(m) for m in sentence.mentions if m.exact]
    taken = case.spans(*(one for one in case.wanted if one.relation in ('done', 'at')))
    amounts = case.spans(*(one for one in case.wanted if words.is_amount(one.value or '')))
    for token in sentence.tokens:
        span = (token.start, token.end)
        state = words.states.get((token.word,), '')
        if not state or state in _TURNED or state in said or inside_any(span, free + taken):
            continue
        verbs = words.verbs.get(token.word, ())
        if inside_any(span, amounts) and any(s.changes for v in verbs for s in v.skills):
            # "water it until it is above 40 %"
            continue
        yield _refuse(
            f'The goal leaves out "{sentence.part(span)}": add that the thing is {state}, or put '
            'it into cannot_say.',
            sentence.part(span),
        )


def _is_thing(case: _Case, mention: Mention) -> bool:
    """Whether the last word of a name is a noun there, and no verb, state or portion."""
    tokens = case.sentence.tokens
    word = tokens[mention.end - 1].word
    if mention.end < len(tokens) and tokens[mention.end].word == 'of':
        # "two bottles of oil"
        return False
    if word in _PORTIONS and any(m.end == mention.start for m in case.sentence.mentions):
        # "the oil bottle"
        return False
    return word not in case.words.verbs and (word,) not in case.words.states


def _negated(case: _Case) -> Iterator[Finding]:
    """Negations lie within what forbids, limits, excepts, binds or is set aside."""
    sentence = case.sentence
    marks = [mark.span for mark in sentence.marked(Sign.NEGATION)]
    excepting = [one for one in case.wanted if one.but or not one.holds]
    order = [one.then for one in case.form.order]
    holders = case.spans(*case.bans, *excepting, *order) + case.when + case.aside
    for span in marks:
        if not inside_any(span, holders) and not _belongs_to_name(case, span):
            yield _refuse(
                f'"{sentence.part(span)}" forbids or excepts something: quote it in never, limits,'
                ' '
                'when or cannot_say.'
            )
    keeping = [mark.span for mark in sentence.marked(Sign.KEEPING)]
    narrowing = [mark.span for mark in sentence.marked(Sign.NARROWING)]
    for ban in (*case.form.never, *order):
        own = case.spans(ban)
        if own and not any(inside_any(one, own) for one in (*marks, *keeping, *narrowing)):
            yield _refuse(
                f'"{ban.words}" forbids nothing: quote the word that does, or make it a condition.'
            )
    bans = case.spans(*case.form.never)
    for wanted in case.wanted:
        own = case.spans(wanted)
        bound = [one for one in marks if inside_any(one, own)]
        free = [one for one in bound if not inside_any(one, case.aside + case.when)]
        if wanted in excepting or not free:
            continue
        if any(not inside_any(one, holders) for one in free) or any(
            inside_any(o, bans) for o in own
        ):
            yield _refuse(
                f'A condition quotes "{sentence.part(free[0])}": what is negated must not be '
                'asked for.'
            )


def _denied(case: _Case) -> Iterator[Finding]:
    """What need not be done is neither asked for nor forbidden: "nobody asked you to open it"."""
    parts = (*case.wanted, *case.bans, *case.ordered)
    for clause in case.sentence.denied:
        if _belongs_to_name(case, clause):
            continue
        for one in parts:
            if any(overlap(span, clause) for span in case.spans(one)):
                yield _refuse(
                    f'"{case.sentence.part(clause)}" denies that something is asked: put it into '
                    'cannot_say.'
                )
                break


def _excepted(case: _Case) -> Iterator[Finding]:
    """An exception names what it excepts: not "except that ...", "but the one on the rack"."""
    for mark in case.sentence.marked(Sign.NEGATION):
        if case.sentence.part(mark.span).casefold() not in _EXCEPTIONS:
            continue
        if _UNNAMED.match(case.sentence.text[mark.span[1] :]):
            if not inside_any(mark.span, case.aside):
                quote = case.sentence.part(mark.span)
                yield _refuse(f'"{quote}" excepts what is not named: put it into cannot_say.')


#: Behind an exception that names nothing.
_UNNAMED = re.compile(
    r'\s*,?\s*(?:that|the ones?|ones?|those|what|where|when|if|for th|one)\b', re.I
)
_EXCEPTIONS = (
    'except', 'excepting', 'excluding', 'apart from', 'aside from', 'other than', 'all but',
    'everything but', 'with the exception of',
)  # fmt: skip


def _belongs_to_name(case: _Case, span: Span) -> bool:
    return any(m.exact and inside(span, case.sentence.span_of(m)) for m in case.sentence.mentions)


def _counted(case: _Case) -> Iterator[Finding]:
    """Numbers and "all" stand in a part that quotes them, and no others do."""
    sentence = case.sentence
    numbers = sentence.marked(Sign.NUMBER)
    holders: list[object] = [*case.parts, *case.form.circumstances, *case.form.sequels]
    free = case.aside + case.taken + case.spans(case.form.question)
    for mark in numbers:
        held = any(inside_any(mark.span, case.spans(one)) and _holds(one, mark) for one in holders)
        held |= any(
            # "visit the shed and the yard twice"
            one.relation == 'at' and case.wanted.count(one) == mark.value
            for one in case.wanted
            if inside_any(mark.span, case.spans(one))
        )
        # "both the crate and the drum"
        pair = sentence.part(mark.span).casefold() == 'both'
        alike = {
            (o.relation, o.value) for o in case.wanted if inside_any(mark.span, case.spans(o))
        }
        both = [o.count for o in case.wanted if (o.relation, o.value) in alike]
        pair &= both != [1, 1, 1] and len(both) < 4
        if held or mark.value == 1 or pair or inside_any(mark.span, free):
            continue
        if inside_any(mark.span, case.when):
            yield _ask(f'The number "{sentence.part(mark.span)}" stands in no condition.')
        else:
            yield _refuse(
                f'"{sentence.part(mark.span)}" is not the count, limit or time of a part that '
                'quotes it.'
            )
    every = [mark.span for mark in sentence.marked(Sign.EVERY)]
    for limit in case.form.limits:
        own = [mark.value for mark in numbers if inside_any(mark.span, case.spans(limit))]
        if own and limit.at_most not in own:
            yield _refuse(f'"{limit.words}" does not say at most {limit.at_most:g}.')
    for one in case.wanted:
        yield from _count_is_said(case, one, numbers, every)


def _count_is_said(
    case: _Case, one: FormCondition, numbers: Iterable[Mark], every: list[Span]
) -> Iterator[Finding]:
    own = case.spans(one)
    if not own or one.relation == 'at':
        return
    said = [
        mark.value
        for mark in numbers
        if inside_any(mark.span, own)
        and (one.count == 2 or case.sentence.part(mark.span).casefold() != 'both')
    ]
    behind = {case.sentence.span_of(m)[1] for m in case.sentence.mentions}
    whole = any(
        # "the crate and the drum all go there"
        inside_any(span, own) and not behind & {span[0] - 1, span[0] - 2}
        for span in every
        if 'both' not in case.sentence.part(span).casefold()
    )
    mentions = [m for span in own for m in case.said_in(span)]
    named = [m for m in mentions if one.thing and case.says(m, one.thing)]
    plural = any(m.plural for m in named)
    taken = any(t.name == one.thing for t in case.form.taken_for) or not case.sentence.is_english
    pronoun = bool(_PRONOUN.search(one.words))
    plural_said = bool(re.search(r'\b(?:they|them|these|those|both)\b', one.words, re.I))
    if one.relation == 'done':
        if isinstance(one.count, int) and one.count > 1 and one.count not in said:
            yield _refuse(f'"{one.words}" does not say {one.count} times.')
        inner = [
            float(n) for n in re.findall(r'(?<![\w-])\d+(?:\.\d+)?(?![\w-])', one.thing or '')
        ]
        named_numbers = {m.instance for m in case.sentence.mentions if m.instance}
        times = {value * factor for value in said for factor in _FACTORS}
        missing = [n for n in inner if n not in times and f'{n:g}' not in named_numbers]
        if missing and said:
            yield _refuse(f'"{one.words}" does not say each number of "{one.thing}".')
        elif missing:
            yield _ask(f'"{one.words}" is taken to mean: {condition_text(one)}.')
        return
    if one.count == 'all':
        plurals = any(map(is_plural, _content(case, own[0]))) and not named
        if not (
            whole
            or plural
            or plurals
            or taken
            or pronoun
            or one.thing is None
            or one.thing.endswith('s')
        ):
            yield _refuse(f'"{one.words}" does not say all of them.')
    elif one.count > 1:
        refers = pronoun and not named
        anywhere = {mark.value for mark in numbers} | ({2.0} if refers and plural_said else set())
        if one.count not in said and not ((refers or taken) and one.count in anywhere):
            yield _refuse(f'"{one.words}" does not say {one.count}: quote the number.')
    elif case.words.is_numbered(one.thing or ''):
        # "crates 2 and 3"
        return
    elif (plural or (whole and named)) and 1 not in said and one.relation in _PLACING:
        alike = sum(other.words == one.words for other in case.wanted) > 1
        if plural or not alike:
            yield _refuse(f'"{one.words}" says more than one {one.thing}: correct the count.')
    elif said and named and all(n not in (1, one.count) for n in said):
        used = [n for other in case.wanted if other != one for n in (other.count,)]
        if not any(n in used for n in said) and not re.search(r'\d', f'{one.value}'):
            yield _refuse(f'"{one.words}" does not say one {one.thing}: correct the count.')


def _holds(entry: object, mark: Mark) -> bool:
    """Whether a number is the count, limit, time or amount of an entry."""
    told = [getattr(entry, field, None) for field in _NUMBERED]
    values = [mark.value * factor for factor in _FACTORS]
    if any(value in told for value in values):
        return True
    text = f'{getattr(entry, "thing", "")} {getattr(entry, "value", "")}'
    conditions = getattr(entry, 'conditions', ())
    inner = any(_holds(one, mark) for one in conditions)
    return inner or any(float(n) in values for n in re.findall(r'\d+(?:\.\d+)?', text))


def _ordered(case: _Case) -> Iterator[Finding]:
    """Conditions lie in circumstances or are set aside; words of order agree with milestones."""
    sentence = case.sentence
    order = sentence.marked(*ORDERING)
    bound = (
        case.when + case.aside + case.spans(*(b for b in case.bans if getattr(b, 'until', None)))
    )
    goals = [mark.span for mark in sentence.marked(Sign.GOAL)]
    for mark in sentence.marked(Sign.CONDITION):
        inner = any(inside(mark.span, other.span) for other in order)
        told = case.spans(*(one for one in case.wanted if one.relation == 'done'), *case.bans)
        # "once you have sealed it, ...": it is an earlier milestone.
        earlier = [one for each in case.form.milestones[:-1] for one in each.conditions]
        told += [span for span in case.spans(*earlier) if span[0] == mark.span[0]]
        if inside_any(mark.span, goals):
            told += case.spans(*(one for one in case.wanted if one.relation == 'is'))
        if not (inside_any(mark.span, bound + told) or inner or _belongs_to_name(case, mark.span)):
            yield _refuse(
                f'"{sentence.part(mark.span)}" says when: quote it in `when`, or in cannot_say.'
            )
    steps = [
        (span, number)
        for number, milestone in enumerate(case.form.milestones)
        for one in milestone.conditions
        for span in case.spans(one)
    ]
    aside = case.when + goals
    conditions = [m for m in sentence.marked(Sign.CONDITION) if not inside_any(m.span, aside)]
    turned = [(a, b) for a, i in steps for b, j in steps if i < j and b[1] <= a[0]]
    if turned and not order and not conditions:
        first, second = turned[0]
        yield _refuse(
            f'"{sentence.part(second)}" is said before "{sentence.part(first)}": keep the order.'
        )
    for mark in order:
        outer = any(o.span != mark.span and inside(mark.span, o.span) for o in order)
        if not outer and not inside_any(mark.span, bound + case.spans(*case.bans)):
            yield from _order_is_kept(case, mark, steps)


def _circumstanced(case: _Case) -> Iterator[Finding]:
    """Circumstances end where they are parted from what is asked, and name what can be seen."""
    sentence = case.sentence
    if not sentence.is_english:
        return
    whens = case.spans(*case.form.circumstances)
    signs = [mark.span for mark in sentence.marked(Sign.CONDITION)]
    for span in whens:
        for one in case.spans(*case.wanted):
            between = sentence.part((span[1], one[0])).split()
            joins = between in (['and'], ['or'])
            if span[1] <= one[0] and joins and any(inside(sign, span) for sign in signs):
                # "if the lock is open and sail to the dock"
                yield _ask(f'"{sentence.part(one)}" may be a part of what has to hold.')
    for told in case.form.circumstances:
        for held in told.conditions:
            if held.relation != 'near' or held.value is None:
                continue
            fixed = case.words.kind(held.value) is not NameKind.THING
            some = [sentence.span_of(m) for span in case.spans(told) for m in case.said_in(span)]
            vague = sum(bool(_SOME.search(sentence.text[: at[0]])) for at in some)
            if fixed or (vague > 1 and told.kind in ('whenever', 'every')):
                yield _ask(f'"{told.words}" is taken to mean: {condition_text(held)}.')
        some = [sentence.span_of(m) for span in case.spans(told) for m in case.said_in(span)]
        vague = any(_SOME.search(sentence.text[: at[0]]) for at in some)
        shared = {one.thing for one in told.conditions} & {one.thing for one in case.wanted}
        if told.kind == 'if' and len(told.conditions) > 1 and vague and shared - {None}:
            yield _ask(f'"{told.words}" does not say which one is meant then.')
        begins = sentence.text[: max(case.span(told.words)[0], 0)].strip()
        if told.kind == 'after' and begins and told.words.casefold().startswith('in '):
            yield _ask(f'"{told.words}" may say how long it takes, or when it begins.')


def _order_is_kept(case: _Case, mark: Mark, steps: list[tuple[Span, int]]) -> Iterator[Finding]:
    sentence, span = case.sentence, mark.span
    comma = _CLAUSE_END.search(sentence.text, span[1])
    if _belongs_to_name(case, span) or (mark.sign is Sign.FIRST and comma is None):
        return
    leads = mark.sign is Sign.FIRST
    leads |= mark.sign is not Sign.THEN and not sentence.text[: span[0]].strip()
    at = comma.start() if leads and comma else span[0]
    earlier = [
        i for s, i in steps if s[0] < at and s[1] <= at + 1 and (not leads or s[1] > span[0])
    ]
    later = [
        i
        for s, i in steps
        if s[0] + 1 >= at or (s[0] < span[0] < s[1] and not _content(case, (s[0], span[0])))
    ]
    turns = mark.sign in (Sign.BEFORE, Sign.AFTER) and (mark.sign is Sign.AFTER) != leads
    if turns:
        earlier, later = later, earlier
    if earlier and later and max(earlier) >= min(later):
        yield _refuse(
            f'"{sentence.part(span)}" says in which order: put what comes first into an earlier '
            'milestone.'
        )


def _consistent(case: _Case) -> Iterator[Finding]:
    """No condition is forbidden, said twice, or at odds with another of its milestone."""
    for ban in case.form.never:
        for one in case.wanted:
            if ban.until is None and one.holds and _clashes(ban, one):
                text = f'"{one.words}" is asked for and forbidden by "{ban.words}".'
                said = _says_act(case, ban)
                yield Finding(End.REFUSED, text, lost='' if said else ban.words, contradicts=said)
    for limit in case.form.limits:
        for one in case.wanted:
            counted = isinstance(one.count, int) and limit.unit == ''
            if counted and limit.thing == one.thing and int(one.count) > limit.at_most:
                yield _refuse(
                    f'"{limit.words}" allows {limit.at_most:g}, and {one.count} are asked for.'
                )
    earlier: list[FormCondition] = []
    for milestone in case.form.milestones:
        before: list[FormCondition] = []
        for one in milestone.conditions:
            same = [o for o in before if replace(o, words='') == replace(one, words='')]
            repeated = one.relation not in ('done', 'at') and any(
                replace(o, words='') == replace(one, words='') for o in earlier[-1:]
            )
            if same or repeated:
                yield _refuse(f'"{one.words}" is asked for twice: say it once.')
            yield from _at_odds(case, one, before)
            yield from _one_after_the_other(one, before)
            before.append(one)
        earlier += before


def _says_act(case: _Case, ban: Prohibition) -> bool:
    """Test for a verb of the act itself: an unknown verb forbids all that it may mean."""
    verbs = (verb for word in words_of(ban.words) for verb in case.words.verbs.get(word, ()))
    return ban.doing not in ('touch', 'go') or any(verb.act == ban.doing for verb in verbs)


def _clashes(ban: Prohibition, one: FormCondition) -> bool:
    if one.thing in ban.but:
        return False
    same = ban.thing is None or ban.thing == one.thing
    if ban.doing == 'touch':
        return same and ban.thing is not None and one.relation != 'at'
    if one.relation == 'is':
        return same and _STATE_OF_ACT.get(ban.doing) == one.value
    if one.relation == 'in' and ban.doing == 'put':
        return same and ban.place in (None, one.value)
    if one.relation in ('in', 'holding') and ban.doing == 'take':
        elsewhere = ban.place is not None and ban.place != one.source
        return same and not elsewhere and (ban.thing is not None or ban.place is not None)
    if one.relation == 'at' and ban.doing == 'go':
        return one.value in (ban.thing, ban.place)
    if one.relation == 'done':
        thing = ban.thing or ''
        return (one.thing or '').casefold().startswith(ban.doing) and thing in (one.thing or '')
    return False


def _one_after_the_other(one: FormCondition, before: list[FormCondition]) -> Iterator[Finding]:
    """Acts, places of the robot, and what works on things in it come one after the other."""
    acting = ('at', 'done')
    for other in before:
        acts = one.relation in acting and other.relation in acting
        runs = {(one.relation, other.relation)} & {('is', 'in'), ('in', 'is')} and (
            (one.value == 'on' and other.value == one.thing)
            or (other.value == 'on' and one.value == other.thing)
        )
        if acts or runs:
            yield _refuse(
                f'"{other.words}" and "{one.words}" come one after the other: make two milestones.'
            )


def _at_odds(case: _Case, one: FormCondition, before: list[FormCondition]) -> Iterator[Finding]:
    opposite = english()['opposite']
    for other in before:
        both = one.relation == other.relation == 'in' and one.value != other.value
        named = {one.thing, other.thing} - {*one.but, *other.but}
        if both and None in named and len(named) == 2:
            # "put everything on the rack in the crate and the drum on the table"
            yield _ask(f'"{one.words}" and "{other.words}" may be about the same thing.')
        if other.thing != one.thing or one.thing is None:
            continue
        mentioned = sum(case.says(m, one.thing) for m in case.sentence.mentions)
        mentioned += sum(span in _placed_again(case) for span in case.spans(one, other))
        mentioned += len(_FURTHER.findall(f'{one.words} {other.words}'))
        places = one.relation in ('in', 'holding') and other.relation in ('in', 'holding')
        if places and one.value != other.value and one.source == other.source and mentioned < 2:
            yield _refuse(f'"{one.thing}" cannot be in two places at once: make two milestones.')
        alike = (one.source, one.being, one.but) == (other.source, other.being, other.but)
        if places and alike and one.value != other.value and 'all' in (one.count, other.count):
            yield _ask(f'"{one.words}" and "{other.words}" cannot both be of every {one.thing}.')
        states = one.relation == other.relation == 'is' and one.holds == other.holds
        if states and (other.value or '') in opposite.get(one.value or '', ()):
            yield _refuse(f'"{one.thing}" cannot be {one.value} and {other.value} at once.')


def _confirmed(case: _Case) -> Iterator[Finding]:
    """What a person has to see before it is done."""
    form, sentence = case.form, case.sentence
    if form.is_empty:
        why = '; '.join(one.why for one in form.cannot_say)
        # A model that says why it reads nothing is not asked again.
        end = End.TO_CONFIRM if why else End.REFUSED
        yield Finding(end, f'Nothing of this can be done: {why or "it asks for nothing"}.')
    if not sentence.language.is_listed:
        yield _ask(f'Negations and conditions of the language "{form.language}" are not known.')
    for mark in sentence.marked(Sign.NARROWING):
        if not inside_any(mark.span, case.spans(*case.bans) + case.when + case.aside):
            yield _ask(
                f'"{sentence.part(mark.span)}" stands in nothing that is forbidden or limited.'
            )
    for ban in form.never:
        said = {*words_of(ban.words)}
        brought = ban.doing != 'go' and ban.side == 'to' and ban.place is not None
        stands = brought and not _says_to_put(case, ban)
        stays = ban.doing == 'touch' and 'leave' in said and said & {'not', 'never'}
        if (stands or stays) and all(one.thing != ban.thing for one in case.wanted):
            # "there should be no crate on the rack", "do not leave the crate there"
            yield _ask(f'"{ban.words}" keeps more from being put there: what is there stays.')
    for taken in form.taken_for:
        if taken.others and not _is_said_so(case, taken):
            others = ', '.join(taken.others)
            yield _ask(f'"{taken.words}" is taken for {taken.name}; it could be {others}.')
    risky = [m.span for m in sentence.marked(Sign.NEGATION, Sign.BESIDE, Sign.AMOUNT)]
    risky += [mark.span for mark in sentence.marked(Sign.NUMBER) if mark.value != 1]
    wanted = case.spans(*case.wanted)
    for left in form.cannot_say:
        spans = case.spans(left)
        names = any(case.said_in(span) for span in spans)
        conditions = [m.span for m in sentence.marked(Sign.CONDITION)] if names else []
        risk = any(inside_any(one, spans) for one in (*risky, *conditions))
        if _narrows_place(case, left) or _contrasts(case, left):
            continue
        # "on top of": the form does not tell on from in
        says_way = tuple(words_of(left.words)) in _WAYS
        if risk or (left.matters and not says_way):
            yield _ask(f'"{left.words}" is left out: {left.why}.')
    for mark in sentence.marked(Sign.AMOUNT):
        behind = [t for t in sentence.tokens if t.start >= mark.span[1]][:1]
        named = any(sentence.tokens[m.start] in behind for m in sentence.mentions)
        if named and inside_any(mark.span, wanted) and not inside_any(mark.span, case.aside):
            # "another crate", "most crates"
            yield _ask(f'"{sentence.part(mark.span)}" does not say which or how many.')
    for mark in sentence.marked(Sign.BESIDE):
        near = case.spans(*(one for one in case.parts if getattr(one, 'relation', '') == 'near'))
        placed = case.spans(*(one for one in case.wanted if one.relation == 'in'))
        if inside_any(mark.span, placed) and not inside_any(
            mark.span, near + case.aside + case.taken
        ):
            yield _ask(f'"{sentence.part(mark.span)}" is taken for in or on.')
    if not sentence.is_english:
        unsaid = [
            name
            for part in case.parts
            for name in case.names_in(part)
            if not any(case.says(m, name) for m in sentence.mentions)
            and all(one.name != name for one in form.taken_for)
        ]
        if unsaid:
            yield _ask(
                f'Nothing tells that the sentence says: {", ".join(dict.fromkeys(unsaid))}.'
            )


def _says_to_put(case: _Case, ban: Prohibition) -> bool:
    """Whether a prohibition names an act of carrying, and does not only say where things are."""
    return any(
        verb.act in (*_CARRYING, 'fill', 'swap', 'empty')
        for word in words_of(ban.words)
        if word not in _STAYING
        for verb in case.words.verbs.get(word, ())
    )


#: Sides of a thing that the form has: "next to the spoon".
_NEARBY = tuple(' '.join(words) for words in Phrases.named('noun_phrases', 'near'))
_PORTIONS = words_named('noun_phrases', 'portions')
_WAYS = Phrases.named('noun_phrases', 'in')
#: "the nearest crate", "a further crate": they tell one of several from the others.
_TELLING = words_named('record', 'ranking', 'small_words') | {'further', 'remaining', 'extra'}
_SIDES = frozenset(['left', 'right', 'top', 'bottom'])
#: "do you think you could ...", "... had better be in": they ask, and say nothing of what.
_FRAMES = Phrases.named('clauses', 'polite') | Phrases.named('clauses', 'modal')
_FRAMES |= Phrases.named('occasions', 'not_outside') | Phrases.named('noun_phrases', 'listed')


def _accounted(case: _Case) -> Iterator[Finding]:
    """Each content word in a quote of what is asked is a name, act, state, number or mark.

    A quote says where a part of the goal was read, and not that all of it was: "give it to Ada".
    """
    for span in _unaccounted(case):
        if not _only_describes(case, span):
            yield _ask(f'"{case.sentence.part(span)}" is read as nothing.')


def _unaccounted(case: _Case) -> Iterator[Span]:
    """Content words in quotes of what is asked that nothing accounts for."""
    sentence, words = case.sentence, case.words
    if not sentence.is_english:
        return
    wanted = case.spans(*case.wanted)
    free = case.aside + case.taken + case.when + case.spans(*case.bans)
    free += [sentence.span_of(mention) for mention in sentence.mentions]
    free += [mark.span for mark in sentence.marks]
    free += [(token.start, token.end) for token in list_numbers(sentence.tokens)]
    free += case.spans(*(one for one in case.wanted if one.relation == 'done'))
    known = {word for phrase in words.states for word in phrase} | words.verbs.keys()
    known |= {word for verbs in words.verbs.values() for verb in verbs for word in verb.words}
    known |= _requesting()
    numbers = sentence.marked(Sign.NUMBER)
    # "a tank of oil"; a negation has its own rule
    portions = {mention.start - 2 for mention in sentence.mentions}
    said = [token.word for token in sentence.tokens]
    frames = [range(at, end) for at in range(len(said)) for end in _FRAMES.at(said, at)]
    framing = {i for frame in frames for i in frame}
    for at, token in enumerate(sentence.tokens):
        span = (token.start, token.end)
        if not token.is_word or sentence.is_function(token) or token.word in known | {'not'}:
            continue
        if at in framing:
            continue
        if at in portions and sentence.tokens[at + 1].word == 'of':
            continue
        if said[at] in UNITS or said[at] == 'times':
            # "60 l", "three times"
            if any(mark.span[1] in (span[0], span[0] - 1) for mark in numbers):
                continue
        if not inside_any(span, wanted) or inside_any(span, free):
            continue
        if _nearness_of(case, token.word) is Likeness.NONE:
            yield span


def _with_remarks(case: _Case) -> GoalForm:
    """The form, with words as mere remarks that only describe a thing or place.

    Nothing the server knows can express them, and there is one candidate only: they are shown and
    not asked about.
    """
    left = [
        replace(one, matters=False)
        if any(_only_describes(case, span) for span in case.spans(one))
        else one
        for one in case.form.cannot_say
    ]
    for span in _unaccounted(case):
        if _only_describes(case, span):
            left.append(Remainder(case.sentence.part(span), 'no name or state says so', False))
    return replace(case.form, cannot_say=tuple(left))


def _only_describes(case: _Case, span: Span) -> bool:
    """Whether words stand before a noun, say nothing the server knows, and leave one candidate.

    In a prohibition, a condition or a count they may tell some things from others.
    """
    sentence, words = case.sentence, case.words
    inner = [
        i for i, token in enumerate(sentence.tokens) if inside((token.start, token.end), span)
    ]
    said = [sentence.tokens[i].word for i in inner]
    marks = [m for m in sentence.marks if sentence.part(m.span) not in _SIDES]
    if not sentence.is_english or not inner or any(overlap(span, m.span) for m in marks):
        return False
    known = {*words.verbs, *(word for state in words.states for word in state)} - _SIDES
    if known & {*said} or _TELLING & {*said}:
        return False
    if any(sentence.is_function(sentence.tokens[i]) and said[-1] not in _SIDES for i in inner):
        return False
    carried = (NameKind.THING, NameKind.OTHER)
    sure = [m for m in sentence.mentions if m.exact or words.kind(m.name) in carried]
    starts = {mention.start for mention in sure}
    last = inner[-1] + 1
    before = [m for m in sentence.mentions if sentence.span_of(m)[1] <= span[0]][-1:]
    if before and _FROM.fullmatch(
        sentence.part((sentence.span_of(before[0])[1], span[0])).strip()
    ):
        # "from the cupboard", which the server does not know
        last = before[0].start
    while last < len(sentence.tokens) and last not in starts:
        if not sentence.tokens[last].word.isalpha() or sentence.is_function(sentence.tokens[last]):
            return False
        last += 1
    nouns = [mention for mention in sure if mention.start == last]
    whole = f'{said[-1]} {sentence.tokens[nouns[0].end - 1].word}' if nouns else ''
    if not nouns or is_noun(whole):
        # "peanut butter" is no butter
        return False
    noun = nouns[0]
    at = sentence.span_of(noun)
    parts = [one for one in case.wanted if any(inside(at, own) for own in case.spans(one))]
    bound = case.when + case.spans(*case.bans, *case.ordered, *case.asked)
    bound += [one for other in case.form.taken_for if other.others for one in case.spans(other)]
    excepted = {name for one in parts for name in one.but}
    excepted |= {one.value or '' for one in parts if one.relation == 'near'}
    if not parts or len(noun.names) > 1 or excepted & {noun.name, *noun.names}:
        return False
    if any(overlap(at, own) for own in bound):
        return False
    things = [name for name in words.names if name != noun.name]
    several = sum(is_of_class(name, noun.names[0]) for name in things) > 1
    counted = any(one.count != 1 and case.says(noun, one.thing or '') for one in parts)
    return noun.instance != '' or not (several or counted)


@cache
def _requesting() -> frozenset[str]:
    """Words of English phrases that request: "belongs in", "had better be", "do not forget to"."""
    clauses = listed('grammar')['clauses']
    phrases = '|'.join(clauses[kind] for kind in ('polite', 'modal', 'want', 'result'))
    return frozenset(word for phrase in phrases.split('|') for word in words_of(phrase))


def _nearness_of(case: _Case, noun: str) -> Likeness:
    """How near a noun is to any name of the goal."""
    like = case.words.like(noun)
    return max((like.get(name, Likeness.NONE) for name in case.used), default=Likeness.NONE)


def _referred(case: _Case) -> Iterator[Finding]:
    """What refers to things that were named stands for those that the goal has."""
    sentence = case.sentence
    if not sentence.is_english:
        return
    free = case.aside + case.taken + case.when + case.spans(*case.bans)
    free += [mark.span for mark in sentence.marks if mark.sign is not Sign.AMOUNT]
    free += [sentence.span_of(mention) for mention in sentence.mentions]
    again = _placed_again(case)
    for match in _OTHERS.finditer(sentence.text):
        if not inside_any(match.span(), free + again):
            yield _ask(f'"{match[0]}" does not say which: the goal has no others.')
    for milestone in case.form.milestones:
        for at, one in enumerate(milestone.conditions):
            yield from _same_again(case, one, milestone.conditions[:at])
    for at, one in enumerate(case.wanted):
        bare = one.thing is None and not (one.source or one.being or one.but)
        if bare and (one.relation in ('is', 'holding') or _IT.search(one.words)):
            yield _ask(f'"{one.words}" leaves open what all that is.')
        filled = any(o.value == one.source for o in case.wanted[:at])
        if one.source and one.count == 'all' and filled:
            yield _ask(f'"{one.words}": more is put in or on the {one.source} before.')
        reaches = case.words.reaches(one.thing or '', one.value or '')
        if one.relation == 'is' and one.thing and not reaches and _PRONOUN.search(one.words):
            yield _ask(f'"{one.words}" is taken to mean: {condition_text(one)}, which cannot be.')
        # "take it to the lamp", to look at it; "get two crates and scan them", and hold neither
        lit = one.relation == 'in' and one.value in case.words.like('lamp')
        several = one.relation == 'holding' and one.count != 1
        several &= any((o.relation, o.thing) == ('is', one.thing) for o in case.wanted)
        beside = one.relation == 'near' and case.words.kind(one.value or '') is not NameKind.THING
        if lit or several or beside:
            yield _ask(f'"{one.words}" is taken to mean: {condition_text(one)}.')
        # "put the oar next to the net and the net in the chest": where it is now, or then?
        until_then: list[FormCondition] = []
        for each in case.form.milestones:
            until_then += each.conditions
            if one in each.conditions:
                break
        moved = any(o.relation in _PLACING and o.thing == one.value for o in until_then)
        stood = place_of(one.value or '')
        if any(stood in (one.thing, o.thing) and not place_of(o.value or '') for o in until_then):
            if stood:
                yield _ask(f'"{one.words}" is where the {stood} is, which is moved too.')
        if one.relation == 'near' and moved:
            yield _ask(f'"{one.words}" is beside what is moved too: say where it shall be.')


def _placed_again(case: _Case) -> list[Span]:
    """Quotes of further things of a sort: "one crate on the rack and another on the table"."""
    placed = [one for one in case.wanted if one.relation == 'in']
    return [
        span
        for at, one in enumerate(placed)
        for span in case.spans(one)
        if any(o.thing == one.thing and o.value != one.value for o in placed[:at])
        and not any(case.says(m, one.thing or '') for m in case.said_in(span))
        and (
            _ANOTHER.search(one.words) or case.sentence.part(span)[:1].isdigit() or one.count != 1
        )
    ]


def _worded(case: _Case) -> Iterator[Finding]:
    """Numbers of pronouns and forms of verbs agree with what is read of them."""
    sentence, words = case.sentence, case.words
    if not sentence.is_english:
        return
    for one in case.wanted:
        for span in case.spans(one):
            match = _PLURAL_PRONOUN.search(one.words)
            alike = [o for o in case.wanted if match and o.relation == one.relation and o != one]
            named = any(case.says(m, one.thing or '') for m in case.said_in(span))
            made = named and match and _FROM_THEM.search(one.words[: match.start()])
            if match and one.count == 1 and not (alike or made):
                yield _ask(f'"{match[0]}" stands for one {one.thing}.')
            if one.count != 1 and one.thing and not named and _IT.search(one.words):
                yield _ask(f'"it" stands for more than one {one.thing}: "{one.words}".')
            inner = [t for t in sentence.tokens if inside((t.start, t.end), span)]
            verbs = words.verbs.get(inner[0].word, ()) if len(inner) > 1 else ()
            sorts = {verb.sort for verb in verbs}
            follows = bool(verbs) and sentence.is_function(inner[1])
            names_state = follows and one.being in {verb.state for verb in verbs if verb.state}
            if names_state or (follows and sorts == {'participle'} and one.relation == 'is'):
                yield _ask(f'"{one.words}" is taken to mean: {condition_text(one)}.')


def _same_again(
    case: _Case, one: FormCondition, before: Iterable[FormCondition]
) -> Iterator[Finding]:
    """Things of one sort that are placed twice, where they may be the same things."""
    placing = ('in', 'holding')
    for other in before:
        if one.relation not in placing or other.relation not in placing:
            continue
        if one.thing != other.thing or one.thing is None or case.words.is_numbered(one.thing):
            continue
        told = [
            case.sentence.text[: case.sentence.span_of(mention)[0]]
            for span in case.spans(one)
            for mention in case.said_in(span)
            if case.says(mention, one.thing)
        ]
        further = any(span in _placed_again(case) for span in case.spans(one))
        back = (not told and not further) or any(map(_DEFINITE.search, told))
        if back or one.value == other.value:
            yield _ask(f'"{one.words}" may be about the same {one.thing} as "{other.words}".')


def _lies_there(case: _Case) -> Iterator[Finding]:
    """ "Take the crate on the rack": it lies there, or shall be brought there."""
    sentence = case.sentence
    for one in case.wanted if sentence.is_english else ():
        if one.relation not in ('in', 'near') or one.value is None:
            continue
        for span in case.spans(one):
            at = [m for m in case.said_in(span) if case.says(m, one.value)][-1:]
            if not at:
                continue
            told = [token.word for token in sentence.tokens[: at[0].start]]
            acts = [
                {'take'}
                if token.word in _TAKES
                else {
                    verb.act
                    for verb in case.words.verbs.get(token.word, ())
                    if verb.sort == 'base' and set(verb.words) <= set(told[number:])
                }
                for number, token in enumerate(sentence.tokens[: at[0].start])
                if token.start >= span[0] and not inside_any((token.start, token.end), case.aside)
            ]
            last = next((found for found in reversed(acts) if found), set())
            begin = sentence.part((span[0], sentence.span_of(at[0])[0]))
            brings = not {'bring', 'carry', 'deliver'}.isdisjoint(words_of(begin))
            if last and last <= _TAKING and not brings and not _TO.search(begin):
                yield _ask(f'"{one.words}" may say where the {one.thing} is, or where it goes.')


def _asked_for(case: _Case) -> Iterator[Finding]:
    """A question mark asks, and "keep" and "stay" hold for as long as the robot works."""
    sentence = case.sentence
    if not sentence.is_english:
        return
    wanted = case.spans(*case.wanted)
    for match in _QUESTIONS.finditer(sentence.text):
        inner = any(overlap(match.span(), span) for span in wanted)
        if inner and case.form.question is None and not _ADDRESSES.search(match[0]):
            yield _ask(f'"{match[0].strip()}" may be a question.')
        if case.form.question is not None and 'not' in map(str.casefold, words_of(match[0])):
            # "is there any reason not to open it?", "shouldn't it be open?"
            yield _ask(f'"{match[0].strip()}" may ask for more than an answer.')
    for match in re.finditer(r'\bagain\b', sentence.text):
        for one in case.wanted:
            ends = [span for span in case.spans(one) if match.start() - 2 < span[1] <= match.end()]
            if ends and one.relation == 'is' and one.value not in _TURNED:
                # "scan it again": it may be scanned already
                yield _ask(f'"{match[0]}" is left out: it may be {one.value} already.')
    bans = case.spans(*case.bans)
    for mark in sentence.marked(Sign.KEEPING):
        if inside_any(mark.span, wanted) and not inside_any(mark.span, bans + case.aside):
            kept = sentence.part(mark.span)
            begins = [span[0] for span in wanted if inside(mark.span, span)]
            # "take the crate and leave it on the rack": it is carried there
            moved = kept == 'leave' and _content(case, (min(begins), mark.span[0]))
            if not (moved or _belongs_to_name(case, mark.span)) and kept in _STAYING:
                yield _ask(f'"{kept}" is taken for: it shall be so at the end.')


def _left_hanging(case: _Case) -> Iterator[Finding]:
    """Words for every time, of order and of joining belong to something that the goal has."""
    sentence = case.sentence
    if not sentence.is_english:
        return
    held = case.spans(*case.parts) + case.when + case.aside + case.taken
    for mark in sentence.marked(Sign.EVERY):
        if not inside_any(mark.span, held) and not _belongs_to_name(case, mark.span):
            yield _ask(f'"{sentence.part(mark.span)}" stands in no part of the goal.')
    hanging = [m.span for m in sentence.marked(Sign.THEN, Sign.FIRST)]
    hanging += [match.span() for match in _JOINING.finditer(sentence.text)]
    for span in hanging:
        end = _SENTENCE_END.search(sentence.text, span[1])
        rest = (span[1], end.start() if end else len(sentence.text))
        says = any(word[0].isalnum() for word in _content(case, rest))
        joins = says or any(case.said_in(rest))
        # "Close it afterwards."
        ends = len(case.form.milestones) > 1 and sentence.part(span).casefold() in _AFTERWARDS
        if not (joins or ends or inside_any(span, case.aside) or _belongs_to_name(case, span)):
            yield _ask(f'"{sentence.part((span[0], rest[1]))}" is read as nothing.')


def _is_said_so(case: _Case, taken: Interpretation) -> bool:
    """Whether words say the name itself, or leave open which of several: "a bottle"."""
    span = case.span(taken.words)
    beside = [one.span[0] for one in case.sentence.marked(Sign.BESIDE)]
    here = [
        one
        for one in case.said_in(span)
        if not any(span[0] <= at < case.sentence.span_of(one)[0] for at in beside)
    ]
    if not here:
        # "A cutting tool": whatever is of that kind will do.
        start = _SOME.search(case.sentence.text[: span[0]]) or _ANY.match(taken.words)
        carried = case.words.kind(taken.name) is NameKind.THING
        content = _content(case, span)
        if not (start and carried):
            return False
        alone = all(_nearness(case, span, one) is Likeness.NONE for one in taken.others)
        near = alone and _nearness(case, span, taken.name) is not Likeness.NONE
        return near or _is_kind(case, content, taken.name)
    if not case.says(here[-1], taken.name):
        return False
    if not set(taken.others) & set(here[-1].names):
        # "the plants" where a tomato plant is called so, and a rose bush is one
        return here[-1].exact or not here[-1].plural
    at = case.sentence.span_of(here[-1])
    described = any(
        not inside((token.start, token.end), at) and not case.sentence.is_function(token)
        for token in case.sentence.tokens
        if inside((token.start, token.end), span)
    )
    return not described and bool(_SOME.search(case.sentence.text[: at[0]]))


def _contrasts(case: _Case, left: Remainder) -> bool:
    """Whether words name what is not to be done in place of what is: "instead of the rack"."""
    named = (m for span in case.spans(left) for m in case.said_in(span) if m.exact)
    ends = any(left.words.endswith(case.sentence.part(case.sentence.span_of(m))) for m in named)
    return case.sentence.is_english and bool(_INSTEAD.match(left.words)) and not ends


def _narrows_place(case: _Case, left: Remainder) -> bool:
    """Whether words behind a place tell which of several it is: "the table by the window".

    Names cannot tell them apart. Beside a movable thing it is asked for: "by the spoon".
    """
    span = case.span(left.words)
    beside = [mark.span[0] for mark in case.sentence.marked(Sign.BESIDE)]
    places = {one.value for one in case.wanted if one.relation == 'in'}
    before = [m for m in case.sentence.mentions if case.sentence.span_of(m)[1] <= span[0]]
    if not before or not any(span[0] <= at < span[0] + _LEAD for at in beside):
        return False
    nearby = any(case.sentence.text[span[0] :].casefold().startswith(one) for one in _NEARBY)
    said = [name for m in case.said_in(span) if m.exact for name in m.names]
    movable = any(case.words.kind(name) is NameKind.THING for name in said)
    if before[-1].instance or (nearby and movable):
        # "bay 7 next to the trolley": there is one, or it is beside what the robot knows.
        return False
    gap = case.sentence.part((case.sentence.span_of(before[-1])[1], span[0]))
    is_place = any(case.says(before[-1], place) for place in places if place)
    return not gap.strip() and is_place


def _unreachable(case: _Case) -> Iterator[str]:
    for one in case.wanted:
        if one.relation == 'is' and one.thing and one.value and one.holds:
            if case.words.kind(one.thing) and not case.words.reaches(one.thing, one.value):
                yield f'No skill makes the {one.thing} {one.value}.'


_RULES: tuple[Callable[[_Case], Iterator[Finding]], ...] = (
    _quoted,
    _known,
    _said,
    _lost,
    _negated,
    _denied,
    _excepted,
    _circumstanced,
    _counted,
    _ordered,
    _consistent,
    _confirmed,
    _accounted,
    _referred,
    _worded,
    _lies_there,
    _asked_for,
    _left_hanging,
)
