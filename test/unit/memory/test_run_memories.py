"""Working memories of several runs."""

import threading
import tracemalloc

from memory_server.working.run_memories import RunMemories
from reactree_core.observation import ObjectFact, Observation


def seen(name, number=1, receptacle='fridge 1'):
    fact = ObjectFact(name, number, 'kitchen 1', receptacle)
    return Observation('', room='kitchen 1', looked_at=(receptacle,), facts=(fact,))


def test_runs_do_not_share_what_they_saw():
    memories = RunMemories()
    assert memories.update('a', seen('juice')) == 1
    assert memories.update('b', seen('apple')) == 1
    assert memories.recall('a', 'juice').text == 'You saw juice 1 near fridge 1 in kitchen 1.'
    assert memories.recall('a', 'juice').looked_at == ('fridge 1',)
    assert memories.recall('b', 'juice').text == 'You have not seen juice before.'
    assert memories.recall('unknown', 'juice').facts == ()
    assert memories.run_ids == ('a', 'b')


def test_the_run_that_was_updated_longest_ago_makes_room():
    memories = RunMemories(runs_kept=2)
    for run_id in ('a', 'b', 'a', 'c'):
        memories.update(run_id, seen('juice'))
    assert memories.run_ids == ('a', 'c')


def test_one_run_or_all_are_forgotten():
    memories = RunMemories()
    for run_id in ('a', 'b', 'c'):
        memories.update(run_id, seen('juice'))
    assert memories.clear('a') == 1
    assert memories.clear('a') == 0
    assert memories.clear() == 2
    assert memories.run_ids == ()


def test_classes_that_come_and_go_leave_nothing_behind():
    memories = RunMemories(facts_kept=100)
    empty = Observation('', room='kitchen 1', place='fridge 1', looked_at=('fridge 1',))

    def come_and_go(round_number):
        names = (f'thing {round_number} {number} {"x" * 4000}' for number in range(100))
        facts = tuple(ObjectFact(name, 1, 'kitchen 1', 'fridge 1') for name in names)
        assert memories.update('a', Observation('', facts=facts)) == 100
        assert memories.update('a', empty) == 0

    come_and_go(0)
    tracemalloc.start()
    try:
        for round_number in range(1, 21):
            come_and_go(round_number)
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < 1_000_000


def test_a_run_remembers_a_bounded_number_of_things():
    memories = RunMemories(facts_kept=3)
    facts = tuple(ObjectFact('cup', number, 'kitchen 1', 'shelf 1') for number in range(1, 9))
    assert memories.update('a', Observation('', facts=facts)) == 3
    newer = tuple(ObjectFact('cup', number, 'kitchen 1', 'sink 1') for number in range(2, 9))
    assert memories.update('a', Observation('', facts=newer)) == 3
    assert [fact.receptacle for fact in memories.snapshot('a').facts] == [
        'shelf 1',
        'sink 1',
        'sink 1',
    ]


def test_of_places_looked_at_the_oldest_make_room():
    memories = RunMemories(facts_kept=3)
    for number in (1, 2, 3, 1, 4, 5):
        memories.update('a', Observation('', looked_at=(f'shelf {number}',)))
    assert memories.snapshot('a').looked_at == ('shelf 3', 'shelf 4', 'shelf 5')
    many = tuple(f'table {number}' for number in range(10))
    memories.update('a', Observation('', looked_at=many))
    assert memories.snapshot('a').looked_at == ('table 7', 'table 8', 'table 9')


def test_threads_may_update_one_run():
    memories = RunMemories()

    def work(worker):
        for number in range(100):
            memories.update('a', seen(f'thing {worker}', number, f'shelf {worker}-{number}'))

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(memories.snapshot('a').facts) == 400
