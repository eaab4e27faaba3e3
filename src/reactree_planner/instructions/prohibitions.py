"""What a task forbids: found once in its sentence, kept at every node, whatever the model says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from itertools import pairwise

from reactree_core.observation import Observation
from reactree_core.observation import Vocabulary
from reactree_core.permission.matching import Moment
from reactree_core.permission.rules import Rule
from reactree_core.skill_types import SkillKind
from reactree_planner.instructions.clauses import read_clauses
from reactree_planner.instructions.clauses import Reading
from reactree_planner.instructions.names import DETERMINERS
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.names import PREPOSITIONS
from reactree_planner.instructions.negations import ProhibitionSpan
from reactree_planner.instructions.words import gerund_of
from reactree_planner.instructions.words import word_set
from reactree_planner.instructions.words import words_of

#: Verbs of templates, longest first, and the kinds of the skills that begin with them.
VerbKinds = Mapping[str, tuple[SkillKind, ...]]
#: What people say for skills of a kind.
SAID_FOR = {
    SkillKind.MOVE: word_set('go walk drive enter visit approach move run head come step'),
    SkillKind.TAKE: word_set('take pick grab get fetch lift grasp remove hold carry steal bring'),
    SkillKind.PUT: word_set('put place set drop bring deliver store leave carry insert lay load'),
    SkillKind.OPEN: word_set('open'),
    SkillKind.CLOSE: word_set('close shut'),
    SkillKind.SWITCH_ON: word_set('activate start enable'),
    SkillKind.SWITCH_OFF: word_set('deactivate stop disable'),
}
#: Words of `clauses` for what would change a state that is to be kept.
_CHANGING = {
    'opening': SkillKind.OPEN,
    'closing': SkillKind.CLOSE,
    'switching on': SkillKind.SWITCH_ON,
    'switching off': SkillKind.SWITCH_OFF,
    'taking': SkillKind.TAKE,
}
#: Verbs that mean the same before "on" and "off".
ALIKE = {'switch': 'turn', 'power': 'turn'}
_ANYTHING = word_set('anything any everything things thing all something stuff nothing')
_PRONOUNS = word_set('it them that this those these one')
#: Words that say nothing about which thing is meant.
_FILLING = (
    DETERMINERS
    | _ANYTHING
    | _PRONOUNS
    | word_set('ever my your our his her its their of there here anywhere somewhere through near')
)
#: What ends the words of a thing.
_ENDING = PREPOSITIONS | word_set(
    'or and nor either neither by with for while during today tonight please is are be been being '
    'must may can should when as because again ever not never no off limits out bounds forbidden '
    'prohibited taboo allowed stay stays remain remains kept closed shut alone untouched unopened '
    "where permitted supposed to you 's i we he she they make sure let anywhere made"
)


@dataclass(frozen=True, slots=True)
class Prohibition:
    """Skills that the task forbids.

    :param verbs: of templates; () for every skill that does more than move.
    :param thing: its words, singular, with its number where one is told; () for anything.
    :param where: words of the place at which it is forbidden; () for everywhere.
    """

    verbs: tuple[str, ...]
    thing: tuple[str, ...] = ()
    where: tuple[str, ...] = ()

    @property
    def wording(self) -> str:
        """For people: 'switch on pump'."""
        verb = ' or '.join(self.verbs) or 'touch'
        place = f' at {" ".join(self.where)}' if self.where else ''
        return f'{verb} {" ".join(self.thing) or "anything"}{place}'

    def forbids(self, skill: str, verbs: VerbKinds, now: Observation) -> bool:
        """Whether a grounded skill is meant, with the robot where it is now."""
        verb = next((v for v in verbs if skill == v or skill.startswith(v + ' ')), '')
        if self.verbs and verb not in self.verbs:
            return False
        if not self.verbs and (not verb or _does(verb, SkillKind.MOVE, verbs)):
            return False
        target = skill[len(verb) :].strip()
        if not _contains(tuple(words_of(target)), self.thing):
            return False
        if not self.where:
            return True
        if PREPOSITIONS.intersection(words_of(target)):
            # The skill says where: "load crate 1 onto truck 2".
            return _contains(tuple(words_of(target)), self.where)
        places = [now.place, now.room]
        facts = [fact for fact in now.facts if fact.name == target]
        puts = _does(verb, SkillKind.PUT, verbs)
        if facts and not puts:
            places = [place for fact in facts for place in (fact.receptacle, fact.room)]
        elif not facts and not puts:
            # Where it is cannot be told: better not.
            return True
        return any(_contains(tuple(words_of(place)), self.where) for place in places)


def _does(verb: str, kind: SkillKind, verbs: VerbKinds) -> bool:
    """Whether skills of a verb are of a kind, as their server tells; else as the verb does."""
    told = verbs.get(verb, ())
    if told and set(told) != {SkillKind.OTHER}:
        return kind in told
    moves = kind is SkillKind.MOVE and verb.endswith(' to')
    return moves or verb.partition(' ')[0] in SAID_FOR[kind]


def _contains(words: tuple[str, ...], part: tuple[str, ...]) -> bool:
    """Whether words stand in others, one behind the other; a name's number must not go on."""
    return any(
        words[start : start + len(part)] == part for start in range(len(words) - len(part) + 1)
    )


