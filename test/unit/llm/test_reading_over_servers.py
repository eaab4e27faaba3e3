"""A task is read by a model behind any OpenAI-compatible server, with and without schemas."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.language.model_reader import ModelReader, OwnSessions
from reactree_planner.reading.names import Names
from reactree_planner.llm.openai_server.model import OpenAiServerModel

_NAMES = Names(
    Vocabulary(
        ('put <thing> in <place>', 'open <place>'),
        ('rope',),
        ('chest', 'raft'),
        skill_types=(
            SkillType('put <thing> in <place>', ('thing', 'place'), SkillKind.PUT),
            SkillType('open <place>', ('place',), SkillKind.OPEN),
        ),
    )
)
_SENTENCE = 'Leg das Seil in die Truhe. Öffne nie das Floß.'
_ANSWERS = (
    '"Leg das Seil in die Truhe" ->', 'rope in', 'chest',
    '"Öffne nie das Floß" ->', 'must not', '(open)', 'raft',
)  # fmt: skip


@pytest.mark.parametrize('has_schemas', [True, False])
def test_a_task_is_read_over_a_server(server: Any, reply: Any, has_schemas: bool) -> None:
    left = list(_ANSWERS)
    prompts = []

    def answering(seen: Any) -> Any:
        told = seen.body.get('response_format')
        if told and not has_schemas:
            return reply({'error': {'message': 'response_format is not supported'}}, 400)
        prompts.append(seen.body['messages'][-1]['content'])
        text = left.pop(0)
        if told:
            options = re.findall(r'"enum": (\[.*?\])', json.dumps(told, ensure_ascii=False))
            assert text in json.loads(options[0])
            text = json.dumps({'choice': text})
        answer = {'message': {'role': 'assistant', 'content': text}}
        return reply({'choices': [answer], 'usage': {'prompt_tokens': 7, 'completion_tokens': 2}})

    server.on('/v1/models', reply({'data': [{'id': 'tiny'}]}))
    server.on('/v1/chat/completions', answering)
    model = OpenAiServerModel(server.url, max_retries=1, first_pause=0.01)
    try:
        goal = ModelReader(OwnSessions(model)).read(_SENTENCE, _NAMES)
    finally:
        model.close()
    assert goal.means == 'rope in chest'
    assert [one.wording for one in goal.never] == ['open raft']
    assert goal.whole and goal.language == 'de'
    assert left == []
    assert all(f'Sentence: {_SENTENCE}\n' in prompt for prompt in prompts[:1])
