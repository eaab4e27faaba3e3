"""Small vocabularies with invented words, for hypothesis: skills of every kind, 0 to 4 slots.

A skill is given with values for its slots and the sentence that the server would write for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.small_words import CLOSED, word_set

_LETTERS = st.sampled_from('bdfgklmnprstvzäøñжю')
_VOWELS = st.sampled_from('aeiouéыα')
#: Words that say something of their own beside skills: the grammar's, in all their uses.
_TAKEN = CLOSED | word_set(
    'wait stop halt cancel forget actually sorry strike scratch nope within minute minutes hour '
    'hours'
)


@st.composite
def words(draw: st.DrawFn) -> str:
    """An invented word of four or six letters."""
    pairs = draw(st.lists(st.tuples(_LETTERS, _VOWELS), min_size=2, max_size=3))
    word = ''.join(a + b for a, b in pairs)
    return word if word not in _TAKEN else f'{word}ka'


@dataclass(frozen=True)
class Grounded:
    """A skill and the text that its server writes for it.

    :param names: among its values, as they stand in the text.
    """

    type: SkillType
    values: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.type.filled(self.values)


@dataclass(frozen=True)
class MadeUp:
    vocabulary: Vocabulary
    skills: tuple[Grounded, ...]


@st.composite
def _names(draw: st.DrawFn) -> tuple[str, str]:
    """A class as it is declared, and a name of it."""
    noun = draw(words())
    form = draw(st.sampled_from(['plain', 'number', 'label', 'capital', 'hyphen', 'two']))
    if form == 'number':
        return noun, f'{noun} {draw(st.integers(1, 40))}'
    if form == 'label':
        name = f'{noun} {draw(st.sampled_from("TPA"))}{draw(st.integers(0, 99)):02}'
        return name, name
    if form == 'capital':
        return noun.capitalize(), noun.capitalize()
    if form == 'hyphen':
        name = f'{noun}-{draw(words())}'
        return name, name
    if form == 'two':
        name = f'{noun} {draw(words())}'
        return name, name
    return noun, noun


@st.composite
def vocabularies(draw: st.DrawFn) -> MadeUp:
    """A vocabulary of one to five skills, each with values for its slots."""
    named = draw(
        st.lists(_names(), min_size=2, max_size=6, unique_by=lambda one: one[0].casefold())
    )
    things, places = named[::2], named[1::2]
    kinds = {'thing': things, 'place': places}
    skills = []
    verbs = draw(st.lists(words(), min_size=1, max_size=5, unique=True))
    for verb in verbs:
        template = verb if draw(st.booleans()) else f'{verb} {draw(words())}'
        slots, values, types, names = [], [], [], []
        for index in range(draw(st.integers(0, 4))):
            sort = draw(st.sampled_from(['thing', 'place', 'number', 'text']))
            if sort == 'text' and index:
                sort = 'thing'
            joint = draw(words()) if index else ''
            template = ' '.join(filter(None, (template, joint, f'<{sort} {"abcd"[index]}>')))
            if sort in kinds:
                value = draw(st.sampled_from(kinds[sort]))[1]
                names.append(value)
                types.append(sort)
            elif sort == 'number':
                step, unit = draw(st.sampled_from([1, 5])), draw(st.sampled_from(['', ' ml']))
                value = str(draw(st.integers(0, 20)) * step)
                types.append(f'number: 0..100 step {step}{unit}')
            else:
                value = ' '.join(draw(st.lists(words(), min_size=1, max_size=3)))
                types.append('text')
            slots.append(f'<{sort} {"abcd"[index]}>')
            values.append(value)
            if sort == 'text':
                break
        effects = []
        gaps = [s for s, t in zip(slots, types, strict=True) if t in kinds]
        if gaps and draw(st.booleans()):
            effects.append(f'{gaps[0]} is {draw(words())}')
        if draw(st.booleans()):
            effects.append(f'{things[0][0]} is {draw(words())}')
        kind = draw(st.sampled_from([one for one in SkillKind if one is not SkillKind.ASK]))
        skill = SkillType(template, tuple(types), kind, effects=tuple(effects))
        skills.append(Grounded(skill, tuple(values), tuple(names)))
    vocabulary = Vocabulary(
        templates=tuple(one.type.template for one in skills),
        skill_types=tuple(one.type for one in skills),
        object_classes=tuple(one[0] for one in things),
        place_classes=tuple(one[0] for one in places),
    )
    return MadeUp(vocabulary, tuple(skills))
