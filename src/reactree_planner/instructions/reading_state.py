"""What has been read of a text so far, and what the next name means in it."""

from __future__ import annotations

from dataclasses import replace

from reactree_core.skill_types import Relation
from reactree_planner.instructions.antecedents import Antecedents
from reactree_planner.instructions.antecedents import Clause
from reactree_planner.instructions.antecedents import meant_by_it
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


class ReadingState:
    """Clauses as they are read, and the conditions that they ask for."""

    def __init__(self, text: NamedText, domain: Words) -> None:
        self._domain = domain
        self._text = text
        self.found = FoundConditions(text, domain)
        #: The clause that is being read; what was spoken of before.
        self.now = Clause()
        self.before = Antecedents(text, domain)
        self.preposition, self.preposition_at = '', 0
        #: Whether the next place only tells where something is.
        self.is_whereabouts = self.is_source = False

    def puts_into_last_place(self, i: int) -> bool:
        """Whether a preposition right behind a verb means the place that was opened or gone to."""
        now, text = self.now, self._text
        place = self.before.opened or self.before.place
        begin = i + 1
        while text.word(begin) in DETERMINERS | DEFINITE or text.word(begin) in NUMBERS:
            begin += 1
        mention = text.mentions.get(begin)
        if place is None or place.kind is not NameKind.PLACE or mention is None:
            return False
        if not self.now.puts or i != now.verb_end:
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
                self.before.items, self.now.group = tuple(self.now.group), []
                return True
        return False

    def begin_wish(self) -> None:
        """ "the crate on the pallet should be ...": the place is where it is now."""
        now = self.now
        if not now.verbs and now.emitted >= 0 and not now.group and self.before.items:
            del self.found.all[now.emitted :]
            now.group, now.place, now.emitted = list(self.before.items), None, -1
        if now.group and now.act in (None, Act.WANT, Act.FIND, Act.TAKE):
            if now.act is Act.TAKE:
                return
            now.verbs = [WANT]

    def hold(self, i: int) -> None:
        """The things shall be held."""
        now = self.now
        for item in now.group:
            self.found.note(Condition(Relation.HOLDING, item.subject, '', item.count), item)
        self.before.items, now.group, self.preposition = tuple(now.group), [], ''

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
            self.before.place = mention
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
                self.before.place = mention

    def leave_unread(self, phrase: str) -> None:
        """Pass things by; what is said of them later is not about those before."""
        self.found.unread.append(phrase)
        self.before.items, self.now.emitted = (), -1

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
        if self.before.place is not None:
            self.preposition = preposition
            self.take_name(self.before.place)
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
            (self.before.place is not None and self._text.ends_inside_it(item.mention.end))
            or (now.place is not None and not now.verbs)
        ):  # fmt: skip
            # "the truck should be closed with a crate and a drum in it"; "at the truck with ..."
            now.group.append(item)
        elif preposition == 'with' and self.now.puts and len(now.group) > 1 and not (
            now.group[-1].is_place or now.place
        ):  # fmt: skip
            # "put the crate and the drum with the plank on the truck"
            now.group.append(item)
        elif preposition == 'with' and self.now.puts and now.group and now.place is None:
            # "fill the truck with crates", "put the box with the key in it on the rack"
            now.place = self.before.place = now.group.pop().mention
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
            self.before.place = mention
            return
        if now.act is Act.FIND:
            self._look_by(mention, preposition)
            return
        if not is_place and preposition in BESIDE:
            beside = self.found.place_of.get(mention.name)
            if beside is None:
                return
            mention = beside
        container, self.before.place = self.before.place, mention
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
        if self.now.puts and not now.group and now.place is None and self.before.items:
            if not self._text.list_follows(mention.end):
                # "find two crates and put on the truck"
                now.group = meant_by_it(container, self.before.items, now)
        at = self.preposition_at
        if self._text.word(at - 1) == 'and' and self._text.word(at - 2) in self._domain.states:
            # "all crates scanned and on the truck"
            now.group = now.group or [replace(item, is_new=False) for item in self.before.items]
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
            self.before.items, now.group, now.place = tuple(movable), [], mention
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
        if now.place.kind is NameKind.THING and preposition not in INTO and self.now.puts:
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
        now.place = self.before.place = mention

    def take_pronoun(self, i: int) -> int:
        """Take the things or the place in that a pronoun stands for; the index behind it."""
        now, word, preposition = self.now, self._text.words[i], self.preposition
        end = i + 2 if word in REST and self._text.word(i + 1) in ('one', 'ones', 'two') else i + 1
        self.preposition = ''
        if preposition in SOURCE or preposition == 'with':
            self.found.used_up.update(item.mention.name for item in self.before.items)
        elif preposition and preposition != 'of' and now.act is not Act.FIND:
            if self.before.place is not None and word == 'it':
                self.preposition = preposition
                self._take_place(self.before.place, preposition, True)
                self.preposition = ''
        elif word == 'it' and self.before.place is not None and self.before.is_switched(end, now):
            now.group.append(Item(self.before.place))
        elif self.before.items:
            if self.now.puts and all(item.is_place for item in self.before.items):
                # "open the truck and put it in there"
                self.before.items = self.before.things or self.before.items
            meant = self.before.of_pronoun(i, now)
            if isinstance(meant, str):
                self.found.unread.append(meant)
            else:
                now.group += meant
        return end

    def take_others(self, begin: int, end: int) -> int:
        """Whatever else there is, which no condition can tell; the index behind its words."""
        now = self.now
        self.leave_unread(' '.join(self._text.words[begin:end]))
        if not now.group:
            # What follows is told of the others.
            self.now = Clause(now.verbs, verb_end=end)
            self.before.items = ()
            self.preposition = ''
        return end

    def take_state(self, i: int) -> None:
        """The things before a state shall be in it."""
        now = self.now
        group = now.group or list(self.before.items)
        self.found.note_state(group, self._text.state_at(i))
        self.before.items = tuple(group)
        now.group = []
        if group and group[-1].is_place:
            self.before.place = group[-1].mention

    def flush(self) -> None:
        """What the clause asks for, now that all of it is read."""
        now = self.now
        if not now.group:
            return
        place = now.place or (self.before.opened if now.act is Act.PUT else None)
        if place is not None and now.act in (None, Act.PUT, Act.BRING, Act.WANT):
            self.found.place(now.group, place, not now.verbs)
        else:
            for verb in now.verbs or [WANT]:
                self._flush_verb(verb, bool(now.verbs))
        things = tuple(item for item in now.group if item.mention.kind is not NameKind.REGION)
        self.before.items = things or self.before.items
        now.group = []

    def _flush_verb(self, verb: Verb, is_told: bool) -> None:
        group, makes = self.now.group, self._domain.makes
        if verb.act is Act.STATE:
            self.found.note_state(group, verb.state)
            if group[-1].is_place:
                self.before.place = group[-1].mention
                if verb.state == self._domain.states.get('open'):
                    self.before.opened = self.before.place
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
