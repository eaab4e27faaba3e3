"""One agent's talk with the model: a session that grows, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from reactree_core.chat import PictureFile, Role
from reactree_core.errors import PromptTooLongError
from reactree_core.ports import ChatSession, ForeseeingSession, LanguageSession, Outlook, Sample
from reactree_core.usage import LlmUsage
from reactree_planner.llm.sampling import Draw, draw_samples
from reactree_planner.prompting.reactree_prompt import fits, fitted, PromptParts
from reactree_planner.runs.planner import TalkingRun
from reactree_planner.runs.run_ports import ModelAccount

#: Temperature of what is asked for again (ADaPT, appendix A).
SAMPLING = 0.7
#: Tokens kept free for the options of a choice, beside those for thoughts and subgoals.
SPARE_TOKENS = 128
#: Of the context, used by a prompt that was cut. What stays is evaluated again: with a half, less
#: than once for each token that comes later; with three quarters, three times.
SHARE_AFTER_CUT = 0.5


class ModelTalk:
    """A session with the model, what is tried out beside it, and what both have cost.

    :param session: given back at the end. :param account: that opened it.
    """

    def __init__(self, run: TalkingRun, account: ModelAccount, session: LanguageSession) -> None:
        self._run = run
        self._account = account
        self._spent = LlmUsage()
        self.settings = run.settings
        self.session = session

    def choose(self, session: LanguageSession, options: Sequence[str]) -> int:
        """Index of the option that the model chooses; appended to a session of this talk."""
        return self._account.choose(session, options)

    def make_room(self) -> None:
        """Leave out the oldest steps when the session has grown too long; here nothing grows."""

    def hear(self, text: str) -> None:
        """Take what came of a skill into the session."""
        self.session.append(f'{text}\n')

    def _replace(self, session: LanguageSession) -> None:
        old, self.session = self.session, session
        self._spent += self._account.drop(old)

    @contextmanager
    def fork(self, origin: LanguageSession | None = None) -> Iterator[LanguageSession]:
        """A session for trying something out; dropped at the end, its cost counted here.

        :param origin: None forks this agent's own session.
        """
        fork = (origin or self.session).fork()
        try:
            yield fork
        finally:
            self._drop_fork(fork)

    def samples(self, seeds: Sequence[int], draw: Draw) -> Iterator[Sample]:
        """Continuations of this agent's session, one a seed; their cost counted here."""
        yield from draw_samples(self.session, seeds, draw, self._drop_fork)

    def foresee(self, outlook: Outlook) -> None:
        """Tell the model what it will be asked, where it answers all of that at once."""
        if isinstance(self.session, ForeseeingSession):
            self.session.foresee(outlook)

    def _drop_fork(self, fork: LanguageSession) -> None:
        self._spent += self._account.drop(fork)

    def thought(self, trial: int = 0) -> str:
        """What the model writes after the word for a thought.

        :param trial: 0 for the first trial of a task, which is greedy; later ones are sampled.
        """
        settings = self._run.settings
        return self.session.generate(
            max_tokens=settings.thought_tokens,
            temperature=SAMPLING if trial else 0.0,
            seed=settings.seed + trial,
        )

    def take_usage(self) -> LlmUsage:
        """Model work since the last decision, forks included."""
        spent = self._spent + self._account.charge(self.session)
        self._spent = LlmUsage()
        return spent

    def describe_room(self, goal: str) -> None:
        """Let people know that the oldest steps of a goal were left out."""
        # Once a run and goal, whatever the number: a long run would tell it many times.
        self._run.notify(
            f'The history of "{goal[:80]}" exceeded the context of the model: old '
            'observations were cut, the oldest steps left out. Raise context_tokens to keep them.'
        )

    def end(self) -> None:
        """Give the session back."""
        self._account.drop(self.session)


class NodeContext(ModelTalk):
    """Begins with a prompt; is begun anew, shorter, when it has grown too long for the model.

    :param goal: of the agent. :param parts: the prompt.
    :param node_id: whose trajectory stands in the session after the prompt; 0: whoever appends to
        the session also appends to `history` before the next `make_room`.
    :param longest_answer: tokens to keep free; 0: for a thought or an expansion.
    :param account: the model; None for the run's own.
    :raises ModelError: the prompt does not fit, or the model failed.
    """

    def __init__(
        self,
        run: TalkingRun,
        goal: str,
        parts: PromptParts,
        longest_answer: int = 0,
        node_id: int = 0,
        account: ModelAccount | None = None,
    ) -> None:
        self._run = run
        self._account = account or run.model
        self._goal = goal
        self._node_id = node_id
        settings = run.settings
        longest = longest_answer or max(settings.thought_tokens, settings.expand_tokens)
        spare = longest + SPARE_TOKENS
        self._budget = max(1, self._account.model.context_tokens - spare)
        self._parts = parts
        self.history: list[str] = []
        #: The session, where the model is shown pictures.
        self._chat: ChatSession | None = None
        super().__init__(run, self._account, self._begun(self._budget))

    def _begun(self, budget: int) -> LanguageSession:
        if not self._run.settings.fail_at_limits:
            self._parts = self._fitted(budget)
        if self._run.settings.pictures:
            return self._begun_with_picture()
        session = self._account.session(self._parts.head)
        session.append(self._parts.rest)
        return session

    def _begun_with_picture(self) -> LanguageSession:
        """A conversation whose first turn is the prompt and what the world looks like."""
        chat = self._chat = self._account.chat(())
        chat.say(Role.USER, f'{self._parts.head}{self._parts.rest}', self._picture())
        return chat

    def _picture(self) -> tuple[PictureFile, ...]:
        picture = self._run.world.picture()
        return () if picture is None else (picture,)

    def hear(self, text: str) -> None:
        """Take what came of a skill into the session, with what the world looks like then."""
        if self._chat is not None:
            self._chat.say(Role.USER, text, self._picture())
        else:
            super().hear(text)

    def _fitted(self, budget: int) -> PromptParts:
        return fitted(self._parts, budget, self._run.model.model.count_tokens)

    @property
    def _steps(self) -> Sequence[str]:
        return self._run.trajectories.of(self._node_id).steps if self._node_id else self.history

    def make_room(self) -> None:
        """Leave out the oldest steps when the session has grown too long.

        Where nodes fail at limits, the model will say that it is full.
        """
        if self._run.settings.fail_at_limits:
            return
        grown = replace(self._parts, steps=tuple(self._steps[self._parts.steps_left_out :]))
        if fits(grown, self._budget, self._account.model.count_tokens):
            return
        self._parts = grown
        try:
            shorter = self._begun(max(1, int(self._budget * SHARE_AFTER_CUT)))
        except PromptTooLongError:
            # What must stay needs more than that share.
            shorter = self._begun(self._budget)
        self._replace(shorter)
        self.describe_room(self._goal)
