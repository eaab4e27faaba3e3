"""What can be wrong with a server: one name and one sentence for each, for all who ask servers."""

from __future__ import annotations

import email.utils
import json
import re
from datetime import datetime, UTC
from enum import Enum

import httpx

#: Answers of a server that is busy, or fails for the moment.
MAY_PASS = frozenset({408, 429, 500, 502, 503, 504, 529})
#: Characters of a server's own words that are repeated in an error.
_EXCERPT = 200
_PAYMENT_REQUIRED = 402
#: Bytes of an error answer in which its code is looked for.
_LOOKED_AT = 2000
#: What no waiting mends, by the codes and words of hosted services.
_UNPAID = re.compile(
    r'insufficient[_ ](?:quota|balance|credits?|funds)|exceeded your current quota'
    r'|billing[_ ]hard[_ ]limit|credit balance is too low',
    re.IGNORECASE,
)
#: When to ask again, as services say it: "try again in 1m30.5s", "retry after 20 seconds".
_AGAIN = re.compile(
    r'(?:(?:try|retry)(?: your request)?(?: again)?|wait)(?: (?:in|after|for))?:? '
    r'(?=\d)(?:(\d+) ?h(?:ours?)? ?)?(?:(\d+) ?m(?:in(?:utes?)?)?(?![a-z]) ?)?'
    r'(?:(\d+(?:\.\d+)?) ?(ms|milliseconds?|s|sec|seconds?)\b)?',
    re.IGNORECASE,
)


class Fault(Enum):
    """What can be wrong with a server, as it is said after its name."""

    UNREACHABLE = 'cannot be reached'
    NO_CONNECTION = 'takes no connection within {seconds:g} s'
    NO_TLS = 'gives no TLS connection that can be trusted'
    SILENT = 'took the request but was silent for {seconds:g} s'
    LATE = 'gave no answer within {seconds:g} s, or not the whole of it'
    BROKEN = 'broke the connection ({reason})'
    COMPRESSED = 'compresses its answers though asked not to'
    TOO_LONG = 'answers with more than {size} bytes'
    CLOSED = 'is not asked any more, because the connection was closed'
    REDIRECT = 'redirects to {target}, which is not followed'
    DENIED = 'refuses access (HTTP {status}{said})'
    BUSY = 'is busy or failing (HTTP {status}{said})'
    UNPAID = 'has no quota or credit left (HTTP {status}{said})'
    REFUSED = 'refuses {path} (HTTP {status}{said})'


class HttpFault(Exception):
    """A request without a good answer; its text says what happened, its catcher what to do.

    :param server: how errors call it. :param details: what the fault's sentence needs.
    :ivar status: of an answer that refuses, 300..599; 0 without one.
    :ivar parameter: field of the request that the server names as the reason, '' for none.
    :ivar retry_after: seconds that the server asks to wait.
    :ivar tries: how often it was tried.
    :ivar next_pause: seconds until a next try, which the time limit does not allow; else 0.0.
    """

    def __init__(self, fault: Fault, server: str, **details: object) -> None:
        super().__init__(f'{server} {fault.value.format(**details)}')
        self.fault = fault
        self.status = 0
        self.parameter = ''
        self.retry_after = 0.0
        self.tries = 1
        self.next_pause = 0.0


def refusal_of(response: httpx.Response, content: bytes, server: str, key: str) -> HttpFault:
    """What an answer means that is not a good one.

    :param server: how errors call it. :param key: which no error may show; '' for none.
    """
    status, headers = response.status_code, response.headers
    if status < 400:
        target = f'{_origin(headers.get("location", ""))} (HTTP {status})'
        fault = HttpFault(Fault.REDIRECT, server, target=target)
    else:
        said, parameter = _words_of(content, key)
        kind = kind_of(status, said + content[:_LOOKED_AT].decode('utf-8', 'replace'))
        fault = HttpFault(
            kind,
            server,
            status=status,
            said=said,
            path=response.request.url.path,
        )
        fault.parameter = parameter
        fault.retry_after = seconds_of(headers.get('retry-after', '')) or seconds_said(said)
    fault.status = status
    return fault


def kind_of(status: int, words: str) -> Fault:
    """What a status from 400 on means. :param words: of the server, with its codes."""
    if status == _PAYMENT_REQUIRED or (status in (400, 403, 429) and _UNPAID.search(words)):
        return Fault.UNPAID
    if status in (401, 403):
        return Fault.DENIED
    return Fault.BUSY if status in MAY_PASS else Fault.REFUSED


def seconds_said(words: str) -> float:
    """Seconds that an error's words ask to wait; 0.0 where they say none."""
    found = _AGAIN.search(words)
    if found is None:
        return 0.0
    hours, minutes, seconds, unit = found.groups()
    last = float(seconds or 0) / (1000 if unit and unit[0].lower() == 'm' else 1)
    return int(hours or 0) * 3600.0 + int(minutes or 0) * 60.0 + last


def _words_of(content: bytes, key: str) -> tuple[str, str]:
    """What an error answer says, bounded, on one line and without the key.

    :return: the words, and the field of the request that is named as the reason.
    """
    parameter = ''
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        # A page or a broken object says nothing to people.
        said = content.decode('utf-8', 'replace').lstrip()
        error: object = '' if said.startswith(('<', '{', '[')) else said
    else:
        error = value.get('error', value) if isinstance(value, dict) else value
        if isinstance(error, dict):
            parameter = str(error.get('param') or '')[:100]
            error = f'{error.get("type") or ""} {error.get("message") or ""}'
    words = ' '.join(str(error).split())
    if key:
        words = words.replace(key, '***')
    words = ''.join(letter for letter in words if letter.isprintable())[:_EXCERPT]
    return (f', it says: {words}' if words.strip() else ''), parameter


def _origin(location: str) -> str:
    try:
        url = httpx.URL(location)
        host = url.host
    except (httpx.InvalidURL, UnicodeError):
        # UnicodeError: a host name that looks encoded (xn--...) and is not.
        return 'an unreadable address'
    return f'{url.scheme}://{url.netloc.decode()}'[:_EXCERPT] if host else 'another path'


def seconds_of(retry_after: str) -> float:
    """Seconds a Retry-After header asks for, as a number or a date; 0.0 when unreadable."""
    text = retry_after.strip()
    try:
        return max(0.0, float(text)) if float(text) < float('inf') else 0.0
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
