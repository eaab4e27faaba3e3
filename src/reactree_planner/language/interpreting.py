"""What a language model takes a sentence for that the grammar did not read whole.

Two things are asked of it, both by choice among what there is. What a thing is that no name
stands for ("something to serve soup with"): one of the names nearest in meaning. And what shall
hold in the end where the words do not say so ("I am thirsty"): conditions in the server's names.

An interpretation is no reading: what was not read stays unread, so that nothing of it is ever
called verified, unless a person says that it is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np

from reactree_core.ports import Embedder
from reactree_planner.language import lexicon
from reactree_planner.language.goal import Goal, Milestone, ReadBy, Tie, Word
from reactree_planner.language.languages import ENGLISH
from reactree_planner.language.model_reader import ConditionWriter, Sessions, Terms
from reactree_planner.language.name_choice import MOST_COMPARED, nearest_by_letters
from reactree_planner.language.names import Names
from reactree_planner.language.reading import Describe, read_with_descriptions
from reactree_planner.language.spelling import forms_of
from reactree_planner.language.words import words_of

#: Names among which the model chooses what a description means, the nearest in meaning.
_NEAREST = 8
#: Most conditions that are written, and most where the grammar has read some.
_MOST_CONDITIONS = (6, 2)
#: Words of a task that is interpreted; of a longer one the model decides step by step.
_MOST_WORDS = 40
_SENTENCE_ENDS = frozenset('.!?\n')
#: Begins the account of words that forbid.
_FORBIDDEN = 'must not'
#: Longest sentence on what to do, in tokens.
_THOUGHT = 40
_NONE = 'none of them'
_END = 'end\n'

_WHICH = """\
A robot was told of a thing in other words than its own. Which of its names is meant?

"something to light the way with" is one of: oar, lantern, rope, none of them
It means: lantern
"the wooden thing for rowing" is one of: raft, oar, fishing rod, jetty, none of them
It means: oar
"a place to tie up the boat" is one of: boathouse, raft, jetty, none of them
It means: jetty
"a tool for gathering leaves" is one of: watering can, sickle, wheelbarrow, rake, none of them
It means: rake
"something that makes plants grow" is one of: greenhouse, flower pot, fertilizer, none of them
It means: fertilizer
"""

_WHAT = """\
A robot was told a sentence. First say what it should do, then what shall be so in the end, in the
robot's own names, one line for each thing:
thing in place
thing is state
holding: thing
at: place
end            when all is said

Names: rope, net, lantern, oar, bread; raft, chest, jetty, boathouse, table
States: open, closed, lit
Sentence: It is so dark in here.
It should light the lantern.
 lantern is lit
end
Sentence: I am hungry.
It should bring some bread to the table.
 bread in table
end
Sentence: What a lovely evening it is.
It should do nothing.
end
Sentence: Keep the ropes dry, there will be rain tonight.
It should put the ropes into the boathouse.
 rope in boathouse
end
Sentence: Although the net is torn, bring something to row with to the raft.
It should bring an oar to the raft.
 oar in raft
end
Sentence: Give me a hand with the oar, and let some air into the boathouse.
It should take the oar and open the boathouse.
 holding: oar
 boathouse is open
end

