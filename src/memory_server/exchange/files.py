"""Which files hold experiences, and what is in them."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path

from memory_server.exchange.json_lines import IMPORT_RUN
from memory_server.exchange.json_lines import parse_lines
from memory_server.exchange.limits import check_limits
from memory_server.seed.loader import parse_entries
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience

#: Endings of files with JSON lines, and with trajectories in the published form.
JSON_ENDINGS = ('.jsonl', '.ndjson', '.json')
TEXT_ENDING = '.txt'


def find_files(places: Sequence[Path]) -> tuple[Path, ...]:
    """The files that these places name: themselves, or what is in a folder at any depth, by name.

    :raises ConfigurationError: a place is not there, or a folder has no such files.
    """
    found: dict[Path, None] = {}
    for place in places:
        if place.is_dir():
            inside = sorted(path for path in place.rglob('*') if _is_readable(path))
            if not inside:
                raise ConfigurationError(
                    f'the folder {place} has no files that end with {TEXT_ENDING} or '
                    f'{JSON_ENDINGS[0]}: name another'
                )
            found.update(dict.fromkeys(inside))
        elif place.is_file():
            found[place] = None
        else:
            raise ConfigurationError(f'there is no file or folder {place}: correct its name')
    return tuple(found)


def read_file(path: Path) -> Iterator[Experience | ConfigurationError]:
    """The experiences of a file, with the error in the place of what is broken.

    A file that ends with `.jsonl`, `.ndjson` or `.json` holds JSON lines; any other one or more
    trajectories in the published form, see `memory_server.seed.loader`. What names no run is of
    the run 'import'.
    """
    try:
        text = path.read_bytes().decode('utf-8-sig')
    except OSError as error:
        yield ConfigurationError(f'cannot read {path}: {error.strerror}')
        return
    except UnicodeDecodeError as error:
        line = error.object.count(b'\n', 0, error.start) + 1
        yield ConfigurationError(f'{path}:{line}: this is no UTF-8 text: {error.reason}')
        return
    if path.suffix.lower() in JSON_ENDINGS:
        # Not splitlines(): it breaks at characters that may stand inside a JSON text.
        yield from parse_lines(text.split('\n'), str(path))
        return
    for entry in parse_entries(text, str(path), IMPORT_RUN):
        if isinstance(entry, ConfigurationError):
            yield entry
            continue
        try:
            check_limits(entry, str(path))
        except ConfigurationError as error:
            yield error
        else:
            yield entry


def _is_readable(path: Path) -> bool:
    return path.suffix.lower() in (*JSON_ENDINGS, TEXT_ENDING) and path.is_file()
