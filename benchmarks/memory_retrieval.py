"""Retrieval from episodic memory, against the plain ways to do it, in one run.

1. Among 1,000 stored experiences, against reading one pickle per experience again for each query
   and looping over cosines in Python, as a small script would do it.
2. Among 100,000, exactly, against one float32 matrix product over the same vectors.
3. With --million among 1,000,000 synthetic vectors, approximately: time, recall, memory, build
   (needs requirements/approximate.txt and about 8 GB).

    scripts/with_ros python -m benchmarks.memory_retrieval [--million]
"""

from __future__ import annotations

import argparse
import math
import os
import pickle
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.episodic.vector_index import ApproximateSearch
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.embedding.registry import choose_embedder
from reactree_core.experience import Experience, ExperienceQuery, Termination
from reactree_core.ports import Embedder, FloatMatrix

_BUDGET = 1000
_DIMENSION = 384
_NEIGHBOURS = 10
_THINGS = ('apple', 'juice', 'plate', 'cutlery fork', 'pudding', 'wine glass', 'book', 'cupcake')
_PLACES = ('fridge', 'coffee table', 'dishwasher', 'kitchen table', 'sofa', 'microwave')
_WAYS = (
    'find and pick up the {} near the {}',
    'put the {} into the {}',
    'bring a {} to the {}',
    'look whether the {} is in the {}',
)


class GivenVectors:
    """An encoder whose vectors are made beforehand: takes the encoder's time out."""

    name = 'given'
    dimension = _DIMENSION

    def __init__(self, vectors: dict[str, FloatMatrix]) -> None:
        self.vectors = vectors

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Known texts only."""
        return np.stack([self.vectors[text] for text in texts])


def goals(count: int) -> list[str]:
    """Different goals that share most of their words."""
    pairs = [way.format(thing, place) for way in _WAYS for thing in _THINGS for place in _PLACES]
    return [f'{pairs[number % len(pairs)]} {number // len(pairs) + 1}' for number in range(count)]


def experience(number: int, goal: str) -> Experience:
    """About as long as real ones."""
    block = 'Act: go to kitchen 1\nYou are in the kitchen. You see fridge (1), sink (1).\n'
    text = f'Your task is to: {goal}\nYou are in the house.\n' + block * 6 + 'Act: done'
    return Experience(str(number), goal, text, Termination(number % 3), tokens=150)


def clustered(count: int, seed: int) -> FloatMatrix:
    """Synthetic goals: 5,000 kinds, each spread as rewordings are (cosine about 0.7 within)."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(1).standard_normal((5000, _DIMENSION), np.float32)
    rows = np.empty((count, _DIMENSION), np.float32)
    for start in range(0, count, 50_000):
        part = rows[start : start + 50_000]
        part[:] = centres[random.integers(0, len(centres), len(part))]
        part += 0.65 * random.standard_normal(part.shape, np.float32)
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    return rows


