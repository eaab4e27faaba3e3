"""What the server answers: the page, the stream, and questions on demand, as JSON."""

from __future__ import annotations

import asyncio
import json
import math
import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import resources
from typing import Any, TYPE_CHECKING

from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from reactree_core.errors import JournalError, ReactreeError, SkillError
from reactree_core.permission.rules import Rules
from reactree_core.record.journal_lines import Answer
from reactree_core.record.snapshot import AgentTree
from reactree_tools.plain_text import visible
from reactree_tools.viewer.cameras import Cameras
from reactree_tools.viewer.floor_plan import floor_plan
from reactree_tools.viewer.outline import outline
from reactree_tools.viewer.prompts import (
    cut,
    experiences_for_page,
    PLANNER,
    prompt_of,
    Retrieval,
    retrieval_of,
    transcript_of,
)
from reactree_tools.viewer.runs import Runs
from reactree_tools.viewer.system_status import Control, SystemStatus
from reactree_tools.viewer.web.guard import Application, Guard, is_token, Receive, Scope, Send
from reactree_tools.viewer.web.stream import NEWEST, Refused, Stream, StreamSlots
from reactree_tools.views.statuses import result_words

if TYPE_CHECKING:
    from reactree_tools.task_readings import TaskReadings
    from reactree_tools.viewer.study_page import StudyPage

#: Carries the token; no page of another origin can set it.
TOKEN_HEADER = 'x-reactree-token'
#: Longest question about a goal, in characters.
_LONGEST_GOAL = 2000
#: Longest text of a prompt, in characters.
_LONGEST_PROMPT = 400_000
#: Seconds in which all who ask for the scene get the same answer.
_SCENE_SECONDS = 0.25
#: Largest request in bytes: an answer to a request for approval, with a reason.
_LARGEST_REQUEST = 8192
#: Seconds that its content may take.
_REQUEST_SECONDS = 10.0
#: Longest reason of a refusal, or answer to a question, in characters, and the largest number of
#: an event.
_LONGEST_REASON = 500
_LARGEST_SEQUENCE = 2**32 - 1


