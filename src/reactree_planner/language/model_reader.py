"""A language model reads a task, line by line, in any language.

Every line quotes the words of the sentence that it comes from, and says what they ask for in the
names of the skill server. All of it is chosen among what there is, nothing is written freely:

    "leg zwei Netze in die Truhe" -> 2 net in chest
    then
    "fass das Seil nicht an" -> must not (touch) rope
    end

What no line quotes was not read, nor a name or a number that is quoted and left out of the line.
A clause with a word that forbids or makes a condition can be no wish.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from reactree_core.cancellation import CancelToken
from reactree_core.ports import Embedder
from reactree_core.ports import LanguageModel
from reactree_core.ports import LanguageSession
from reactree_core.skill_types import Relation
from reactree_planner.instructions.conditions import ALL
from reactree_planner.instructions.conditions import Condition
from reactree_planner.instructions.meant_skills import MeantSkills
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.near_names import nearest_names
from reactree_planner.instructions.ties import Tie
from reactree_planner.instructions.ties import TieKind
from reactree_planner.instructions.words import word_spans
from reactree_planner.instructions.words import words_of
from reactree_planner.language.domain import Domain
from reactree_planner.language.goal import Goal
from reactree_planner.language.goal import Milestone
from reactree_planner.language.goal import ReadBy
from reactree_planner.language.goal import Word
from reactree_planner.language.languages import Language
from reactree_planner.language.languages import language
from reactree_planner.language.languages import language_of
from reactree_planner.language.quoting import QuotedText

MOST_LINES = 24
#: Longest sentence that is read; of a longer one the rest stays unread.
MOST_CHARACTERS = 4000
#: Most names that are shown, and most counts that are offered.
_MOST_NAMES = 200
_COUNTS = range(2, 21)
_TOUCH = 'touch'
_ANYTHING = 'anything'
_END, _THEN = 'end\n', 'then\n'
_UNKNOWN, _MUST_NOT = ' unknown\n', ' must not'

_TASK = """\
A robot was told a sentence. Say what the sentence asks for, one line for each thing it asks for,
in the order in which the sentence says it. A line quotes the words that it comes from. Behind them
it says what shall be so, in the robot's own names, whatever words or language the sentence has:
"..." -> thing in place
"..." -> 2 thing in place              a number where several are asked for, or all
"..." -> thing is state
"..." -> holding: thing
"..." -> at: place
"..." -> must not (verb) thing         what is forbidden; it is not asked for
"..." -> unknown                       for a thing that is none of the robot's names
then                                   on a line of its own: what follows comes afterwards
end                                    when every word was quoted
Where things are now, reasons and thanks are not asked for.

Names: rope, net, lantern, oar, ship's bell; raft, chest (or trunk, coffer), jetty, boathouse
States: open, closed, lit
Sentence: Would you put two nets into the trunk by the door?
"put two nets into the trunk" -> 2 net in chest
"by the door" -> unknown
end
Sentence: Light every lamp, then take an oar to the landing stage. Never open the chest!
"Light every lamp" -> all lantern is lit
then
"take an oar to the landing stage" -> oar in jetty
"Never open the chest" -> must not (open) chest
end
Sentence: Bring das Seil ins Bootshaus, aber fass die Netze nicht an.
"Bring das Seil ins Bootshaus" -> rope in boathouse
"aber fass die Netze nicht an" -> must not (touch) net
end
Sentence: Hold the oar and wait at the jetty.
"Hold the oar" -> holding: oar
"wait at the jetty" -> at: jetty
end

