"""A task is read by a model behind any OpenAI-compatible server, in one request."""

from __future__ import annotations

import json
from typing import Any

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.llm.chat import OwnChats
from reactree_planner.llm.openai_server.model import OpenAiServerModel
from reactree_planner.reading.form import (
    FormCondition,
    FormMilestone,
    GoalForm,
    Interpretation,
    Prohibition,
    to_json,
)
from reactree_planner.reading.model_reader import ModelReader
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import ModelAlone

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
_FORM = GoalForm(
    'de',
    (FormMilestone((FormCondition('in', 'rope', 'chest', words='Leg das Seil in die Truhe'),)),),
    (Prohibition('open', 'raft', words='Öffne nie das Floß'),),
    taken_for=(
        Interpretation('Seil', 'rope'),
        Interpretation('Truhe', 'chest'),
        Interpretation('Floß', 'raft'),
    ),
)


def test_a_task_is_read_over_a_server_in_one_request(server: Any, reply: Any) -> None:
    prompts = []

    def answering(seen: Any) -> Any:
        prompts.append(seen.body['messages'][-1]['content'])
        answer = {'message': {'role': 'assistant', 'content': json.dumps(to_json(_FORM))}}
        return reply({'choices': [answer], 'usage': {'prompt_tokens': 7, 'completion_tokens': 2}})

    server.on('/v1/models', reply({'data': [{'id': 'tiny'}]}))
    server.on('/v1/chat/completions', answering)
    model = OpenAiServerModel(server.url, max_retries=1, first_pause=0.01)
    try:
        goal = ModelAlone(ModelReader(OwnChats(model))).read(_SENTENCE, _NAMES)
    finally:
        model.close()
    assert goal.means == 'rope in chest'
    assert [one.wording for one in goal.never] == ['open raft']
    assert goal.whole and goal.language == 'de'
    assert len(prompts) == 1 and f'Task: "{_SENTENCE}"' in prompts[0]