@dataclass
class Viewer:
    """Everything behind the page.

    :param system_status: None when only records are looked at.
    :param control: None for looking only. :param token: needed for control.
    :param study: whose episodes the runs are; None for none.
    :param rules: that the runs had, for who asks why they did what they did.
    :param cameras: of the robot; None where none are heard.
    """

    runs: Runs
    system_status: SystemStatus | None = None
    control: Control | None = None
    token: str = ''
    study: StudyPage | None = None
    rules: Rules = field(default_factory=Rules)
    cameras: Cameras | None = None
    ending: Callable[[], bool] = lambda: False
    _audience: StreamSlots = field(default_factory=StreamSlots)
    _scene_lock: threading.Lock = field(default_factory=threading.Lock)
    _scene_asked: float = -math.inf
    _scene_told: dict[str, Any] | str = ''
    _readings: TaskReadings | None = None

    def application(self) -> Application:
        """For an ASGI server."""
        routes = [
            Route('/api/stream', self._stream),
            Route('/api/runs', self._runs),
            Route('/api/scene', self._scene),
            Route('/api/cameras', self._cameras),
            Route('/api/camera', self._camera),
            Route('/api/read', self._read),
            Route('/api/prompt', self._prompt),
            Route('/api/experiences', self._experiences),
            Route('/api/why', self._why),
            Route('/api/study', self._study),
            Route('/api/control/{what}', self._control, methods=['POST']),
            Route('/{path}', self._page),
            Route('/', self._page),
        ]
        return Guard(Starlette(routes=routes))

    def status(self) -> dict[str, Any]:
        """What changes around a run."""
        health = self.system_status.health() if self.system_status is not None else ()
        return {
            'live': self.runs.live,
            'runs': self.runs.count,
            'health': [
                {'part': one.part, 'condition': one.condition.value, 'text': one.text}
                for one in health
            ],
            'approval': self._approval(),
            'question': self._question(),
            'connected': self.system_status is not None,
            'scene': self.system_status.scene if self.system_status is not None else '',
            'control': self.control is not None,
            'paused': self.control.paused if self.control is not None else False,
            'stopped': self.control.stopped if self.control is not None else False,
            'study': self.study is not None,
        }

    def _approval(self) -> dict[str, Any] | None:
        waiting = self.system_status.approval() if self.system_status is not None else None
        if waiting is None:
            return None
        shown = asdict(waiting)
        # Whole seconds, so that pages are told once a second.
        shown['left'] = None if waiting.left is None else math.ceil(waiting.left)
        return {**shown, 'run': shown.pop('run_id')}

    def _question(self) -> dict[str, Any] | None:
        asked = self.system_status.question() if self.system_status is not None else None
        if asked is None:
            return None
        return {
            'run': asked.run_id,
            'number': asked.number,
            'node': asked.node_id,
            'text': asked.text,
            'options': list(asked.options),
            'default': asked.default,
            'task': asked.task,
            'left': math.ceil(asked.left),
        }

    async def _page(self, request: Request) -> Response:
        file = page_files().get(request.path_params.get('path', ''))
        if file is None:
            return PlainTextResponse('There is nothing here.', status_code=404)
        return Response(file.content, media_type=file.media_type)

    async def _stream(self, request: Request) -> Response:
        query = request.query_params
        # A browser that takes a stream up again says itself how far it has come.
        has = request.headers.get('last-event-id') or query.get('has', '')
        try:
            slot = self._audience.enter(request.client.host if request.client else '')
        except Refused as error:
            return _refused(str(error), error.status)

        def over() -> bool:
            return slot.over or self.ending()

        stream = Stream(self.runs, query.get('run') or NEWEST, has, self.status, over)
        return _Watched(stream.messages(), lambda: self._audience.leave(slot))

    async def _runs(self, request: Request) -> Response:
        entries = await to_thread.run_sync(self.runs.entries)
        return JSONResponse(
            [
                {
                    'run': entry.run_id,
                    'task': entry.task,
                    'changed': entry.changed,
                    'status': int(entry.status),
                    'planner': entry.planner,
                    'result': result_words(entry.status, entry.reason),
                    'reason': entry.reason,
                    'duration': round(entry.duration, 1),
                    'trouble': entry.trouble,
                    'live': self.runs.is_live(entry.run_id),
                }
                for entry in entries
            ]
        )

    async def _study(self, request: Request) -> Response:
        study, query = self.study, request.query_params
        if study is None:
            return _refused(
                'No study is shown here: start the viewer as reactree viewer --study FOLDER.', 404
            )
        page = query.get('page', '0')
        if not _is_number(page):
            return _refused('The page must be a whole number.')
        search, shown = query.get('find', '')[:_LONGEST_GOAL], query.get('shown', 'all')
        known = query.get('known', '')
        return await _answered(lambda: study.answer(known, int(page), search, shown))

    async def _scene(self, request: Request) -> Response:
        return await _answered(self._plan)

    async def _cameras(self, request: Request) -> Response:
        return JSONResponse(self.cameras.page() if self.cameras is not None else {'cameras': []})

    async def _camera(self, request: Request) -> Response:
        name = request.query_params.get('name', '')
        file = self.cameras.picture(name) if self.cameras is not None else None
        if file is None:
            return _refused('There is no picture of this camera.', 404)
        return Response(file, media_type='image/jpeg')

    async def _read(self, request: Request) -> Response:
        status, text = self.system_status, request.query_params.get('text', '')
        if status is None:
            return _refused('Tasks are read where a robot or a world is: look at live runs.', 404)
        return await _answered(lambda: self._reading(status, text))

    def _reading(self, status: SystemStatus, text: str) -> Any:
        # The whole grammar, which few pages ask for.
        from reactree_tools.task_readings import TaskReadings

        with self._scene_lock:
            if self._readings is None:
                self._readings = TaskReadings(status.vocabulary)
            readings = self._readings
        return readings.read(text)

    def _plan(self) -> Any:
        if self.system_status is None:
            return {'plan': None, 'outline': None}
        # However many pages follow a robot, the bridge is asked once.
        with self._scene_lock:
            if time.monotonic() - self._scene_asked >= _SCENE_SECONDS:
                self._scene_told = _scene_of(self.system_status)
                self._scene_asked = time.monotonic()
            known = self._scene_told
        if isinstance(known, str):
            raise SkillError(known)
        return known

    async def _prompt(self, request: Request) -> Response:
        run_id, node = request.query_params.get('run', ''), request.query_params.get('node', '')
        if not _is_number(node):
            return _refused('The node must be a whole number.')
        return await _answered(lambda: self._prompt_text(run_id, int(node)))

    def _prompt_text(self, run_id: str, node_id: int) -> Any:
        records = self.runs.records(run_id)
        events = [record for record in records if not isinstance(record, Answer)]
        tree = AgentTree()
        for event in events:
            tree.apply(event)
        whole = tree.planner == PLANNER
        answer = {'text': '', 'planner': tree.planner, 'whole': whole}
        if node_id not in {node.node_id for node in tree.snapshot().nodes}:
            return answer
        if whole:
            retrieval = retrieval_of(records, node_id)
            examples = retrieval.examples if retrieval is not None else None
            shown = None if examples is None else [one.trajectory for one in examples]
            text = prompt_of(tree, events, node_id, shown)
        else:
            text = transcript_of(tree, events, node_id)
        return {**answer, 'text': cut(text, _LONGEST_PROMPT)}

    async def _why(self, request: Request) -> Response:
        query = request.query_params
        run_id, number = query.get('run', ''), query.get('number', '0')
        instead = ' '.join(query.get('instead', '')[:_LONGEST_REASON].split())
        if not _is_number(number):
            return _refused('The number of a skill must be a whole number.')
        return await _answered(lambda: self._reasons(run_id, int(number), instead))

    def _reasons(self, run_id: str, number: int, instead: str) -> Any:
        # Searches for plans, which few pages ask for.
        from reactree_tools.viewer.whys import why_for_page

        return why_for_page(run_id, self.runs.records(run_id), self.rules, number, instead)

    async def _experiences(self, request: Request) -> Response:
        query = request.query_params
        goal = query.get('goal', '')[:_LONGEST_GOAL]
        run_id, node = query.get('run', ''), query.get('node', '')
        if node and not _is_number(node):
            return _refused('The node must be a whole number.')
        return await _answered(lambda: self._found(run_id, int(node or 0), goal))

    def _found(self, run_id: str, node_id: int, goal: str) -> Any:
        """What memory gave a node, from the journal; where none can be read, what it has now."""
        retrieval = self._retrieval(run_id, node_id) if node_id else None
        if retrieval is not None:
            return {
                'source': 'journal',
                'offered': len(retrieval.offered),
                'experiences': experiences_for_page(retrieval.listed(), retrieval.chosen),
            }
        if self.system_status is None or not goal:
            return {'source': '', 'offered': 0, 'experiences': []}
        found = self.system_status.experiences(goal)
        return {
            'source': 'memory',
            'offered': len(found),
            'experiences': experiences_for_page(found, None),
        }

    def _retrieval(self, run_id: str, node_id: int) -> Retrieval | None:
        try:
            records = self.runs.records(run_id)
        except JournalError:
            return None  # the planner may be on another machine
        return retrieval_of(records, node_id)

    async def _control(self, request: Request) -> Response:
        if self.control is None:
            return _refused('This viewer was started for looking only.', 403)
        if not is_token(request.headers.get(TOKEN_HEADER, ''), self.token):
            return _refused('Open the address with the token that the viewer has printed.', 403)
        content = b''
        try:
            async with asyncio.timeout(_REQUEST_SECONDS):
                async for part in request.stream():
                    content += part
                    if len(content) > _LARGEST_REQUEST:
                        return _refused('The request is too large.', 413)
        except TimeoutError:
            return _refused('The request did not come to its end: send it again.', 408)
        try:
            asked = json.loads(content or b'{}')
        except (ValueError, RecursionError):
            return _refused('The request is not JSON.')
        asked = asked if isinstance(asked, dict) else {}
        run_id = str(asked.get('run', ''))
        what = request.path_params['what']
        control = self.control
        actions: dict[str, Callable[[], str]] = {
            'pause': lambda: control.pause(True),
            'resume': lambda: control.pause(False),
            'stop': lambda: control.stop(True),
            'release': lambda: control.stop(False),
            'step': control.step,
            'cancel': lambda: control.cancel(run_id),
            'approve': lambda: _answer(control, asked, True),
            'refuse': lambda: _answer(control, asked, False),
            'answer': lambda: _answer_question(control, asked),
            'say': lambda: _say(control, asked),
        }
        if what not in actions:
            return _refused(f'Unknown command; a run takes: {", ".join(actions)}.', 404)
        return await _answered(lambda: {'message': actions[what]()})


