"""What temporal rules of a run still ask for: their formulas, progressed by each skill."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial

from reactree_core.permission.formulas import (
    Atom,
    atoms_of,
    FALSE,
    Formula,
    holds_at_end,
    progress,
)
from reactree_core.permission.matching import Binding, Moment
from reactree_core.permission.rules import can_be_kept, Rule, truth_of

#: Texts of skills of which is kept what follows from them.
MOST_TEXTS = 8192
#: Number of a rule, and the things that it speaks of here.
_Key = tuple[int, Binding]
_Formulas = dict[_Key, Formula]


class TemporalRules:
    """The temporal ones of some rules; with shared slots, each for the things of every skill."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules: tuple[Rule, ...] = ()
        self._formulas: _Formulas = {}
        #: Every skill that may have changed something, and whether it succeeded.
        self._past: list[tuple[Moment, bool]] = []
        self.add(rules)

    def add(self, rules: Sequence[Rule]) -> None:
        """Let rules hold from now on, beside those that hold already."""
        self._formulas |= {
            (number, ()): rule.formula
            for number, rule in enumerate(rules, len(self._rules))
            if rule.is_temporal and not rule.shared
        }
        self._rules = (*self._rules, *rules)
        #: Of things that were on offer and that nothing was done with, so as not to go through
        #: all that was done again.
        self._new: _Formulas = {}
        #: By what is true at a skill: the rule that it would break, until the next skill.
        self._broken: dict[frozenset[Atom], Rule | None] = {}
        #: By the text of a skill: what rules with shared slots say of its things.
        self._by_text: dict[str, tuple[_Key, ...]] = {}

    def broken_by(self, moment: Moment) -> Rule | None:
        """The rule that no run could keep any more after a skill, even if it succeeds."""
        formulas = self._with_new(moment)
        atoms = atoms_of(*formulas.values())
        true = frozenset(atom for atom in atoms if truth_of(atom, moment, True))
        if len(formulas) == len(self._formulas) and true in self._broken:
            # Asked for every skill on offer, most of which make the same atoms true.
            return self._broken[true]
        after = {key: progress(one, true.__contains__) for key, one in formulas.items()}
        broken = self._unkept(after)
        if len(formulas) == len(self._formulas):
            self._broken[true] = broken
        return broken

    @property
    def broken(self) -> Rule | None:
        """A rule that cannot be kept any more, whatever is done."""
        return self._unkept(self._formulas)

    def _unkept(self, formulas: _Formulas) -> Rule | None:
        """Of formulas that cannot all be fulfilled, the rule to name; None where they can be."""
        if can_be_kept(tuple(formulas.values())):
            return None
        broken = [number for (number, _), one in formulas.items() if one == FALSE]
        still_open = (n for (n, _), one in formulas.items() if not holds_at_end(one))
        return self._rules[broken[0] if broken else next(still_open)]

    def open_at(self, end: Moment) -> tuple[Rule, ...]:
        """Rules, bound to things, that would be broken if the run ended now."""
        truth = partial(truth_of, moment=end, succeeded=False)
        return tuple(
            self._rules[number].bound(binding)
            for (number, binding), formula in self._formulas.items()
            if not holds_at_end(progress(formula, truth))
        )

    def record(self, moment: Moment, succeeded: bool) -> None:
        """Take in a skill that was done."""
        self._formulas = self._progressed(self._with_new(moment), moment, succeeded)
        self._end(moment, succeeded)

    def foreseen(self, moment: Moment) -> TemporalRules:
        """As they will be once a skill has succeeded; themselves where none waits for that."""
        formulas = self._progressed(self._with_new(moment), moment, True)
        heard = (c for rule in self._rules if rule.shared for c in (*rule.only_after, *rule.then))
        if formulas == self._formulas and all(one.matches(moment) is False for one in heard):
            return self
        then = copy(self)
        then._formulas, then._past = formulas, [*self._past]
        then._end(moment, True)
        return then

    def _end(self, moment: Moment, succeeded: bool) -> None:
        new = {key: one for key, one in self._new.items() if key not in self._formulas}
        self._new = self._progressed(new, moment, succeeded)
        self._broken = {}
        if any(rule.shared for rule in self._rules):
            self._past.append((moment, succeeded))

    @staticmethod
    def _progressed(formulas: _Formulas, moment: Moment, succeeded: bool) -> _Formulas:
        truth = partial(truth_of, moment=moment, succeeded=succeeded)
        return {key: progress(one, truth) for key, one in formulas.items()}

    def _with_new(self, moment: Moment) -> _Formulas:
        """What rules still ask for, with those that begin to speak of certain things here."""
        formulas = self._formulas
        for key in self._of_text(moment.skill):
            if key in formulas:
                continue
            if key not in self._new:
                number, binding = key
                self._new[key] = self._after_past(self._rules[number].bound(binding).formula)
            formulas = {**formulas, key: self._new[key]}
        return formulas

    def _of_text(self, skill: str) -> tuple[_Key, ...]:
        """What is spoken of by a skill; the same is on offer again and again."""
        if skill not in self._by_text:
            if len(self._by_text) >= MOST_TEXTS:
                self._by_text.clear()
            self._by_text[skill] = tuple(
                (number, binding)
                for number, rule in enumerate(self._rules)
                for binding in rule.bindings(skill)
            )
        return self._by_text[skill]

    def _after_past(self, formula: Formula) -> Formula:
        for moment, succeeded in self._past:
            formula = progress(formula, partial(truth_of, moment=moment, succeeded=succeeded))
        return formula
