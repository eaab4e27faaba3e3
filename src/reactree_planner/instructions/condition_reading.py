"""From the words of an instruction to the conditions that it asks for.

A text is read word by word: verbs, names with their numbers, prepositions, states and pronouns.
What a clause leaves unsaid (verb, place, things) is taken over from the one before it.
"""

from __future__ import annotations

from dataclasses import replace

from reactree_core.skill_types import Relation
from reactree_planner.instructions.antecedents import Clause
from reactree_planner.instructions.clauses import Sense
from reactree_planner.instructions.condition_words import Act
from reactree_planner.instructions.condition_words import ANY_THINGS
from reactree_planner.instructions.condition_words import AT
from reactree_planner.instructions.condition_words import BE
from reactree_planner.instructions.condition_words import EVERYTHING
from reactree_planner.instructions.condition_words import HAVING
from reactree_planner.instructions.condition_words import INTO
from reactree_planner.instructions.condition_words import LYING
from reactree_planner.instructions.condition_words import NEAR
from reactree_planner.instructions.condition_words import OWN
from reactree_planner.instructions.condition_words import PARTICLES
from reactree_planner.instructions.condition_words import PERHAPS
from reactree_planner.instructions.condition_words import PLEASING
from reactree_planner.instructions.condition_words import PREPOSITIONS
from reactree_planner.instructions.condition_words import PRONOUNS
from reactree_planner.instructions.condition_words import RELATIVE
from reactree_planner.instructions.condition_words import REST
from reactree_planner.instructions.condition_words import SIDES
from reactree_planner.instructions.condition_words import SOURCE
from reactree_planner.instructions.condition_words import SUBJECTS
from reactree_planner.instructions.condition_words import Verb
from reactree_planner.instructions.condition_words import WHEN
from reactree_planner.instructions.condition_words import Words
from reactree_planner.instructions.conditions import Condition
from reactree_planner.instructions.named_text import NamedText
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.reading_state import ReadingState

#: Stands in a text for a name that nobody knows.
UNNAMED = 'unnamedthing'
_ARROWS = ('->', '→', '=>')


