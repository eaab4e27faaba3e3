"""Files that people write, in YAML or JSON: read within bounds and checked with pydantic.

What is wrong is said in one line for each mistake, with the file, the line and what to write.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from reactree_core.errors import ConfigurationError

LARGEST_FILE = 1024**2
#: Mistakes of one file that are said at once.
_MOST_FAULTS = 8
#: Mistakes of which the sentences are made: each looks through the file.
_MOST_SENTENCES = 50
#: Values of a file with its aliases written out: against files that unfold without end.
_MOST_VALUES = 1_000_000
#: Lists and mappings within each other. Composing recurses, in C without a limit of its own, and
#: takes time for each open one with every token.
_DEEPEST = 50
#: Of libyaml, which is ten times as fast, where PyYAML was built with it.
FAST_LOADER: type[yaml.SafeLoader] = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
#: Kinds of mistakes in pydantic's words -> what to say; the values are `ctx` of the error.
_SENTENCES = {
    'missing': 'is missing',
    'string_type': 'must be a text: write it between quotation marks',
    'string_too_short': 'must have {min_length} letters or more',
    'string_too_long': 'must have {max_length} letters or fewer',
    'bool_type': 'must be true or false',
    'int_type': 'must be a whole number',
    'float_type': 'must be a number',
    'greater_than': 'must be more than {gt}',
    'greater_than_equal': 'must be {ge} or more',
    'less_than': 'must be less than {lt}',
    'less_than_equal': 'must be {le} or less',
    'finite_number': 'must be a finite number',
    'literal_error': 'must be one of {expected}',
    'list_type': 'must be a list',
    'tuple_type': 'must be a list',
    'dict_type': 'must map names to values, as "name: value"',
    'model_type': 'must map names to values, as "name: value"',
    'too_short': 'must have {min_length} entries or more',
    'too_long': 'must have {max_length} entries or fewer',
    'value_error': '{error}',
}


class MistakesError(ConfigurationError):
    """A file with mistakes; its text has the first of them.

    :param where: begins the text. :param mistakes: a clause for each, with its line.
    :param further: how many there are besides.
    """

    def __init__(self, where: str, mistakes: Iterable[str], further: int = 0) -> None:
        self.mistakes = tuple(mistakes)
        self.further = further
        left = len(self.mistakes[_MOST_FAULTS:]) + further
        more = f'; and {left} more' if left else ''
        super().__init__(f'{where}: {"; ".join(self.mistakes[:_MOST_FAULTS])}{more}.')


class Written(BaseModel):
    """Base of what a file holds: no other names than these, and no value made into another."""

    model_config = ConfigDict(extra='forbid', strict=True, frozen=True)


def read_text(file: Path | Traversable, largest: int = LARGEST_FILE) -> str:
    """A text file of UTF-8, as editors on any system write it.

    :param largest: bytes.
    :raises ConfigurationError: it cannot be read, or is larger.
    """
    try:
        with file.open('rb') as opened:
            data = opened.read(largest + 1)
        if len(data) > largest:
            raise ConfigurationError(
                f'{file} is larger than {largest // 1024**2} MB: shorten or split it.'
            )
        return data.decode('utf-8-sig').replace('\r\n', '\n')
    except OSError as error:
        raise ConfigurationError(f'{file} cannot be read: {error.strerror or error}.') from error
    except (UnicodeDecodeError, ValueError) as error:
        raise ConfigurationError(f'{file} cannot be read: it is not text in UTF-8.') from error


def path_of(name: str) -> Path | None:
    """A file or folder that is there; None where the name is that of none, or can be none."""
    try:
        path = Path(name).expanduser()
        return path if name.strip() and path.exists() else None
    except (OSError, RuntimeError, ValueError):
        return None


def read_file(
    file: Path | Traversable, kind: Any = object, *, form: str = '', largest: int = LARGEST_FILE
) -> Any:
    """What a file holds.

    :param file: YAML, or JSON where its name ends so.
    :param kind: what pydantic checks it against, e.g. a class derived from `Written`.
    :param form: how such a file looks, for one that is something else as a whole.
    :returns: of `kind`; what an empty file holds is None.
    :raises ConfigurationError: it cannot be read, or is not of that kind.
    """
    text = read_text(file, largest)
    try:
        if file.name.lower().endswith('.json'):
            # Data sets that others publish are larger, and as they are.
            once = _named_once if largest <= LARGEST_FILE else None
            node, content = None, json.loads(text, object_pairs_hook=once)
        else:
            node, content = _read_yaml(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigurationError(f'{file} {_not_readable(file.name, error)}.') from error
    return check(content, kind, str(file), form, node)


@dataclass(frozen=True, slots=True)
class Lines:
    """Where in a file its values begin."""

    node: yaml.Node | None
    content: Any

    def of(self, *location: int | str) -> int:
        """The line of a value, or of what would hold it; 0 where the file has no lines.

        :param location: names, and numbers of elements, from the top.
        """
        return _follow(location, self.content, self.node)[1]


def read_with_lines(file: Path | Traversable, kind: Any, *, form: str = '') -> tuple[Any, Lines]:
    """What a YAML file holds, and where; see `read_file`.

    :raises ConfigurationError: it cannot be read, or is not of that kind.
    """
    try:
        node, content = _read_yaml(read_text(file))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigurationError(f'{file} {_not_readable(file.name, error)}.') from error
    return check(content, kind, str(file), form, node), Lines(node, content)


def check(
    content: Any, kind: Any, where: str, form: str = '', node: yaml.Node | None = None
) -> Any:
    """Values checked against what they should be.

    :param where: begins the sentence. :param node: of YAML, for the lines.
    :raises ConfigurationError: they are not of that kind.
    """
    try:
        return TypeAdapter(kind).validate_python(content)
    except ValidationError as error:
        found = error.errors(include_url=False)
    if form and any(
        fault['type'].endswith('_type') and not _follow(fault['loc'], content, None)[0]
        for fault in found
    ):
        raise ConfigurationError(f'{where} {form}.')
    said = found[:_MOST_SENTENCES]
    mistakes = dict.fromkeys(
        clause
        for fault in said
        for clause in _name_faults(fault, node) or [_fault(fault, kind, content, node)]
    )
    raise MistakesError(where, mistakes, len(found) - len(said))


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; :raises ValueError: a name appears twice."""
    content = dict(pairs)
    if len(content) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f'"{twice}" appears twice')
    return content


