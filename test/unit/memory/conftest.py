"""A real PostgreSQL server with pgvector, private to a test session."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import uuid
from pathlib import Path

import pytest

from support.needs import programs_with_pgvector

#: Seconds for the server's own programs, however busy the machine is.
PATIENCE = 60.0
USER = 'memory'
_ACCOUNT = 'nobody'


class PostgresServer:
    """`initdb` and `postgres` in a folder of their own, on a Unix socket there."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self.folder = folder
        self._data = folder / 'data'
        # The server refuses to run as root.
        self._account = {}
        if os.geteuid() == 0:
            shutil.chown(folder, _ACCOUNT)
            self._account = {'user': _ACCOUNT, 'extra_groups': []}
        self._run(
            'initdb', '-D', self._data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C'
        )
        self._process = None

    def start(self) -> None:
        self._run(
            'pg_ctl',
            *('-D', self._data, '-l', self.folder / 'log', '-w'),
            *(
                '-o',
                f'-k {self.folder} -h "" -c max_connections=40',
            ),
            'start',
        )

    def stop(self, how: str = 'fast') -> None:
        self._run('pg_ctl', '-D', self._data, '-m', how, '-w', 'stop')

    def send(self, number: signal.Signals) -> None:
        """A signal to the server and the processes of its connections."""
        postmaster = int((self._data / 'postmaster.pid').read_text().split()[0])
        children = Path(f'/proc/{postmaster}/task/{postmaster}/children').read_text().split()
        for process in (*map(int, children), postmaster):
            os.kill(process, number)

    def address(self, schema: str = '', user: str = USER) -> str:
        """Of a schema in the database that every server has."""
        options = f'&options=-csearch_path%3D{schema},public' if schema else ''
        return f'postgresql://{user}@/postgres?host={self.folder}{options}'

    def _run(self, program: str, *arguments: object) -> None:
        done = subprocess.run(
            [str(self._programs / program), *map(str, arguments)],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            # Not pipes: the server would inherit and hold them.
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / 'errors').open('w'),
            timeout=PATIENCE,
            **self._account,
        )
        if done.returncode:
            log = self.folder / 'log'
            raise RuntimeError(
                (self.folder / 'errors').read_text() + (log.read_text() if log.exists() else '')
            )


@pytest.fixture(scope='session')
def postgres_server():
    programs = programs_with_pgvector()
    assert programs is not None
    # Not pytest's own folder, whose path may be too long for a socket.
    folder = Path(tempfile.mkdtemp(prefix='reactree-pg-'))
    try:
        server = PostgresServer(programs, folder)
        server.start()
        try:
            yield server
        finally:
            server.stop('immediate')
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_address(postgres_server):
    """Of an empty schema."""
    import psycopg

    schema = f's{uuid.uuid4().hex}'
    with psycopg.connect(postgres_server.address(), autocommit=True) as connection:
        connection.execute('CREATE EXTENSION IF NOT EXISTS vector')
        connection.execute(f'CREATE SCHEMA {schema}')
    return postgres_server.address(schema)
