"""Tasks and prohibitions in six languages: what each reader makes of every part of them.

    python -m benchmarks.languages --model none strong random:1 --set instructions prohibitions

`none` is the grammar; `strong` a model whose lines are written in the files of sentences, so that
it shows what the reader does with a good reading, and nothing of a model. Of each part (something
wanted or forbidden) a reading is right, or it tells that its words were not read, or it takes them
for something else, or it drops them in silence. `--runs` also does every household sentence in a
home, and its English one: with the same skills and the same end, or not.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.languages.sentences import forbidden, LANGUAGES, read_sentences, Sentence, SETS
from reactree_core.ports import LanguageModel
from reactree_core.record.events import DecisionKind
from reactree_core.record.run_settings import Limits, Reading
from reactree_core.vocabulary_files import read_vocabulary
from reactree_planner.language.domain import Domain
from reactree_planner.language.goal import Goal
from reactree_planner.language.model_reader import ModelReader, OwnSessions
from reactree_planner.language.names import Names
from reactree_planner.language.reader import GrammarTaskReader, TaskReader
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.worlds.registry import given_back, make_task_world

STRONG = 'strong'
_SAID = '\nSentence: '
#: Homes that are tried until the English sentence is done in one.
_HOMES = range(9861, 9869)
_MOST = 60
RIGHT, TOLD, OTHERWISE, SILENT = 'right', 'named as unread', 'taken for something else', 'silent'
_MARKS = 'read right', RIGHT, TOLD, OTHERWISE, SILENT, 'acts, and drops what is forbidden'


def main(words: Sequence[str] | None = None) -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--set', nargs='+', default=SETS, choices=SETS)
    parser.add_argument('--language', nargs='+', default=LANGUAGES, choices=LANGUAGES)
    parser.add_argument('--model', nargs='+', default=['none', STRONG, 'random:1'])
    parser.add_argument('--every', type=int, default=1, help='take every n-th sentence')
    parser.add_argument('--threads', type=int, default=0)
    parser.add_argument('--runs', action='store_true', help='do the household ones in homes')
    parser.add_argument('-a', '--all', action='store_true', help='a line for every part')
    asked = parser.parse_args(words)
    print(f'| set | language | reader | sentences | {" | ".join(_MARKS)} | s a sentence |')
    print('|---' * (len(_MARKS) + 5) + '|')
    for name in asked.set:
        for model_name in asked.model:
            with _reader(model_name, asked.threads) as model:
                for code in asked.language:
                    sentences = [*read_sentences(name, [code])][:: asked.every]
                    _print_row(name, code, model_name, sentences, model, asked.all)
    if asked.runs:
        _print_runs(asked.set, asked.language)


@contextmanager
def _reader(name: str, threads: int) -> Iterator[LanguageModel | None]:
    if name in ('none', STRONG):
        yield None
        return
    model = load_model(name, ModelOptions(threads=threads))
    try:
        yield model
    finally:
        model.close()


def _print_row(
    name: str,
    code: str,
    reader: str,
    sentences: Sequence[Sentence],
    model: LanguageModel | None,
    shows: bool,
) -> None:
    names = names_of(name)
    counts: Counter[str] = Counter()
    began = time.perf_counter()
    for one in sentences:
        goal = task_reader(reader, model, one).read(one.text, names)
        marks = marks_of(one, goal, Domain(names))
        counts.update(marks)
        if shows:
            never = [f'must not {each.wording}' for each in goal.never]
            told = '; '.join(filter(None, [goal.means, *never])) or '-'
            print(f'  {", ".join(marks)}: {one.text} -> {told}; unread: {goal.unread}', flush=True)
    seconds = (time.perf_counter() - began) / max(1, len(sentences))
    cells = ' | '.join(str(counts[mark]) for mark in _MARKS)
    print(f'| {name} | {code} | {reader} | {len(sentences)} | {cells} | {seconds:.2f} |')


def names_of(name: str) -> Names:
    """The names that a set of sentences is told with."""
    if name == 'alfred':
        return Names(read_vocabulary(Path(__file__).with_name('alfred.yaml')))
    made: Any = make_task_world('household')
    with given_back(made) as world:
        world.reset('generated:3', 'generated:3', 3)
        return Names(world.vocabulary())


def task_reader(reader: str, model: LanguageModel | None, sentence: Sentence) -> TaskReader:
    """Who reads a sentence."""
    if reader == 'none':
        return GrammarTaskReader()
    return ModelReader(OwnSessions(model or PolicyModel(Scripted([sentence]))))


class Scripted:
    """A strong model: it writes the lines of the sentence that it is asked about."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self._lines = {one.text: one.lines() for one in sentences}

    def __call__(self, text: str, options: Sequence[str] | None) -> int | str:
        """The longest option that goes on with its lines; a line that may not be said is left out.

        What else it is asked it does not know: it takes the first option.
        """
        if options is None or _SAID not in text:
            return 0 if options else ' I do not know.'
        said, _, done = text.rsplit(_SAID, 1)[1].partition('\n')
        *before, begun = done.split('\n')
        lines = self._lines[said].splitlines(keepends=True)
        if before:
            behind = [at for at, line in enumerate(lines) if line.rstrip('\n') == before[-1]]
            lines = lines[behind[-1] + 1 :] if behind else lines
        for line in lines:
            rest = line.removeprefix(begun) if line.startswith(begun) else ''
            fits = [at for at, one in enumerate(options) if rest and rest.startswith(one)]
            if fits:
                return max(fits, key=lambda at: len(options[at]))
        gives_up = (at for at, one in enumerate(options) if one.strip() in ('end', 'unknown'))
        return next(gives_up, 0)


