"""Conversations with a model in this process: its markers are control tokens, all else is text."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Conversation, PictureFile, Role, Turn
from reactree_core.errors import ModelError
from reactree_core.ports import Sample, Selection, Strategy
from reactree_planner.llm.chat import no_pictures
from reactree_planner.llm.in_process.chat_templates import ChatTemplate
from reactree_planner.llm.in_process.session import InProcessSession, SharedEngine


class InProcessChat(InProcessSession):
    """Port `ChatSession`: tokens of each turn, with the template's markers between them.

    The tokens of what was said are kept as they were read or written, so that only the newest
    turn is evaluated when the next answer begins.
    """

    def __init__(self, model: SharedEngine, template: ChatTemplate, cancel: CancelToken) -> None:
        super().__init__(model, cancel)
        self._template = template
        self._turns: list[Turn] = []
        self._said: list[list[int]] = []
        #: Where the tokens of the answer begin; None while nobody answers.
        self._answer_at: int | None = None

    def begin_with(self, turns: Sequence[Turn]) -> None:
        """Say turns with which other conversations begin too."""
        for turn in turns:
            self.say(turn.role, turn.text, turn.pictures)
        if turns:
            # Without the marker that begins an answer, which may not come next.
            *markers, _ = self._template.markers([turn.role for turn in turns])
            with self._model.lock:
                self.evaluated_text.begin_with(self._tokens_with(markers))

    @property
    def text(self) -> str:
        """The turns as plain text."""
        return Conversation(self._turns, super().text).text

    def say(self, role: Role, text: str, pictures: Sequence[PictureFile] = ()) -> None:
        """Add a whole turn; evaluated with the next answer."""
        if pictures:
            raise no_pictures(self._model.name)
        if self._answer_at is not None:
            self._turns.append(Turn(Role.ASSISTANT, super().text))
            self._said.append(self.evaluated_text.tokens[self._answer_at :])
            self._answer_at = None
            self._written.clear()
        self._turns.append(Turn(role, text))
        with self._model.lock:
            self._said.append(self._model.engine.tokenize(text, first=False))

    def _tokens_with(self, markers: Sequence[str]) -> list[int]:
        """Markers and turns in turn. :param markers: as many as turns, or one more."""
        engine = self._model.engine
        tokens: list[int] = []
        with self._model.lock:
            for place, marker in enumerate(markers):
                tokens += engine.tokenize(marker, first=not place, control=True)
                tokens += self._said[place] if place < len(self._said) else ()
        return tokens

    def _begin_answer(self) -> None:
        """Go on as the assistant, from the first token that is another than before."""
        if self._answer_at is not None:
            return
        if not self._turns:
            raise ModelError('The conversation is empty: say a turn before you ask the model.')
        wanted = self._tokens_with(self._template.markers([turn.role for turn in self._turns]))
        evaluated = self.evaluated_text
        same = next(
            (
                place
                for place, (one, other) in enumerate(zip(evaluated.tokens, wanted, strict=False))
                if one != other
            ),
            min(len(evaluated.tokens), len(wanted)),
        )
        with self._model.lock:
            evaluated.cut(same)
        evaluated.append(wanted[same:])
        self._answer_at = len(wanted)

    def append(self, text: str) -> None:
        """Add to what the assistant says."""
        if text:
            self._begin_answer()
            super().append(text)

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """Choose what the assistant says next."""
        self._begin_answer()
        return super().select(options, strategy)

    def _generated(
        self,
        stop: Sequence[str],
        max_tokens: int,
        temperature: float,
        seed: int,
        top_p: float,
        scored: bool,
    ) -> Sample:
        self._begin_answer()
        return super()._generated(stop, max_tokens, temperature, seed, top_p, scored)

    def _empty_twin(self) -> InProcessChat:
        self._begin_answer()
        other = InProcessChat(self._model, self._template, self._cancel)
        other._turns = list(self._turns)
        other._said = list(self._said)
        other._answer_at = self._answer_at
        return other

    def fork(self) -> InProcessChat:
        """A second session with the same turns; evaluated cells are shared."""
        other = super().fork()
        assert isinstance(other, InProcessChat), 'as the twin is'
        return other