def _read_yaml(text: str) -> tuple[yaml.Node | None, Any]:
    try:
        return _read_with(FAST_LOADER, text)
    except yaml.YAMLError:
        return _read_with(yaml.SafeLoader, text)  # says better what is wrong, and where


def _read_with(kind: type[yaml.SafeLoader], text: str) -> tuple[yaml.Node | None, Any]:
    _check_depth(kind, text)
    loader = kind(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None, None
        _check_nodes(node, {}, set())
        return node, loader.construct_document(node)
    finally:
        loader.dispose()


def _check_depth(kind: type[yaml.SafeLoader], text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=kind):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEPEST:
                raise yaml.MarkedYAMLError(
                    problem='it is nested too deeply',
                    problem_mark=event.start_mark,  # type: ignore[arg-type]
                )
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _check_nodes(node: yaml.Node, sizes: dict[int, int], above: set[int]) -> int:
    """How many values there are with all aliases written out; no name may stand twice."""
    if id(node) in sizes:
        return sizes[id(node)]
    if id(node) in above:
        raise yaml.MarkedYAMLError(problem='it contains itself', problem_mark=node.start_mark)
    above.add(id(node))
    size = 1
    if isinstance(node, yaml.MappingNode):
        names: set[str] = set()
        for name, _ in node.value:
            if isinstance(name, yaml.ScalarNode) and name.value != '<<':
                if name.value in names:
                    raise yaml.MarkedYAMLError(
                        problem=f'"{name.value}" appears twice', problem_mark=name.start_mark
                    )
                names.add(name.value)
        size += sum(_check_nodes(part, sizes, above) for pair in node.value for part in pair)
    elif isinstance(node, yaml.SequenceNode):
        size += sum(_check_nodes(part, sizes, above) for part in node.value)
    if size > _MOST_VALUES:
        raise yaml.MarkedYAMLError(
            problem='its aliases unfold to too much', problem_mark=node.start_mark
        )
    above.discard(id(node))
    sizes[id(node)] = size
    return size


def _not_readable(name: str, error: Exception) -> str:
    form = 'JSON' if name.lower().endswith('.json') else 'YAML'
    mark = getattr(error, 'problem_mark', None)
    if mark is not None:
        said = f'line {mark.line + 1}, column {mark.column + 1}: {getattr(error, "problem", "")}'
        if 'mapping values are not allowed' in said:
            said += ' (put a text with a colon between quotation marks)'
    elif isinstance(error, RecursionError):
        said = 'it is nested too deeply'
    else:
        said = ' '.join(str(error).split())[:300]
    return f'is not {form}: {said}'


def _name_faults(fault: ErrorDetails, node: yaml.Node | None) -> list[str]:
    """Where names are no texts to YAML (on, no, 2:30): each as it is written, with its line."""
    if fault['type'] != 'string_type' or fault['loc'][-1] != '[key]':
        return []
    for step in fault['loc'][:-1]:
        pair = _pair(node, step)
        if pair is None or pair[0].tag not in _TEXTS:
            break  # the name itself
        node = pair[1]
    return [
        f'line {name.start_mark.line + 1}: {name.value[:80]} is read as {_as_read(name)} by YAML: '
        f'write "{name.value[:80]}"'
        for name, _ in itertools.islice(_pairs_without_text(node), _MOST_SENTENCES)
    ]


def _pairs_without_text(node: yaml.Node | None) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
    for name, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if isinstance(name, yaml.ScalarNode) and name.tag not in _TEXTS:
            yield name, value


#: Tags of names that are texts, and of what takes over another mapping.
_TEXTS = ('tag:yaml.org,2002:str', 'tag:yaml.org,2002:merge')


def _value(scalar: yaml.ScalarNode) -> Any:
    return yaml.constructor.SafeConstructor().construct_object(scalar)


def _as_read(scalar: yaml.ScalarNode) -> str:
    value = _value(scalar)
    if value is None:
        return 'nothing'
    if isinstance(value, bool):
        return str(value).lower()
    return f'the number {value}' if isinstance(value, int | float) else 'a date'


def _fault(fault: ErrorDetails, kind: Any, content: Any, node: yaml.Node | None) -> str:
    path, line = _follow(fault['loc'], content, node)
    begin = f'line {line}: ' if line else ''
    if fault['type'] == 'extra_forbidden':
        return f'{begin}there is no "{path}"; there are {_known_names(kind, fault["loc"][:-1])}'
    said = _SENTENCES.get(fault['type'])
    text = said.format(**fault.get('ctx', {})) if said else _as_clause(fault['msg'])
    # A check of several values together speaks of them itself.
    name = f'"{path}" ' if path and fault['type'] != 'value_error' else ''
    return f'{begin}{name}{text}'


def _as_clause(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip('.')


def _follow(
    location: Sequence[int | str], content: Any, node: yaml.Node | None
) -> tuple[str, int]:
    """The names on the way to a value, and the line that it or its parent begins in."""
    names: list[str] = []
    line = node.start_mark.line + 1 if node is not None else 0
    for step in location:
        if isinstance(content, Mapping):
            found = step in content
            if not found and step != location[-1]:
                continue  # the name of a kind, not of a value
            pair = _pair(node, step)
            names.append(str(pair[0].value if pair else step)[:80])
            content = content.get(step)
            node = pair[1] if pair else None
            line = pair[0].start_mark.line + 1 if pair else line
        elif isinstance(content, list) and isinstance(step, int) and step < len(content):
            names.append(str(step + 1))
            content = content[step]
            node = node.value[step] if isinstance(node, yaml.SequenceNode) else None
            line = node.start_mark.line + 1 if node is not None else line
    return '.'.join(names), line


def _pair(node: yaml.Node | None, name: int | str) -> tuple[yaml.Node, yaml.Node] | None:
    """A name and its value; a name that is no text may be given as YAML reads it."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else ()
    written = (pair for pair in pairs if getattr(pair[0], 'value', None) == str(name))
    found: tuple[yaml.Node, yaml.Node] | None = next(written, None)
    if found is None and isinstance(node, yaml.MappingNode) and isinstance(name, int):
        return _numbered(node).get(name)
    return found


@lru_cache(maxsize=4)
def _numbered(node: yaml.MappingNode) -> dict[int, tuple[yaml.Node, yaml.Node]]:
    """Names and values by the numbers as which YAML reads the names: 1 also for `on`."""
    read = ((_value(name), (name, value)) for name, value in _pairs_without_text(node))
    return {int(number): pair for number, pair in read if isinstance(number, int)}


def _models(kind: Any) -> Iterator[type[BaseModel]]:
    """Classes of models in a type, such as those of a list or a union."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
    for part in get_args(kind):
        yield from _models(part)


def _known_names(kind: Any, location: Sequence[int | str]) -> str:
    """The names that may stand at a place, for a sentence."""
    models = list(_models(kind))
    for step in location:
        fields = [model.model_fields.get(str(step)) for model in models]
        models = [
            part for field in fields if field for part in _models(field.annotation)
        ] or models
    return ', '.join(
        dict.fromkeys(
            field.alias or name for model in models for name, field in model.model_fields.items()
        )
    )