def _scene_of(system_status: SystemStatus) -> dict[str, Any] | str:
    """What is drawn of the world, or why it cannot be."""
    try:
        scene, graph = system_status.graph()
    except ReactreeError as error:
        return str(error)
    plan, tree = floor_plan(scene, graph), outline(graph)
    return {
        'plan': plan.record() if plan is not None else None,
        'outline': asdict(tree) if tree is not None else None,
    }


class _Watched(StreamingResponse):
    """The answer with a stream. :param left: called when it ends, however it does."""

    def __init__(self, messages: AsyncIterator[str], left: Callable[[], None]) -> None:
        super().__init__(messages, media_type='text/event-stream')
        self._left = left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._left()


def _answer(control: Control, asked: dict[str, Any], approve: bool) -> str:
    """Pass on an answer to the request that the page has shown, and to no other."""
    run_id, sequence, skill = asked.get('run'), asked.get('sequence'), asked.get('skill')
    if (
        not (isinstance(run_id, str) and run_id and isinstance(skill, str) and skill)
        or type(sequence) is not int
        or not 0 < sequence <= _LARGEST_SEQUENCE
    ):
        raise SkillError('An answer names the run, the sequence number and the skill it is for.')
    reason = visible(str(asked.get('reason', ''))[:_LONGEST_REASON])
    return control.answer(run_id, sequence, skill, approve, reason)


