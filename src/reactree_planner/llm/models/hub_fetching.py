"""Fetching a model from the Hugging Face hub: byte by byte, safe to interrupt anywhere.

A record of size and digest is written before the first byte, and the growing file is only ever
appended to. So what an interrupted fetch left is the beginning of the file that the record tells
of, and is gone on with while the hub still tells the same digest.
"""

from __future__ import annotations

import errno
import os
import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from reactree_core.errors import ConfigurationError
from reactree_core.errors import ModelError
from reactree_planner.llm.models.hub_files import HubFile
from reactree_planner.llm.models.hub_files import HubRecord
from reactree_planner.llm.models.hub_files import is_fetched
from reactree_planner.llm.models.hub_files import is_sha256
from reactree_planner.llm.models.progress import FetchProgress
from reactree_planner.llm.models.progress import FetchStatus
from reactree_planner.llm.models.storage import file_sha256
from reactree_planner.llm.models.storage import FreeBytes
from reactree_planner.llm.models.storage import is_gguf
from reactree_planner.llm.models.storage import locked
from reactree_planner.llm.models.storage import no_space
from reactree_planner.llm.models.storage import not_writable

#: Connections for one file; a lost one is gone on with as long as each brought something.
_MOST_TRIES = 10


def fetch_hub_file(
    file: HubFile, progress: FetchProgress, hub: Hub, free: FreeBytes, lock_timeout: float
) -> Path:
    """The GGUF file, fetched when it is not there yet; what is there is not asked for again.

    :param progress: told what happens, from this thread.
    :param free: tells the free bytes of a folder.
    :param lock_timeout: seconds to wait for another process that fetches the same file.
    :raises ConfigurationError: HF_TOKEN holds no usable token.
    :raises ModelError: it cannot be fetched; the message says why and what to do.
    """
    if is_fetched(file):
        return file.path
    folder = file.path.parent
    fetch = _HubFetch(file, hub, free, progress)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        waiting = 'waiting for another process that fetches it'
        with locked(file.lock, lock_timeout, lambda: fetch.tell(waiting)):
            if not is_fetched(file):
                fetch.run()
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise no_space(file.name, folder, fetch.size, free(folder)) from error
        raise not_writable(file.name, folder, error) from error
    return file.path


class _HubFetch:
    """One fetch of one file, by the process that holds its lock."""

    def __init__(self, file: HubFile, hub: Hub, free: FreeBytes, progress: FetchProgress) -> None:
        self._file = file
        self._hub = hub
        self._free = free
        self._progress = progress
        self._joined = 0
        self.size = 0

    def run(self) -> None:
        """Download, check, and give the file its name."""
        self.tell('asking the hub')
        self._download()
        self.tell('checking the file')
        self._finish()
        self.tell('ready')

    def tell(self, sentence: str) -> None:
        """Say what happens now."""
        self._progress(FetchStatus(self._file.name, sentence, self._joined, self.size))

    def _download(self) -> None:
        for number in range(1, _MOST_TRIES + 1):
            kept, record = self._kept()
            if record and kept == record.size:
                self._joined = self.size = kept
                return
            try:
                with self._hub.opened(self._file, kept, record.sha256 if record else '') as answer:
                    self._receive(answer)
                return
            except HubBrokeError:
                if self._kept()[0] <= kept or number == _MOST_TRIES:
                    raise

    def _kept(self) -> tuple[int, HubRecord | None]:
        """Bytes that can be gone on from, and the record they belong to.

        Without a digest nothing could tell afterwards whether both halves fit together.
        """
        record = HubRecord.read(self._file.record)
        if record and record.sha256 and self._file.partial.is_file():
            size = self._file.partial.stat().st_size
            if size <= record.size:
                return size, record
        return 0, None

    def _receive(self, answer: HubAnswer) -> None:
        self._joined, self.size = answer.start, answer.size
        # Emptied before the record is written, so that the record never tells of other bytes.
        with self._file.partial.open('ab' if answer.start else 'wb') as stream:
            self._check_space()
            HubRecord(answer.size, answer.sha256).write(self._file.record)
            for block in answer.blocks:
                if self._joined + len(block) > self.size:
                    raise self._differs('it is longer than announced')
                stream.write(block)
                self._joined += len(block)
                self.tell('fetching')
            stream.flush()
            os.fsync(stream.fileno())
        if self._joined < self.size:
            raise HubBrokeError(
                f'Only {self._joined} of {self.size} bytes of {self._file.name} came; run this'
                ' again to go on from here.'
            )

    def _check_space(self) -> None:
        folder = self._file.path.parent
        needed, available = self.size - self._joined, self._free(folder)
        if available < needed:
            raise no_space(self._file.name, folder, needed, available)

    def _finish(self) -> None:
        """Give the file its name, when it is what the hub told of."""
        record = HubRecord.read(self._file.record)
        found = file_sha256(self._file.partial)
        if record is None or record.sha256 not in ('', found):
            raise self._differs('its sha256 is not the one that the hub tells')
        if not is_gguf(self._file.partial):
            raise self._differs('it is not a GGUF file')
        HubRecord(record.size, found).write(self._file.record)
        self._file.partial.replace(self._file.path)

    def _differs(self, what: str) -> ModelError:
        """Forget everything fetched; the error that says so."""
        self._file.partial.unlink(missing_ok=True)
        self._file.record.unlink(missing_ok=True)
        return ModelError(
            f'What was fetched as {self._file.name} is not the model: {what}. It was deleted; run'
            ' this again, and if that does not help download the file elsewhere and give its path'
            ' (MODEL=path).'
        )


