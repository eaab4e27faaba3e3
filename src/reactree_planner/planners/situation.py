"""What a node has done and what its goal asks: all that the rules read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from dataclasses import field
from functools import lru_cache

from reactree_core.observation import Observation
from reactree_planner.planners.clauses import gerund_of
from reactree_planner.planners.clauses import read_clauses
from reactree_planner.planners.clauses import word_set
from reactree_planner.planners.clauses import words_of
from reactree_planner.planners.coverage import named_counts
from reactree_planner.planners.knowledge import RunKnowledge
from reactree_planner.planners.names import before_determiners
from reactree_planner.planners.names import Mention
from reactree_planner.planners.names import NameKind
from reactree_planner.planners.names import verbs_of

#: Verbs that only move the robot, and verbs by which a thing enters or leaves the hand.
MOVING = ('go to', 'walk to')
GRASPING = ('pick up', 'take', 'grab', 'grasp')
RELEASING = ('put down', 'place', 'drop')
#: Verbs that take back what the other did; first those that set a state of a thing.
STATE_INVERSES = {
    'open': 'close',
    'close': 'open',
    'turn on': 'turn off',
    'turn off': 'turn on',
}
INVERSES = {**STATE_INVERSES, 'pick up': 'put down', 'put down': 'pick up'}
RECALL = 'recall location of '
#: Words between two things that one verb is for.
_JOINING = word_set('and then after before that next finally lastly last to the a an also first')


@dataclass(frozen=True, slots=True)
class Skill:
    """A grounded skill text taken apart by the templates, e.g. 'pick up' + 'apple' + 1."""

    text: str
    verb: str
    name: str
    instance: int

    @property
    def target(self) -> str:
        """Name with number."""
        return f'{self.name} {self.instance}'


@lru_cache(maxsize=8192)
def parse_skill(text: str, verbs: tuple[str, ...]) -> Skill | None:
    """Take a grounded skill apart; None when no template begins it or no number ends it."""
    for verb in verbs:
        if text.startswith(verb + ' '):
            name, _, number = text[len(verb) + 1 :].rpartition(' ')
            if name and number.isdigit():
                return Skill(text, verb, name, int(number))
    return None


@dataclass(frozen=True, slots=True)
class AskedSkill:
    """A skill the goal literally asks for: a template's verb followed by a known name.

    :param certain: whether it may be done without asking the model (see `clauses.Reading`).
    """

    verb: str
    mention: Mention
    certain: bool = True

    def asks_for(self, skill: Skill) -> bool:
        """Whether a grounded skill is what is asked."""
        return skill.verb == self.verb and self.mention.matches(skill.target)


def asked_skills(
    goal: str, mentions: tuple[Mention, ...], verbs: tuple[str, ...]
) -> tuple[AskedSkill, ...]:
    """Skills a goal names in words, e.g. 'find and pick up apple' asks for `pick up apple`.

    In the order in which the goal wants them, where it tells one. A verb counts for what is
    joined to its name, as in 'go to kitchen 1, then bathroom 1'.
    """
    reading = read_clauses(goal, verbs)
    words = list(reading.words)
    asked: list[tuple[int, AskedSkill]] = []
    end_before, verb_before = -1, ''
    for mention in mentions:
        begin = before_determiners(words, mention.start)
        verb = _verb_before(words, begin, verbs, reading.ordered)
        between = words[end_before:begin] if end_before >= 0 else ['']
        if not verb and verb_before and set(between) <= _JOINING:
            verb = verb_before
        if verb:
            one = AskedSkill(verb, mention, reading.certain[mention.start])
            asked.append((reading.ranks[mention.start], one))
        end_before, verb_before = mention.end, verb
    return tuple(one for _, one in sorted(asked, key=lambda ranked: ranked[0]))


def _verb_before(words: list[str], end: int, verbs: tuple[str, ...], gerunds: bool) -> str:
    """The template's verb that ends before a word; '' for none.

    :param gerunds: whether one in -ing counts, as in "before going to kitchen 1".
    """
    for verb in verbs:
        for form in (verb, gerund_of(verb)) if gerunds else (verb,):
            form_words = words_of(form)
            if form_words and words[max(0, end - len(form_words)) : end] == form_words:
                return verb
    return ''


def holds_already(asked: AskedSkill, observation: Observation, verbs: tuple[str, ...]) -> bool:
    """Whether what a skill brings about is so already: held, or in the state it would set."""
    if asked.verb in GRASPING:
        return any(asked.mention.matches(name) for name in observation.held)
    # What can be turned off is on.
    inverse = STATE_INVERSES.get(asked.verb)
    return inverse is not None and any(
        skill.verb == inverse and asked.mention.matches(skill.target)
        for text in observation.admissible_skills
        if (skill := parse_skill(text, verbs)) is not None
    )


@dataclass
class NodeSituation:
    """One agent node at work.

    :param goal: its goal. :param chain: goals from its parent to the root.
    :param alone: whether it does all of its goal itself and cannot expand.
    """

    goal: str
    chain: tuple[str, ...]
    knowledge: RunKnowledge
    alone: bool = False
    done: list[str] = field(default_factory=list)
    done_since_change: set[str] = field(default_factory=set)
    succeeded: list[Skill] = field(default_factory=list)
    effects: int = 0
    last_skill: Skill | None = None

    def __post_init__(self) -> None:
        names = self.knowledge.names
        self.verbs = verbs_of(self.knowledge.vocabulary.templates)
        self.mentions = names.find(self.goal)
        self.chain_mentions = self.mentions + tuple(
            mention for goal in self.chain for mention in names.find(goal)
        )
        #: Objects and places the goal names.
        self.wanted = tuple(
            mention for mention in self.mentions if mention.kind is not NameKind.ROOM
        )
        #: Movable things of the nearest goal that names any: its own, else its parent's, ...
        self.named_objects: tuple[Mention, ...] = ()
        #: Those of them that only tell where another one is or shall be.
        self.told_as_places: tuple[Mention, ...] = ()
        #: How many of each of them that goal wants.
        self.wanted_counts: Counter[str] = Counter()
        for goal in (self.goal, *self.chain):
            found = tuple(m for m in names.find(goal) if m.kind is NameKind.OBJECT)
            if found:
                self.named_objects = found
                self.told_as_places = names.told_as_places(goal)
                self.wanted_counts = named_counts(goal, names)
                break
        self.asked = asked_skills(self.goal, self.mentions, self.verbs)
        #: Whether the goal tells in which order it wants what it asks for.
        self.ordered = read_clauses(self.goal, self.verbs).ordered and len(self.asked) > 1
        self._steps_done = 0
        self._pass_steps(None)

    @property
    def led_by(self) -> tuple[Mention, ...]:
        """What it walks to on sight: who does all alone goes to a place with something in hand."""
        if not self.alone or self.observation.held:
            return self.wanted
        things = tuple(m for m in self.wanted if m.kind is NameKind.OBJECT)
        return things or self.wanted

    def is_delivered(self) -> bool:
        """Whether who does all alone has nothing left to bring to the places of its goal.

        What this run has put there counts. What was seen there may only have been near: skill
        servers tell so of all that is close to where the robot stands.
        """
        places = [mention for mention in self.wanted if mention.kind is NameKind.PLACE]
        if not self.alone or not places or not self.wanted_counts:
            return True
        there = Counter(
            thing.rpartition(' ')[0]
            for thing, place in self.knowledge.placed.items()
            if any(mention.matches(place) for mention in places)
        )
        return not self.wanted_counts - there

    def needs_a_hand(self) -> bool:
        """Whether it does all alone, and a place that its goal names is or may be closed."""
        if not self.alone:
            return False
        known = self.knowledge.memory.facts()
        for mention in self.wanted:
            if mention.kind is NameKind.PLACE:
                states = [fact.state for fact in known if mention.matches(fact.name)]
                if not states or any('closed' in state for state in states):
                    return True
        return False

    @property
    def observation(self) -> Observation:
        """Where the robot is now."""
        return self.knowledge.observation

    def record(self, skill_text: str, before: Observation) -> None:
        """Take note of a skill that has ended; the knowledge holds its observation already."""
        now = self.observation
        self.done.append(skill_text)
        self.done_since_change.add(skill_text)
        skill = parse_skill(skill_text, self.verbs)
        self.last_skill = skill
        if skill is None or not now.succeeded:
            return
        self.succeeded.append(skill)
        self._pass_steps(skill)
        moved = now.held != before.held
        states = {fact.name: fact.state for fact in before.facts}
        changed = any(
            fact.name == skill.target and states.get(fact.name, '') != fact.state
            for fact in now.facts
        )
        # Walking shows new things but changes nothing.
        if moved or (changed and now.place == before.place):
            self.effects += 1
            self.done_since_change = {skill_text}

    @property
    def next_step(self) -> AskedSkill | None:
        """What the goal wants done next, where it tells an order and something is left."""
        if not self.ordered or self._steps_done >= len(self.asked):
            return None
        return self.asked[self._steps_done]

    def _pass_steps(self, skill: Skill | None) -> None:
        """Count the steps of an order that a skill has done, and those after it that hold."""
        step = self.next_step
        if step is not None and skill is not None and step.asks_for(skill):
            self._steps_done += 1
        while (step := self.next_step) is not None and self._is_there_or_holds(step):
            self._steps_done += 1

    def _is_there_or_holds(self, asked: AskedSkill) -> bool:
        if asked.verb in MOVING:
            here = (self.observation.place, self.observation.room)
            return any(asked.mention.matches(place) for place in here)
        return holds_already(asked, self.observation, self.verbs)

    def asked_is_done(self, asked: AskedSkill) -> bool:
        """Whether an asked skill was done in this node, or holds already; in order, if told."""
        if self.ordered:
            return any(asked is one for one in self.asked[: self._steps_done])
        if any(asked.asks_for(skill) for skill in self.succeeded):
            return True
        return holds_already(asked, self.observation, self.verbs)

    def brings_to(self, place: str) -> bool:
        """Whether the goal is about something held and about this place."""
        held = self.observation.held
        return any(
            mention.kind is NameKind.PLACE and mention.matches(place) for mention in self.mentions
        ) and any(mention.matches(name) for mention in self.mentions for name in held)

    @property
    def numbered_places(self) -> tuple[str, ...]:
        """Places the goal names with their numbers: then it is about those alone.

        Movable things in or on which it wants others ("in basket 1") are places to it.
        """
        return tuple(
            f'{mention.name} {mention.instance}'
            for mention in self.mentions
            if mention.instance is not None
            and (mention.kind is NameKind.PLACE or mention in self.told_as_places)
        )

    def left_to_look_at(self) -> tuple[str, ...]:
        """What of the goal's scope has not been seen yet."""
        named = self.numbered_places
        if named:
            return tuple(place for place in named if self.knowledge.may_hide(place))
        return self.knowledge.unseen(self.scope)

    @property
    def scope(self) -> tuple[str, ...]:
        """Rooms the goal is about: those it names, or all."""
        named = [mention for mention in self.mentions if mention.kind is NameKind.ROOM]
        rooms = self.knowledge.vocabulary.rooms
        chosen = tuple(room for room in rooms if any(mention.matches(room) for mention in named))
        return chosen or rooms
