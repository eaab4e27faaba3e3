"""Which of many skills comes next: chosen slot by slot, open slots written by the model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from reactree_core.bounds import Bounds, number_text, read_number
from reactree_core.ports import LanguageSession
from reactree_core.record.trajectory_text import single_line
from reactree_core.skill_types import SkillType, SlotType
from reactree_planner.agents.node_context import ModelTalk, SAMPLING
from reactree_planner.facts.skills import Skill
from reactree_planner.runs.run_world import RunWorld
from reactree_planner.runs.settings import Decoding, TrialSampling

#: Menus up to this long are given to the model as they are; hosted servers take not many more.
MOST_AT_ONCE = 400
#: Longest text that is written into a slot, in characters, and longest number, in tokens.
_LONGEST_TEXT = 300
_NUMBER_TOKENS = 12
_NUMBER = re.compile(r'[-+]?[0-9]+(?:\.[0-9]+)?')
#: Draws between those of two trials, and of one run at most (`PlannerSettings.seed_of`).
_DRAWS, _MOST_DRAWS = 61, 1009
_WORD = re.compile(r'\s*\S+|\s+')


class SkillChoice:
    """Chooses for one agent.

    A long menu is chosen from slot by slot, which costs the distinct names and not every grounding
    of them. Numbers with bounds are chosen from those that fit. Other numbers and texts that
    a skill leaves open are written by the model, no longer than they may be;
    the skill server refuses those that make no sense.

    :param context: the agent's talk with the model.
    :param trial: of the task, from 0; what is chosen in later ones is sampled, where the settings
        say so.
    """

    def __init__(self, world: RunWorld, context: ModelTalk, trial: int = 0) -> None:
        self._world = world
        self._context = context
        sampling = context.settings.trial_sampling is TrialSampling.EVERYTHING
        self._sampled_trial = trial if sampling else 0
        self._draws = 0

    def choose(self, offered: Sequence[str]) -> str:
        """The skill that comes next, appended to the agent's session after a space."""
        if self._context.settings.decoding is Decoding.FREE:
            return self._written()
        session = self._context.session
        sampled = self.sampled([f' {text}' for text in offered])
        if sampled is not None:
            session.append(f' {offered[sampled]}\n')
            return offered[sampled]
        parsed = [self._world.belief.skills.parse(text) for text in offered]
        options = [
            _pieces(f' {text}\n', skill) for text, skill in zip(offered, parsed, strict=True)
        ]
        if not any(skill is not None and skill.has_gap for skill in parsed):
            return offered[self._choose(session, options)]
        with self._context.fork() as fork:
            index = self._choose(fork, options)
        chosen = parsed[index]
        if chosen is None or not chosen.has_gap:
            session.append(f' {offered[index]}\n')
            return offered[index]
        return self._filled(chosen)

    def sampled(self, options: Sequence[str]) -> int | None:
        """Index of the option that the model writes freely, sampled; nothing is appended.

        None in a trial that is not sampled, and where it has written none of them in several
        tries: then it is kept to them.
        """
        if not self._sampled_trial:
            return None
        settings = self._context.settings
        lines = [single_line(option) for option in options]
        for _ in range(settings.expand_tries):
            # Trials of one task begin alike: none draws as another does.
            draw = (self._sampled_trial * _DRAWS + self._draws) % _MOST_DRAWS
            self._draws += 1
            with self._context.fork() as fork:
                written = single_line(
                    fork.generate(
                        max_tokens=settings.thought_tokens,
                        temperature=SAMPLING,
                        seed=settings.seed_of(draw),
                    )
                )
            fitting = [index for index, line in enumerate(lines) if written == line]
            if not fitting:
                # A kind of decision: what follows it is asked for by itself.
                fitting = [
                    index
                    for index, line in enumerate(lines)
                    if line.endswith(':') and written.startswith(line)
                ]
            if fitting:
                return fitting[0]
        return None

    def _written(self) -> str:
        """A line of the model, whether or not it names a skill."""
        session = self._context.session
        written = session.generate(max_tokens=self._context.settings.thought_tokens)
        session.append('\n')
        return single_line(written, _LONGEST_TEXT) or '?'

    def _choose(self, session: LanguageSession, options: Sequence[tuple[str, ...]]) -> int:
        if len(options) <= MOST_AT_ONCE:
            return self._context.choose(session, [''.join(pieces) for pieces in options])
        return self._choose_by_pieces(session, options)

    def _choose_by_pieces(
        self, session: LanguageSession, options: Sequence[tuple[str, ...]], words: bool = False
    ) -> int:
        """Index of the option that the model chooses piece by piece; appended to the session.

        :param options: different texts in pieces, of which none begins another.
        :param words: whether the pieces are single words.
        """
        left = list(range(len(options)))
        depth = 0
        while len(left) > 1:
            groups: dict[str, list[int]] = {}
            for index in left:
                groups.setdefault(options[index][depth], []).append(index)
            pieces = list(groups)
            if len(pieces) == 1:
                session.append(pieces[0])
                chosen = 0
            elif words or len(pieces) <= MOST_AT_ONCE:
                chosen = self._context.choose(session, pieces)
            else:
                # One slot alone has too many names.
                with self._context.fork(session) as fork:
                    texts = [(*_WORD.findall(piece.rstrip('\n')), '\n') for piece in pieces]
                    chosen = self._choose_by_pieces(fork, texts, True)
                session.append(pieces[chosen])
            left = groups[pieces[chosen]]
            depth += 1
        session.append(''.join(options[left[0]][depth:]))
        return left[0]

    def _filled(self, skill: Skill) -> str:
        """The skill with its open slots filled, one after the other."""
        session = self._context.session
        first, *literals = re.split(r'<[^<>]*>', skill.type.template)
        text = first
        values = list(skill.values)
        session.append(' ' + first.rstrip(' '))
        for place, (slot, literal) in enumerate(zip(skill.type.slots, literals, strict=True)):
            # The space before a name belongs to the name, as models know words.
            space = ' ' if text.endswith(' ') else ''
            if values[place] == slot.text and slot.bounds is not None:
                end = literal.rstrip(' ') or '\n'
                values[place] = self._number(slot.bounds, skill.type, values, place, space, end)
            elif values[place] == slot.text:
                values[place] = self._value(slot.type, literal)
            session.append(space + values[place] + literal.rstrip(' '))
            text += values[place] + literal
        session.append('\n')
        return text

    def _number(
        self,
        bounds: Bounds,
        skill: SkillType,
        values: Sequence[str],
        place: int,
        space: str,
        end: str,
    ) -> str:
        """A number of those that fit: chosen from all, or sign by sign where they are many.

        :param values: in the skill's slots; the number is that at `place`.
        :param space: before the number. :param end: what follows it.
        """
        numbers = bounds.values(MOST_AT_ONCE)
        with self._context.fork() as fork:
            if not numbers:
                return self._number_by_signs(fork, bounds, space, end)
            skills = (skill.filled([*values[:place], n, *values[place + 1 :]]) for n in numbers)
            pairs = zip(numbers, skills, strict=True)
            allowed = [number for number, text in pairs if not self._world.rules.objection(text)]
            # Where rules deny all, the one that is tried says why.
            numbers = tuple(allowed) or numbers[:1]
            return numbers[self._choose(fork, [(f'{space}{one}{end}',) for one in numbers])]

    def _number_by_signs(
        self, session: LanguageSession, bounds: Bounds, space: str, end: str
    ) -> str:
        written, sign = '', ''
        while sign != end:
            number = read_number(written)
            signs = list(bounds.signs_behind(written))
            if number is not None and bounds.takes(number):
                signs.append(end)
            options = [f'{"" if written else space}{one}' for one in signs]
            if len(options) == 1:
                session.append(options[0])
            sign = signs[self._context.choose(session, options) if len(options) > 1 else 0]
            written += '' if sign == end else sign
        return number_text(Decimal(written))

    def _value(self, sort: SlotType, behind: str) -> str:
        """What the model writes into a slot: greedy first, then sampled while it is no such thing.

        :param behind: the words behind the slot.
        """
        settings = self._context.settings
        # With their spaces: "to" stands in "tomorrow" too.
        end = f'{behind}\n' if behind[:1] == ' ' != behind[-1:] else behind
        value = ''
        for attempt in range(settings.expand_tries):
            with self._context.fork() as fork:
                written = fork.generate(
                    stop=(end, '\n') if end.strip() else ('\n',),
                    max_tokens=settings.thought_tokens
                    if sort is SlotType.TEXT
                    else _NUMBER_TOKENS,
                    temperature=SAMPLING if attempt else 0.0,
                    seed=settings.seed + attempt,
                )
            value = single_line(written.strip(), _LONGEST_TEXT)
            number = _NUMBER.search(value) if sort is SlotType.NUMBER else None
            if number is not None:
                return number[0]
            if value and sort is SlotType.TEXT:
                return value
        return value or '?'


def _pieces(text: str, skill: Skill | None) -> tuple[str, ...]:
    """An option cut behind the words that follow each of its names."""
    if skill is None or not skill.values:
        return (text,)
    first, *literals = re.split(r'<[^<>]*>', skill.type.template)
    pieces = []
    begin = ' ' + first
    for value, literal in zip(skill.values, literals, strict=True):
        kept = literal.rstrip(' ')
        pieces.append(begin + value + kept)
        begin = literal[len(kept) :]
    pieces[-1] += begin + '\n'
    return tuple(pieces)
