"""What to set for a model, by its answers: who reads, who decides, which control flows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Self

from pydantic import model_validator

from reactree_core.record.run_settings import Flows, Reading
from reactree_core.written_files import Written
from reactree_planner.exam.answers import Answer, Score, score_of
from reactree_planner.exam.questions import Kind
from reactree_planner.runs.settings import Decides

#: Share of right answers with which a model is trusted alone, and with the grammar beside it.
_TRUSTED, _BESIDE = 0.9, 0.6
#: Share of readings that say they are whole and are wrong: what is verified, and was misread.
_MISREAD = 0.05
#: Longest decision of a model that is asked for every skill, in seconds.
_LONGEST_DECISION = 20.0
#: Share of the tasks for other control flows in which one may be chosen at most.
_FLOW_WRONG = 1 / 6
_VALUES: Mapping[str, type[Reading | Decides | Flows]] = {
    'reading': Reading,
    'decides': Decides,
    'flows': Flows,
}
_DECISIONS = (Kind.CHOICE, Kind.END, Kind.PROHIBITION, Kind.INJECTION)


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


def advice_of(answers: Sequence[Answer], grammar: Sequence[Answer]) -> list[Advice]:
    """What to set.

    :param answers: of the model. :param grammar: of the grammar, to the same sentences.
    """
    scores = {kind: score_of(kind.value, _of(answers, kind)) for kind in Kind}
    return [_reading(scores, answers, grammar), _decides(scores, answers), _flows(answers)]


def _of(answers: Sequence[Answer], *kinds: Kind) -> list[Answer]:
    values = {kind.value for kind in kinds}
    return [one for one in answers if one.kind in values]


def _reading(
    scores: Mapping[Kind, Score], answers: Sequence[Answer], grammar: Sequence[Answer]
) -> Advice:
    english, foreign = scores[Kind.ENGLISH], scores[Kind.FOREIGN]
    chosen = _of(answers, Kind.ENGLISH, Kind.FOREIGN)
    misread = sum(one.whole and not one.right for one in chosen)
    is_precise = misread <= _MISREAD * len(chosen)
    by_grammar = score_of('', _of(grammar, Kind.ENGLISH))
    least = min(english.share, foreign.share)
    if least >= _TRUSTED and is_precise:
        value, so = Reading.MODEL, 'it reads what the grammar cannot'
    elif english.share >= _TRUSTED and foreign.share >= _BESIDE:
        value, so = Reading.BOTH, 'only what grammar and model agree on is believed'
    else:
        value, so = Reading.GRAMMAR, 'it reads too little, or wrongly'
    why = (
        f'English {english.words} (the grammar {by_grammar.words}), other languages '
        f'{foreign.words}; called whole and wrong: {misread}; {so}'
    )
    return Advice(setting='reading', value=value.value, why=why)


def _decides(scores: Mapping[Kind, Score], answers: Sequence[Answer]) -> Advice:
    rows = [scores[kind] for kind in _DECISIONS]
    decisions = _of(answers, *_DECISIONS)
    pace = sum(one.seconds for one in decisions) / max(1, len(decisions))
    is_able = all(row.share >= _TRUSTED for row in rows)
    right = ', '.join(f'{row.kind} {row.words}' for row in rows)
    if is_able and pace <= _LONGEST_DECISION:
        value, so = Decides.MODEL, f'{pace:.1f} s a decision'
    elif is_able:
        value, so = Decides.FACTS, f'right, but {pace:.0f} s a decision'
    else:
        value, so = Decides.FACTS, 'not enough to decide what facts can'
    return Advice(setting='decides', value=value.value, why=f'{right}; {so}')


def _flows(answers: Sequence[Answer]) -> Advice:
    answered = _of(answers, Kind.EXPANSION)

    def is_misused(flow: str) -> bool:
        others = [one.flow == flow for one in answered if one.wanted_flow != flow]
        return sum(others) > _FLOW_WRONG * len(others)

    value = Flows.ALL
    if is_misused('fallback'):
        # What ends at the first success loses what was to come behind it.
        value = Flows.SEQUENCE
    elif is_misused('parallel'):
        value = Flows.SEQUENCE_FALLBACK
    hits = []
    for flow in ('sequence', 'fallback', 'parallel'):
        meant = [one for one in answered if one.wanted_flow == flow]
        chosen = sum(one.flow == flow for one in answered)
        right = sum(one.flow == flow for one in meant)
        hits.append(f'{flow} {right} of {len(meant)}, chosen {chosen} times')
    why = f'{"; ".join(hits)}; whole expansions {score_of("", answered).words}'
    return Advice(setting='flows', value=value.value, why=why)
