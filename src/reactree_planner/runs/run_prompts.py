"""What the model is told in one run: prompts and words of a domain, as the settings frame them."""

from __future__ import annotations

from dataclasses import replace

from reactree_core.domain import is_known, load_domain, NEUTRAL, Words
from reactree_core.experience import Experience
from reactree_core.observation import Vocabulary
from reactree_planner.prompting.reactree_prompt import (
    example_text,
    frame_words,
    prompt_name,
    with_flows,
)
from reactree_planner.runs.run_ports import NoticeSink
from reactree_planner.runs.settings import PlannerSettings


class RunPrompts:
    """Neutral until the skill server has reported its domain.

    :param notify: called with what people should know.
    """

    def __init__(self, settings: PlannerSettings, notify: NoticeSink) -> None:
        self._settings = settings
        self._notify = notify
        self._vocabulary = Vocabulary()
        self.domain = load_domain(NEUTRAL)
        #: Domain under which experiences are stored and examples are retrieved.
        self.stored_under = NEUTRAL

    def take_domain(self, vocabulary: Vocabulary) -> None:
        """Use the domain of the settings, or the one that the skill server names.

        :param vocabulary: what it has told. :raises ConfigurationError: that of the settings
            cannot be loaded.
        """
        self._vocabulary = vocabulary
        named, wanted = vocabulary.domain, self._settings.domain or vocabulary.domain
        self.stored_under = named or NEUTRAL
        if named and not self._settings.domain and not is_known(named):
            self._notify(
                f'The skill server names the domain "{named[:80]}", which is not installed: the '
                'neutral prompts are used. Install it, or set the parameter domain.'
            )
            wanted = ''
        self.domain = load_domain(wanted or NEUTRAL)
        if self._settings.domain:
            self.stored_under = self.domain.name

    def text(self, name: str) -> str:
        """A prompt of the domain, filled with what the skill server reports."""
        framed = prompt_name(name, self._settings.frame)
        # What has no sort of things to recall is not asked to.
        recalls = self._settings.working_memory and bool(self._vocabulary.object_classes)
        vocabulary = self._vocabulary if framed == name else without_hints(self._vocabulary)
        text = self.domain.prompt(framed, vocabulary, recalls)
        return with_flows(text, self._settings.flows)

    @property
    def words(self) -> Words:
        """Words between the parts of an agent's prompt."""
        return frame_words(self.domain.words, self._settings.frame)

    def example_text(self, example: Experience) -> str:
        """An example as the prompts show it."""
        return example_text(example, self._settings.frame)


def without_hints(vocabulary: Vocabulary) -> Vocabulary:
    """The same skills without what the skill server says about them.

    The published prompts of ReAcTree name skills alone.
    """
    bare = (replace(one, description='') for one in vocabulary.skill_types)
    return replace(vocabulary, skill_types=tuple(bare))
