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

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from reactree_core.cancellation import CancelToken
from reactree_core.ports import Embedder, LanguageModel, LanguageSession
from reactree_core.skill_types import by_verb, Relation
from reactree_planner.facts.conditions import ALL, Condition
from reactree_planner.language.domain import Domain
from reactree_planner.language.goal import Goal, ReadBy
from reactree_planner.language.languages import language_in, language_of
from reactree_planner.language.meant_skills import MeantSkills
from reactree_planner.language.name_choice import nearest_names
from reactree_planner.language.names import NameKind, Names
from reactree_planner.language.quoted_lines import goal_of, QuotedLine
from reactree_planner.language.quoting import QuotedText
from reactree_planner.language.words import words_of

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
        sentence = QuotedText(text[:MOST_CHARACTERS], language_in(text, known))
        if not len(sentence):
            return Goal(text, language=code, by=ReadBy.MODEL)
        words = Terms(sentence.text, names, self._embedder)
        session = self._sessions.session(_TASK + words.shown)
        try:
            session.append(f'Sentence: {sentence.text}\n')
            lines = tuple(_Dialogue(session, sentence, words).lines())
        finally:
            self._sessions.drop(session)
        goal = goal_of(text, code, sentence, lines, names, words.domain)
        if len(text) <= MOST_CHARACTERS:
            return goal
        behind = f'all behind the first {MOST_CHARACTERS:,} characters'
        return replace(goal, unread=(*goal.unread, behind), acts=False)


class Terms:
    """The names, states and verbs of a skill server that a reading may use.

    :param but: names that are left out, unless the text has them.
    """

    def __init__(
        self,
        text: str,
        names: Names,
        embedder: Callable[[], Embedder] | None,
        but: Collection[str] = (),
    ) -> None:
        self.names = names
        self.domain = Domain(names)
        self.verbs = by_verb(one for one in names.skill_types if one.verb)
        other_words: dict[str, list[str]] = {}
        named = {one.name for one in names.find_all(text)}
        for said, name in names.all_words().items():
            if name in but and name not in named:
                continue
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

    def that_may(self, relation: Relation, subject: bool = False) -> tuple[str, ...]:
        """Names on one side of a relation that some skill can bring about."""
        told = {
            Relation.IN: self.things if subject else self.all,
            Relation.HOLDING: self.things,
            Relation.AT: self.places,
        }
        return tuple(
            name
            for name in told[relation]
            if self.domain.may_stand(
                relation, self.kinds[name], self.names.class_of(name), subject
            )
        )

    def states_of(self, name: str) -> tuple[str, ...]:
        """In which a thing may be, as far as the skills tell."""
        stem = self.names.class_of(name)
        return tuple(
            state for state in self.states if self.domain.may_be(self.kinds[name], stem, state)
        )


class ConditionWriter:
    """Conditions that the model writes, chosen among names and states.

    :param session: with all that is to be read before them.
    """

    def __init__(self, session: LanguageSession, words: Terms) -> None:
        self._session = session
        self._words = words
        put = {f' {name} in': name for name in words.that_may(Relation.IN, subject=True)}
        change = {f' {name} is': name for name in words.all if words.states_of(name)}
        #: How a condition on a thing begins -> the thing.
        self.subjects = {**put, **change}
        held = words.that_may(Relation.HOLDING)
        robot = {' holding:': held, ' at:': words.that_may(Relation.AT)}
        self._there = words.that_may(Relation.IN)
        #: How one on the robot begins -> what may follow.
        self.robot = {key: names for key, names in robot.items() if names}

    def choose(self, options: Sequence[str]) -> str:
        """The option that the model takes."""
        return options[self._session.select(options).index]

    def condition(self, form: str, count: int = 1) -> Condition:
        """The rest of a condition. :param form: how it begins, of `subjects` or `robot`."""
        if form in self.robot:
            name = self.choose([f' {name}\n' for name in self.robot[form]]).strip()
            is_at = form == ' at:'
            return Condition(Relation.AT, '', name) if is_at else Condition(Relation.HOLDING, name)
        name = self.subjects[form]
        if form.endswith(' in'):
            places = [one for one in self._there if one != name]
            place = self.choose([f' {one}\n' for one in places]).strip()
            return Condition(Relation.IN, name, place, count)
        state = self.choose([f' {one}\n' for one in self._words.states_of(name)]).strip()
        return Condition(Relation.IS, name, state, count)


class _Dialogue(ConditionWriter):
    """One reading: what the model chooses, line by line."""

    def __init__(self, session: LanguageSession, sentence: QuotedText, words: Terms) -> None:
        super().__init__(session, words)
        self._sentence = sentence

    def lines(self) -> Iterator[QuotedLine]:
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
            head = self.choose([_END, *([_THEN] if parts and may_part else []), *heads])
            if head == _END:
                return
            if head == _THEN:
                step += 1
                may_part = False
                continue
            start, end = heads[head]
            fresh.difference_update(range(start, end))
            told = sum(index < end for index in self._sentence.order)
            last = self._sentence.comes_last(start, end)
            line = self._line(start, end, 2 * (step + told) + last)
            may_part |= line.wanted is not None
            yield line

    def _line(self, start: int, end: int, step: int) -> QuotedLine:
        """One line; a clause with a word that forbids or makes a condition tells of no wish.

        In English only one with a word that forbids tells what is forbidden.
        """
        turned = self._sentence.turned(start, end)
        counts = {f' {count}': count for count in _COUNTS} | {' all': ALL}
        options = [_UNKNOWN]
        if self._sentence.may_forbid(turned):
            options.append(_MUST_NOT)
        if not turned:
            options += [*self.robot, *(counts if self.subjects else ()), *self.subjects]
        form = self.choose(list(dict.fromkeys(options)))
        if form == _MUST_NOT:
            return QuotedLine(start, end, step, never=self._prohibition())
        wanted: Condition | None = None
        if form in counts:
            wanted = self.condition(self.choose(list(self.subjects)), counts[form])
        elif form != _UNKNOWN:
            wanted = self.condition(form)
        return QuotedLine(start, end, step, wanted)

    def _prohibition(self) -> MeantSkills:
        verbs = {f' ({verb})': (verb,) for verb in self._words.verbs}
        verb = self.choose(list(dict.fromkeys((*verbs, f' ({_TOUCH})'))))
        names = (_ANYTHING, *self._words.all)
        there = [f' {name} at' for name in names if self._words.places]
        chosen = self.choose([*(f' {name}\n' for name in names), *there])
        thing = chosen.removesuffix(' at').strip()
        where = ''
        if chosen in there:
            where = self.choose([f' {place}\n' for place in self._words.places]).strip()
        told = () if thing == _ANYTHING else tuple(words_of(thing))
        return MeantSkills(
            verbs.get(verb, ()), told, tuple(words_of(where)), server=self._words.verbs
        )