HUB_ADDRESS = 'https://huggingface.co'
TOKEN_VARIABLE = 'HF_TOKEN'
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAY_PASS = frozenset({408, 429, 500, 502, 503, 504})
#: Requests for one download: redirects, and one more when it has to start over.
_MOST_REQUESTS = 8
_CONTENT_RANGE = re.compile(r'bytes (\d{1,15})-\d{1,15}/(\d{1,15})')
_NUMBER = re.compile(r'\d{1,15}')
_ELSEWHERE = 'download the file elsewhere and give its path (MODEL=path)'
_AGAIN = f'run this again later to go on from here, or {_ELSEWHERE}'


class HubBrokeError(ModelError):
    """The hub began to answer, but not to the end; going on from there may help."""


@dataclass(frozen=True, slots=True)
class HubAnswer:
    """A file of the hub as it comes.

    :param size: of the whole file, bytes.
    :param sha256: as the hub tells it, lower-case hexadecimal; '' when it does not.
    :param start: number of the first byte that comes; 0 when the server starts over.
    :param blocks: the bytes; may end early with `HubBrokeError`, or bring more than announced.
    """

    size: int
    sha256: str
    start: int
    blocks: Iterator[bytes]


class Hub:
    """The hub, or something that speaks like it.

    :param address: where it is; the token goes to this scheme, host and port only.
    :param connect_timeout: seconds until a connection stands.
    :param read_timeout: longest silence in seconds.
    """

    def __init__(
        self,
        address: str = HUB_ADDRESS,
        connect_timeout: float = 10.0,
        read_timeout: float = 60.0,
    ) -> None:
        self._address = httpx.URL(address)
        self._timeout = httpx.Timeout(read_timeout, connect=connect_timeout)

    @contextmanager
    def opened(self, file: HubFile, start: int = 0, sha256: str = '') -> Iterator[HubAnswer]:
        """Ask for a file, and close the connection at the end.

        :param start: bytes that are there already. They are of use only where the hub tells the
            digest `sha256` again; else the answer starts at 0.
        :raises ConfigurationError: HF_TOKEN holds no usable token.
        :raises ModelError: the hub refuses, cannot be reached, or answers with something else.
        :raises HubBrokeError: it stopped in the middle, also while the blocks are read.
        """
        url = self._address.join(f'/{file.address}')
        told = ''
        try:
            # A proxy and SSL_CERT_FILE are taken from the environment.
            with httpx.Client(timeout=self._timeout, follow_redirects=False) as client:
                for _ in range(_MOST_REQUESTS):
                    headers = self._headers(url, start)
                    with client.stream('GET', url, headers=headers) as response:
                        if self._is_hub(url):
                            # Others have tags of their own, which are not digests of the file.
                            told = _digest(response.headers) or told
                        if response.status_code in _REDIRECTS:
                            url = self._target(response)
                        elif start == 0 or (told == sha256 and response.status_code != 416):
                            self._require_good(file, response)
                            yield _answer(response, start, told)
                            return
                        else:
                            # What is there is of another version, or the range cannot be had.
                            start = 0
        except httpx.RequestError as error:
            raise self._broken(error, url.host) from error
        except UnicodeError as error:
            # httpx looks at a redirect even when it is not to follow it, and lets this through.
            raise _not_followed(url.host) from error
        raise ModelError(f'{self._address.host} redirects without end; {_ELSEWHERE}.')

    def _headers(self, url: httpx.URL, start: int) -> dict[str, str]:
        # Compressed, the file could be neither measured nor gone on with.
        headers = {'Accept-Encoding': 'identity', 'User-Agent': 'reactree'}
        if start:
            headers['Range'] = f'bytes={start}-'
        token = _token()
        if token and self._is_hub(url):
            headers['Authorization'] = f'Bearer {token}'
        return headers

    def _is_hub(self, url: httpx.URL) -> bool:
        hub = self._address
        return (url.scheme, url.host, url.port) == (hub.scheme, hub.host, hub.port)

    def _target(self, response: httpx.Response) -> httpx.URL:
        """Where a redirect leads.

        :raises ModelError: nowhere, or to a connection less safe than the hub's own.
        """
        url = response.url.join(response.headers.get('location', ''))
        if url.scheme not in ('https', self._address.scheme) or not url.host or url.userinfo:
            raise _not_followed(response.url.host)
        return url

    def _require_good(self, file: HubFile, response: httpx.Response) -> None:
        """Pass an answer that brings the file.

        :raises ModelError: it is a refusal; the message says what to do.
        """
        status = response.status_code
        host = response.url.host
        place = f'{self._address.host}/{file.owner}/{file.repository}'
        if status in (401, 403):
            why = (
                f'the token in {TOKEN_VARIABLE} may not read it: accept its terms there, or take'
                ' another token'
                if _token()
                else f'there is no such repository, or it needs an account: accept its terms'
                f' there and set {TOKEN_VARIABLE} to a token of yours'
            )
            raise ModelError(f'{place} refuses {file.file} (HTTP {status}): {why}.')
        if status == 404:
            raise ModelError(
                f'{place} has no file {file.file} in revision {file.revision} (HTTP 404): look'
                ' there for how it is written.'
            )
        if status in _MAY_PASS:
            raise ModelError(f'{host} is busy or failing (HTTP {status}); {_AGAIN}.')
        if status not in (200, 206):
            raise ModelError(f'{host} does not send {file.name} (HTTP {status}); {_ELSEWHERE}.')
        if response.headers.get('content-encoding', 'identity') != 'identity':
            raise ModelError(f'{host} compresses {file.name} though asked not to; {_ELSEWHERE}.')

    def _broken(self, error: httpx.RequestError, host: str) -> ModelError:
        """What a connection that failed means."""
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            if any(isinstance(cause, ssl.SSLError) for cause in _causes(error)):
                return ModelError(
                    f'{host} gives no TLS connection that can be trusted; behind a proxy that'
                    ' opens TLS, name its authority in SSL_CERT_FILE.'
                )
            return ModelError(f'{host} cannot be reached; {_AGAIN}.')
        if isinstance(error, httpx.TimeoutException):
            return HubBrokeError(f'{host} was silent for {self._timeout.read:g} s; {_AGAIN}.')
        return HubBrokeError(f'{host} broke the connection ({type(error).__name__}); {_AGAIN}.')