def median_time(queries: Sequence[str], call: Callable[[str], object], rounds: int = 1) -> float:
    """Median seconds of a call, after one that does not count."""
    call(queries[0])
    times = []
    for query in [*queries] * rounds:
        begin = time.perf_counter()
        call(query)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def thousand(embedder: Embedder, folder: Path) -> None:
    """The first table."""
    count = 1000
    texts = goals(count)
    queries = [f'please {text}' for text in texts[::40]]
    vectors = embedder.embed([*texts, *queries])
    known = dict(zip([*texts, *queries], vectors, strict=True))
    items = [experience(number, text) for number, text in enumerate(texts)]
    for number, item in enumerate(items):
        with (folder / f'{number}.pickle').open('wb') as file:
            pickle.dump((item, vectors[number].tolist()), file)
    memory = EpisodicMemory(SqliteStore(folder / 'm.sqlite'), GivenVectors(known))
    memory.store(items)
    real = EpisodicMemory(SqliteStore(None), embedder)
    real.store(items)

    def baseline(query: FloatMatrix) -> list[Experience]:
        scored = []
        for number in range(count):
            with (folder / f'{number}.pickle').open('rb') as file:
                item, vector = pickle.load(file)
            product = sum(a * b for a, b in zip(query, vector, strict=True))
            lengths = math.sqrt(sum(a * a for a in query)) * math.sqrt(sum(b * b for b in vector))
            scored.append((product / lengths, number, item))
        scored.sort(key=lambda entry: -entry[0])
        return [item for _, _, item in scored[: _BUDGET // 150]]

    matrix = np.ascontiguousarray(vectors[:count])
    for query in queries[:3]:
        same = {item.goal for item in baseline(known[query].tolist())}
        assert same == {
            item.goal for item in memory.retrieve(ExperienceQuery(query, token_budget=_BUDGET))
        }
    slow = median_time(queries, lambda query: baseline(known[query].tolist()))
    ours = median_time(
        queries, lambda query: memory.retrieve(ExperienceQuery(query, token_budget=_BUDGET)), 20
    )
    product = median_time(queries, lambda query: matrix @ known[query], 20)
    slow_embedding = median_time(
        queries, lambda query: baseline(embedder.embed([query])[0].tolist())
    )
    ours_embedding = median_time(
        queries, lambda query: real.retrieve(ExperienceQuery(query, token_budget=_BUDGET)), 4
    )
    print(f'{count} experiences, median of {len(queries)} queries, encoder {embedder.name}')
    print(f'  one pickle each, cosines in Python   {slow * 1e3:9.2f} ms')
    print(f'  the same with the query embedded     {slow_embedding * 1e3:9.2f} ms')
    print(f'  one matrix product, for comparison   {product * 1e3:9.3f} ms')
    print(
        f'  retrieval                            {ours * 1e3:9.3f} ms  '
        f'{slow / ours:6.0f} times faster (wanted: 300)'
    )
    print(
        f'  retrieval with the query embedded    {ours_embedding * 1e3:9.2f} ms  '
        f'{slow_embedding / ours_embedding:6.1f} times faster (wanted: 5)'
    )
    memory.close()
    real.close()


def hundred_thousand(folder: Path) -> None:
    """The second table."""
    count = 100_000
    vectors, asked = clustered(count, 2), clustered(60, 3)
    texts = goals(count)
    queries = [f'query {number}' for number in range(len(asked))]
    known = dict(zip([*texts, *queries], [*vectors, *asked], strict=True))
    memory = EpisodicMemory(SqliteStore(folder / 'large.sqlite'), GivenVectors(known))
    begin = time.perf_counter()
    for start in range(0, count, 10_000):
        chosen = range(start, start + 10_000)
        memory.store([experience(number, texts[number]) for number in chosen])
    stored = time.perf_counter() - begin
    exact = 0
    for query in queries[:20]:
        best = set(np.argsort(-(vectors @ known[query]))[:6].tolist())
        exact += best == {
            int(item.experience_id)
            for item in memory.retrieve(ExperienceQuery(query, token_budget=_BUDGET))
        }
    products, retrievals = [], []
    for query in queries * 5:  # in turns, so that a busy moment meets both
        begin = time.perf_counter()
        _ = vectors @ known[query]
        middle = time.perf_counter()
        memory.retrieve(ExperienceQuery(query, token_budget=_BUDGET))
        products.append(middle - begin)
        retrievals.append(time.perf_counter() - middle)
    product, ours = statistics.median(products), statistics.median(retrievals)
    print(f'{count} experiences, median of {len(queries)} queries; stored in {stored:.0f} s')
    print(f'  one matrix product                   {product * 1e3:9.2f} ms')
    print(
        f'  exact retrieval                      {ours * 1e3:9.2f} ms  '
        f'{ours / product:6.2f} times the product (wanted: 1.3 at most)'
    )
    print(f'  the same six as by sorting all products: {exact} of 20 queries')
    memory.close()


def million() -> None:
    """The third table."""
    count = 1_000_000
    vectors, asked = clustered(count, 4), clustered(200, 5)
    search = ApproximateSearch(count)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    search.follow(vectors, vectors)
    search.wait(24 * 3600.0)
    report = search.report
    assert report is not None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    hits = 0
    times: list[float] = []
    products: list[float] = []
    for query in asked:
        begin = time.perf_counter()
        candidates = search.candidates(vectors, count, query, 256)
        assert candidates is not None
        near = vectors[candidates] @ query
        found = candidates[np.argsort(-near)[:_NEIGHBOURS]]
        times.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        cosines = vectors @ query
        products.append(time.perf_counter() - begin)
        best = np.argpartition(-cosines, _NEIGHBOURS)[:_NEIGHBOURS]
        hits += len(np.intersect1d(found, best))
    times.sort()
    print(f'{count} vectors in 5,000 kinds, {len(asked)} queries that are none of them')
    print(
        f'  built in {report.seconds:.0f} s: {report.lists} lists, {report.probes} looked at; '
        f'index {report.bytes >> 20} MiB beside {vectors.nbytes >> 20} MiB of vectors; '
        f'most memory while building {(peak - before) >> 10} MiB more'
    )
    print(f'  one matrix product                   {statistics.median(products) * 1e3:9.2f} ms')
    print(
        f'  approximate search                   {statistics.median(times) * 1e3:9.2f} ms, '
        f'p95 {times[int(0.95 * len(times))] * 1e3:.2f} ms (wanted: under 10 ms)'
    )
    recall = hits / (_NEIGHBOURS * len(asked))
    print(f'  recall@10 {recall:.4f} (wanted: 0.98), as measured when built {report.recall:.4f}')


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--million', action='store_true', help='the third table too')
    parser.add_argument('--only-million', action='store_true', help='nothing but the third table')
    arguments = parser.parse_args()
    print(f'{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}')
    if not arguments.only_million:
        embedder, remark = choose_embedder('auto')
        if remark:
            print(remark)
        with tempfile.TemporaryDirectory() as folder:
            thousand(embedder, Path(folder))
            hundred_thousand(Path(folder))
    if arguments.million or arguments.only_million:
        million()


if __name__ == '__main__':
    main()
