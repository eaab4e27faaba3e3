"""The seams of a planner: what it asks of a model, a skill server, a memory.

Back ends implement these by shape (typing.Protocol); no back end knows another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from reactree_core.cancellation import CancelToken
from reactree_core.chat import PictureFile, Role, Turn
from reactree_core.errors import ModelError
from reactree_core.experience import Experience, ExperienceQuery
from reactree_core.observation import Observation, Progress, Vocabulary
from reactree_core.usage import LlmUsage

#: Context in which something is waited for.
Waiting = AbstractContextManager[object]


class Strategy(Enum):
    """How `LanguageSession.select` chooses.

    CONSTRAINED goes token by token, always the likeliest that is still an option (ReAcTree's
    published system); LIKELIHOOD compares whole options by the sum of their tokens'
    log-probabilities, MEAN_LIKELIHOOD by the mean.
    """

    CONSTRAINED = 'constrained'
    LIKELIHOOD = 'likelihood'
    MEAN_LIKELIHOOD = 'mean_likelihood'


@dataclass(frozen=True, slots=True)
class Selection:
    """Answer of `LanguageSession.select`.

    :param index: of the chosen option.
    :param log_probability: of its tokens, natural logarithm; 0.0 where a back end cannot report.
    :param margin: what the choice was made by, minus that of the best rival: under CONSTRAINED
        where they part, else of whole options; inf without a rival.
    """

    index: int
    log_probability: float
    margin: float


@dataclass(frozen=True, slots=True)
class Sample:
    """One continuation of several.

    :param tokens: of the text, in order, each with its natural logarithm of the probability that
        the model gave it (before temperature and top_p); () where a back end cannot report.
    """

    text: str
    tokens: tuple[tuple[str, float], ...] = ()

    @property
    def mean_log_probability(self) -> float | None:
        """Of its tokens; None where nothing was given."""
        if not self.tokens:
            return None
        return sum(score for _, score in self.tokens) / len(self.tokens)

    def cut(self, length: int) -> Sample:
        """What is left when the text ends after so many characters."""
        if length >= len(self.text):
            return self
        kept: list[tuple[str, float]] = []
        begin = 0
        for token, score in self.tokens:
            if begin >= length:
                break
            kept.append((token[: length - begin], score))
            begin += len(token)
        return Sample(self.text[:length], tuple(kept))

    def log_probability_of(self, begin: int, end: int) -> float | None:
        """Of the tokens that begin in a part of the text; None where nothing was given.

        :param begin: index of its first character. :param end: after its last.
        """
        if not self.tokens:
            return None
        total = 0.0
        at = 0
        for token, score in self.tokens:
            if begin <= at < end:
                total += score
            at += len(token)
        return total


def check_options(options: Sequence[str]) -> None:
    """What every `LanguageSession.select` asks of its options.

    :raises ModelError: there are none, one is empty, or two are the same.
    """
    if not options or not all(options) or len(set(options)) != len(options):
        raise ModelError('select needs one or more different, non-empty options.')


class LanguageSession(Protocol):
    """A text that grows; whatever was evaluated stays evaluated."""

    @property
    def text(self) -> str:
        """Everything appended, selected and generated so far."""

    @property
    def usage(self) -> LlmUsage:
        """Counts since this session began."""

    def append(self, text: str) -> None:
        """Add text; evaluated no later than the next select or generate."""

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """Choose one option by the model and append it.

        :param options: 1 or more different non-empty texts.
        :param strategy: every back end can do CONSTRAINED.
        :raises ModelError: the model failed, or cannot score whole options.
        :raises CanceledError: stopped.
        """

    def generate(
        self,
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float = 1.0,
    ) -> str:
        """Free text up to (not including) the first stop text, appended to the session.

        :param max_tokens: 1 or more. :param temperature: 0.0 is greedy.
        :param top_p: sampled are only the likeliest tokens that together have at least this
            probability (after the temperature), over 0.0..1.0; 1.0 samples all.
        :raises ModelError: the model failed. :raises CanceledError: stopped.
        """

    def fork(self) -> LanguageSession:
        """A second session with the same text, sharing what was evaluated."""

    def drop(self) -> None:
        """Give its resources back; the session must not be used again."""


@runtime_checkable
class SamplingSession(LanguageSession, Protocol):
    """A session that draws several continuations at once, or tells their probabilities."""

    def sample(
        self,
        seeds: Sequence[int],
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 1.0,
        top_p: float = 1.0,
    ) -> Iterator[Sample]:
        """One continuation a seed, each drawn when it is asked for or before; see `generate`.

        The session's text stays as it is. A server that draws many in one request uses the first
        seed for all of them.
        """


@dataclass(frozen=True, slots=True)
class Outlook:
    """What an agent will be asked next, in the words of its frame.

    :param act: before a skill. :param skills: that may follow it; a space comes between.
    :param think: before a thought, :param after_thought: behind it; '' where none is on offer.
    :param must_think: whether a thought comes first.
    :param expand: before a control flow; '' where no expansion is on offer.
    :param flows: control flows, each a word, with :param before_flow: and, behind it,
    :param before_list: before subgoals.
    :param lasting: those of the skills that stay on offer as long as the run.
    :param are_told: whether the session's text lists the skills.
    :param tokens: room for a thought and a list of subgoals.
    """

    act: str
    skills: tuple[str, ...]
    think: str = ''
    after_thought: str = ''
    must_think: bool = False
    expand: str = ''
    flows: tuple[str, ...] = ()
    before_flow: str = ''
    before_list: str = ''
    lasting: frozenset[str] = frozenset()
    are_told: bool = False
    tokens: int = 0


@runtime_checkable
class ForeseeingSession(LanguageSession, Protocol):
    """A session whose back end decides with one request what is asked bit by bit."""

    def foresee(self, outlook: Outlook) -> None:
        """Tell what will be asked from here on, before it is.

        What follows is asked as ever; it may be answered without a further request.
        """


class LanguageModel(Protocol):
    """One model, many sessions."""

    @property
    def name(self) -> str:
        """For people and records."""

    @property
    def context_tokens(self) -> int:
        """Longest session in tokens."""

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, exact where the back end has the tokenizer."""

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> LanguageSession:
        """Begin with a text that other sessions begin with too (evaluated once, kept).

        :raises ModelError: the model failed. :raises CanceledError: stopped.
        """

    def close(self) -> None:
        """Free the model."""


