"""Rounds of processes that store and retrieve together and are killed at any moment.

Run as a program with a store's path, a number of rounds and a seed; writes what came of it as
JSON. Processes are forked, not started anew, so that 200 rounds take seconds: each opens the
store for itself, as a node does.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.store.registry import open_store
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.experience import Experience, ExperienceQuery, Termination

_WRITERS = 2
_MOST_ACKNOWLEDGEMENTS = 12
_MOST_RETRIEVALS = 4
_LONGEST_WAIT = 30.0
#: Seconds after the last awaited acknowledgement: the kill then falls into any part of a write.
_SPREAD = 0.004


def main() -> None:
    path, rounds, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    told: set[str] = set()
    report = {'rounds': 0, 'killed_while_working': 0, 'retrievals': 0, 'missing': []}
    with_store(path, lambda memory: None)  # what a first start makes is not what is killed
    for number in range(rounds):
        names, retrievals, killed = play_round(path, number, chance)
        told |= names
        report['rounds'] += 1
        report['retrievals'] += retrievals
        report['killed_while_working'] += killed
        report['missing'] += check(path, names)
    report['missing'] += check(path, told)
    report['acknowledged'] = len(told)
    report.update(contents(path))
    sys.stdout.write(json.dumps(report))


def play_round(path: str, number: int, chance: random.Random) -> tuple[set[str], int, bool]:
    """What was acknowledged before the kill, retrievals, and whether all were still at work."""
    reader, writer = os.pipe()
    works: list[Callable[[EpisodicMemory], None]] = [
        storing(number, index, writer) for index in range(_WRITERS)
    ]
    works.append(retrieving(writer))
    children = [fork(path, work) for work in works]
    os.close(writer)
    lines = b'\n'
    stores = chance.randrange(_MOST_ACKNOWLEDGEMENTS + 1)
    retrievals = chance.randrange(_MOST_RETRIEVALS + 1)
    deadline = time.monotonic() + _LONGEST_WAIT
    while lines.count(b'\ns') < stores or lines.count(b'\nr') < retrievals:
        if time.monotonic() > deadline:
            break
        if select.select([reader], [], [], 1.0)[0]:
            lines += os.read(reader, 65536)
    moment = time.monotonic() + chance.random() * _SPREAD
    while (left := moment - time.monotonic()) > 0.0:
        if select.select([reader], [], [], left)[0]:
            lines += os.read(reader, 65536)
    working = all(os.waitpid(child, os.WNOHANG) == (0, 0) for child in children)
    for child in children:
        os.kill(child, signal.SIGKILL)
    for child in children:
        os.waitpid(child, 0)
    while part := os.read(reader, 65536):
        lines += part
    os.close(reader)
    words = lines.decode().split()
    return {word[1:] for word in words if word[0] == 's'}, words.count('r'), working


def fork(path: str, work: Callable[[EpisodicMemory], None]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        with_store(path, work)
    finally:
        os._exit(1)  # reached by an error only


def with_store(path: str, work: Callable[[EpisodicMemory], None]) -> None:
    memory = EpisodicMemory(open_store(path), HashingEmbedder(64))
    work(memory)
    memory.close()


def storing(number: int, index: int, pipe: int) -> Callable[[EpisodicMemory], None]:
    """Stores for ever: own experiences, and some that the other writer stores too."""

    def work(memory: EpisodicMemory) -> None:
        for step in range(10**9):
            names = [f'{number}-{index}-{step}', f'{number}-shared-{step}']
            memory.store([experience(name) for name in names])
            os.write(pipe, ''.join(f's{name}\n' for name in names).encode())

    return work


def retrieving(pipe: int) -> Callable[[EpisodicMemory], None]:
    def work(memory: EpisodicMemory) -> None:
        while True:
            for item in memory.retrieve(ExperienceQuery('find the apple 1', token_budget=500)):
                if item.trajectory != experience(item.experience_id).trajectory:
                    os.write(pipe, b'sa-retrieved-experience-is-not-whole\n')
            os.write(pipe, b'r\n')

    return work


def experience(name: str) -> Experience:
    goal = f'find the apple {name}'
    text = f'Your task is to: {goal}\n' + 'You are in the house.\n' * 40
    return Experience(name, goal, text, Termination.SUCCESS, run_id=name.split('-')[0])


def check(path: str, names: set[str]) -> list[str]:
    """Names that are not kept, whoever reads the store now."""
    store = open_store(path)
    try:
        return sorted(names - store.known(sorted(names)))
    finally:
        store.close()


def contents(path: str) -> dict[str, int]:
    store = open_store(path)
    try:
        names = [
            (item.experience_id, item.goal)
            for rows in store.rows_after(0)
            for item in store.load(rows.numbers.tolist())
        ]
        return {'kept': store.count(), 'with_vector': len(names), 'different': len(set(names))}
    finally:
        store.close()


if __name__ == '__main__':
    main()
