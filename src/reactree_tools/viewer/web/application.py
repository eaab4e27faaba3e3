"""What the server answers: the page, the stream, and questions on demand, as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.responses import PlainTextResponse
from starlette.responses import Response
from starlette.responses import StreamingResponse
from starlette.routing import Route

from reactree_core.errors import JournalError
from reactree_core.errors import ReactreeError
from reactree_planner.tree.journal import Answer
from reactree_planner.tree.snapshot import AgentTree
from reactree_tools.viewer.floor_plan import floor_plan
from reactree_tools.viewer.prompts import PLANNER
from reactree_tools.viewer.prompts import prompt_of
from reactree_tools.viewer.prompts import transcript_of
from reactree_tools.viewer.retrieved import cut
from reactree_tools.viewer.retrieved import Retrieval
from reactree_tools.viewer.retrieved import retrieval_of
from reactree_tools.viewer.retrieved import told_to_page
from reactree_tools.viewer.runs import Runs
from reactree_tools.viewer.surroundings import Control
from reactree_tools.viewer.surroundings import Surroundings
from reactree_tools.viewer.web.guard import Application
from reactree_tools.viewer.web.guard import Guard
from reactree_tools.viewer.web.pages import page_files
from reactree_tools.viewer.web.stream import NEWEST
from reactree_tools.viewer.web.stream import Stream
from reactree_tools.viewer.web.token import is_token

#: Carries the token; no page of another origin can set it.
TOKEN_HEADER = 'x-reactree-token'
#: Longest question about a goal, in characters.
_LONGEST_GOAL = 2000
#: Longest text of a prompt, in characters.
_LONGEST_PROMPT = 400_000
#: Largest request in bytes; they have hardly any content.
_LARGEST_REQUEST = 4096


@dataclass
class Viewer:
    """Everything behind the page.

    :param surroundings: None when only records are looked at.
    :param control: None for looking only. :param token: needed for control.
    """

    runs: Runs
    surroundings: Surroundings | None = None
    control: Control | None = None
    token: str = ''
    ending: Callable[[], bool] = lambda: False

    def application(self) -> Application:
        """For an ASGI server."""
        routes = [
            Route('/api/stream', self._stream),
            Route('/api/runs', self._runs),
            Route('/api/scene', self._scene),
            Route('/api/prompt', self._prompt),
            Route('/api/experiences', self._experiences),
            Route('/api/control/{what}', self._control, methods=['POST']),
            Route('/{path}', self._page),
            Route('/', self._page),
        ]
        return Guard(Starlette(routes=routes))

    def status(self) -> dict[str, Any]:
        """What changes around a run."""
        health = self.surroundings.health() if self.surroundings is not None else ()
        return {
            'live': self.runs.live,
            'runs': self.runs.count,
            'health': [
                {'part': one.part, 'condition': one.condition.value, 'text': one.text}
                for one in health
            ],
            'connected': self.surroundings is not None,
            'scene': self.surroundings.scene if self.surroundings is not None else '',
            'control': self.control is not None,
            'paused': self.control.paused if self.control is not None else False,
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
        stream = Stream(self.runs, query.get('run') or NEWEST, has, self.status, self.ending)
        return StreamingResponse(stream.messages(), media_type='text/event-stream')

    async def _runs(self, request: Request) -> Response:
        entries = await to_thread.run_sync(self.runs.entries)
        return JSONResponse(
            [
                {
                    'run': entry.run_id,
                    'task': entry.task,
                    'changed': entry.changed,
                    'status': int(entry.status),
                    'duration': round(entry.duration, 1),
                    'trouble': entry.trouble,
                    'live': self.runs.is_live(entry.run_id),
                }
                for entry in entries
            ]
        )

    async def _scene(self, request: Request) -> Response:
        return await _answered(self._plan)

    def _plan(self) -> Any:
        if self.surroundings is None:
            return {'plan': None}
        scene, graph = self.surroundings.graph()
        plan = floor_plan(scene, graph)
        return {'plan': plan.record() if plan is not None else None}

    async def _prompt(self, request: Request) -> Response:
        run_id, node = request.query_params.get('run', ''), request.query_params.get('node', '')
        if not _is_node(node):
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

    async def _experiences(self, request: Request) -> Response:
        query = request.query_params
        goal = query.get('goal', '')[:_LONGEST_GOAL]
        run_id, node = query.get('run', ''), query.get('node', '')
        if node and not _is_node(node):
            return _refused('The node must be a whole number.')
        return await _answered(lambda: self._found(run_id, int(node or 0), goal))

    def _found(self, run_id: str, node_id: int, goal: str) -> Any:
        """What memory gave a node, from the journal; where none can be read, what it has now."""
        retrieval = self._retrieval(run_id, node_id) if node_id else None
        if retrieval is not None:
            return {
                'source': 'journal',
                'offered': len(retrieval.offered),
                'experiences': told_to_page(retrieval.listed(), retrieval.chosen),
            }
        if self.surroundings is None or not goal:
            return {'source': '', 'offered': 0, 'experiences': []}
        found = self.surroundings.experiences(goal)
        return {
            'source': 'memory',
            'offered': len(found),
            'experiences': told_to_page(found, None),
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
        async for part in request.stream():
            content += part
            if len(content) > _LARGEST_REQUEST:
                return _refused('The request is too large.', 413)
        try:
            asked = json.loads(content or b'{}')
            run_id = str(asked.get('run', '')) if isinstance(asked, dict) else ''
        except ValueError:
            return _refused('The request is not JSON.')
        what = request.path_params['what']
        control = self.control
        actions: dict[str, Callable[[], str]] = {
            'pause': lambda: control.pause(True),
            'resume': lambda: control.pause(False),
            'step': control.step,
            'cancel': lambda: control.cancel(run_id),
        }
        if what not in actions:
            return _refused('A run can be told to pause, resume, step or cancel.', 404)
        return await _answered(lambda: {'message': actions[what]()})


def _is_node(text: str) -> bool:
    return text.isdecimal() and len(text) <= 9


async def _answered(question: Callable[[], Any]) -> Response:
    """Ask in a thread, since nodes take their time."""
    try:
        return JSONResponse(await to_thread.run_sync(question))
    except ReactreeError as error:
        return _refused(str(error), 503)


def _refused(message: str, status: int = 400) -> Response:
    return JSONResponse({'message': message}, status_code=status)