"""


class Interpreter:
    """Asks a model what is meant.

    :param sessions: of the model; those of a run count what it costs.
    :param embedder: makes the encoder that finds the nearest names; None compares letters.
    :param but: names that are not chosen: things that were looked for and not found.
    """

    def __init__(
        self,
        sessions: Sessions,
        embedder: Callable[[], Embedder] | None = None,
        but: Collection[str] = (),
    ) -> None:
        self._sessions = sessions
        self._embedder = embedder
        self._but = but
        #: Whether it was asked what shall be so, and could have said something.
        self.was_asked = False

    def interpret(self, goal: Goal, names: Names) -> Goal:
        """The goal with what it is taken for; itself where the model takes it for nothing.

        :param goal: as the grammar read it, not whole.
        :raises ModelError: the model failed. :raises CanceledError: stopped.
        """
        described = read_with_descriptions(goal.text, names, self._which(names))
        ties = tuple(one for one in described.ties if one.name)
        if ties and described.acts:
            told = replace(goal, words=described.words, unread=tuple(tie.words for tie in ties))
            return _taken(told, described.milestones, ties)
        told = described if described.milestones else goal
        milestones = (*told.milestones[:-1], self._what(goal.text, told.conditions, names))
        return _taken(goal, milestones, ties) if milestones[-1] else goal

    def _which(self, names: Names) -> Describe:
        def which(words: str) -> str:
            near = _ending_with(words, names, self._but)
            if len(set(near.values())) < 2:
                near = nearest(words, names, self._embedder, self._but)
            session = self._sessions.session(_WHICH)
            try:
                options = (*near, _NONE)
                session.append(f'"{words}" is one of: {", ".join(options)}\nIt means:')
                chosen = options[session.select([f' {one}\n' for one in options]).index]
            finally:
                self._sessions.drop(session)
            return near.get(chosen, '')

        return which

    def _what(self, text: str, read: Milestone, names: Names) -> Milestone:
        """The conditions that the model writes. :param read: those that come from its words."""
        terms = Terms(text, names, self._embedder, self._but)
        session = self._sessions.session(_WHAT + terms.shown)
        found = list(read)
        try:
            session.append(f'Sentence: {text}\nIt should')
            session.generate(max_tokens=_THOUGHT)
            session.append('\n')
            for one in found:
                session.append(f' {one.text}\n')
            writer = ConditionWriter(session, terms)
            forms = [*writer.robot, *writer.subjects]
            self.was_asked = bool(forms)
            while forms and len(found) < len(read) + _MOST_CONDITIONS[bool(read)]:
                form = writer.choose([*forms, _END])
                if form == _END:
                    break
                condition = writer.condition(form)
                if condition in found:
                    break
                found.append(condition)
        finally:
            self._sessions.drop(session)
        return tuple(found)


def may_interpret(goal: Goal) -> bool:
    """Whether a model may say what a goal is taken for.

    It does not say what it asks for, and what was not read stands in no sentence that forbids, or
    that may, as nobody can tell in which language it is; and it is no work in many steps, which
    conditions would not hold.
    """
    is_read = goal.acts or goal.whole or goal.trigger is not None
    forbids = bool(goal.left_to_model) or any(map(_forbids_in_part, _sentences(goal.words)))
    is_short = len(goal.words) <= _MOST_WORDS
    return is_short and goal.language == ENGLISH and not (is_read or forbids)


def _sentences(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    begin = 0
    for end, word in enumerate((*words, Word('.'))):
        if word.text in _SENTENCE_ENDS:
            yield words[begin:end]
            begin = end + 1


def _forbids_in_part(sentence: Sequence[Word]) -> bool:
    """Whether it forbids something and was not read whole: the rest would become a wish."""
    told = [one for one in sentence if any(map(str.isalnum, one.text))]
    return any(one.account.startswith(_FORBIDDEN) for one in told) and not all(
        one.account for one in told
    )


def _taken(goal: Goal, milestones: tuple[Milestone, ...], ties: Sequence[Tie] = ()) -> Goal:
    """The goal as it was taken; what was not read is still that."""
    unread = goal.unread or (goal.text.strip(),)
    return replace(
        goal, milestones=milestones, ties=(*goal.ties, *ties), unread=unread,
        by=ReadBy.INTERPRETED, acts=True,
    )  # fmt: skip


def chosen_names(taken: Goal, read: Goal) -> frozenset[str]:
    """Names that a goal has beyond what was read: those that the model chose."""
    told, known = (
        frozenset(name for step in goal.milestones for one in step for name in one.names)
        for goal in (taken, read)
    )
    return told - known


def _ending_with(words: str, names: Names, but: Collection[str] = ()) -> dict[str, str]:
    """Names that end as some words do: steel and copper pipe for "the rusty pipe"; none where
    more is told of a thing than its sort ("a machine that washes")."""
    told = words_of(words)
    heads = frozenset(forms_of(told[-1])) if told else frozenset()
    if not lexicon.DESCRIBING.isdisjoint(told):
        return {}
    ends = {
        ' '.join(key): name
        for key, name in names.all_words().items()
        if key[-1] in heads and name not in but
    }
    return {way: ends[way] for way in sorted(ends)[:_NEAREST]}


def nearest(
    words: str,
    names: Names,
    embedder: Callable[[], Embedder] | None,
    but: Collection[str] = (),
) -> dict[str, str]:
    """Words for the names that are nearest in meaning, in the order of letters, and the names."""
    every = names.all_words().items()
    ways = {' '.join(told): name for told, name in every if name not in but}
    encoder = embedder() if embedder is not None else None
    if encoder is None or encoder.name.startswith('hashed'):
        near = nearest_by_letters(words, tuple(ways), len(ways))
    else:
        told = nearest_by_letters(words, tuple(ways), MOST_COMPARED)
        vectors = encoder.embed([*(f'a {one}' for one in told), f'a {words.casefold()}'])
        near = tuple(told[at] for at in np.argsort(-(vectors[:-1] @ vectors[-1]), kind='stable'))
    best: dict[str, str] = {}
    for one in near:
        best.setdefault(ways[one], one)
    return {way: name for name, way in sorted([*best.items()][:_NEAREST], key=lambda one: one[1])}
