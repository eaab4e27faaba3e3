"""An exam from its first question to the profile."""

from __future__ import annotations

import time
from collections.abc import Callable

from reactree_core.cancellation import CancelToken
from reactree_core.permission.spending import Price
from reactree_core.ports import LanguageModel, RemoteModel
from reactree_planner.exam.advice import advice_of
from reactree_planner.exam.answers import readings_of, scores_of
from reactree_planner.exam.asking import ask_all, grammar_answers
from reactree_planner.exam.profile import Profile
from reactree_planner.exam.questions import VERSION
from reactree_planner.llm.without_model import needs_no_model


def take_exam(
    model: LanguageModel,
    spec: str,
    server_model: str = '',
    price: Price | None = None,
    begin: Callable[[int, int], object] = lambda number, of: None,
) -> Profile:
    """Ask all questions, and say what the answers come to; nothing is kept.

    :param spec: as the parameter `model`, :param server_model: as that parameter.
    :param price: of the model; None where none is known.
    :param begin: called with the number of each question, from 1, and how many there are.
    :raises ModelError: the model cannot be reached or used. :raises CanceledError: stopped.
    """
    cancel = CancelToken()
    if isinstance(model, RemoteModel):
        model.connect(cancel)
    answers = ask_all(model, cancel, begin, patient=needs_no_model(spec))
    return Profile(
        model=spec,
        server_model=server_model,
        name=model.name,
        version=VERSION,
        date=time.strftime('%Y-%m-%d'),
        scores=scores_of(answers, price),
        readings=readings_of(answers),
        grammar=readings_of(grammar_answers()),
        advice=advice_of(answers),
        answers=answers,
    )
