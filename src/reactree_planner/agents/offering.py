"""What a node may do next: skills that can be done now and are permitted, and its own choices.

Nothing that can be done is withheld: what comes next is for the model to say, or follows from
facts (`guide`). Its own choices are `recall`, `done` and `failure`.
"""

from __future__ import annotations

from collections.abc import Sequence

from reactree_core.record.trajectory import DONE as DONE
from reactree_core.record.trajectory import FAILURE as FAILURE
from reactree_core.working_memory import RECALL
from reactree_planner.agents.situation import NodeSituation


def offered_recalls(situation: NodeSituation, named_only: bool) -> list[str]:
    """`recall location of <class>`: of what the goal names and was not recalled, or of all.

    :param named_only: of what the goals of the node and of those above it name; else of every
        class, as published.
    """
    classes = situation.belief.vocabulary.object_classes
    if not named_only:
        return [RECALL + name for name in classes]
    goals = (situation.goal, *situation.chain)
    named = (one.name for goal in goals for one in situation.belief.names.find_all(goal))
    texts = (RECALL + name for name in dict.fromkeys(named) if name in classes)
    return [text for text in texts if text not in situation.done]


def choices(
    situation: NodeSituation,
    skills: Sequence[str],
    remembers: bool = True,
    named_only: bool = True,
    is_unfinished: bool = False,
) -> list[str]:
    """Everything the node may do next; it is never empty.

    :param skills: that can be done now and are permitted.
    :param remembers: whether there is a working memory to recall from.
    :param is_unfinished: whether `done` is known to be untrue.
    """
    # A server may name a skill twice; an option stands once.
    options = list(dict.fromkeys(skills))
    if remembers and situation.belief.tells_facts:
        options += offered_recalls(situation, named_only)
    return options + ([FAILURE] if is_unfinished else [DONE, FAILURE])