def _answer_question(control: Control, asked: dict[str, Any]) -> str:
    """Pass on an answer to the question that the page has shown, and to no other."""
    run_id, number, said = asked.get('run'), asked.get('number'), asked.get('answer')
    if (
        not (isinstance(run_id, str) and run_id and isinstance(said, str) and said.strip())
        or type(number) is not int
        or not 0 < number <= _LARGEST_SEQUENCE
    ):
        raise SkillError('An answer has words, and names run and number of its question.')
    return control.answer_question(run_id, number, visible(said[:_LONGEST_REASON]))


def _say(control: Control, asked: dict[str, Any]) -> str:
    """Pass on what somebody says to the run that the page has shown, and to no other."""
    run_id, text = asked.get('run'), asked.get('text')
    if not (isinstance(run_id, str) and run_id and isinstance(text, str) and text.strip()):
        raise SkillError('What is said has words, and names the run that it is for.')
    return control.say(run_id, visible(text[:_LONGEST_REASON]))


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= 9


async def _answered(question: Callable[[], Any]) -> Response:
    """Ask in a thread, since nodes take their time."""
    try:
        return JSONResponse(await to_thread.run_sync(question))
    except ReactreeError as error:
        return _refused(str(error), 503)


def _refused(message: str, status: int = 400) -> Response:
    return JSONResponse({'message': message}, status_code=status)


_TYPES = {
    '.html': 'text/html; charset=utf-8',
    '.css': 'text/css; charset=utf-8',
    '.js': 'text/javascript; charset=utf-8',
    '.svg': 'image/svg+xml',
}


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file."""

    content: bytes
    media_type: str


@cache
def page_files() -> dict[str, PageFile]:
    """By path under the root; '' is the page of runs, 'study' that of a study."""
    folder = resources.files('reactree_tools.viewer') / 'page'
    files = {}
    for item in folder.iterdir():
        suffix = item.name[item.name.rfind('.') :]
        if suffix in _TYPES:
            files[item.name] = PageFile(item.read_bytes(), _TYPES[suffix])
    return {**files, '': files['index.html'], 'study': files['study.html']}