@dataclass(frozen=True, slots=True)
class TaskRules:
    """What a task forbids.

    :param left_to_model: what reads as forbidden for a time or a case, in the task's words.
    :param verbs: of the skill server, longest first.
    """

    prohibitions: tuple[Prohibition, ...] = ()
    left_to_model: tuple[str, ...] = ()
    verbs: VerbKinds = field(default_factory=dict)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The same as rules of permission."""
        return tuple(
            Rule('the task', _Meant(one, self.verbs), at_most=0, of_task=True)
            for one in self.prohibitions
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Meant:
    """A prohibition as a rule sees it (`Matcher`)."""

    prohibition: Prohibition
    verbs: VerbKinds

    @property
    def wording(self) -> str:
        """For people."""
        return self.prohibition.wording

    def matches(self, moment: Moment) -> bool:
        """Whether the skill of this moment is meant."""
        return self.prohibition.forbids(moment.skill, self.verbs, moment.now)


def rules_of(task: str, vocabulary: Vocabulary) -> TaskRules:
    """What a task forbids, in the skills that a server's templates name."""
    names = Names(vocabulary)
    verbs = {
        verb: tuple(one.kind for one in vocabulary.skills if one.verb == verb)
        for verb in names.verbs
    }
    reading = read_clauses(task, names.verbs)
    if not reading.regions:
        return TaskRules()
    reader = _RegionReader(reading, names, verbs)
    found: list[Prohibition] = []
    left: list[str] = []
    for region in reading.regions:
        rules = reader.prohibitions(region) if region.enforced else ()
        found += rules
        if not rules:
            begin = max(0, region.start - 2) if not region.passive else region.clause
            words = reading.spans[begin : region.end]
            if words:
                left.append(' '.join(task[words[0][0] : words[-1][1]].split()))
    return TaskRules(tuple(dict.fromkeys(found)), tuple(left), verbs)