class _Reader:
    """Reads the conditions of one text."""

    def __init__(self, text: str, domain: Words) -> None:
        self._domain = domain
        self._text = NamedText(text, domain)
        self._words = self._text.words
        self._state = ReadingState(self._text, domain)
        #: Whose a part is: "open the truck door, ... shut the door".
        self._owners: dict[str, Mention] = {}

    def read(self) -> tuple[tuple[Condition, ...], tuple[str, ...]]:
        """The conditions, and things that are named besides."""
        i, count = 0, len(self._words)
        while i < count:
            if i in self._text.reading.begins and i:
                self._begin_sentence(i)
            if any(arrow in self._text.gaps[i] for arrow in _ARROWS):
                self._state.preposition = 'to'
            i = self._step(i)
        self._state.flush()
        found = self._state.found
        found.unread += self._text.exceptions()
        return found.merged(self._state.now.act is Act.MOVE), found.left_out()

    def _step(self, i: int) -> int:
        """Read the word at an index; the index of the next."""
        state, text = self._state, self._text
        mention = text.mentions.get(i)
        if text.reading.senses[i] is not Sense.ASKED or i in text.reading.marks:
            if mention is not None:
                self._note_unasked(mention)
            return i + 1
        word = self._words[i]
        if word == UNNAMED:
            return self._take_unnamed(i)
        if mention is not None and not text.is_verb_here(i, mention):
            if text.is_light(mention):
                state.preposition_at = mention.end
                return mention.end + 1
            if text.is_part(i):
                owner = text.mention_before(i)
                assert owner is not None
                self._owners[mention.name] = owner
            else:
                state.take_name(self._owner_of(mention))
            state.end_of_place(mention.end)
            return mention.end + text.is_portion(mention.end)
        now = state.now
        if word in WHEN and self._is_aside(i):
            end = text.behind_aside(i)
            aside = (one for start, one in text.mentions.items() if i <= start < end)
            state.found.named.update(one.name for one in aside if one.kind is NameKind.THING)
            return end
        if word in OWN and state.preposition in AT and now.group:
            # "two crates in your inventory"
            state.hold(i)
        elif word in LYING and (i in text.ends or self._words[i - 1] in BE):
            state.is_whereabouts = state.is_whereabouts or i in text.ends
        elif word in PERHAPS:
            state.is_whereabouts = True
        elif word in RELATIVE and i in text.ends:
            return self._read_relative(i)
        elif text.state_at(i) and self._is_told_state(i):
            state.take_state(i)
        elif word in BE and text.word(i + 1) in PLEASING:
            pass
        elif word in BE or (word in ('has', 'have') and now.group and now.act is not Act.PUT):
            state.begin_wish()
            if self._words[i - 1] == 'to' and not now.group:
                wished = text.state_at(i + 1) if i + 1 < len(self._words) else ''
                if wished and not state.is_whereabouts:
                    # "to be washed:", and then what
                    now.verbs = [Verb(Act.STATE, wished)]
        elif word == 'using' and now.group and now.act is Act.FIND:
            state.preposition, state.preposition_at = 'with', i
        elif (verb := text.verb_at(i)) is not None:
            state.begin_verb(verb[0], i, verb[1])
            return verb[1]
        elif word in INTO | AT | SOURCE:
            if text.breaks(i) or word in INTO:
                state.is_whereabouts = state.is_source = False
            self._take_preposition(i)
        elif word == 'there' and state.before.place and not text.is_told_there(i):
            state.take_last_place('in')
        elif word in EVERYTHING and text.word(i + 1) == 'else':
            return state.take_others(i, i + 2)
        elif word == 'rest' and state.before.items and self._is_pronoun(i):
            return state.take_others(i, i + 1)
        elif self._is_pronoun(i):
            return state.take_pronoun(i)
        elif word in HAVING | {'for', 'like'} and self._words[i - 1] not in ('along', 'together'):
            state.preposition, state.preposition_at = 'with' if word in HAVING else word, i
        return i + 1

    def _note_unasked(self, mention: Mention) -> None:
        """A name of which nothing is asked: later words may speak of it."""
        state, text = self._state, self._text
        if mention.kind in (NameKind.THING, NameKind.OTHER):
            if denied := text.denied(mention):
                state.found.unread.append(denied)
            if not state.now.group and not text.is_excepted(mention.start):
                # "do not drop the crates; put them on the truck"
                state.before.items = (text.item(mention),)
        elif state.before.place is None and text.reading.senses[mention.start] is Sense.SILENT:
            # "nobody uses the pump, so switch it off"
            state.before.place = mention

    def _owner_of(self, mention: Mention) -> Mention:
        """The thing itself where only a part of it is named, as before."""
        owner = self._owners.get(mention.name)
        if owner is None or mention.instance is not None:
            return mention
        return replace(owner, start=mention.start, end=mention.end)

    def _is_told_state(self, i: int) -> bool:
        """Whether a state's word tells what the things before it shall be."""
        state, text = self._state, self._text
        before, behind = text.word(i - 1), text.word(i + 1)
        ends = text.breaks(i + 1) or behind in (
            'and', 'then', 'or', 'before', 'after', 'when', 'as', 'again', 'please', 'for', 'so',
            'once', 'while', 'but', 'too', 'by', 'until', 'now',
        )  # fmt: skip
        if not state.now.group:
            # "is off and cleaned": one more state of the same things.
            joined = before in ('and', 'but') and text.word(i - 2) in self._domain.states
            return joined and bool(state.before.items) and ends
        taken_off = self._words[i] in PARTICLES and state.now.act is Act.TAKE
        if taken_off or (state.now.act is Act.STATE and before not in BE):
            return False
        ends = ends or (before in BE and behind == 'with')
        return ends if self._words[i] in ('on', 'off') else ends or before in BE

    def _take_preposition(self, i: int) -> None:
        state, text = self._state, self._text
        word, before = self._words[i], state.preposition
        if word == 'to' and i + 1 not in text.mentions and text.verb_at(i + 1):
            return
        if before == 'from' and word in AT:
            return
        if word == 'out' and text.word(i + 1) not in ('of', 'from'):
            return
        if word in PARTICLES and text.word(i - 1) in self._domain.states:
            return
        if word in ('in', 'inside', 'on') and text.breaks(i + 1):
            # "open the bin and put the crate in"
            if state.now.group and state.now.puts:
                state.take_last_place(word)
            return
        if word in ('in', 'inside') and state.puts_into_last_place(i):
            # "open the bin and put in a crate and a drum"
            return
        near = word == 'to' and (text.word(i - 1) in NEAR or text.word(i + 2) in SIDES)
        state.preposition, state.preposition_at = 'next' if near else word, i

    def _is_pronoun(self, i: int) -> bool:
        """Whether a word stands for things, and not before a name: "both crates", "one"."""
        state = self._state
        word, behind = self._words[i], self._text.word(i + 1)
        if word in ANY_THINGS:
            names_none = behind != 'of' and not state.now.group and not state.preposition
            return bool(state.before.items) and names_none
        if word in REST and behind in ('one', 'ones', 'two'):
            return bool(state.before.items)
        if word not in PRONOUNS | REST or not (state.before.items or word == 'it'):
            return False
        if word in ('it', 'them', 'they', 'everything') or self._text.breaks(i + 1):
            return True
        if word == 'all' and state.now.group:
            return False
        return behind in PREPOSITIONS | BE | {
            'and', 'then', 'should', 'must', 'back', 'goes', 'go', 'has', 'have', 'belongs',
        }  # fmt: skip

    def _begin_sentence(self, i: int) -> None:
        """A new sentence or line; one of names alone goes on with what stands before."""
        state, text = self._state, self._text
        state.preposition, state.is_whereabouts, state.is_source = '', False, False
        end = next((k for k in sorted(text.reading.begins) if k > i), len(self._words))
        names = [k for k in range(i, end) if k in text.mentions]
        says_more = any(
            self._words[k] in BE | INTO | AT
            or (text.state_at(k) and k in text.ends)
            or (k not in text.mentions and text.verb_at(k) is not None)
            for k in range(i, end)
        )
        heads = any(text.gaps[k].startswith(':') for k in range(i + 1, end))
        if says_more or heads or not names:
            state.flush()
            if says_more or heads or i not in text.reading.marks:
                state.now = Clause(verb_end=i)

    def _is_aside(self, i: int) -> bool:
        """Whether a clause begins that only tells when or why: "before the guests come, ..."."""
        text = self._text
        behind = text.word(i + 1)
        if behind.endswith('ing') and text.verb_at(i + 1) is not None:
            return False
        end = text.behind_aside(i)
        if text.is_first(i) and i in text.reading.begins:
            return end < len(self._words) and end not in text.reading.begins
        return behind in SUBJECTS and bool(self._state.now.verbs)

    def _read_relative(self, i: int) -> int:
        """ "which is on the pallet": where it is now; "which should be on": what it shall be."""
        state, text = self._state, self._text
        k = i + 1
        wanted = text.word(k) in ('should', 'must', 'has', 'have')
        while text.word(k) in BE | {'should', 'must', 'to', 'has', 'have', 'then', 'turned',
                                     'switched'}:  # fmt: skip
            k += 1
        last = text.mention_before(i)
        if k > i + 1 and k < len(self._words) and text.state_at(k) and last is not None and (
            self._words[k] not in ('on', 'off') or text.breaks(k + 1)
        ):  # fmt: skip
            state.found.note(Condition(Relation.IS, last.text, text.state_at(k)))
            return k + 1
        state.is_whereabouts = not wanted
        return k

    def _take_unnamed(self, i: int) -> int:
        state = self._state
        if state.preposition in INTO | AT and not state.is_whereabouts:
            # Whatever shall be there: the place is not known.
            state.before.items, state.now.group = tuple(state.now.group), []
        state.end_of_place(i + 1)
        if state.now.verb_end <= i:
            state.now.verb_end = 0
        return i + 1


def read_conditions(text: str, domain: Words) -> tuple[tuple[Condition, ...], tuple[str, ...]]:
    """Conditions that a text in the server's names asks for, and things that it names besides."""
    return _Reader(text, domain).read()
