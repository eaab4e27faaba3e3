"""A sentence that tells somebody which parameter to change names one that there is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from reactree_core.permission.rules_file import RuleEntry
from reactree_planner.planners.registry import planner_names
from reactree_planner.reading.form import GoalForm
from reactree_planner.runs.presets import setting_names
from reactree_tools.ros.parameter_tables import TABLES

ROOT = Path(__file__).parents[3]
#: Where sentences of the nodes come from.
FOLDERS = ('reactree_core', 'reactree_planner', 'memory_server', 'sim_bridge/ros', 'skill_server')
PARAMETERS = {name for table in TABLES.values() for name in table}
#: A group's name stands for it, and its members are told by their own in it.
PARAMETERS |= {part for name in PARAMETERS for part in name.split('.')}
#: What a rule in a file of permission says.
RULE_FIELDS = set(RuleEntry.model_fields)
#: Files of published code, markers of conversations, words of people.
_SOURCES = ('published.py', 'conformance_chats.py', 'chat_templates.py', 'lexicon.py', 'verbs.py')
#: Names of services and other things that a sentence may speak of.
OTHERS = {
    *planner_names(),
    *RULE_FIELDS,
    *(one.name for one in fields(GoalForm)),  # of the form that a model writes
    *(part for name in setting_names() for part in name.split('.')),  # overrides of `preset`
    'skill_examples',  # a file of a domain
    'opening_features',  # a function of a domain's rules
    'd_max',  # the publications' name for a parameter
    'failure_rate',  # of the household world, in world_options
    'max_length',  # limits of pydantic, filled in before anybody reads the sentence
    'min_length',
    'reactree_memory',  # a table of a shared store
    'sensor_msgs',
    'top_p',  # an argument of sampling
    *(
        re.sub('(?<!^)(?=[A-Z])', '_', path.stem).lower()
        for kind in ('msg', 'srv', 'action')
        for path in ROOT.glob(f'{kind}/*')
    ),
}
NAME = r'(?<![\w./~-])[a-z]+(?:_[a-z0-9]+)+(?![\w/(])'
SQL = re.compile(r'\b(COMMIT|CREATE|FROM|INTO|PRAGMA|SELECT|SET|TABLE|WHERE)\b|-c \w+=')


def sentences(path: Path) -> Iterator[str]:
    """Every text of several words in a file that is no docstring; '{}' for what is put in."""
    tree = ast.parse(path.read_text(encoding='utf-8'))
    no_sentences = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            no_sentences.add(node.value)
        if isinstance(node, ast.JoinedStr):
            no_sentences.update(node.values)
    for node in ast.walk(tree):
        text = ''
        if isinstance(node, ast.JoinedStr):
            parts = (
                part.value if isinstance(part, ast.Constant) else '{}' for part in node.values
            )
            text = ''.join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = '' if node in no_sentences else node.value
        if len(text.split()) > 3 and not SQL.search(text):
            yield text


def test_every_name_in_a_sentence_of_a_node_is_that_of_a_parameter():
    named, unknown = set(), []
    for folder in FOLDERS:
        for path in sorted((ROOT / 'src' / folder).rglob('*.py')):
            if path.name in (
                'published.py',
                'conformance_chats.py',
                'named_templates.py',
                'lexicon.py',
                'verbs.py',
            ):
                continue  # files of published code, markers of conversations, words of people
            for text in sentences(path):
                # "max_retries must be ..." speaks to who calls a function of ours.
                names = set() if re.match(NAME, text) else set(re.findall(NAME, text))
                named |= names & PARAMETERS
                unknown += [(path.name, name) for name in names - PARAMETERS - OTHERS]
    assert not unknown
    assert {'max_decisions', 'api_key_variable', 'context_tokens'} <= named


def test_every_parameter_that_the_documentation_sets_or_names_exists():
    launch = [*ROOT.glob('launch/*.py'), ROOT / 'src/reactree_tools/ros/launching.py']
    arguments = {
        name
        for path in launch
        for name in re.findall(r"\(\s*'(\w+)',\s*'", path.read_text('utf-8'))
    }
    named, unknown = set(), []
    for path in (ROOT / 'README.md', *ROOT.glob('docs/**/*.md')):
        text = path.read_text(encoding='utf-8')
        names = {
            *re.findall(r'parameters? `([a-z_.]+)`', text),
            *re.findall(r'`([a-z_.]+):=', text),
            *re.findall(r'`([a-z]+(?:[_.][a-z]+)+): [^`]*`', text),
        }
        named |= names & PARAMETERS
        unknown += [(path.name, name) for name in names - PARAMETERS - arguments - RULE_FIELDS]
    assert not unknown
    assert {'store_path', 'working_memory', 'domain'} <= named
