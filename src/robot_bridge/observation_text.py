"""What a robot's belief says to the planner: sentences, facts, and by what each is known."""

from __future__ import annotations

from collections.abc import Iterator

from reactree_core.measures import SEATS
from reactree_core.observation import ObjectFact, Observation, Outcome
from reactree_core.skill_types import class_and_number, Effect, Relation
from robot_bridge.applicable import admissible
from robot_bridge.belief import Belief, listed, ROBOT, sources_of
from robot_bridge.provenance import told_evidence
from robot_bridge.robot import Robot

#: Most things of earlier that are given.
_MOST_KNOWN = 50
#: Mark of what no sense reports: an effect, or a vision-language model.
_ASSUMED = {False: 'assumed', True: 'seen by a model'}


def observation_of(
    belief: Belief,
    said: str = '',
    outcome: Outcome = Outcome.SUCCEEDED,
    skill: str = '',
) -> Observation:
    """What a robot believes now, as an observation. :param said: comes first; '' for a look."""
    sentences = [said] if said else list(_about_names(belief.robot))
    sentences += _Here(belief).sentences()
    if not said:
        # Of a number of its own it is said already why it is not known.
        own = {f'{name} ' for name in belief.robot.file.state.numbers}
        sentences += (text for what, text in belief.notices.items() if what not in own)
    return Observation(
        ' '.join(sentences),
        outcome,
        skill,
        belief.place,
        belief.room,
        belief.viewed,
        held=tuple(belief.held),
        admissible_skills=admissible(belief),
        facts=tuple(_facts(belief)),
        sensed=tuple(belief.sensed()),
        assumed=tuple(effect.text for effect in belief.assumed()),
        evidence=tuple(map(belief.on_node_clock, told_evidence(belief))),
    )


def _about_names(robot: Robot) -> Iterator[str]:
    places = robot.file.places
    if places:
        shown = (f'{name} ({at.region})' if at.region else name for name, at in places.items())
        yield f'The named places are {", ".join(shown)}.'


class _Here:
    """Sentences about the robot and what is around it."""

    def __init__(self, belief: Belief) -> None:
        self._belief = belief
        self._robot = belief.robot
        self._assumed = set(belief.assumed())

    def sentences(self) -> Iterator[str]:
        """Where it is, what it holds, what it sees, and what is known from before."""
        yield from self._about_place()
        yield from self._about_numbers()
        yield from self._about_hands()
        yield from self._about_things()
        yield from self._belief.contradictions()

    def _mark(self, *fact: str) -> str:
        """What follows a fact that no sense reports."""
        relation, *names = fact
        subject, value = names if len(names) > 1 else ('', names[0])
        is_assumed = Effect(Relation(relation), subject, value) in self._assumed
        thing = self._belief.things.get(subject)
        by_model = thing is not None and thing.by_model
        return f' ({_ASSUMED[by_model]})' if is_assumed else ''

    def _about_place(self) -> Iterator[str]:
        belief, silent = self._belief, self._belief.silent
        if belief.place:
            yield f'You are at {belief.place}{self._mark("at", belief.place)}.'
        elif belief.pose is not None:
            x, y, frame = belief.pose.x, belief.pose.y, belief.pose.frame
            yield f'You are at no named place (x {x:.1f} m, y {y:.1f} m in {frame}).'
        elif 'place' in silent:
            yield f'Where you are is not known: {silent["place"]}.'

    def _about_numbers(self) -> Iterator[str]:
        for name in self._robot.file.state.numbers:
            *words, number = self._belief.states(name) or ['']
            if number:
                yield f'The {name} is {number}{f" ({listed(words)})" if words else ""}.'
            else:
                why = self._belief.silent.get(name, 'no number is reported')
                yield f'The {name} is not known: {why}.'

    def _about_hands(self) -> Iterator[str]:
        belief = self._belief
        silent = belief.silent.get('held', '')
        held = [f'{name}{self._grip(name)}' for name in belief.held_where()]
        if silent:
            yield f'What you hold is not known: {silent}.'
            if held:
                yield f'By what was done it is {listed(held)}.'
        elif held:
            yield f'You hold {listed(held)}.'
        elif self._can_hold():
            yield 'You hold nothing.'

    def _grip(self, held: str) -> str:
        """By what it is known that a thing is held. :param held: with its hand."""
        for hand, name in self._belief.hands():
            if held == (f'{name} in {hand}' if hand else name):
                verdict = self._belief.report_on(Effect(Relation.HOLDING, hand, name))
                if verdict.holds:
                    return f' (by {sources_of(verdict)})'
                by = self._belief.grips(name, hand)
                if by:
                    return f' (by {by} something is held; what is assumed)'
                return self._mark('holding', name)
        return ''

    def _about_things(self) -> Iterator[str]:
        belief, silent = self._belief, self._belief.silent
        seen = [name for name in belief.seen if name not in belief.held]
        if seen:
            yield f'You see {listed([self._shown(name) for name in seen])}.'
        elif 'facts' in silent:
            yield f'What is here is not known: {silent["facts"]}.'
        elif self._robot.senses.facts:
            yield 'You see nothing that has a name.'
        known = [
            self._shown(name)
            for name, thing in belief.things.items()
            if (thing.place or thing.assumed) and name not in (*belief.seen, *belief.held)
        ]
        if known:
            yield f'Known from before: {listed(known[:_MOST_KNOWN])}.'

    def _can_hold(self) -> bool:
        return any(
            effect.relation is Relation.HOLDING
            for skill in self._robot.skills
            for effect in skill.type.facts
        )

    def _shown(self, name: str) -> str:
        thing = self._belief.things[name]
        place = ''
        if thing.place and thing.place != ROBOT:
            last = self._belief.last_seen(thing.where)
            mark = f' ({last})' if last else self._mark('in', name, thing.place)
            place = f' at {thing.place}{mark}'
        mark = f', {_ASSUMED[thing.by_model]}'
        reported_states = self._belief.states(name)
        states = [f'{state}{mark * (state in thing.assumed)}' for state in reported_states]
        shown = f' ({", ".join(states)})' if states else ''
        return f'{name}{place}{shown}'


def _facts(belief: Belief) -> Iterator[ObjectFact]:
    places = belief.robot.file.places
    for name, entry in places.items():
        seats = [] if entry.seats is None else [f'{SEATS} {entry.seats}', *belief.states(name)]
        yield ObjectFact(*class_and_number(name), room=entry.region, state=', '.join(seats))
    for name in belief.robot.file.state.numbers:
        # One that is not known is given without its number.
        yield ObjectFact(*class_and_number(name), state=', '.join(belief.states(name)))
    for name, thing in belief.things.items():
        if not (thing.place or name in belief.seen or thing.assumed):
            continue
        at = places.get(thing.place)
        yield ObjectFact(
            *class_and_number(name),
            room=belief.room if thing.place == ROBOT else at.region if at else '',
            receptacle=thing.place,
            state=', '.join(belief.states(name)),
            seen_at=belief.seen_at(thing),
        )
