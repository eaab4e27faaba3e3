"""Fuzz one reader in this process, led by the code that inputs reach (Atheris).

    python -m benchmarks.fuzz.engine TARGET SECONDS SEED FOLDER

FOLDER keeps `kept/`, the inputs that reached new code, and `told.json`, what came of it so far:
libFuzzer ends the process in its own way, so the file is written again and again.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import atheris

#: Code whose branches lead the search. Not PyYAML: it would be ten times as slow.
_LED_BY = [
    'memory_server', 'reactree_core', 'reactree_planner', 'reactree_tools', 'robot_bridge',
    'rosbags', 'sim_bridge',
]  # fmt: skip
#: The same of readers that need little: to instrument all of it takes half a minute.
_LED_BY_FEW = {'graph': ['sim_bridge.worlds.household'], 'house': ['sim_bridge.worlds.procworld']}
with atheris.instrument_imports(include=_LED_BY_FEW.get(''.join(sys.argv[1:2]), _LED_BY)):
    from benchmarks.fuzz.targets import inputs_of, LONGEST, TARGETS

_LARGEST = 65_536
#: Seconds between two writings of what came of it.
_TELL_EVERY = 2.0
_PIECES = (
    b'', b'\0', b'\n', b'"', b'{', b'}', b'[', b']', b'[' * 3000, b'{"a":' * 2000, b'null',
    b'true', b'-1', b'1e999', b'NaN', b'9' * 400, b'\xff\xfe', b'\xed\xa0\x80', b'\\ud800',
    b'\xe2\x80\xae', b'\x1b[2J', b'<|im_end|>', b'&a [*a]', b'!!python/name:os.system',
    b'Act: ', b'Expand:\n', b'A' * 5000, b'<' * 500, b' ' * 3000, b'\xcc\x81' * 900, b'../',
    b'%00', b'0.0', b'[]', b'{}',
)  # fmt: skip
_VALUES = re.compile(rb'"[^"]{0,60}"|-?\d+(?:\.\d+)?|true|false|null')


def changed(data: bytes, largest: int, seed: int) -> bytes:
    """Another input: a value replaced by another or by a nasty piece, or what libFuzzer makes."""
    draw = Random(seed)
    if draw.random() < 0.5:
        return bytes(atheris.Mutate(data, largest))
    for _ in range(draw.randint(1, 4)):
        values = list(_VALUES.finditer(data))
        if values and draw.random() < 0.7:
            value = draw.choice(values)
            start, end = value.span()
            piece = draw.choice(values)[0] if draw.random() < 0.5 else draw.choice(_PIECES)
        else:
            start = end = draw.randrange(len(data) + 1)
            piece = draw.choice(_PIECES)
        data = data[:start] + piece + data[end:]
    return data[:largest]


class Fuzzing:
    """Gives inputs to a reader, and writes down what comes of it.

    :param name: of the target. :param folder: see above.
    """

    def __init__(self, name: str, seconds: float, folder: Path) -> None:
        self._target = TARGETS[name]
        self._seconds = seconds
        self._told = folder / 'told.json'
        self._folder = folder
        self._files = Path(tempfile.mkdtemp(prefix='reactree-fuzz-'))
        self._target.prepare(self._files)
        self._tried = 0
        self._slowest = 0.0
        self._findings: list[str] = []
        self._began = self._last_told = time.monotonic()

    def one(self, data: bytes) -> None:
        """Try an input; the process ends when the time is over."""
        began = time.process_time()
        fault = self._target.fault(data, self._files)
        self._slowest = max(self._slowest, time.process_time() - began)
        self._tried += 1
        if fault and fault not in self._findings:
            (self._folder / f'finding_{len(self._findings)}').write_bytes(data)
            self._findings.append(fault)
        now = time.monotonic()
        if now - self._last_told > _TELL_EVERY or now - self._began > self._seconds:
            self._tell(now)
        if now - self._began > self._seconds:
            os._exit(0)  # libFuzzer has no other way out

    def _tell(self, now: float) -> None:
        self._last_told = now
        told = {
            'tried': self._tried,
            'seconds': round(now - self._began, 1),
            'slowest': round(self._slowest, 2),
            'findings': self._findings,
        }
        self._told.write_text(json.dumps(told), encoding='utf-8')


def main() -> None:
    """Fuzz until the time is over."""
    name, seconds, seed, folder = sys.argv[1:]
    place = Path(folder)
    (place / 'kept').mkdir(parents=True, exist_ok=True)
    options = {
        'seed': int(seed) + 1,  # 0 is any
        'max_len': _LARGEST,
        # Far more than LONGEST, which is of the processor: this one ends the process.
        'timeout': int(LONGEST * 12),
        'rss_limit_mb': 4096,
        'artifact_prefix': f'{place}/ended_by_',
        'verbosity': 0,
    }
    fuzzing = Fuzzing(name, float(seconds), place)
    atheris.Setup(
        [
            sys.argv[0],
            *(f'-{option}={value}' for option, value in options.items()),
            str(place / 'kept'),
            str(inputs_of(name)[0].parent),
        ],
        fuzzing.one,
        custom_mutator=changed,
    )
    atheris.Fuzz()


if __name__ == '__main__':
    main()
