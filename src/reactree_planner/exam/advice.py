"""What to set for a model, by its answers: who reads, and who decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Self

from pydantic import model_validator

from reactree_core.record.run_settings import Flows, Reading
from reactree_core.written_files import Written
from reactree_planner.exam.answers import Answer, readings_of, score_of
from reactree_planner.exam.questions import Kind
from reactree_planner.runs.settings import Decides

#: Precision and coverage of readings with which a model reads, alone and beside the grammar.
_TRUSTED, _BESIDE, _COVERED = 0.9, 0.75, 0.8
#: Longest decision of a model that is asked for every skill, in seconds.
_LONGEST_DECISION = 20.0
_VALUES: Mapping[str, type[Reading | Decides | Flows]] = {
    'reading': Reading,
    'decides': Decides,
    'flows': Flows,
}


class Advice(Written):
    """One setting of a preset, its value, and why."""

    setting: Literal['reading', 'decides', 'flows']
    value: str
    why: str

    @model_validator(mode='after')
    def _is_a_value(self) -> Self:
        values = [one.value for one in _VALUES[self.setting]]
        if self.value not in values:
            raise ValueError(f'{self.setting} is one of {", ".join(values)}, not {self.value!r}')
        return self


def advice_of(answers: Sequence[Answer]) -> list[Advice]:
    """Who reads, and who decides.

    :param answers: of the model.
    """
    return [_reading(answers), _decides(answers)]


def _reading(answers: Sequence[Answer]) -> Advice:
    measure = readings_of(answers)
    nothing = [one.right for one in answers if one.kind == Kind.NOTHING.value]
    covers = measure.coverage >= _COVERED and all(nothing)
    if covers and measure.precision >= _TRUSTED and not measure.misread:
        value, so = Reading.MODEL, 'it reads what the grammar cannot'
    elif covers and measure.precision >= _BESIDE:
        value, so = Reading.BOTH, 'only what grammar and model agree on is believed'
    else:
        value, so = Reading.GRAMMAR, 'it reads too little, or wrongly'
    why = (
        f'{measure.precision:.0%} of what passes the check is right, {measure.coverage:.0%} '
        'passes, '
        f'{measure.misread} whole and wrong; {so}'
    )
    return Advice(setting='reading', value=value.value, why=why)


def _decides(answers: Sequence[Answer]) -> Advice:
    values = (Kind.DECISION.value, Kind.WORLD.value)
    decisions = [one for one in answers if one.kind in values]
    requests = max(1, sum(one.requests for one in decisions))
    pace = 2 * sum(one.seconds for one in decisions) / requests
    right = score_of('', decisions)
    if right.right < right.asked or not right.asked:
        value, so = Decides.FACTS, 'not enough to decide what facts can'
    elif pace > _LONGEST_DECISION:
        value, so = Decides.FACTS, f'right, but {pace:.0f} s a decision'
    else:
        value, so = Decides.MODEL, f'{pace:.1f} s a decision'
    return Advice(setting='decides', value=value.value, why=f'decisions {right.words}; {so}')
