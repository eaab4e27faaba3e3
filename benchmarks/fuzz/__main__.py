"""Give readers of a stranger's bytes what no program wrote: mutations of small good files.

    scripts/with_ros python -m benchmarks.fuzz [--seconds 5] [--seed 0] [TARGET ...]

A reader may answer, or raise an error with a sentence; everything else is a finding, as is an
input that takes more than LONGEST seconds of the processor. What makes a reader say something that
it has not said before is mutated further. A finding is written to the folder of --findings, and
the exit status is 1. The good files are `corpus/`; what was found and mended is kept there too.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from random import Random

from benchmarks.fuzz.targets import Target
from benchmarks.fuzz.targets import TARGETS
from reactree_core.errors import ReactreeError
from reactree_tools.plain_text import visible

CORPUS = Path(__file__).parent / 'corpus'
#: Seconds of the processor that a reader may take for one input, and bytes of the longest.
LONGEST = 5.0
_LARGEST = 65_536
_MOST_KEPT = 400
_PIECES = (
    b'', b'\0', b'\n', b'"', b'{', b'}', b'[', b']', b'[' * 3000, b'{"a":' * 2000, b'null',
    b'true', b'-1', b'1e999', b'NaN', b'9' * 400, b'\xff\xfe', b'\xed\xa0\x80', b'\\ud800',
    b'\xe2\x80\xae', b'\x1b[2J', b'<|im_end|>', b'&a [*a]', b'!!python/name:os.system',
    b'Act: ', b'Expand:\n', b'A' * 5000, b'<' * 500, b' ' * 3000, b'\xcc\x81' * 900, b'../',
    b'%00', b'0.0', b'[]', b'{}',
)  # fmt: skip
_VALUES = re.compile(rb'"[^"]{0,60}"|-?\d+(?:\.\d+)?|true|false|null')


@dataclass
class Fuzzed:
    """What came of a target.

    :param tried: inputs. :param said: different things that its reader said, and answers.
    """

    tried: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    said: set[str] = field(default_factory=set)
    findings: dict[str, bytes] = field(default_factory=dict)


def mutated(draw: Random, inputs: list[bytes]) -> bytes:
    """Another input, made of those that there are by one to four changes."""
    data = draw.choice(inputs)
    for _ in range(draw.randint(1, 4)):
        at, end = sorted((draw.randrange(len(data) + 1), draw.randrange(len(data) + 1)))
        match draw.randrange(7):
            case 0 if data:
                place = min(at, len(data) - 1)
                data = data[:place] + bytes([draw.randrange(256)]) + data[place + 1 :]
            case 1:
                data = data[:at] + draw.choice(_PIECES) + data[at:]
            case 2:
                data = data[:at] + data[min(end, at + draw.randint(1, 40)) :]
            case 3:
                data = data[:end] + data[at:end] * draw.randint(1, 4) + data[end:]
            case 4:
                other = draw.choice(inputs)
                data = data[:at] + other[draw.randrange(len(other) + 1) :]
            case _:
                values = list(_VALUES.finditer(data))
                if values:
                    value = draw.choice(values)
                    other = draw.choice((draw.choice(values)[0], draw.choice(_PIECES)))
                    data = data[: value.start()] + other + data[value.end() :]
    return data[:_LARGEST]


def fuzz(target: Target, inputs: list[bytes], seconds: float, seed: int, folder: Path) -> Fuzzed:
    """Try a target for so long; the inputs themselves come first."""
    path = folder / target.name
    if target.beside is not None:
        source, name = target.beside
        shutil.copyfile(CORPUS / source, folder / name)
    found = Fuzzed()
    given = len(inputs)
    began = time.monotonic()
    for data in _stream(inputs, Random(seed)):
        path.write_bytes(data)
        begin = time.process_time()
        said = _tried(target, path, found, data)
        took = time.process_time() - begin
        found.longest = max(found.longest, took)
        if took > LONGEST:
            found.findings.setdefault(f'it took longer than {LONGEST:g} s', data)
        if said not in found.said and len(inputs) < _MOST_KEPT:
            inputs.append(data)
        found.said.add(said)
        found.tried += 1
        found.seconds = time.monotonic() - began
        if found.tried >= given and found.seconds > seconds:
            break
    return found


def _stream(inputs: list[bytes], draw: Random) -> Iterator[bytes]:
    yield from list(inputs)
    while True:
        yield mutated(draw, inputs)


def _tried(target: Target, path: Path, found: Fuzzed, data: bytes) -> str:
    try:
        target.read(path)
    except ReactreeError as error:
        # What is quoted in a sentence is not new.
        return re.sub(r'\d+|\'[^\']*\'|"[^"]*"', '', str(error))[:60]
    except Exception as error:  # noqa: BLE001 - whatever it is, a reader must not raise it
        last = error.__traceback__
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        place = f'{last.tb_frame.f_code.co_filename}:{last.tb_lineno}' if last else ''
        found.findings.setdefault(f'{type(error).__name__} at {place}', data)
        return type(error).__name__
    return ''


def inputs_of(name: str) -> list[bytes]:
    """The small good files of a target."""
    return [file.read_bytes() for file in sorted((CORPUS / name).iterdir())]


def main() -> int:
    """Fuzz, print counts, and keep what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('targets', nargs='*', metavar='TARGET', help=f'of {", ".join(TARGETS)}')
    parser.add_argument('--seconds', type=float, default=5.0, help='for each target (default 5)')
    parser.add_argument('--seed', type=int, default=0, help='of the mutations (default 0)')
    parser.add_argument('--findings', type=Path, default=Path('build/fuzz'), metavar='FOLDER')
    args = parser.parse_args()
    unknown = [name for name in args.targets if name not in TARGETS]
    if unknown:
        parser.error(f'there is no target {unknown[0]}; there are {", ".join(TARGETS)}')
    print('| target | inputs | seconds | a second | different answers | slowest | findings |')
    print('|---|---|---|---|---|---|---|')
    bad = 0
    for name in args.targets or TARGETS:
        with tempfile.TemporaryDirectory() as folder:
            found = fuzz(TARGETS[name], inputs_of(name), args.seconds, args.seed, Path(folder))
        rate = found.tried / max(found.seconds, 1e-9)
        print(
            f'| {name} | {found.tried:,} | {found.seconds:.0f} | {rate:.0f} | {len(found.said)} | '
            f'{found.longest:.2f} s | {len(found.findings)} |',
            flush=True,
        )
        for number, (sentence, data) in enumerate(found.findings.items()):
            args.findings.mkdir(parents=True, exist_ok=True)
            file = args.findings / f'{name}-{number}'
            file.write_bytes(data)
            print(visible(f'{file}: {sentence}', 300), file=sys.stderr)
        bad += len(found.findings)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