def _not_followed(host: str) -> ModelError:
    return ModelError(
        f'{host} redirects to something else than an https address, which is not followed;'
        f' {_ELSEWHERE}.'
    )


def _answer(response: httpx.Response, start: int, sha256: str) -> HubAnswer:
    """What an answer with status 200 or 206 brings.

    :raises ModelError: it does not say how much that is.
    """
    headers = response.headers
    found: tuple[int, int] | None
    if response.status_code == 206:
        found = read_content_range(headers.get('content-range', ''))
    else:
        length = headers.get('content-length', '')
        found = (0, int(length)) if _NUMBER.fullmatch(length) else None
    if found is None or found[0] not in (0, start):
        raise ModelError(f'{response.url.host} does not say how long the file is; {_ELSEWHERE}.')
    return HubAnswer(found[1], sha256, found[0], response.iter_raw())


def read_content_range(text: str) -> tuple[int, int] | None:
    """First byte and size of the whole file; None when the header does not tell both."""
    found = _CONTENT_RANGE.fullmatch(text)
    if not found:
        return None
    start, size = int(found[1]), int(found[2])
    return (start, size) if start < size else None


def read_entity_tag(text: str) -> str:
    """The SHA-256 digest that a tag is, lower-case hexadecimal; '' when it is something else."""
    digest = text.strip().removeprefix('W/').strip('"').lower()
    return digest if is_sha256(digest) else ''


def _digest(headers: httpx.Headers) -> str:
    return read_entity_tag(headers.get('x-linked-etag') or headers.get('etag', ''))


def _token() -> str:
    token = os.environ.get(TOKEN_VARIABLE, '').strip()
    if not token.isascii() or not token.isprintable() or ' ' in token:
        raise ConfigurationError(
            f'The environment variable {TOKEN_VARIABLE} holds no usable token (spaces or unusual'
            ' characters).'
        )
    return token


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