class _RegionReader:
    """Reads the verbs and things of what is forbidden."""

    def __init__(self, reading: Reading, names: Names, verbs: VerbKinds) -> None:
        self._words = reading.plain
        self._names = names
        self._verbs = verbs
        self._mentions = names.find_all(' '.join(reading.words))
        self._moving = self._of_kind(SkillKind.MOVE)
        #: Second words of verbs, which may stand behind the thing: "switch the pump on".
        self._particles = {verb.split()[1] for verb in verbs if len(verb.split()) == 2} - {'to'}
        self._forms = {verb: _forms(verb) for verb in verbs}

    def prohibitions(self, region: ProhibitionSpan) -> tuple[Prohibition, ...]:
        """What one region forbids; () where no skill is meant."""
        inside = self._words[region.start : region.end]
        if region.passive or region.verb or 'be' in inside:
            begin = region.clause if region.passive else region.start
            things, where = self._things(begin, region.end)
            verbs = self._only_verbs(region, begin)
            if not things:
                things = self._things_elsewhere(begin, region.end)
            return tuple(Prohibition(verb, thing, where) for verb in verbs for thing in things)
        found: list[Prohibition] = []
        verb, start = self._first_verb(region)
        verb += self._other_particle(verb, region)
        shared: tuple[str, ...] = ()
        while True:
            following = self._next_verb(start, region.end)
            stop = following[1] if following else region.end
            words = [word for word in self._words[start:stop] if word not in ('or', 'and', 'nor')]
            if following is not None and not words:
                # "open or close the gate"
                shared += verb
            else:
                found += self._of_verb(verb, start, stop, region)
                if shared and found:
                    found.append(replace(found[-1], verbs=shared))
                    shared = ()
            if following is None:
                return tuple(found)
            verb, _, start = following

    def _things_elsewhere(self, begin: int, end: int) -> list[tuple[str, ...]]:
        """The thing of a passive that does not name it: "nothing", or "it"."""
        words = self._words[begin:end]
        if any(word in _ANYTHING for word in words):
            return [()]
        before = [mention for mention in self._mentions if mention.end <= begin]
        if before and any(word in _PRONOUNS for word in words):
            return [_words_of_mention(before[-1])]
        return []

    # Verbs -----------------------------------------------------------------------------------

    def _only_verbs(self, region: ProhibitionSpan, begin: int) -> tuple[tuple[str, ...], ...]:
        """Verbs of a region that has one: a passive, or a phrase that stands for a verb."""
        if region.verb == 'anything':
            return self._moving, ()
        if region.verb == 'approach':
            return (self._moving,)
        if region.verb == 'touch':
            return ((),)
        if region.verb:
            kind = _CHANGING.get(region.verb)
            said = self._said(region.verb) if kind is None else self._of_kind(kind)
            return (said,) if said else ()
        told: list[tuple[str, ...]] = []
        for i in range(begin, region.end):
            found = self._verb_at(i)
            if found is not None:
                told.append(found[0])
            elif not told and self._words[i] in _SAID and not self._is_name(i):
                told.append(self._said(self._words[i]))
        return tuple(dict.fromkeys(told)) or ((),)

    def _other_particle(self, verbs: tuple[str, ...], region: ProhibitionSpan) -> tuple[str, ...]:
        """'switch off' beside 'switch on', of "switch the scale on or off"."""
        words = self._words[region.start : region.end]
        return tuple(
            other
            for verb in verbs
            for other in self._verbs
            if verb.split()[0] == other.split()[0] and verb != other
            for first, joint, second in zip(words, words[1:], words[2:], strict=False)
            if joint == 'or' and {first, second} == {verb.split()[-1], other.split()[-1]}
        )

    def _first_verb(self, region: ProhibitionSpan) -> tuple[tuple[str, ...], int]:
        """The verb with which a region begins, and where its thing may begin."""
        if region.inherits:
            for i in range(region.start - 1, -1, -1):
                found = self._verb_at(i)
                if found is not None:
                    return found[0], region.start
                if self._words[i] in _SAID and not self._is_name(i):
                    return self._said(self._words[i]), region.start
            return (), region.start
        for i in range(region.start, min(region.start + 2, region.end)):
            found = self._verb_at(i)
            if found is not None:
                return found[0], i + found[1]
            if self._words[i] in _SAID:
                return self._said(self._words[i]), i + 1
        if any(mention.start == region.start for mention in self._mentions):
            return (), region.start
        # A verb that no template has: whatever is done with the thing.
        return (), region.start + 1

    def _next_verb(self, begin: int, end: int) -> tuple[tuple[str, ...], int, int] | None:
        for i in range(begin, end):
            found = self._verb_at(i)
            if found is not None and not self._is_name(i):
                return found[0], i, i + max(found[1], 1)
            joined = i > begin and self._words[i - 1] in ('or', 'and', 'nor')
            if joined and self._words[i] in _SAID and not self._is_name(i):
                return self._said(self._words[i]), i, i + 1
        return None

    def _is_name(self, i: int) -> bool:
        return any(mention.start <= i < mention.end for mention in self._mentions)

    def _verb_at(self, i: int) -> tuple[tuple[str, ...], int] | None:
        """Template verbs of which a form stands here, and how many words it takes."""
        for verb in self._verbs:
            for form in self._forms[verb]:
                if self._words[i : i + len(form)] == form:
                    return (verb,), len(form)
                # "switch the pump on"
                if len(form) == 2 and self._words[i] == form[0]:
                    later = self._words[i + 1 : i + 7]
                    if form[1] in later and form[1] not in ('to', 'at', 'into'):
                        between = later[: later.index(form[1])]
                        if not any(word in ('and', 'or', 'but') for word in between):
                            return (verb,), 1
        return None

    def _of_kind(self, *kinds: SkillKind) -> tuple[str, ...]:
        """Template verbs that do this."""
        return tuple(
            verb for verb in self._verbs if any(_does(verb, kind, self._verbs) for kind in kinds)
        )

    def _said(self, word: str) -> tuple[str, ...]:
        """Template verbs for which a word is said; () where none is."""
        base = _SAID.get(word, word)
        meant = self._of_kind(*(kind for kind, words in SAID_FOR.items() if base in words))
        return tuple(
            verb for verb in self._verbs if verb in meant or base in (verb, verb.split()[0])
        )

    # Things ----------------------------------------------------------------------------------

    def _of_verb(
        self, verbs: tuple[str, ...], begin: int, end: int, region: ProhibitionSpan
    ) -> list[Prohibition]:
        words = self._words[begin:end]
        before = [mention for mention in self._mentions if mention.end <= begin]
        things, where = self._things(begin, end)
        puts, takes = self._of_kind(SkillKind.PUT), self._of_kind(SkillKind.TAKE)
        handled = any(verb in (*puts, *takes) for verb in verbs)
        if handled:
            movable = [one for one in before if one.kind is NameKind.THING]
        else:
            movable = before
        in_it = any(
            word in PREPOSITIONS and following in _PRONOUNS for word, following in pairwise(words)
        )
        if any(word in ('there', 'here') for word in words) or (handled and things and in_it):
            places = [one for one in before if one.kind is NameKind.PLACE]
            where = _words_of_mention(places[-1]) if places else where
        if handled and not where and words[:1] and words[0] in PREPOSITIONS and region.inherits:
            # "put it anywhere but in the truck"
            where, things = (things[0] if things else ()), []
            words = ('it',)
        if not things and any(word in _PRONOUNS for word in words):
            things = [_words_of_mention(movable[-1])] if movable else []
        elif handled and things and not where and any(w in _PRONOUNS for w in words[:1]):
            # "never put it on the scale"
            where, things = things[0], [_words_of_mention(movable[-1])] if movable else []
        elif not things and (any(word in _ANYTHING for word in words) or (verbs and not words)):
            things = [()]
        if set(verbs) & set(takes) and set(verbs) & set(puts):
            # "do not bring the crate": it is not touched; "... to the hall": not left there.
            verbs = tuple(verb for verb in verbs if verb in puts) if where else ()
        return [Prohibition(verbs, thing, where) for thing in things]

    def _things(self, begin: int, end: int) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
        """What stands there: things, and the place at which they are meant."""
        things: list[tuple[str, ...]] = []
        where: tuple[str, ...] = ()
        i = begin
        after_preposition = False
        told_first = False
        while i < end:
            mention = next((m for m in self._mentions if m.start == i), None)
            word = self._words[i]
            if mention is not None:
                name = _words_of_mention(mention)
                if after_preposition and (things or told_first):
                    where = where or name
                else:
                    things.append(name)
                i = max(mention.end, i + 1)
                continue
            if word in PREPOSITIONS:
                after_preposition = after_preposition or bool(things) or told_first
                after_preposition = after_preposition or i == begin
            elif word in _ANYTHING:
                told_first = True
            elif word in ('out', 'off') and self._words[i + 1 : i + 2] == ('of',):
                after_preposition = bool(things) or told_first
            elif word.isdigit() and things and self._words[i - 1] in ('and', 'or', word):
                # "crates 1 and 2"
                things.append((*things[-1][:-1], word))
            elif word in ('or', 'and', 'nor'):
                after_preposition = False
            elif word in _SAID or word in self._particles or self._verb_at(i) is not None:
                pass
            elif word not in _FILLING and word not in _ENDING and not word.isdigit():
                unknown = self._unknown_name(i, end)
                determined = i == begin or self._words[i - 1] in DETERMINERS
                known = any(begin <= mention.start < end for mention in self._mentions)
                leads = any(mention.start == i + len(unknown) for mention in self._mentions)
                told = determined or self._words[i - 1] in ('or', 'and', 'nor')
                is_place = after_preposition and bool(things or told_first)
                if unknown and not leads and not is_place and (told if known else not things):
                    things.append(unknown)
                i += max(len(unknown), 1)
                continue
            i += 1
        return things, where

    def _unknown_name(self, i: int, end: int) -> tuple[str, ...]:
        """A thing that nobody has told of yet, by the words of the task."""
        words: list[str] = []
        while i < end and self._words[i] not in _ENDING and self._words[i] not in _FILLING:
            if any(m.start == i for m in self._mentions):
                break
            words.append(self._words[i])
            i += 1
            if words[-1].isdigit():
                break
        return tuple(words)


