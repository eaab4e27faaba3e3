"""Subgoals held against what the task asks for: what they leave out, and in which order they fail.

Only what is declared is checked: conditions that the words of the task were taken for, names that
the skill server knows, kinds and effects of its skills. The sentences are for the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence

from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.endings import holds
from reactree_planner.agents.endings import meant_by
from reactree_planner.agents.endings import spoken_maker
from reactree_planner.agents.endings import things_known
from reactree_planner.agents.endings import things_meant
from reactree_planner.agents.endings import things_that_meet
from reactree_planner.agents.skills import STATE_KINDS
from reactree_planner.instructions.asked import asked_skills
from reactree_planner.instructions.asked import AskedSkill
from reactree_planner.instructions.clauses import read_clauses
from reactree_planner.instructions.conditions import ALL
from reactree_planner.instructions.conditions import Condition
from reactree_planner.instructions.coverage import named_counts
from reactree_planner.instructions.names import before_determiners
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.words import words_of
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import MOST_SUBGOALS

#: Words that stand for every thing of a class, and for two.
_EVERY = frozenset(('all', 'every', 'each', 'rest'))
_BOTH = 'both'
#: How many more things of a class are sought where all are asked for, before that is asked anew.
_SOUGHT = 3
#: Kinds after which nothing more is put into a place that can be closed.
_SHUTTING = (SkillKind.CLOSE, SkillKind.SWITCH_ON)
_PRONOUNS = frozenset(('it', 'this'))
_INSIDE = ('in', 'into', 'inside')


def not_covered(
    subgoals: Sequence[str], conditions: Sequence[Condition], belief: BeliefState
) -> str:
    """A sentence about the first condition that subgoals leave out; '' when they cover all."""
    for condition in conditions:
        given, wanted = _given(subgoals, condition, belief), lacking(belief, condition)
        if given < wanted:
            return _left_out(condition, given)
    return ''


def more_than_lacking(
    subgoals: Sequence[str], conditions: Sequence[Condition], belief: BeliefState
) -> str:
    """A sentence about the first condition of which subgoals do more than is left; '' for none."""
    for condition in conditions:
        wanted = lacking(belief, condition)
        given = sum(brings_about(subgoal, condition, belief) for subgoal in subgoals)
        if condition.relation is not Relation.AT and condition.count != ALL and given > wanted:
            rest = condition.text.removeprefix(f'{condition.count} ')
            return f'Only {wanted} more is left to do of: {rest}.'
    return ''


def brings_about(subgoal: str, condition: Condition, belief: BeliefState) -> bool:
    """Whether a subgoal makes some thing as a condition wants it."""
    return _given((subgoal,), condition, belief) > 0


def lacking(belief: BeliefState, condition: Condition) -> int:
    """How many things are still to be made as a condition wants them; 0 once it holds."""
    if holds(belief, condition):
        return 0
    if condition.relation is Relation.AT or condition.count == ALL:
        return 1
    return max(1, condition.count - len(things_that_meet(belief, condition)))


def _left_out(condition: Condition, given: int) -> str:
    more = 'another ' if given else ''
    thing = condition.subject
    if condition.relation is Relation.AT:
        return f'Nothing leads to {condition.value}.'
    if condition.relation is Relation.HOLDING:
        return f'Nothing takes {more}{thing}.'
    if condition.relation is Relation.IN:
        every = 'every ' if condition.count == ALL else more
        return f'Nothing brings {every}{thing} to {condition.value}.'
    return f'Nothing makes {more}{thing} {condition.value}.'


def _given(subgoals: Sequence[str], condition: Condition, belief: BeliefState) -> int:
    """How many things subgoals make as a condition wants them; many of "all" and the like."""
    names = belief.names
    thing, place = _class(condition.subject), ''
    if condition.relation in (Relation.IN, Relation.AT):
        place = _class(condition.value)
    named = [{mention.name for mention in names.find(subgoal)} for subgoal in subgoals]
    if condition.relation is Relation.AT:
        return sum(place in known for known in named)
    total = 0
    for subgoal, known in zip(subgoals, named, strict=True):
        does = _tells_state(subgoal, condition, belief) if not place else place in known
        if thing in known and does:
            total += _number(subgoal, thing, belief)
    if not total and place and condition.count == 1:
        # A pronoun may stand for the only thing: "find crate, put it on truck".
        pronoun = any(
            place in known and not _PRONOUNS.isdisjoint(words_of(subgoal))
            for subgoal, known in zip(subgoals, named, strict=True)
        )
        kinds = belief.names.kind
        things = {name for known in named for name in known if kinds(name) is NameKind.THING}
        total = int(pronoun and things == {thing})
    return total


def _number(subgoal: str, thing: str, belief: BeliefState) -> int:
    words = words_of(subgoal)
    if not _EVERY.isdisjoint(words):
        return MOST_SUBGOALS
    return max(1, named_counts(subgoal, belief.names)[thing], 2 * (_BOTH in words))


def _tells_state(subgoal: str, condition: Condition, belief: BeliefState) -> bool:
    if condition.relation is not Relation.IS:
        return True
    words = words_of(subgoal)
    makers = _makers(belief, condition)
    if not makers or condition.value in words:
        return True
    verbs = (words_of(maker.verb) for maker in makers)
    return any(all(word in words for word in verb) for verb in verbs)


def _makers(belief: BeliefState, condition: Condition) -> tuple[SkillType, ...]:
    """Skills that make a thing as a condition wants it."""
    return belief.skills.makers_of(condition.relation, condition.value)


def _class(name: str) -> str:
    return class_and_number(name)[0]


def infeasible(flow: ControlFlow, subgoals: Sequence[str], belief: BeliefState) -> str:
    """A sentence about two steps that cannot be done in their order; '' where none is known.

    A place is opened before something is put into it, and closed, or switched on where it can be
    closed, after; a thing is changed before it is put where something is then switched on or
    closed.
    """
    if flow is not ControlFlow.SEQUENCE:
        return ''
    by_place: dict[str, list[tuple[int, SkillKind]]] = {}
    for at, kind, place in _steps(subgoals, belief):
        by_place.setdefault(place, []).append((at, kind))
    for place, steps in by_place.items():
        puts = [at for at, kind in steps if kind is SkillKind.PUT]
        opened = [at for at, kind in steps if kind is SkillKind.OPEN]
        if puts and opened and puts[0] < opened[0]:
            return f'The {place} is opened after something is put into it.'
        shut = [(at, kind) for at, kind in steps if kind in _SHUTTING]
        if puts and shut and shut[-1][0] < puts[-1]:
            closes = shut[-1][1] is SkillKind.CLOSE
            if closes or _can_be_closed(place, belief):
                done = 'closed' if closes else 'switched on'
                return f'The {place} is {done} before everything is put there.'
    return _changed_too_late(subgoals, belief)


def _steps(subgoals: Sequence[str], belief: BeliefState) -> Iterator[tuple[int, SkillKind, str]]:
    """Number of a subgoal, what it does, and to which place."""
    for at, subgoal in enumerate(subgoals):
        put = _put_into(subgoal, belief)
        if put is not None:
            yield at, SkillKind.PUT, put[1]
        for one in _asked(subgoal, belief):
            if one.kind in STATE_KINDS:
                yield at, one.kind, one.mention.name


def _asked(subgoal: str, belief: BeliefState) -> tuple[AskedSkill, ...]:
    return asked_skills(subgoal, belief.names.find(subgoal), belief.skills)


def _put_into(subgoal: str, belief: BeliefState) -> tuple[str, str] | None:
    """The thing and the place of a subgoal that puts one thing somewhere."""
    asked = _asked(subgoal, belief)
    found = belief.names.find(subgoal)
    things = [one.name for one in found if one.kind is NameKind.THING]
    places = [one.name for one in found if one.kind is NameKind.PLACE]
    plain = words_of(subgoal)[:1] == ['put']
    if not (plain or any(one.kind is SkillKind.PUT for one in asked)):
        return None
    return (things[0], places[-1]) if things and places else None


def _can_be_closed(name: str, belief: BeliefState) -> bool:
    facts = belief.memory.facts(name)
    door_states = belief.skills.states_after(SkillKind.OPEN, SkillKind.CLOSE)
    return any(not door_states.isdisjoint(fact.state.split(', ')) for fact in facts)


def _changed_too_late(subgoals: Sequence[str], belief: BeliefState) -> str:
    puts = [(at, _put_into(subgoal, belief)) for at, subgoal in enumerate(subgoals)]
    shut = {name: at for at, kind, name in _steps(subgoals, belief) if kind in _SHUTTING}
    for at, put in puts:
        if put is None or shut.get(put[1], -1) < at:
            continue
        for subgoal in subgoals[at + 1 :]:
            for one in _asked(subgoal, belief):
                if one.kind is SkillKind.CHANGE and one.mention.name == put[0]:
                    return f'"{subgoal}" comes after the {put[0]} is put away.'
    return ''


def written_in_order(
    conditions: Sequence[Condition], belief: BeliefState, goal: str
) -> tuple[ControlFlow, tuple[str, ...]]:
    """As `written_from`, in the order that a goal tells, where it tells one."""
    told = _in_told_order(conditions, belief, goal)
    return written_from(told or conditions, belief, goal, bool(told))


def _in_told_order(
    conditions: Sequence[Condition], belief: BeliefState, goal: str
) -> Sequence[Condition]:
    """Conditions in the order in which a goal wants them; () where it tells none."""
    reading = read_clauses(goal, belief.skills.verbs)
    if not reading.ordered or len(conditions) < 2:
        return ()
    if list(reading.ranks) == sorted(reading.ranks):
        return conditions
    mentions = belief.names.find_all(goal)

    def rank(condition: Condition) -> int:
        # A thing is brought where its place is named.
        brings = condition.relation in (Relation.IN, Relation.AT)
        meant = meant_by(belief, condition.value if brings else condition.subject)
        named = (one for one in mentions if meant.name == one.name)
        return min((reading.ranks[one.start] for one in named), default=0)

    return sorted(conditions, key=rank)


def written_from(
    conditions: Sequence[Condition], belief: BeliefState, goal: str, ordered: bool
) -> tuple[ControlFlow, tuple[str, ...]]:
    """Subgoals that bring about what conditions still lack, and how they are joined.

    :param goal: whose words tell whether a thing is put in or on a place.
    :param ordered: whether it tells an order, which its conditions have.
    """
    lacked = [one for one in conditions if lacking(belief, one)]
    ranks = [_rank(condition, lacked, belief) for condition in lacked]
    pairs = list(zip(ranks, lacked, strict=True))
    if not ordered:
        pairs.sort(key=lambda pair: pair[0])
    subgoals = [text for _, one in pairs for text in _texts(one, belief, goal)]
    in_order = ordered or len(set(ranks)) > 1
    flow = ControlFlow.SEQUENCE if in_order else ControlFlow.PARALLEL
    return flow, tuple(subgoals[:MOST_SUBGOALS])


def _rank(
    condition: Condition, conditions: Sequence[Condition], belief: BeliefState
) -> tuple[int, int]:
    """Things are changed, then put away, into a container before that; then what is to be held is
    taken, then places are closed or switched on, and at last the robot goes where it is to be.
    """
    match condition.relation:
        case Relation.IN:
            return 1, filled_before(condition, conditions)
        case Relation.HOLDING:
            return 2, 0
        case Relation.AT:
            return 4, 0
    is_switch = any(maker.kind in STATE_KINDS for maker in _makers(belief, condition))
    return (3, 0) if is_switch else (0, 0)


def filled_before(condition: Condition, conditions: Sequence[Condition]) -> int:
    """How many containers within each other are filled before a thing is put away."""
    above = [condition]
    for deep in range(len(conditions) + 1):
        away = {_class(one.subject) for one in above}
        above = [
            one for one in conditions if one.relation is Relation.IN and _class(one.value) in away
        ]
        if not above:
            return deep
    return 0  # they contain each other


def _texts(condition: Condition, belief: BeliefState, goal: str) -> list[str]:
    if condition.relation is Relation.AT:
        return [_filled(_makers(belief, condition), (condition.value,), 'go to {0}')]
    met = things_that_meet(belief, condition)
    if condition.count == ALL:
        things = [name for name in things_known(belief, condition) if name not in met]
        if belief.exploration.unseen(belief.vocabulary.rooms):
            # Each is searched everywhere; once nothing more is found, all are as they shall be.
            first = 'another ' if met or things else ''
            things.append(first + condition.subject)
            things += [f'another {condition.subject}'] * (_SOUGHT - 1)
        things = things or [f'every {condition.subject}']
    else:
        number = lacking(belief, condition)
        first = 'another ' if met and not condition.is_numbered else ''
        things = [first + condition.subject, *[f'another {condition.subject}'] * (number - 1)]
        things = sorted(things_meant(belief, condition) - met)[:number] or things
    return [_text(condition, thing, belief, goal) for thing in things[:MOST_SUBGOALS]]


def _text(condition: Condition, thing: str, belief: BeliefState, goal: str) -> str:
    makers = _makers(belief, condition)
    if condition.relation is Relation.HOLDING:
        return _filled(makers, (thing,), 'take {0}')
    if condition.relation is Relation.IS:
        if spoken := spoken_maker(belief, condition):
            return spoken
        return _filled(makers, (thing,), f'make {{0}} {condition.value}')
    joint = 'in' if _is_put_inside(condition.value, belief, goal) else 'on'
    return _filled(makers, (thing, condition.value), f'put {{0}} {joint} {{1}}')


def _filled(makers: Sequence[SkillType], values: tuple[str, ...], otherwise: str) -> str:
    """The words of a skill with just these names; else plain words."""
    for maker in makers:
        slots = maker.slots
        if len(slots) == len(values) and all(slot.type.is_name for slot in slots):
            return maker.filled(values)
    if len(values) == 1 and makers and makers[0].slots:
        return f'{makers[0].verb} {values[0]}'
    return otherwise.format(*values)


def _is_put_inside(place: str, belief: BeliefState, goal: str) -> bool:
    words = words_of(goal)
    for mention in belief.names.find(goal):
        begin = before_determiners(words, mention.start)
        if mention.name == _class(place) and begin:
            return words[begin - 1] in _INSIDE
    return _can_be_closed(_class(place), belief)
