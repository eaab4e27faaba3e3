"""Texts of worlds, models, people and files: data that is cleaned and bounded in this one place.

A text from outside may command a terminal, reorder or hide what a person reads, pretend to be a
turn of a chat, or be of any size. It stays readable and does none of that: messages and prompts
take it through here. What a terminal may not show either is `reactree_tools.plain_text`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from reactree_core.belief import Fact
from reactree_core.observation import (
    ObjectFact,
    Observation,
    OBSERVATION_LIMIT,
    TEXT_LIMIT,
    Vocabulary,
)

#: Longest name, skill text or label, in bytes.
NAME_LIMIT = 512
#: Most entries of any list; what is beyond is left out.
LIST_LIMIT = 4096
#: Names of at most so many characters are remembered as they are carried.
_SHORT_NAME = 100

ELLIPSIS = '…'

#: What commands a terminal, or ends a text in the middleware (NUL): all but tab and line break.
CONTROL_CHARACTER = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f]')
#: Line breaks that only some programs know.
_LINE_BREAK = re.compile('\r\n|[\u2028\u2029]')
#: What reorders a line, has no width or no look: bidirectional controls, zero width spaces,
#: fillers, tags, selectors of variants that no font has.
HIDDEN_CHARACTER = re.compile(
    '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e'
    '\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a'
    '\U000e0000-\U000e0fff]'
)
#: Joiners belong to the letters of some scripts and to pictures, never to Latin letters and signs.
_STRAY_JOINER = re.compile('[\u200c\u200d]+(?![^\x00-\u02ff\u2000-\u206f])')
_STRAY_JOINER_BEHIND = re.compile('(?<![^\x00-\u02ff\u2000-\u206f])[\u200c\u200d]+')
#: Marks above and below a letter; the most that stand together in any written language.
_MARKS = (
    '[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u06d6-\u06dc\u0e31'
    '\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]'
)
_MARK_FLOOD = re.compile(f'({_MARKS}{{4}}){_MARKS}+')
#: Texts that a chat template or a tokenizer takes for the end of a turn, or the beginning of one.
_CHAT_MARK = re.compile(
    r'[<＜](?=[|｜])|(?<=[|｜])[>＞]|[<＜]/?(?:s|bos|eos|pad|unk|sep|sop|think|image|tool_call'
    r'|tool_response|(?:start|end)_of_(?:turn|image|utterance))[>＞]'
    r'|\[(?:/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)|gMASK)\]|<</?SYS>>',
    re.IGNORECASE,
)
_WITHOUT_BRACKETS = str.maketrans('<>[]＜＞', '()()()')


def cleaned(text: str) -> str:
    """A text that neither commands, hides, reorders nor ends a turn; what is clean stays as it is.

    Control characters become U+FFFD; what is not seen goes; a letter keeps four marks; the
    brackets of marks such as `<|im_end|>` become round ones.
    """
    if not text.isprintable():
        text = _LINE_BREAK.sub('\n', text)
        text = CONTROL_CHARACTER.sub('\N{REPLACEMENT CHARACTER}', text)
    if not text.isascii():
        # Python calls many of them printable.
        text = HIDDEN_CHARACTER.sub('', text)
        if '\u200c' in text or '\u200d' in text:
            text = _STRAY_JOINER_BEHIND.sub('', _STRAY_JOINER.sub('', text))
        text = _MARK_FLOOD.sub(r'\1', text)
    if '<' in text or '>' in text or '[' in text or '＜' in text or '＞' in text:
        text = _CHAT_MARK.sub(lambda mark: mark[0].translate(_WITHOUT_BRACKETS), text)
    return text


def bounded(text: str, limit: int = TEXT_LIMIT) -> str:
    """A text that any message and terminal can carry: clean, no half characters, not long.

    :param limit: longest result in UTF-8 bytes, 3 or more; a cut text ends with an ellipsis.
    """
    text = cleaned(text)
    if text.isascii() and len(text) <= limit:
        return text
    data = text.encode('utf-8', 'replace')
    if len(data) > limit:
        data = data[: limit - len(ELLIPSIS.encode())]
        # The cut may have parted what was one.
        return cleaned(data.decode('utf-8', 'ignore')) + ELLIPSIS
    return data.decode('utf-8')


def bounded_name(text: str) -> str:
    """A name or the text of a skill as a message carries it: of NAME_LIMIT, on one line."""
    # The same short ones come with every observation.
    return _bounded_short_name(text) if len(text) <= _SHORT_NAME else _bounded_name(text)


def _bounded_name(text: str) -> str:
    if text.isprintable():
        return bounded(text, NAME_LIMIT)
    return bounded(cleaned(text).replace('\n', ' ').replace('\t', ' '), NAME_LIMIT)


@lru_cache(maxsize=16_384)
def _bounded_short_name(text: str) -> str:
    return _bounded_name(text)


def bounded_names(names: Iterable[str]) -> list[str]:
    """Names or skill texts as a message carries them: at most LIST_LIMIT of them."""
    return [bounded_name(name) for name in islice(names, LIST_LIMIT)]


def within_limit(observation: Observation) -> Observation:
    """The same observation with at most LIST_LIMIT facts.

    Where facts are left out it says so, and nothing follows from what is not among the others.
    """
    count = len(observation.facts)
    if count <= LIST_LIMIT:
        return observation
    note = f'Of {count} things {LIST_LIMIT} are reported: others may be here all the same.'
    text = f'{bounded(observation.text, OBSERVATION_LIMIT - len(note) - 1)} {note}'
    facts = observation.facts[:LIST_LIMIT]
    return replace(observation, text=text, facts=facts, looked_at=())


def bounded_observation(observation: Observation) -> Observation:
    """What a skill server reported, as a message would carry it, however it came."""
    observation = within_limit(observation)
    return replace(
        observation,
        text=bounded(observation.text, OBSERVATION_LIMIT),
        skill=bounded_name(observation.skill),
        place=bounded_name(observation.place),
        room=bounded_name(observation.room),
        looked_at=tuple(bounded_names(observation.looked_at)),
        held=tuple(bounded_names(observation.held)),
        admissible_skills=tuple(bounded_names(observation.admissible_skills)),
        sensed=tuple(bounded_names(observation.sensed)),
        assumed=tuple(bounded_names(observation.assumed)),
        evidence=tuple(map(_bounded_evidence, islice(observation.evidence, LIST_LIMIT))),
        who=bounded_name(observation.who),
        facts=tuple(map(_bounded_fact, observation.facts)),
    )


def _bounded_fact(fact: ObjectFact) -> ObjectFact:
    return replace(
        fact,
        object_class=bounded_name(fact.object_class),
        room=bounded_name(fact.room),
        receptacle=bounded_name(fact.receptacle),
        state=bounded_name(fact.state),
        seen_by=bounded_name(fact.seen_by),
    )


def _bounded_evidence(fact: Fact) -> Fact:
    what = replace(
        fact.what, subject=bounded_name(fact.what.subject), value=bounded_name(fact.what.value)
    )
    return replace(
        fact, what=what, source=replace(fact.source, name=bounded_name(fact.source.name))
    )


def bounded_vocabulary(vocabulary: Vocabulary) -> Vocabulary:
    """What a skill server can do and names, as a message would carry it, however it came."""
    return replace(
        vocabulary,
        templates=tuple(bounded_names(vocabulary.templates)),
        object_classes=tuple(bounded_names(vocabulary.object_classes)),
        place_classes=tuple(bounded_names(vocabulary.place_classes)),
        rooms=tuple(bounded_names(vocabulary.rooms)),
        skill_types=tuple(
            replace(
                skill,
                template=bounded_name(skill.template),
                slot_types=tuple(bounded_names(skill.slot_types)),
                inverse=bounded_name(skill.inverse),
                effects=tuple(bounded_names(skill.effects)),
                description=bounded_name(skill.description),
                other_words=tuple(bounded_names(skill.other_words)),
                needs=tuple(bounded_names(skill.needs)),
            )
            for skill in islice(vocabulary.skill_types, LIST_LIMIT)
        ),
        other_classes=tuple(bounded_names(vocabulary.other_classes)),
        other_words=tuple(
            tuple(bounded_names(words)) for words in islice(vocabulary.other_words, LIST_LIMIT)
        ),
        domain=bounded_name(vocabulary.domain),
        about=bounded(vocabulary.about),
    )


#: Letters of other alphabets that look like Latin ones.
_LOOKS_LIKE = str.maketrans(
    'АВЕЅІЈКМНОРСТХУаеіјорсухѕԁԛԝһɑɡΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορτυχ：',
    'ABESIJKMHOPCTXYaeijopcyxsdqwhagABEZHIKMNOPTYXaiknoptux:',
)


def looked_at(text: str) -> str:
    """A text as the eye takes it, for comparing only: wide, styled and lookalike letters alike.

    It may have another length, and none of its marks above letters.
    """
    if text.isascii():
        return text
    plain = unicodedata.normalize('NFKD', cleaned(text)).translate(_LOOKS_LIKE)
    return ''.join(letter for letter in plain if not unicodedata.combining(letter))
