"""Back ends beside which a model is measured: one that answers by chance, and none at all.

`random`, `random:SEED`: each of the options is as likely as the others; a text is a few words in a
row of what it was shown. The same text with the same seed has the same answer, in any order of
runs. What this model does as well as another, the other has not done.

`none`: whatever is asked ends the run with a sentence. Facts alone decide, where a task was read
whole.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import blake2b

from reactree_core.errors import ConfigurationError, ModelOutputError
from reactree_planner.llm.policy import PolicyModel

NONE = 'none'
RANDOM = 'random'
#: Words of what was shown last of which a text may be made, and its length in words.
_SHOWN = 400
_LENGTH = (2, 6)


def needs_no_model(spec: str) -> bool:
    """Whether a name stands for chance, or for no model."""
    return spec == NONE or spec.partition(':')[0] == RANDOM


def load_without_model(spec: str) -> PolicyModel:
    """The back end of such a name.

    :raises ConfigurationError: what stands behind `random:` is no whole number.
    """
    if spec == NONE:
        return PolicyModel(_nobody, NONE)
    seed = spec.partition(':')[2] or '0'
    if not seed.isdecimal():
        raise ConfigurationError(f'"{spec}": write random, or random:SEED with a whole number.')

    def by_chance(text: str, options: Sequence[str] | None) -> int | str:
        shown = '\0'.join((seed, text, *(options or ())))
        source = random.Random(blake2b(shown.encode(), digest_size=16).digest())
        if options is not None:
            return source.randrange(len(options))
        words = text.split()[-_SHOWN:] or ['nothing']
        at = source.randrange(len(words))
        return ' ' + ' '.join(words[at : at + source.randint(*_LENGTH)])

    return PolicyModel(by_chance, f'{RANDOM}:{seed}')


def _nobody(text: str, options: Sequence[str] | None) -> int:
    raise ModelOutputError(
        'There is no model to decide (model: none), and facts do not decide here: say the task in '
        'words that are read whole (`reactree read` shows them), or name a model.'
    )
