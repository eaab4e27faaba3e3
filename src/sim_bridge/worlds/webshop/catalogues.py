"""Where products come from: the generator, or the files that WebShop publishes."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from sim_bridge.worlds.task_names import GENERATED
from sim_bridge.worlds.webshop.catalogue import Catalogue
from sim_bridge.worlds.webshop.generator import generated_catalogue
from sim_bridge.worlds.webshop.published_files import read_catalogue


@lru_cache(maxsize=2)
def load_catalogue(source: str) -> Catalogue:
    """A catalogue by its name; what is loaded is kept.

    :param source: `generated`, the path of a folder of WebShop's files, or of its products' file.
    :raises ConfigurationError: there is none, or a file is broken; says what to do.
    """
    if source == GENERATED:
        return generated_catalogue()
    return read_catalogue(Path(source).expanduser())
