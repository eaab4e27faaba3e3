"""Where profiles are kept: whether there is one is known without the questions of an exam."""

from __future__ import annotations

import re
from hashlib import blake2b
from pathlib import Path

import platformdirs

from reactree_planner.llm.two_models import parts_of

_LONGEST_NAME = 60


def profile_file(model: str, server_model: str = '') -> Path:
    """Where the profile of a model is kept, in the user's state folder.

    :param model: as the parameter `model`; of two models the one that decides.
    """
    name = parts_of(model)[0]
    if name.startswith(('http://', 'https://')):
        name = name.rstrip('/')
    elif Path(name).expanduser().is_file():
        name = str(Path(name).expanduser().resolve())
    whole = '\n'.join((name, server_model))
    digest = blake2b(whole.encode(), digest_size=4).hexdigest()
    readable = re.sub(r'[^\w.-]+', '_', ' '.join((name, server_model)).strip())[-_LONGEST_NAME:]
    return platformdirs.user_state_path('reactree') / 'profiles' / f'{readable}-{digest}.json'
