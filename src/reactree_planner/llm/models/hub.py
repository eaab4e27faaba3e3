"""Models of the Hugging Face hub: one file over HTTPS, byte by byte, safe to interrupt anywhere.

The hub answers with the digest of a file and a redirect to where its bytes are. That redirect is
followed, by way of https only; the token in HF_TOKEN goes to the hub itself and nowhere else.

A record of size and digest is written before the first byte, and the growing file is only ever
appended to. So what an interrupted fetch left is the beginning of the file that the record
describes, and is gone on with while the hub still reports the same digest.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

import httpx

from reactree_core.errors import ConfigurationError, ModelError
from reactree_core.http_client import HttpClient, HttpLimits
from reactree_core.http_faults import Fault, HttpFault, MAY_PASS
from reactree_core.server_access import is_sendable
from reactree_planner.llm.models.download import Download
from reactree_planner.llm.models.hub_name import HubFile, HubRecord, is_sha256
from reactree_planner.llm.models.progress import FetchProgress
from reactree_planner.llm.models.storage import FreeBytes, KeptModel

HUB_ADDRESS = 'https://huggingface.co'
TOKEN_VARIABLE = 'HF_TOKEN'
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: Requests for one download: redirects, and one more when it has to start over.
_MOST_REQUESTS = 8
#: Connections for one file; a lost one is gone on with as long as each brought something.
_MOST_TRIES = 10
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
    :param sha256: as the hub reports it, lower-case hexadecimal; '' when it does not.
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
        self._limits = HttpLimits(connect_timeout, read_timeout, connect_timeout + read_timeout)

    @contextmanager
    def opened(self, file: HubFile, start: int = 0, sha256: str = '') -> Iterator[HubAnswer]:
        """Ask for a file, and close the connection at the end.

        :param start: bytes that are there already. They are of use only where the hub reports the
            digest `sha256` again; else the answer starts at 0.
        :raises ConfigurationError: HF_TOKEN holds no usable token.
        :raises ModelError: the hub refuses, cannot be reached, or answers with something else.
        :raises HubBrokeError: it stopped in the middle, also while the blocks are read.
        """
        url = self._address.join(f'/{file.address}')
        digest = ''
        try:
            with closing(HttpClient(self._address, self._limits)) as client:
                for _ in range(_MOST_REQUESTS):
                    with client.opened(url, self._headers(url, start)) as (response, blocks):
                        if self._is_hub(url):
                            # Others have tags of their own, which are not digests of the file.
                            digest = _digest(response.headers) or digest
                        if response.status_code in _REDIRECTS:
                            url = self._target(response)
                        elif start == 0 or (digest == sha256 and response.status_code != 416):
                            self._require_good(file, response)
                            yield _answer(response, blocks, start, digest)
                            return
                        else:
                            # What is there is of another version, or the range cannot be had.
                            start = 0
        except HttpFault as fault:
            raise _broken(fault, url.host) from fault
        raise ModelError(f'{self._address.host} redirects without end; {_ELSEWHERE}.')

    def _headers(self, url: httpx.URL, start: int) -> dict[str, str]:
        headers = {'Range': f'bytes={start}-'} if start else {}
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
        if status in MAY_PASS:
            raise ModelError(f'{host} is busy or failing (HTTP {status}); {_AGAIN}.')
        if status not in (200, 206):
            raise ModelError(f'{host} does not send {file.name} (HTTP {status}); {_ELSEWHERE}.')
        if response.headers.get('content-encoding', 'identity') != 'identity':
            raise ModelError(f'{host} compresses {file.name} though asked not to; {_ELSEWHERE}.')


def _broken(fault: HttpFault, host: str) -> ModelError:
    """What a connection that failed means."""
    if fault.fault is Fault.REDIRECT:
        return _not_followed(host)
    if fault.fault is Fault.NO_TLS:
        return ModelError(
            f'{fault}; behind a proxy that opens TLS, name its authority in SSL_CERT_FILE.'
        )
    broke = fault.fault in (Fault.SILENT, Fault.BROKEN)
    return (HubBrokeError if broke else ModelError)(f'{fault}; {_AGAIN}.')


def _not_followed(host: str) -> ModelError:
    return ModelError(
        f'{host} redirects to something else than an https address, which is not followed;'
        f' {_ELSEWHERE}.'
    )


def _answer(
    response: httpx.Response, blocks: Iterator[bytes], start: int, sha256: str
) -> HubAnswer:
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
    return HubAnswer(found[1], sha256, found[0], blocks)


def read_content_range(text: str) -> tuple[int, int] | None:
    """First byte and size of the whole file; None when the header does not say both."""
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
    if not is_sendable(token):
        raise ConfigurationError(
            f'The environment variable {TOKEN_VARIABLE} holds no usable token (spaces or unusual'
            ' characters).'
        )
    return token


class HubDownload(Download):
    """One fetch of one file of the hub."""

    _expected = 'the one that the hub announced'

    def __init__(self, file: HubFile, hub: Hub, free: FreeBytes, progress: FetchProgress) -> None:
        super().__init__(file.kept(), free, progress, _ELSEWHERE)
        self._file = file
        self._hub = hub
        self._partial = self.kept().partial

    def kept(self) -> KeptModel:
        """Where the file is kept, and what the hub reported of it by now."""
        return self._file.kept()

    def _receive_all(self) -> None:
        self._tell('asking the hub')
        for number in range(1, _MOST_TRIES + 1):
            start, sha256 = self._resumable()
            if sha256 and start == self.kept().size:
                self._joined = self._size = start
                return
            try:
                with self._hub.opened(self._file, start, sha256) as answer:
                    self._receive(answer)
                return
            except HubBrokeError:
                if self._resumable()[0] <= start or number == _MOST_TRIES:
                    raise

    def _resumable(self) -> tuple[int, str]:
        """Bytes that can be gone on from, and the digest of the file they belong to.

        Without a digest nothing could report afterwards whether both halves fit together.
        """
        kept = self.kept()
        fits = kept.sha256 and kept.joined <= kept.size
        return (kept.joined, kept.sha256) if fits else (0, '')

    def _receive(self, answer: HubAnswer) -> None:
        self._joined, self._size = answer.start, answer.size
        # Emptied before the record is written, so that the record never tells of other bytes.
        with self._partial.open('ab' if answer.start else 'wb') as stream:
            self._check_space(self._size - self._joined)
            HubRecord(answer.size, answer.sha256).write(self._file.record)
            for block in answer.blocks:
                if self._joined + len(block) > self._size:
                    raise self._differs('it is longer than announced')
                stream.write(block)
                self._joined += len(block)
                self._tell('fetching')
            stream.flush()
            os.fsync(stream.fileno())
        if self._joined < self._size:
            raise HubBrokeError(
                f'Only {self._joined} of {self._size} bytes of {self._file.name} came; run this'
                ' again to go on from here.'
            )

    def _note(self, sha256: str) -> None:
        HubRecord(self.kept().size, sha256).write(self._file.record)
