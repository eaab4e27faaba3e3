"""What a run may use: decisions, skills, time, tokens and money. Checked before each decision."""

from __future__ import annotations

import time
from dataclasses import replace

from reactree_core.errors import LimitReached, NotPermittedError, PromptTooLongError, ReactreeError
from reactree_core.permission.spending import Amounts
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.runs.run_ports import Basis, ModelAccount
from reactree_planner.runs.run_world import RunWorld


class Budget:
    """Of one run; its limits are those of `events`, and of the rules of the world.

    :param accounts: of its models, different ones.
    """

    def __init__(self, basis: Basis, world: RunWorld, accounts: tuple[ModelAccount, ...]) -> None:
        self._events = basis.events
        self._cancel = basis.cancel
        #: Whether a limit of decisions or skills fails the node that meets it.
        self._fails_nodes = basis.settings.fail_at_limits
        self._world = world
        self._accounts = accounts
        self._given = basis.events.limits
        #: How often nodes of this run may still go on after their subgoals failed.
        self.repairs_left = basis.settings.repairs
        self._charged = NO_USAGE

    @property
    def usage(self) -> LlmUsage:
        """What the run has used of its models, as far as it was charged."""
        return sum((one.usage for one in self._accounts[1:]), self._accounts[0].usage)

    def check(self) -> None:
        """Whether anything may be thought: of a trial, also once its episode is over.

        :raises CanceledError: stopped. :raises LimitReached: nothing may be decided any more.
        :raises NotPermittedError: nothing may be done any more.
        """
        if self._cancel.canceled:
            self._cancel.check()
        limits, tree, usage = self._events.limits, self._events.tree, self.usage
        limits.check_time(self._events.elapsed())
        limits.check_decision(tree.decisions)
        if self._fails_nodes:
            limits.check_step(tree.steps)
        limits.check_tokens(usage.evaluated_tokens + usage.completion_tokens)
        limits.check_cost(usage.cost)
        spent, self._charged = usage - self._charged, usage
        tokens = spent.evaluated_tokens + spent.completion_tokens
        if tokens:
            self._world.rules.account.spend(Amounts(tokens=tokens, cost=spent.cost))
        ended = self._world.rules.ended_by
        if ended:
            raise NotPermittedError(ended)

    def fails_node(self, error: LimitReached | PromptTooLongError) -> bool:
        """Whether only the node that met a limit has failed, and not the run."""
        if not self._fails_nodes:
            return False
        return isinstance(error, PromptTooLongError) or error.limit in ('decisions', 'steps')

    def ends_all(self, error: ReactreeError) -> bool:
        """Whether after an error also a task that comes again is over."""
        if self._cancel.canceled:
            return True
        return isinstance(error, LimitReached) and error.limit in ('tokens', 'cost')

    def renew(self) -> None:
        """Give a task that comes again the limits of a run of its own, as far as it is written."""
        given, tree = self._given, self._events.tree
        self._events.limits = replace(
            given,
            decisions=given.decisions and given.decisions + tree.decisions,
            steps=given.steps and given.steps + tree.steps,
            seconds=given.seconds and given.seconds + self._events.elapsed(),
        )
        if given.seconds and not self._events.log.replaying:
            self._cancel.deadline = time.monotonic() + given.seconds
