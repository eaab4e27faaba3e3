"""An agent that does a task in a conversation: told what can be done, it answers with an action.

What AgentBench, ALFChat and StateFlow share. By default the model is kept to the actions on offer;
with `free_actions`, as published, it writes what it likes, and the world answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast, Protocol

from reactree_core.chat import ANSWER, PictureFile, Role, Turn
from reactree_core.errors import EpisodeOver
from reactree_core.ports import ChatSession
from reactree_core.record import trajectory_text
from reactree_core.working_memory import RECALL
from reactree_planner.agents import offering
from reactree_planner.agents.acting import Actor
from reactree_planner.agents.executor import (
    acted_examples,
    Attempt,
    attempted_within,
    decide,
    own_end,
)
from reactree_planner.agents.node_context import ModelTalk, SAMPLING, SHARE_AFTER_CUT, SPARE_TOKENS
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.llm.option_constraints import proposed_index
from reactree_planner.prompting import chat_prompt as chat
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.runs.planner import AgentRun

#: Tokens of an action that is written freely, beside those of the thought before it.
_ACTION_TOKENS = 60
#: Turns that stay whatever happens.
_KEPT_TURNS = 3


class ChatContext(ModelTalk):
    """A conversation that is begun anew, shorter, when it has grown too long.

    :param goal: of the agent. :param head: turns that conversations with the same examples share.
    """

    def __init__(self, run: AgentRun, goal: str, head: Sequence[Turn]) -> None:
        settings = run.settings
        self._goal = goal
        self._head = tuple(head)
        #: What the model is told next.
        self._waiting: list[str] = []
        #: Turns after the head, the assistant's newest not among them.
        self._turns: list[Turn] = []
        context = run.model.model.context_tokens
        longest = min(context, settings.chat_tokens or context)
        self._budget = max(1, longest - settings.thought_tokens - SPARE_TOKENS)
        self._count_tokens = run.model.model.count_tokens
        if not settings.fail_at_limits and not self._fits((), self._budget // 2):
            # The examples would leave too little room for the task.
            self._head = self._head[:1]
        super().__init__(run, run.model, run.model.chat(self._head))
        self._answer_from = len(self.session.text)

    def tell(self, text: str) -> None:
        """Have the model read something with its next turn."""
        self._waiting.append(text)

    def ask(self, skills: Sequence[str]) -> None:
        """Say what the model was not given yet, with what can be done now; if there is any."""
        if not self._waiting:
            return
        available = [chat.available_actions(_listed(skills))] if skills else []
        self._say(Turn(Role.USER, '\n'.join((*self._waiting, *available)), self._pictures()))
        self._waiting.clear()

    def _say(self, turn: Turn) -> None:
        self._keep_answer()
        session = cast(ChatSession, self.session)
        session.say(turn.role, turn.text, turn.pictures)
        self._turns.append(turn)
        self._answer_from = len(session.text)

    def _pictures(self) -> tuple[PictureFile, ...]:
        picture = self._run.world.picture()
        return () if picture is None else (picture,)

    def _keep_answer(self) -> None:
        answer = self.session.text[self._answer_from :].strip().removeprefix(ANSWER).strip()
        if answer:
            self._turns.append(Turn(Role.ASSISTANT, answer))
        self._answer_from = len(self.session.text)

    def thought(self, trial: int = 0) -> str:
        """What the model writes after the word for a thought, on one line."""
        settings = self._run.settings
        return self.session.generate(
            stop=('\n', chat.ACTION),
            max_tokens=settings.thought_tokens,
            temperature=SAMPLING if trial else 0.0,
            seed=settings.seed + trial,
        )

    def reply(self, trial: int) -> chat.Reply:
        """What the model answers freely; only what was read of it stays in the conversation."""
        settings = self._run.settings
        with self.fork() as fork:
            text = fork.generate(
                stop=chat.ANSWER_STOPS,
                max_tokens=settings.thought_tokens + _ACTION_TOKENS,
                temperature=SAMPLING if trial else 0.0,
                seed=settings.seed + trial,
            )
        reply = chat.parse_reply(text)
        self.session.append(reply.text or f'{trajectory_text.single_line(text, 300)}\n')
        return reply

    def make_room(self) -> None:
        """Leave out the oldest turns after the first, when the conversation has grown too long.

        Where nodes fail at limits, the model will say that it is full.
        """
        if self._run.settings.fail_at_limits or not self._waiting:
            return
        waiting = [Turn(Role.USER, text) for text in self._waiting]
        if self._fits((*self._turns, *waiting), self._budget):
            return
        self._keep_answer()
        first, *rest = self._turns
        first = Turn(Role.USER, f'{first.text}\n{prompt.EARLIER_STEPS.strip()}')
        budget = int(self._budget * SHARE_AFTER_CUT)
        while len(rest) > _KEPT_TURNS and (
            rest[0].role is Role.USER or not self._fits((first, *rest, *waiting), budget)
        ):
            del rest[0]
        self._turns = []
        self._replace(self._account.chat(self._head))
        self._answer_from = len(self.session.text)
        for turn in (first, *rest):
            self._say(turn)
        self.describe_room(self._goal)

    def _fits(self, turns: Sequence[Turn], budget: int) -> bool:
        text = '\n'.join(turn.text for turn in (*self._head, *turns))
        # A token has at least one byte, so short texts need no counting.
        return len(text.encode()) <= budget or self._count_tokens(text) <= budget


def _listed(skills: Sequence[str]) -> list[str]:
    """Actions to list: recalls of many classes as one line.

    Not `done` and `failure`, of which the instruction says: a small model that reads `failure` at
    the end of every list says so.
    """
    recalls = [skill for skill in skills if skill.startswith(RECALL)]
    ends = (offering.DONE, offering.FAILURE)
    listed = [skill for skill in skills if skill not in ends and skill not in recalls]
    listed += recalls if len(recalls) < 2 else [f'{RECALL}<name>']
    return listed or list(skills)


class ChatActor(Actor):
    """Decides in a conversation."""

    think_word = chat.THOUGHT
    act_word = chat.ACTION
    _acknowledged = ''
    _lists_offer = True

    def __init__(
        self,
        run: AgentRun,
        node_id: int,
        situation: NodeSituation,
        context: ChatContext,
        trial: int,
        is_whole_task: bool,
    ) -> None:
        super().__init__(run, node_id, situation, context, trial, is_whole_task)
        self.talk = context

    def _skills(self) -> tuple[str, ...]:
        return self.situation.observation.admissible_skills

    def think_first(self, offered: list[str], may_expand: bool = False) -> bool:
        """Begin with a thought, where the guards want one; True when a decision was made."""
        if self._begins_with_thought():
            self.talk.ask(offered)
        return super().think_first(offered, may_expand)

    def choose_kind(self, offered: list[str], may_expand: bool = False) -> str:
        """What the model decides to do: to think or act."""
        self.talk.ask(offered)
        return super().choose_kind(offered, may_expand)

    def _note_act(self, skill: str) -> None:
        self.talk.ask(())
        super()._note_act(skill)

    def _note_observation(self, text: str) -> None:
        self.talk.tell(text)

    def advise(self, text: str) -> None:
        """Have the model read what it did not find out itself; in the tree it is a thought."""
        self.talk.tell(text)
        self._run.events.think(
            self._id, trajectory_text.single_line(text, 1000), self.context.take_usage()
        )

    def act_freely(self) -> bool | None:
        """One answer, whatever it says: how the task ended, or None."""
        offered = self.offered()
        self.talk.ask(offered)
        reply = self.talk.reply(self._trial)
        if reply.thought or not reply.action:
            self._run.events.think(self._id, reply.thought, self.context.take_usage())
        if not reply.action:
            self.talk.tell(chat.ASKED_AGAIN)
            return None
        index = proposed_index(reply.action, offered)
        return self.perform(reply.action if index is None else offered[index])


class Adviser(Protocol):
    """What a planner adds to a conversation."""

    def opening(self) -> str:
        """What the model reads with its task; '' for nothing."""

    def advise(self, actor: ChatActor) -> bool | None:
        """Called before each decision: may tell the model something, or end the attempt.

        :return: how the attempt has ended, or None.
        """


class NoAdviser:
    """The conversation as it is."""

    def opening(self) -> str:
        """Nothing."""
        return ''

    def advise(self, actor: ChatActor) -> bool | None:
        """Nothing."""
        return None


#: Makes what a planner adds, of what the agent is asked.
MakeAdviser = Callable[[NodeSituation], Adviser]


def attempt_chat(
    run: AgentRun,
    node_id: int,
    goal: str,
    information: str = '',
    trial: int = 0,
    make_adviser: MakeAdviser = lambda situation: NoAdviser(),
) -> Attempt:
    """Have an agent try a task in a conversation.

    :param node_id: whose decisions these are; its end is left to the caller.
    :param information: lines before the task: what is known from others.
    :param trial: 0 for the first trial of a task; later ones are sampled.
    :raises ReactreeError: whatever ended the run.
    """
    return attempted_within(
        run, lambda: _attempted(run, node_id, goal, information, trial, make_adviser)
    )


def _attempted(
    run: AgentRun,
    node_id: int,
    goal: str,
    information: str,
    trial: int,
    make_adviser: MakeAdviser,
) -> Attempt:
    chain = tuple(ancestor.goal for ancestor in run.tree.ancestors(node_id))
    first_observation = trajectory_text.quoted(run.acting.look(node_id).text)
    situation = NodeSituation(goal, chain, run.world.belief)
    examples = acted_examples(run, goal, first_observation)
    shown = [
        turn for one in examples for turn in chat.example_turns(run.prompts.example_text(one))
    ]
    context = ChatContext(run, goal, (Turn(Role.SYSTEM, run.prompts.text('chat').strip()), *shown))
    actor = ChatActor(run, node_id, situation, context, trial, goal == run.tree.goal)
    adviser = make_adviser(situation)
    opening_note = information + prompt.forbidden(run.world.rules.must_not, run.tree.corrections)
    task = trajectory_text.task_line(goal).strip()
    opening = (chat.BEGIN, opening_note.strip(), first_observation, task, adviser.opening())
    context.tell('\n'.join(filter(None, opening)))
    try:
        return _attempt(run, actor, adviser)
    except EpisodeOver as over:
        return Attempt(actor.end(over), str(over), actor.last_success)
    finally:
        context.end()


def _attempt(run: AgentRun, actor: ChatActor, adviser: Adviser) -> Attempt:
    most = run.settings.turns
    while not most or len(actor.situation.done) < most:
        run.acting.before_decision()
        actor.context.make_room()
        ended = adviser.advise(actor)
        if ended is None:
            ended = actor.act_freely() if run.settings.free_actions else decide(actor)
        if ended is not None:
            return own_end(actor, ended)
    return Attempt(False, f'the conversation used all its {most} turns')
