"""What has been read of a text so far, and what the next name means in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

from reactree_core.skill_types import Relation
from reactree_planner.instructions.condition_words import Act
from reactree_planner.instructions.condition_words import AT
from reactree_planner.instructions.condition_words import BESIDE
from reactree_planner.instructions.condition_words import DEFINITE
from reactree_planner.instructions.condition_words import INTO
from reactree_planner.instructions.condition_words import PRONOUNS
from reactree_planner.instructions.condition_words import REST
from reactree_planner.instructions.condition_words import SOURCE
from reactree_planner.instructions.condition_words import Verb
from reactree_planner.instructions.condition_words import WANT
from reactree_planner.instructions.condition_words import Words
from reactree_planner.instructions.conditions import Condition
from reactree_planner.instructions.found_conditions import FoundConditions
from reactree_planner.instructions.named_text import Item
from reactree_planner.instructions.named_text import NamedText
from reactree_planner.instructions.names import DETERMINERS
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.told_places import is_joined
from reactree_planner.instructions.told_places import is_within
from reactree_planner.instructions.words import gerunds_of
from reactree_planner.instructions.words import NUMBERS
from reactree_planner.instructions.words import word_set

_LOOKING = word_set('look looking search ask asking wait waiting')
_GATHERING = word_set('gather gathering collect collecting bring bringing')


@dataclass
class Clause:
    """What has been read since the last verb.

    :param place: where its things shall be. :param verb_end: index behind its last verb.
    :param emitted: conditions of the text before this clause's last place.
    """

    verbs: list[Verb] = field(default_factory=list)
    group: list[Item] = field(default_factory=list)
    place: Mention | None = None
    verb_end: int = 0
    emitted: int = -1

    @property
    def act(self) -> Act | None:
        """Of the last verb."""
        return self.verbs[-1].act if self.verbs else None


class ReadingState:
    """Clauses as they are read, and the conditions that they ask for."""

    def __init__(self, text: NamedText, domain: Words) -> None:
        self._domain = domain
        self._text = text
        self.found = FoundConditions(text, domain)
        #: The clause that is being read; the things and the place of those before.
        self.now = Clause()
        self._last: tuple[Item, ...] = ()
        self._last_things: tuple[Item, ...] = ()
        self.last_place: Mention | None = None
        self.preposition, self.preposition_at = '', 0
        #: Whether the next place only tells where something is.
        self.is_whereabouts = self.is_source = False
        #: What was opened last.
        self._opened: Mention | None = None

    @property
    def last(self) -> tuple[Item, ...]:
        """What was spoken of last, and what a pronoun may stand for."""
        return self._last

    @last.setter
    def last(self, items: tuple[Item, ...]) -> None:
        self._last = items
        things = tuple(item for item in items if not item.is_place)
        self._last_things = things if things or not items else self._last_things

    def _last_for_verb(self) -> tuple[Item, ...]:
        """What was spoken of last, of what the verb can handle."""
        now = self.now
        is_of_things = any(
            verb.act is Act.STATE and verb.state in self._domain.of_things for verb in now.verbs
        )
        if (is_of_things or now.act in (Act.PUT, Act.BRING, Act.TAKE)) and self._last_things:
            return self._last_things
        return self._last

    def is_putting(self) -> bool:
        """Whether the last verb puts things somewhere."""
        return self.now.act in (Act.PUT, Act.BRING)

    def puts_into_last_place(self, i: int) -> bool:
        """Whether a preposition right behind a verb means the place that was opened or gone to."""
        now, text = self.now, self._text
        place = self._opened or self.last_place
        begin = i + 1
        while text.word(begin) in DETERMINERS | DEFINITE or text.word(begin) in NUMBERS:
            begin += 1
        mention = text.mentions.get(begin)
        if place is None or place.kind is not NameKind.PLACE or mention is None:
            return False
        if not self.is_putting() or i != now.verb_end:
            return False
        is_thing = mention.kind is NameKind.THING and not text.list_follows(mention.end)
        if is_thing:
            now.place = place
        return is_thing

    def begin_verb(self, verb: Verb, i: int, end: int) -> None:
        """Go on with a verb, which may begin a clause."""
        now = self.now
        on = self._domain.states.get('on')
        is_run = verb.act is Act.MOVE and self._text.words[i] == 'run'
        if on and is_run and self._text.tells_what_runs(end):
            verb = Verb(Act.STATE, on)
        if verb.act is Act.WANT:
            self.preposition = ''
            if self._asks_gerund(end):
                return
            self.begin_wish()
            if not now.verbs or now.act is Act.WANT:
                now.verbs, now.verb_end = [WANT], end
            if self._text.words[i] in ('needs', 'need') and now.group and now.group[-1].is_place:
                # "bay 3 needs two crates"
                now.place = now.group.pop().mention
            return
        if verb.act is Act.MOVE and (now.group or self._text.word(i - 1) in PRONOUNS):
            if not now.verbs or now.act is Act.WANT:
                # "the crates must go on the truck"
                now.verbs, now.verb_end = [WANT], end
                return
        between = set(self._text.words[now.verb_end : i])
        if now.verbs and not now.group and now.place is None and between <= {'and', 'then', 'or'}:
            # "wash and dry the crates"
            now.verbs.append(verb)
            now.verb_end = end
            return
        if (
            self._text.word(now.verb_end - 1) in ('use', 'using')
            and self._text.word(i - 1) == 'to'
        ):
            # "use the knife to open the parcel"
            now.group = []
        self.flush()
        self.now = Clause([verb], verb_end=end)
        self.preposition, self.is_source = '', False
        if verb.act is not Act.FIND:
            self.is_whereabouts = False

    def _asks_gerund(self, i: int) -> bool:
        """ "the crate needs scanning" """
        if not self.now.group or i >= len(self._text.words):
            return False
        for verb, told in self._domain.verbs.items():
            if told.act is Act.STATE and self._text.words[i] in gerunds_of(verb[0]):
                self.found.note_state(self.now.group, told.state)
                self.last, self.now.group = tuple(self.now.group), []
                return True
        return False

    def begin_wish(self) -> None:
        """ "the crate on the pallet should be ...": the place is where it is now."""
        now = self.now
        if not now.verbs and now.emitted >= 0 and not now.group and self.last:
            del self.found.all[now.emitted :]
            now.group, now.place, now.emitted = list(self.last), None, -1
        if now.group and now.act in (None, Act.WANT, Act.FIND, Act.TAKE):
            if now.act is Act.TAKE:
                return
            now.verbs = [WANT]

    def hold(self, i: int) -> None:
        """The things shall be held."""
        now = self.now
        for item in now.group:
            self.found.note(Condition(Relation.HOLDING, item.subject, '', item.count), item)
        self.last, now.group, self.preposition = tuple(now.group), [], ''

    def end_of_place(self, i: int) -> None:
        """Read on behind a name; "from the rack in aisle 2" goes on telling where things are."""
        goes_on = self.is_source or self.preposition in SOURCE
        self.is_source = goes_on and not self._text.breaks(i)
        self.is_whereabouts = self.is_source
        self.preposition = ''

    def take_name(self, mention: Mention) -> None:
        """Take a name in: a thing, or a place behind a preposition."""
        if not self._text.reaches(self.preposition_at, mention.start):
            self.preposition = ''
        now, preposition = self.now, self.preposition
        item = self._text.item(mention)
        if item.unread:
            self.leave_unread(item.unread)
            return
        if mention.kind is NameKind.THING:
            self.found.named.add(mention.name)
        if preposition in ('with', 'for', 'like'):
            self._take_with(item, preposition)
        elif preposition in SOURCE or (self.is_whereabouts and (preposition or item.is_place)):
            self.found.handled.add(mention.name)
            self.last_place = mention
        elif preposition:
            self._take_place(mention, preposition, item.is_place)
        elif self._is_joined(mention):
            self._join_place(mention)
        else:
            heads = item.is_place and self._text.gaps[mention.end].startswith(':')
            if heads and not now.group and now.act in (None, Act.PUT, Act.WANT):
                # "truck: two crates, a barrel"
                now.place, now.verbs = mention, now.verbs or [WANT]
            else:
                now.group.append(self._with_contents(item))
            if item.is_place:
                self.last_place = mention

    def leave_unread(self, phrase: str) -> None:
        """Pass things by; what is said of them later is not about those before."""
        self.found.unread.append(phrase)
        self.last, self.now.emitted = (), -1

    def _with_contents(self, item: Item) -> Item:
        """A thing; of "the nail box" and "a box of nails" the box, with nails in it."""
        if not self.now.group:
            return item
        before, start = self.now.group[-1], item.mention.start
        things = {before.mention.kind, item.mention.kind} == {NameKind.THING}
        if not things or before.mention.instance or before.subject == item.subject:
            return item
        words, end = self._text.words, before.mention.end
        if any(end <= other < start for other in self._text.mentions):
            return item
        if start == end and not self._text.gaps[start]:
            content, container = before, replace(item, count=before.count, is_new=before.is_new)
        elif words[end] == 'of' and not any(self._text.gaps[end : start + 1]):
            content = replace(item, states=(*item.states, *before.states))
            container = replace(before, states=())
        else:
            return item
        self.now.group.pop()
        self.found.place([content], container.mention, False)
        # More may be asked of it: "bring me a box of nails".
        self.found.handled.discard(container.mention.name)
        return container

    def take_last_place(self, preposition: str) -> None:
        """Take the last place for one behind a preposition: "there"."""
        if self.last_place is not None:
            self.preposition = preposition
            self.take_name(self.last_place)
            self.preposition = ''

    def _take_with(self, item: Item, preposition: str) -> None:
        now = self.now
        if preposition == 'for' and now.act is Act.FIND:
            # "check the rack for a crate"
            now.group = [item]
        elif preposition == 'for' and item.is_place and (
            self._text.gaps[item.mention.end].startswith((':', ','))
        ) and not now.group:  # fmt: skip
            now.place = item.mention
        elif preposition == 'for' and not now.verbs and not now.group and self._is_looked_for():
            # "they will look for two crates on the truck"
            now.group = [item]
        elif preposition == 'for' and item.is_place and now.group and self._gathers():
            self._take_place(item.mention, 'into', True)
        elif preposition == 'with' and not now.group and (
            (self.last_place is not None and self._text.ends_inside_it(item.mention.end))
            or (now.place is not None and not now.verbs)
        ):  # fmt: skip
            # "the truck should be closed with a crate and a drum in it"; "at the truck with ..."
            now.group.append(item)
        elif preposition == 'with' and self.is_putting() and len(now.group) > 1 and not (
            now.group[-1].is_place or now.place
        ):  # fmt: skip
            # "put the crate and the drum with the plank on the truck"
            now.group.append(item)
        elif preposition == 'with' and self.is_putting() and now.group and now.place is None:
            # "fill the truck with crates", "put the box with the key in it on the rack"
            now.place = self.last_place = now.group.pop().mention
            now.group.append(item)
        elif preposition == 'with' and now.act is Act.FIND:
            self._look_by(item.mention, preposition)
        elif preposition == 'with' and now.act is Act.MOVE:
            self.flush()
            self.now = Clause([Verb(Act.TAKE)], [item], verb_end=item.mention.start)

    def _is_looked_for(self) -> bool:
        return self._text.word(self.preposition_at - 1) in _LOOKING

    def _gathers(self) -> bool:
        """ "collect the crates for the truck": where things are gathered."""
        verb = self._text.word(self.now.verb_end - 1)
        return self.now.act in (Act.TAKE, Act.BRING) and verb in _GATHERING

    def _take_place(self, mention: Mention, preposition: str, is_place: bool) -> None:
        """A place behind a preposition: where things shall be, or are now."""
        now = self.now
        if now.act is Act.MOVE and (
            not now.group or (preposition in INTO and all(item.is_place for item in now.group))
        ):  # fmt: skip
            now.group.append(Item(mention))
            self.last_place = mention
            return
        if now.act is Act.FIND:
            self._look_by(mention, preposition)
            return
        if not is_place and preposition in BESIDE:
            beside = self.found.place_of.get(mention.name)
            if beside is None:
                return
            mention = beside
        container, self.last_place = self.last_place, mention
        whereabouts = now.act is Act.TAKE and preposition in AT - BESIDE
        listed = preposition in AT and self._text.gaps[mention.end].startswith(':')
        if not now.group and (
            listed or (whereabouts and self._text.list_follows(mention.end))
        ):  # fmt: skip
            # "prepare a delivery on the truck: two crates"; "collect in the truck the crates"
            now.verbs, now.place = [Verb(Act.PUT)], mention
            return
        if whereabouts or now.act is Act.STATE:
            self.found.handled.add(mention.name)
            return
        if self.is_putting() and not now.group and now.place is None and self.last:
            if not self._text.list_follows(mention.end):
                # "find two crates and put on the truck"
                now.group = self._things_meant(container, self.last)
        at = self.preposition_at
        if self._text.word(at - 1) == 'and' and self._text.word(at - 2) in self._domain.states:
            # "all crates scanned and on the truck"
            now.group = now.group or [replace(item, is_new=False) for item in self.last]
        movable = [item for item in now.group if not item.is_place]
        if movable:
            if now.act is Act.TAKE:
                now.verbs = [Verb(Act.PUT)]
            if now.place is not None and now.place.kind is NameKind.THING:
                # "put the box with the key on the rack"
                self.found.place(movable, now.place, not now.verbs)
                movable = [Item(now.place)]
            now.emitted = len(self.found.all)
            self.found.place(movable, mention, not now.verbs)
            self.last, now.group, now.place = tuple(movable), [], mention
        elif now.emitted >= 0 and now.place is not None:
            self._refine(mention, preposition)
        elif not now.group:
            now.place = mention

    def _look_by(self, mention: Mention, preposition: str) -> None:
        """ "look at the label under the lamp": held in its light."""
        now = self.now
        if not now.group:
            if preposition in ('at', 'on'):
                now.group.append(self._text.item(mention))
            self.found.handled.add(mention.name)
        elif self._domain.switching and (
            preposition in ('under', 'by', 'near', 'beside') or mention.kind is NameKind.OTHER
        ):
            state = self._domain.states.get('on', '')
            if state and mention.kind is not NameKind.REGION:
                for item in now.group:
                    self.found.note(Condition(Relation.HOLDING, item.subject))
                self.found.note(Condition(Relation.IS, mention.text, state))
                now.group = []

    def _refine(self, mention: Mention, preposition: str) -> None:
        """A second place: "the crate on the pallet into the truck" ends in the truck."""
        now = self.now
        assert now.place is not None
        is_place = mention.kind not in (NameKind.THING, NameKind.REGION)
        if preposition in AT - BESIDE and self._is_joined(mention):
            self._join_place(mention)
            return
        # "the glue in a bottle on the shelf": what is movable only tells what the thing is in.
        within = now.place.kind is NameKind.THING or is_within(self._text, now.place, mention)
        vague = now.place.kind is NameKind.REGION or (is_place and within)
        if mention.kind is NameKind.REGION or not (preposition in INTO or vague):
            return
        if now.place.kind is NameKind.THING and preposition not in INTO and self.is_putting():
            # "put the key in a box on the rack"
            self.found.place([Item(now.place)], mention, False)
        else:
            self.found.move_since(now.emitted, mention.text)
        now.place = mention

    def _is_joined(self, mention: Mention) -> bool:
        """Whether a place is told beside the one of the things before."""
        now = self.now
        if now.place is None or now.group or now.emitted < 0:
            return False
        return is_joined(self._text, now.place, mention, self.preposition)

    def _join_place(self, mention: Mention) -> None:
        now = self.now
        assert now.place is not None
        is_each = 'each' in self._text.words[now.verb_end : now.place.start]
        self.found.place_beside(now.emitted, now.place, mention, is_each)
        now.place = self.last_place = mention

    def take_pronoun(self, i: int) -> int:
        """Take the things or the place in that a pronoun stands for; the index behind it."""
        now, word, preposition = self.now, self._text.words[i], self.preposition
        end = i + 2 if word in REST and self._text.word(i + 1) in ('one', 'ones', 'two') else i + 1
        self.preposition = ''
        if preposition in SOURCE or preposition == 'with':
            self.found.used_up.update(item.mention.name for item in self.last)
        elif preposition and preposition != 'of' and now.act is not Act.FIND:
            if self.last_place is not None and word == 'it':
                self.preposition = preposition
                self._take_place(self.last_place, preposition, True)
                self.preposition = ''
        elif word == 'it' and self.last_place is not None and self._is_switched(end):
            now.group.append(Item(self.last_place))
        elif self.last:
            if self.is_putting() and all(item.is_place for item in self.last):
                # "open the truck and put it in there"
                self.last = self._last_things or self.last
            now.group += self._meant(i, word)
        return end

    def take_others(self, begin: int, end: int) -> int:
        """Whatever else there is, which no condition can tell; the index behind its words."""
        now = self.now
        self.leave_unread(' '.join(self._text.words[begin:end]))
        if not now.group:
            # What follows is told of the others.
            self.now = Clause(now.verbs, verb_end=end)
            self.last = ()
            self.preposition = ''
        return end

    def _is_switched(self, behind: int) -> bool:
        """Whether "it" is what is opened or switched: the last place, no thing."""
        now, domain = self.now, self._domain
        states = domain.opening | domain.switching
        if now.act is Act.STATE:
            return now.verbs[-1].state in states
        told = behind < len(self._text.words) and self._text.state_at(behind)
        if now.group or not told or told not in states or now.act is Act.TAKE:
            return False
        return (
            self._text.words[behind] not in ('on', 'off')
            or self._text.breaks(behind + 1)
            or (self._text.words[behind + 1] in ('and', 'then', 'when', 'before', 'after'))
        )

    def _meant(self, i: int, word: str) -> list[Item]:
        """The things that a pronoun stands for."""
        if word in REST | {'one'} and len(self.last) == 1:
            return [replace(self.last[0], count=1, told=True, is_new=True)]
        if word == 'it':
            return self._things_meant(self.last_place, self._last_for_verb())
        last = self._last_for_verb()
        told = self._text.quantity_before(i - 1) if self._text.word(i - 1) == 'of' else None
        if told is not None and told[0] is None:
            self.found.unread.append(self._text.phrase(told[1], i + 1))
            return []
        if told is not None:
            last = tuple(replace(item, count=told[0] or 1, told=True) for item in last)
        return [replace(item, is_new=False) for item in last]

    def _things_meant(self, container: Mention | None, last: Sequence[Item]) -> list[Item]:
        """The things of before; once they are in something that can be carried, that."""
        if self.is_putting() and container is not None and container.kind is NameKind.THING:
            return [Item(container)]
        return [replace(item, is_new=False) for item in last]

    def take_state(self, i: int) -> None:
        """The things before a state shall be in it."""
        now = self.now
        group = now.group or list(self.last)
        self.found.note_state(group, self._text.state_at(i))
        self.last = tuple(group)
        now.group = []
        if group and group[-1].is_place:
            self.last_place = group[-1].mention

    def flush(self) -> None:
        """What the clause asks for, now that all of it is read."""
        now = self.now
        if not now.group:
            return
        place = now.place or (self._opened if now.act is Act.PUT else None)
        if place is not None and now.act in (None, Act.PUT, Act.BRING, Act.WANT):
            self.found.place(now.group, place, not now.verbs)
        else:
            for verb in now.verbs or [WANT]:
                self._flush_verb(verb, bool(now.verbs))
        things = tuple(item for item in now.group if item.mention.kind is not NameKind.REGION)
        self.last = things or self.last
        now.group = []

    def _flush_verb(self, verb: Verb, is_told: bool) -> None:
        group, makes = self.now.group, self._domain.makes
        if verb.act is Act.STATE:
            self.found.note_state(group, verb.state)
            if group[-1].is_place:
                self.last_place = group[-1].mention
                if verb.state == self._domain.states.get('open'):
                    self._opened = self.last_place
        elif verb.act is Act.MOVE:
            self.found.moved_to = group[-1].subject
        elif verb.act is Act.MAKE and makes:
            for item in group:
                made = Condition(Relation.HOLDING, item.subject, '', item.count)
                self.found.note(made, item)
        elif verb.act in (Act.TAKE, Act.BRING) or (makes and verb.act in (Act.WANT, Act.FIND)):
            for item in group:
                subject, count = item.subject, item.count
                if not is_told and item.mention.instance and not item.told:
                    # "rope 2, chain 1"
                    subject, count = item.mention.name, item.mention.instance
                if not item.is_place:
                    self.found.held.append(Condition(Relation.HOLDING, subject, '', count))
