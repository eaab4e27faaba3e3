"""Several robots on one page: each robot's own page in a column, and what they have seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from reactree_tools.viewer.web.application import page_files, Viewer
from reactree_tools.viewer.web.guard import Application, Guard


class Fleet:
    """Serves the viewers of robots below /robots/<name>/, and a page that shows them together.

    :param viewers: by the names of the robots. :param sightings: what they share now, as rows.
    """

    def __init__(
        self,
        viewers: Mapping[str, Viewer],
        sightings: Callable[[], list[dict[str, str]]],
    ) -> None:
        self._viewers = dict(viewers)
        self._sightings = sightings

    @property
    def ending(self) -> Callable[[], bool]:
        """Whether the server ends."""
        return next(iter(self._viewers.values())).ending

    @ending.setter
    def ending(self, ending: Callable[[], bool]) -> None:
        for viewer in self._viewers.values():
            viewer.ending = ending

    def application(self) -> Application:
        """For an ASGI server."""
        robots = [
            Mount(f'/robots/{name}', app=viewer.application())
            for name, viewer in self._viewers.items()
        ]
        routes = [
            Route('/api/fleet', self._fleet),
            *robots,
            Route('/{path}', self._page),
            Route('/', self._page),
        ]
        return Guard(Starlette(routes=routes))

    async def _fleet(self, request: Request) -> Response:
        return JSONResponse({'robots': list(self._viewers), 'sightings': self._sightings()})

    async def _page(self, request: Request) -> Response:
        file = page_files().get(request.path_params.get('path', '') or 'fleet.html')
        if file is None:
            return PlainTextResponse('There is nothing here.', status_code=404)
        return Response(file.content, media_type=file.media_type)