def marks_of(sentence: Sentence, goal: Goal, domain: Domain) -> list[str]:
    """What is to be counted of a reading: for every part, and for the sentence."""
    found = [one.text for milestone in goal.milestones for one in milestone]
    never = [one.wording for one in goal.never]
    accounts = _accounts(goal)
    marks = []
    for part in sentence.parts:
        inside = [accounts[at] for at in range(part.start, part.end) if at in accounts]
        if forbidden(part.asks) in never if part.forbids else part.asks in found:
            marks.append(RIGHT)
        elif '' in inside:
            marks.append(TOLD)
        else:
            marks.append(OTHERWISE if set(inside) != {'small word'} else SILENT)
    asked = tuple(frozenset(one.text for one in each) for each in goal.milestones)
    if goal.whole and (asked, frozenset(never)) == sentence.asked(domain):
        marks.append('read right')
    kept = all(forbidden(one.asks) in never for one in sentence.parts if one.forbids)
    if goal.acts and goal.milestones and not kept:
        marks.append(_MARKS[-1])
    return marks


def _accounts(goal: Goal) -> dict[int, str]:
    """What accounts for every character of the words."""
    found: dict[int, str] = {}
    at = 0
    for word in goal.words:
        at = goal.text.find(word.text, at)
        found |= dict.fromkeys(range(at, at + len(word.text)), word.account)
        at += len(word.text)
    return found


# Runs -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Played:
    """What a run came to. :param skills: that it did, in their order."""

    ended: str
    skills: tuple[str, ...]


def _print_runs(sets: Sequence[str], languages: Sequence[str]) -> None:
    print('\n| set | language | sentences | same skills and end | of these done | what is not |')
    print('|---' * 6 + '|')
    english: dict[str, tuple[int, Played]] = {}
    for name in sets:
        if name == 'alfred':
            continue
        for code in languages:
            same, done, other = 0, 0, []
            sentences = [*read_sentences(name, [code])]
            for one in sentences:
                if one.english not in english:
                    english[one.english] = _done_in_english(one)
                home, wanted = english[one.english]
                model = PolicyModel(Scripted([one]))
                told = played(one.text, home, model, Reading.MODEL)
                if (told.ended, told.skills) == (wanted.ended, wanted.skills):
                    same += 1
                    done += told.ended == 'success'
                else:
                    other.append(f'{one.text} ({told.ended}, English: {wanted.ended})')
            print(
                f'| {name} | {code} | {len(sentences)} | {same} | {done} | {"; ".join(other)} |',
                flush=True,
            )


def _done_in_english(sentence: Sentence) -> tuple[int, Played]:
    """The home that a sentence is done in, and how, as the grammar reads it in English."""
    # What neither reading nor facts decide, the same model decides: it takes the first option.
    model = PolicyModel(Scripted([]))
    found: dict[int, Played] = {}
    for home in _HOMES:
        if not sentence.names <= _classes(home):
            continue
        found[home] = played(sentence.english, home, model, Reading.GRAMMAR)
        if found[home].ended == 'success' and found[home].skills:
            return home, found[home]
    if not found:
        raise SystemExit(f'No home has what is named in {sentence.english!r}.')
    return next(iter(found.items()))


@cache
def _classes(home: int) -> frozenset[str]:
    made: Any = make_task_world('household')
    with given_back(made) as world:
        world.reset(f'generated:{home}', f'generated:{home}', home)
        known = world.vocabulary()
        return frozenset((*known.object_classes, *known.place_classes))


def played(text: str, home: int, model: LanguageModel, reading: Reading) -> Played:
    """One sentence in one home."""
    made: Any = make_task_world('household')
    skills: list[str] = []

    def watch(event: Any) -> None:
        is_act = getattr(event, 'kind', None) is DecisionKind.ACT
        skills.extend([event.skill] if is_act and event.skill else [])

    with given_back(made) as world:
        world.reset(f'generated:{home}', f'generated:{home}', home)
        episode = plan_episode(
            world,
            model,
            InProcessMemory(),
            replace(PlannerSettings(), reading=reading),
            Limits(_MOST, _MOST),
            watch=watch,
            sentence=text,
        )
    return Played(episode.ended, tuple(skills))


if __name__ == '__main__':
    main()