class ChatSession(LanguageSession, Protocol):
    """A session whose text is a conversation, with the model's own marks between the turns.

    What is appended, selected and generated is the assistant's; `text` is for records and shows
    the turns as plain text.
    """

    def say(self, role: Role, text: str, pictures: Sequence[PictureFile] = ()) -> None:
        """Add a whole turn, behind what the assistant has said.

        :param text: data: control tokens spelled in it stay text.
        :param pictures: shown with it; those of earlier turns are forgotten.
        :raises ModelError: the model takes no pictures.
        """

    def fork(self) -> ChatSession:
        """A second session with the same turns."""


@runtime_checkable
class ChatModel(LanguageModel, Protocol):
    """A model that can hold a conversation; others hold one in plain text (`llm.chat`)."""

    @property
    def takes_pictures(self) -> bool:
        """Whether turns may have pictures."""

    def chat(self, cancel: CancelToken, turns: Sequence[Turn] = ()) -> ChatSession:
        """Begin with turns that other conversations begin with too (evaluated once, kept).

        :raises ModelError: the model failed. :raises CanceledError: stopped.
        """


class Pictures(Protocol):
    """Where pictures of the world come from: a camera's topic, a simulated world's drawing."""

    def newest(self, cancel: CancelToken) -> PictureFile | None:
        """What the camera saw last; None where there is none yet.

        :raises ReactreeError: no picture can be had; says why.
        """


@runtime_checkable
class RemoteModel(Protocol):
    """A model elsewhere: a run gets in touch first, so that its cancel ends all waiting for it."""

    def connect(self, cancel: CancelToken) -> object:
        """Ask what it offers, if that is not known yet; `cancel` ends counting tokens too.

        :raises ModelError: no usable answer. :raises CanceledError: stopped.
        """


@runtime_checkable
class FetchedModel(Protocol):
    """A model that may not be on this machine yet: its first request fetches and loads it."""

    @property
    def is_loaded(self) -> bool:
        """Whether it was fetched and loaded."""

    def attend(self, cancel: CancelToken, waiting: Callable[[str], Waiting]) -> None:
        """Wait for a fetch as a run wants it, from now on.

        :param cancel: ends the wait; what was fetched stays.
        :param waiting: given what is fetched, makes the context of the wait.
        """


@runtime_checkable
class PlanningModel(LanguageModel, Protocol):
    """A model that leaves the writing of plans to another one."""

    @property
    def planner(self) -> LanguageModel:
        """Writes plans; itself where it leaves them to none."""