#: Every word that is said for a template's verb, in each of its forms.
_SAID: dict[str, str] = {}


def _forms(verb: str) -> tuple[tuple[str, ...], ...]:
    """Forms in which a template's verb stands: base, -ing, -ed, as tuples of words."""
    head, _, rest = verb.partition(' ')
    heads = {head, gerund_of(head), *_participles(head)}
    heads |= {
        form
        for other, base in ALIKE.items()
        if base == head
        for form in (other, gerund_of(other), *_participles(other))
    }
    particles = rest.split()
    tails = [particles]
    if particles == ['to']:
        tails += [['into'], ['in'], ['inside'], ['near'], ['towards']]
    return tuple((form, *tail) for form in sorted(heads) for tail in tails)


def _participles(head: str) -> tuple[str, ...]:
    irregular = {'take': 'taken', 'go': 'gone', 'put': 'put', 'shut': 'shut', 'get': 'gotten'}
    if head in irregular:
        return (irregular[head],)
    stem = gerund_of(head)[: -len('ing')]
    return (stem + 'ed',)


def _words_of_mention(mention: Mention) -> tuple[str, ...]:
    number = () if mention.instance is None else (str(mention.instance),)
    return (*words_of(mention.name), *number)


for _words in SAID_FOR.values():
    for _word in sorted(_words):
        for _form in (_word, gerund_of(_word), *_participles(_word)):
            _SAID[_form] = _word
