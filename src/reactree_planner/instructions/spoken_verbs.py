"""The verbs of skills as people say them: in other forms, by other words, and taken apart."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_core.skill_types import SkillKind
from reactree_planner.instructions.meant_skills import does
from reactree_planner.instructions.meant_skills import SAID_FOR
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.words import gerunds_of
from reactree_planner.instructions.words import participles_of

#: Verbs that mean the same before "on" and "off".
ALIKE = {'switch': 'turn', 'power': 'turn'}
#: Every word that is said for a template's verb, in each of its forms.
SAID = {
    form: word
    for words in SAID_FOR.values()
    for word in sorted(words)
    for form in (word, *gerunds_of(word), *participles_of(word))
}


class SpokenVerbs:
    """Verbs of a skill server's templates in a text.

    :param words: of the text. :param names: of the skill server.
    """

    def __init__(self, words: Sequence[str], names: Names) -> None:
        self._words = words
        #: Verbs of templates, longest first, and the skills that begin with them.
        self.types = {
            verb: tuple(one for one in names.skill_types if one.verb == verb)
            for verb in names.verbs
        }
        #: Second words of verbs, which may stand behind the thing: "switch the pump on".
        self.particles = {verb.split()[1] for verb in self.types if len(verb.split()) == 2} - {
            'to'
        }
        self._forms = {verb: _forms(verb) for verb in self.types}

    def at(self, i: int) -> tuple[tuple[str, ...], int] | None:
        """Template verbs of which a form stands here, and how many words it takes."""
        forms = [(verb, form) for verb in self.types for form in self._forms[verb]]
        for verb, form in forms:
            if self._words[i : i + len(form)] == form:
                return (verb,), len(form)
        for verb, form in forms:
            # "switch the pump on"
            if len(form) == 2 and self._words[i] == form[0]:
                later = self._words[i + 1 : i + 7]
                if form[1] in later and form[1] not in ('to', 'at', 'into'):
                    between = later[: later.index(form[1])]
                    if not any(word in ('and', 'or', 'but') for word in between):
                        return (verb,), 1
        return None

    def of_kind(self, *kinds: SkillKind) -> tuple[str, ...]:
        """Template verbs that do this."""
        return tuple(
            verb for verb in self.types if any(does(verb, kind, self.types) for kind in kinds)
        )

    def said(self, word: str) -> tuple[str, ...]:
        """Template verbs for which a word is said; () where none is."""
        base = SAID.get(word, word)
        meant = self.of_kind(*(kind for kind, words in SAID_FOR.items() if base in words))
        return tuple(
            verb for verb in self.types if verb in meant or base in (verb, verb.split()[0])
        )


def _forms(verb: str) -> tuple[tuple[str, ...], ...]:
    """Forms in which a template's verb stands: base, -ing, -ed, as tuples of words."""
    head, _, rest = verb.partition(' ')
    heads = {head, *gerunds_of(head), *participles_of(head)}
    heads |= {
        form
        for other, base in ALIKE.items()
        if base == head
        for form in (other, *gerunds_of(other), *participles_of(other))
    }
    particles = rest.split()
    tails = [particles]
    if particles == ['to']:
        tails += [['into'], ['in'], ['inside'], ['near'], ['towards']]
    return tuple((form, *tail) for form in sorted(heads) for tail in tails)