class SkillServer(Protocol):
    """What a planner asks of a bridge; the waiting is done inside, with deadlines."""

    def list_skills(self, cancel: CancelToken) -> tuple[Vocabulary, Observation]:
        """Names and templates, and what the robot sees now.

        :raises SkillError: no answer in time.
        """

    def candidate_skills(self, cancel: CancelToken) -> tuple[str, ...]:
        """The wider published set: everything visible, whether or not it can succeed."""

    def look(self, cancel: CancelToken) -> Observation:
        """What the robot sees now, without doing anything."""

    def execute(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        """Run one skill to its end.

        :raises BridgeLostError: the server disappeared. :raises CanceledError: stopped.
        """

    def progress(self, cancel: CancelToken) -> Progress | None:
        """Goal conditions met, or None when the bridge cannot judge."""

    def reset(self, cancel: CancelToken) -> None:
        """Put the world back to where its task began; only simulated worlds can.

        :raises SkillError: it cannot, or does not answer in time; says why.
        """


@runtime_checkable
class TellingSkillServer(SkillServer, Protocol):
    """A skill server that may tell when anything that it senses has changed."""

    def listen(self, listener: Callable[[], None]) -> bool:
        """Call somebody, from any thread, at every change; whether it reports any."""


@runtime_checkable
class SettlingSkillServer(SkillServer, Protocol):
    """A skill server whose canceled skills take a while to end: a robot's."""

    def settle(self, cancel: CancelToken, fresh: bool = False) -> None:
        """Wait until no skill runs that was asked for.

        :param fresh: what was reported before does not count.
        :raises SkillRunsError: one does, for longer than a skill may take to end.
        """


@runtime_checkable
class SnapshotSkillServer(SkillServer, Protocol):
    """A skill server whose world can be put back: a simulator's."""

    def snapshot(self, cancel: CancelToken) -> str:
        """Keep the world as it is; answers what `restore` takes, '' where it cannot be kept."""

    def restore(self, snapshot: str, cancel: CancelToken) -> Observation:
        """Put the world back; answers what the robot then sees.

        :raises SkillError: it is not kept any more, or there is no answer in time.
        """


@runtime_checkable
class ExpertSkillServer(SkillServer, Protocol):
    """A skill server that knows how its task is done: a simulator's, never a robot's."""

    def expert_plan(self, cancel: CancelToken) -> tuple[str, ...]:
        """Skills that carry the loaded task out from here; the world stays as it is.

        :raises SkillError: there is no expert, or it finds no way; says why.
        """


@dataclass(frozen=True, slots=True)
class Listed:
    """What one robot of a team can do and names, and what it sees at first."""

    who: str
    vocabulary: Vocabulary
    observation: Observation


@runtime_checkable
class TeamSkillServer(SkillServer, Protocol):
    """The skill servers of several robots, which work at the same time.

    Asked from one thread. What a robot answers comes out of `next_ended`, in one order for all.
    """

    def list_team(self, cancel: CancelToken) -> tuple[Listed, ...]:
        """The robots in their order, which settles who comes first wherever that is open.

        :raises SkillError: no answer in time.
        """

    def look_of(self, who: str, cancel: CancelToken) -> Observation:
        """What one robot sees now. :raises BridgeLostError: it is gone."""

    def is_there(self, who: str) -> bool:
        """Whether a robot that was lost can be used again; answers at once."""

    def send(
        self,
        who: str,
        sequence: int,
        node_id: int,
        skill: str,
        cancel: CancelToken,
        before: Observation | None = None,
    ) -> None:
        """Have a robot that does nothing begin a skill; returns at once.

        :param before: what it saw before the skill, where that may have been begun already by a
            planner that was interrupted: it is not done twice.
        """

    def next_ended(self, cancel: CancelToken) -> Observation:
        """Wait for the skill that ends next: what came of it, with `who` and its `sequence`.

        The outcome BRIDGE_LOST says that its robot is gone, and the effect unknown.

        :raises CanceledError: stopped, once nothing moves any more.
        """


class Memory(Protocol):
    """Episodic and working memory; a memory that is gone answers empty, and says so once."""

    def retrieve(self, query: ExperienceQuery, cancel: CancelToken) -> tuple[Experience, ...]:
        """Experiences nearest to a goal, best first."""

    def store(self, experiences: Sequence[Experience], cancel: CancelToken) -> None:
        """Keep experiences."""

    def recall(self, object_class: str, sequence: int, cancel: CancelToken) -> str:
        """Sentence about where robots that share a memory have seen things of a class.

        :param sequence: number of the run's newest observation, which the answer must know.
        :returns: '' where nothing is shared: then the run's own knowledge is all there is.
        """


FloatMatrix = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors; may be called from any thread."""

    @property
    def name(self) -> str:
        """Name of the vector space: only vectors under one name may be compared."""

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """One row a text, each of length 1: float32 of shape (len(texts), dimension).

        The row of a text does not depend on the other texts beyond rounding (1e-6).
        """