"""


@dataclass(frozen=True, slots=True)
class _Line:
    """One line. :param start: first word that it quotes, :param end: the one behind the last.
    :param step: how many lines `then` stood before it.
    """

    start: int
    end: int
    step: int
    wanted: Condition | None = None
    never: MeantSkills | None = None

    @property
    def text(self) -> str:
        """What it says of the words."""
        if self.never is not None:
            return f'must not: {self.never.wording}'
        return self.wanted.text if self.wanted is not None else ''

    @property
    def names(self) -> frozenset[str]:
        """Names in it."""
        if self.never is not None:
            return frozenset({' '.join(self.never.thing), ' '.join(self.never.where)})
        return frozenset(self.wanted.names if self.wanted is not None else ())


class Sessions(Protocol):
    """Where a reading gets its session of the model, and who counts what it uses."""

    def session(self, shared_prefix: str) -> LanguageSession:
        """Begin with a text that other readings begin with too."""

    def drop(self, session: LanguageSession) -> object:
        """Give it back."""


class OwnSessions:
    """Sessions of a model that nobody counts.

    :param model: of any back end. :param cancel: ends a reading.
    """

    def __init__(self, model: LanguageModel, cancel: CancelToken | None = None) -> None:
        self._model = model
        self._cancel = cancel or CancelToken()

    def session(self, shared_prefix: str) -> LanguageSession:
        """A new one."""
        return self._model.session(self._cancel, shared_prefix)

    def drop(self, session: LanguageSession) -> None:
        """Free it."""
        session.drop()


class ModelReader:
    """Reads tasks with a language model (`TaskReader`).

    :param sessions: of the model; those of a run count what a reading costs.
    :param embedder: makes the encoder that finds the names nearest to a sentence, where they are
        too many to be shown; None compares letters.
    """

    def __init__(self, sessions: Sessions, embedder: Callable[[], Embedder] | None = None) -> None:
        self._sessions = sessions
        self._embedder = embedder

    def read(self, text: str, names: Names) -> Goal:
        """The goal of a sentence.

        :raises ModelError: the model failed. :raises CanceledError: stopped.
        """
        known = names.all_words().words
        code = language_of(text, known)
        sentence = QuotedText(text[:MOST_CHARACTERS], language(code))
        if not len(sentence):
            return Goal(text, language=code, by=ReadBy.MODEL)
        words = _Vocabulary(sentence.text, names, self._embedder)
        session = self._sessions.session(_TASK + words.shown)
        try:
            session.append(f'Sentence: {sentence.text}\n')
            lines = tuple(_Dialogue(session, sentence, words).lines())
        finally:
            self._sessions.drop(session)
        return _goal(text, code, sentence, lines, words, len(text) > MOST_CHARACTERS)


class _Vocabulary:
    """The names, states and verbs of a skill server that a reading may use."""

    def __init__(self, text: str, names: Names, embedder: Callable[[], Embedder] | None) -> None:
        self.names = names
        self.domain = Domain(names)
        self.verbs = {
            verb: tuple(one for one in names.skill_types if one.verb == verb)
            for verb in dict.fromkeys(one.verb for one in names.skill_types)
            if verb
        }
        other_words: dict[str, list[str]] = {}
        for said, name in names.all_words().items():
            other_words.setdefault(name, [])
            if list(said) != words_of(name):
                other_words[name].append(' '.join(said))
        told = [one.text for one in names.find_all(text) if one.text != one.name]
        shown = nearest_names(text, names, tuple(other_words), _MOST_NAMES - len(told), embedder)
        self.all = (*dict.fromkeys((*told, *shown)),)
        self.kinds = {
            name: names.kind(names.class_of(name)) or NameKind.OTHER for name in self.all
        }
        self.states = tuple(sorted(set(self.domain.states.values())))
        self.things = self._of(NameKind.THING, NameKind.OTHER)
        self.places = self._of(NameKind.PLACE, NameKind.REGION, NameKind.OTHER)

        def with_others(name: str) -> str:
            others = ', '.join(other_words.get(name, ())[:3])
            return f'{name} (or {others})' if others else name

        parts = (self.things, [name for name in self.places if name not in self.things])
        listed = '; '.join(', '.join(map(with_others, part)) for part in parts if part)
        self.shown = f'Names: {listed}\nStates: {", ".join(self.states) or "none"}\n'

    def _of(self, *kinds: NameKind) -> tuple[str, ...]:
        return tuple(name for name in self.all if self.kinds[name] in kinds)

    def states_of(self, name: str) -> tuple[str, ...]:
        """In which a thing may be, as far as the skills tell."""
        stem = self.names.class_of(name)
        return tuple(
            state for state in self.states if self.domain.may_be(self.kinds[name], stem, state)
        )


class _Dialogue:
    """One reading: what the model chooses, line by line."""

    def __init__(self, session: LanguageSession, sentence: QuotedText, words: _Vocabulary) -> None:
        self._session = session
        self._sentence = sentence
        self._words = words
        put = {f' {name} in': name for name in words.things}
        change = {f' {name} is': name for name in words.all if words.states_of(name)}
        self._subjects = {**put, **change}

    def _choose(self, options: Sequence[str]) -> str:
        return options[self._session.select(options).index]

    def lines(self) -> Iterator[_Line]:
        """The lines, until the model ends, has quoted every word, or has said enough."""
        fresh = set(filter(self._sentence.is_content, range(len(self._sentence))))
        # What says "then" parts by itself, where it is known what does.
        parts = not self._sentence.tells_order
        may_part = False
        step = 0
        for _ in range(MOST_LINES):
            quotes = self._sentence.quotes(fresh)
            if not quotes:
                return
            heads = {f'"{words}" ->': span for words, span in quotes.items()}
            head = self._choose([_END, *([_THEN] if parts and may_part else []), *heads])
            if head == _END:
                return
            if head == _THEN:
                step += 1
                may_part = False
                continue
            start, end = heads[head]
            fresh.difference_update(range(start, end))
            told = sum(index < end for index in self._sentence.order)
            line = self._line(start, end, step + told)
            may_part |= line.wanted is not None
            yield line

    def _line(self, start: int, end: int, step: int) -> _Line:
        """One line; a clause with a word that forbids or makes a condition tells of no wish.

        Only one with a word that forbids tells what is forbidden.
        """
        turned = self._sentence.turned(start, end)
        counts = {f' {count}': count for count in _COUNTS} | {' all': ALL}
        robot = {' holding:': self._words.things, ' at:': self._words.places}
        named = {key: names for key, names in robot.items() if names}
        options = [_UNKNOWN]
        if turned & self._sentence.forbidding or not self._sentence.is_listed:
            options.append(_MUST_NOT)
        if not turned:
            options += [*named, *(counts if self._subjects else ()), *self._subjects]
        form = self._choose(list(dict.fromkeys(options)))
        if form == _MUST_NOT:
            return _Line(start, end, step, never=self._prohibition())
        wanted: Condition | None = None
        if form in named:
            wanted = self._of_robot(form, named[form])
        elif form != _UNKNOWN:
            subject = form if form in self._subjects else self._choose(list(self._subjects))
            wanted = self._of_thing(subject, counts.get(form, 1))
        return _Line(start, end, step, wanted)

    def _of_robot(self, form: str, names: Sequence[str]) -> Condition:
        name = self._choose([f' {name}\n' for name in names]).strip()
        if form == ' at:':
            return Condition(Relation.AT, '', name)
        return Condition(Relation.HOLDING, name)

    def _of_thing(self, subject: str, count: int) -> Condition:
        name = self._subjects[subject]
        if subject.endswith(' in'):
            places = [one for one in self._words.all if one != name]
            place = self._choose([f' {one}\n' for one in places]).strip()
            return Condition(Relation.IN, name, place, count)
        state = self._choose([f' {one}\n' for one in self._words.states_of(name)]).strip()
        return Condition(Relation.IS, name, state, count)

    def _prohibition(self) -> MeantSkills:
        verbs = {f' ({verb})': (verb,) for verb in self._words.verbs}
        verb = self._choose(list(dict.fromkeys((*verbs, f' ({_TOUCH})'))))
        names = (_ANYTHING, *self._words.all)
        there = [f' {name} at' for name in names if self._words.places]
        chosen = self._choose([*(f' {name}\n' for name in names), *there])
        thing = chosen.removesuffix(' at').strip()
        where = ''
        if chosen in there:
            where = self._choose([f' {place}\n' for place in self._words.places]).strip()
        told = () if thing == _ANYTHING else tuple(words_of(thing))
        return MeantSkills(
            verbs.get(verb, ()), told, tuple(words_of(where)), server=self._words.verbs
        )


# What the lines account for -------------------------------------------------------------------


def _goal(
    text: str,
    code: str,
    sentence: QuotedText,
    lines: Sequence[_Line],
    words: _Vocabulary,
    is_cut: bool,
) -> Goal:
    """The goal of the lines that can be believed."""
    mentions = _mentions(sentence, words.names)
    kept = [line for line in lines if line.text and _is_founded(line, sentence, mentions, words)]
    accounts: list[list[str]] = [[] for _ in range(len(sentence))]
    for line in kept:
        for index in range(line.start, line.end):
            accounts[index].append(line.text)
    unread = {
        index
        for index, account in enumerate(accounts)
        if not account and sentence.is_content(index)
    }
    unread |= _left_out(sentence, kept, mentions, words, code)
    told = tuple(
        Word(
            sentence.text[start:end],
            '' if index in unread else '; '.join(dict.fromkeys(accounts[index])) or 'small word',
        )
        for index, (start, end) in enumerate(sentence.spans)
    )
    phrases = sentence.phrases(unread)
    if is_cut:
        phrases = (*phrases, f'all behind the first {MOST_CHARACTERS:,} characters')
    unknown = tuple(
        Tie(sentence.words(line.start, line.end), '', TieKind.UNKNOWN, line.start, line.end)
        for line in lines
        if not line.text
    )
    never = tuple(dict.fromkeys(line.never for line in kept if line.never is not None))
    return Goal(
        text,
        milestones_of(_conditions_by_step(kept), words.domain),
        never=never,
        words=told,
        unread=phrases,
        ties=unknown,
        language=code,
        by=ReadBy.MODEL,
        acts=not phrases,
    )


def _mentions(sentence: QuotedText, names: Names) -> list[tuple[Mention, frozenset[int]]]:
    """Known names in a sentence, and the words that they stand at."""
    spans = word_spans(sentence.text)
    return [
        (mention, sentence.at(spans[mention.start][0], spans[mention.end - 1][1]))
        for mention in names.find_all(sentence.text)
    ]


def _means(mention: Mention, name: str, names: Names) -> bool:
    """Whether a line with a name tells of a mention."""
    if mention.text == name:
        return True
    return mention.text == mention.name and bool(name) and names.class_of(name) == mention.name


def _is_founded(
    line: _Line,
    sentence: QuotedText,
    mentions: Sequence[tuple[Mention, frozenset[int]]],
    words: _Vocabulary,
) -> bool:
    """Whether a wish's names can come from its quote.

    A name that stands nowhere in the sentence needs a word there that is neither a name nor a
    verb, which it may be another word for. A prohibition is kept whatever it names.
    """
    if line.wanted is None:
        return True
    made_up = [
        name
        for name in line.names
        if not any(_means(mention, name, words.names) for mention, _ in mentions)
    ]
    taken = frozenset[int]().union(*(inside for _, inside in mentions))
    free = [
        index
        for index in range(line.start, line.end)
        if index not in taken
        and sentence.is_content(index)
        and not words.domain.is_verb(sentence.word(index))
    ]
    return len(made_up) <= len(free)


def _left_out(
    sentence: QuotedText,
    lines: Sequence[_Line],
    mentions: Sequence[tuple[Mention, frozenset[int]]],
    words: _Vocabulary,
    code: str,
) -> set[int]:
    """Words that are quoted, and of which no line that quotes them says anything."""
    left: set[int] = set()
    told = language(code)
    for mention, inside in mentions:
        quoting = [one for one in lines if inside & set(range(one.start, one.end))]
        if not any(_means(mention, name, words.names) for one in quoting for name in one.names):
            left |= inside
    for index in range(len(sentence)):
        count = _count_of(sentence.word(index), told)
        quoting = [one for one in lines if one.start <= index < one.end]
        if count is None or not quoting:
            continue
        said = any(_says_count(one, count, sentence.word(index)) for one in quoting)
        if not said:
            left.add(index)
    return left


def _count_of(word: str, told: Language) -> int | None:
    """The count that a word tells; None for another word, and for one."""
    if word in told.every:
        return ALL
    if word.isdecimal():
        return int(word)
    return told.numbers.index(word) + 2 if word in told.numbers else None


def _says_count(line: _Line, count: int, word: str) -> bool:
    if line.wanted is not None and line.wanted.count == count:
        return True
    # A prohibition holds of each of them.
    in_name = any(word in words_of(name) for name in line.names)
    return in_name or (line.never is not None and count == ALL)


# Milestones -----------------------------------------------------------------------------------


def _conditions_by_step(lines: Sequence[_Line]) -> list[list[Condition]]:
    """The conditions of lines, by step."""
    steps: dict[int, list[Condition]] = {}
    for line in lines:
        if line.wanted is not None:
            steps.setdefault(line.step, []).append(line.wanted)
    return [steps[step] for step in sorted(steps)]


def milestones_of(steps: Sequence[Sequence[Condition]], domain: Domain) -> tuple[Milestone, ...]:
    """Steps as milestones: a condition holds to the end unless a later one supersedes it.

    A step in which one supersedes another falls in two; what is held only to be put somewhere in
    the same step is left out.
    """
    parted: list[list[Condition]] = []
    for conditions in steps:
        parted.append([])
        for condition in dict.fromkeys(conditions):
            ended = [one for one in parted[-1] if _supersedes(condition, one, domain)]
            carried = [one for one in ended if one.relation is Relation.HOLDING]
            parted[-1] = [one for one in parted[-1] if one not in carried]
            if len(carried) < len(ended):
                parted.append([])
            parted[-1].append(condition)
    holding: list[Condition] = []
    for conditions in parted:
        holding = [
            one
            for one in holding
            if not any(_supersedes(condition, one, domain) for condition in conditions)
        ]
        holding += [one for one in conditions if one not in holding]
    final = [tuple(holding)] if holding else []
    return (*(tuple(one) for one in parted[:-1] if one), *final)


def _supersedes(later: Condition, earlier: Condition, domain: Domain) -> bool:
    if later == earlier:
        return False
    if earlier.relation is Relation.AT:
        return True
    if later.subject != earlier.subject or later.relation is Relation.AT:
        return False
    if earlier.relation is Relation.IS:
        return later.relation is Relation.IS and domain.excludes(later.value, earlier.value)
    if earlier.relation is Relation.HOLDING:
        return True
    return later.relation in (Relation.IN, Relation.HOLDING) and later.count == earlier.count
