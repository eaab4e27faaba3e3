"""The readers of a stranger's bytes, and what they must not do."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import httpx

from memory_server.exchange.files import read_file as read_experiences
from reactree_core.errors import ReactreeError
from reactree_core.experience import Experience
from reactree_core.foreign_text import bounded, cleaned
from reactree_core.observation import Vocabulary
from reactree_core.permission.rules_file import read_rules
from reactree_core.record.events import Event
from reactree_core.record.journal import read_records
from reactree_core.record.journal_lines import Answer
from reactree_core.record.questions import read_question
from reactree_core.record.trajectory_text import quoted
from reactree_core.skill_types import SkillKind, SkillType
from reactree_core.skill_vocabulary import SkillVocabulary
from reactree_planner.llm.openai_server.answers import read_answers
from reactree_planner.llm.openai_server.profile import Completion
from reactree_planner.planners.plans.programs import read_program
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone
from reactree_tools.bench.study import read_study
from reactree_tools.glyphs import ASCII
from reactree_tools.recording.bags import read_messages
from reactree_tools.viewer.frames import FrameMaker
from reactree_tools.viewer.runs import Runs
from reactree_tools.viewer.web.application import TOKEN_HEADER, Viewer
from reactree_tools.views.transcript import Transcript
from robot_bridge.loading import load_robot
from robot_bridge.ros.installed_types import InstalledTypes
from sim_bridge.virtualhome_server.script_lines import read_lines
from sim_bridge.worlds.alfworld.game import read_game
from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.household.tasks.loading import read_task_file
from sim_bridge.worlds.household.tasks.wah_files import read_task
from sim_bridge.worlds.procworld.house_file import read_house
from sim_bridge.worlds.textcraft.tasks import tasks_of_file as crafting_tasks
from sim_bridge.worlds.thor.tasks import tasks_of_file as alfred_tasks

_CRATES = Vocabulary(
    ('lift <crate>', 'open <place>', 'ask <text>'),
    ('crate',),
    ('bin', 'shelf'),
    ('aisle 1',),
    (SkillType('lift <crate>', kind=SkillKind.TAKE), SkillType('open <place>')),
)
_TOKEN = 'fuzz'


CORPUS = Path(__file__).parent / 'corpus'
#: Seconds of the processor that a reader may take for one input.
LONGEST = 5.0


@dataclass(frozen=True)
class Target:
    """A reader of files.

    :param read: of a file; raises nothing but errors with a sentence (`ReactreeError`).
    :param name: of the file that it is given.
    :param beside: a good file of the corpus that lies beside it, and its name there.
    """

    read: Callable[[Path], object]
    name: str
    beside: tuple[str, str] | None = None

    def prepare(self, folder: Path) -> None:
        """Put into a folder what the file needs beside it."""
        if self.beside is not None:
            source, name = self.beside
            shutil.copyfile(CORPUS / source, folder / name)

    def fault(self, data: bytes, folder: Path) -> str:
        """What the reader does wrong with an input; '' where it answers or says a sentence."""
        path = folder / self.name
        path.write_bytes(data)
        began = time.process_time()
        try:
            self.read(path)
        except ReactreeError:
            pass
        except Exception as error:  # noqa: BLE001 - whatever it is, a reader must not raise it
            last = error.__traceback__
            while last is not None and last.tb_next is not None:
                last = last.tb_next
            place = f'{last.tb_frame.f_code.co_filename}:{last.tb_lineno}' if last else ''
            return f'{type(error).__name__} at {place}'
        if time.process_time() - began > LONGEST:
            return f'it took longer than {LONGEST:g} s'
        return ''


def inputs_of(name: str) -> list[Path]:
    """The small files of a target that are kept here."""
    return sorted((CORPUS / name).iterdir())


def _journal(path: Path) -> None:
    """Read, folded into a tree, and shown."""
    transcript, maker = Transcript(ASCII, 80), FrameMaker()
    for record in read_records(path):
        if not isinstance(record, Answer):
            event: Event = record
            list(transcript.lines(event))
            json.dumps(maker.frame(event))


def _bag(path: Path) -> None:
    for _ in read_messages(path.parent):
        pass


def _tasks(path: Path) -> None:
    beside = path.with_suffix('.yaml')
    shutil.copyfile(path, beside)
    for read, file in ((read_task_file, path), (crafting_tasks, beside)):
        try:
            read(file)
        except ReactreeError:
            pass
    read_task(_json(path), 'x#index:0', 'x', path.parent)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None


def _graph(path: Path) -> None:
    found = _json(path)
    if isinstance(found, dict):
        SceneGraph(found)


def _model(path: Path) -> None:
    """An answer of a server, and free text of a model."""
    text = path.read_bytes().decode('utf-8', 'replace')
    read_program(text, 20)
    assert cleaned(cleaned(text)) == cleaned(text)
    assert quoted(quoted(text)) == quoted(text)
    assert len(bounded(text, 100).encode()) <= 100
    if text.strip():
        try:
            read_question(text)
        except ValueError:
            pass
    read_alone(text[:400], Names(_CRATES))
    for completion in Completion:
        try:
            read_answers(completion, _json(path), 'http://x')
        except ReactreeError:
            pass


class _Control:
    """Answers whatever the viewer is asked to do."""

    paused = False

    def __getattr__(self, name: str) -> Callable[..., str]:
        return lambda *arguments: name


_VIEWER = Viewer(Runs(()), control=cast(Any, _Control()), token=_TOKEN).application()


def _http(path: Path) -> None:
    """A request to the viewer: method and path on the first line, then its body."""
    line, _, body = path.read_bytes().partition(b'\n')
    method, _, target = line.decode('latin-1').partition(' ')
    try:
        url = httpx.URL('http://localhost/').join(target)
        request = httpx.Request(
            'POST' if method == 'POST' else 'GET',
            url.copy_with(scheme='http', host='localhost', port=None),
            content=body,
            headers={TOKEN_HEADER: _TOKEN, 'origin': 'http://localhost'},
        )
    except (httpx.InvalidURL, ValueError):
        return  # no such request leaves a client
    if url.path == '/api/stream':
        return  # never ends
    answer = asyncio.run(_answered(request))
    assert answer.status_code < 500 or answer.headers['content-type'] == 'application/json'


async def _answered(request: httpx.Request) -> httpx.Response:
    transport = httpx.ASGITransport(_VIEWER)
    answer = await transport.handle_async_request(request)
    await answer.aread()
    return answer


def _memory(path: Path) -> None:
    for name in ('x.jsonl', 'x.txt'):
        file = path.with_name(name)
        file.write_bytes(path.read_bytes())
        for entry in read_experiences(file):
            assert isinstance(entry, (Experience, ReactreeError))


def _robot(path: Path) -> None:
    load_robot(path, InstalledTypes())


def _permission(path: Path) -> None:
    read_rules(str(path))


def _study(path: Path) -> None:
    read_study(path, {})


def _script(path: Path) -> None:
    read_lines(path.read_bytes().decode('utf-8', 'replace').split('\n'))


TARGETS = {
    'journal': Target(_journal, 'run.jsonl'),
    'bag': Target(_bag, 'bag.mcap', ('bag_metadata/metadata.yaml', 'metadata.yaml')),
    'bag_metadata': Target(_bag, 'metadata.yaml', ('bag/words.mcap', 'bag.mcap')),
    'tasks': Target(_tasks, 'tasks.json'),
    'vocabulary': Target(SkillVocabulary.load, 'words.yaml'),
    'robot': Target(_robot, 'robot.yaml'),
    'permission': Target(_permission, 'rules.yaml'),
    'study': Target(_study, 'study.yaml'),
    'graph': Target(_graph, 'graph.json'),
    'house': Target(read_house, 'house.json'),
    'trajectory': Target(alfred_tasks, 'traj_data.json'),
    'game': Target(read_game, 'game.json'),
    'model': Target(_model, 'answer.txt'),
    'http': Target(_http, 'request.txt'),
    'script': Target(_script, 'script.txt'),
    'memory': Target(_memory, 'memory.txt'),
}
