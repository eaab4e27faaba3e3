"""The signs of the terminal views, in Unicode and in plain ASCII.

Every state has its own sign, so that colour only repeats what the sign says.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One sign for each thing that a run can show; all of them one column wide."""

    agent: str
    thought: str
    act: str
    observation: str
    refused: str
    expand: str
    repair: str
    means: str
    success: str
    failure: str
    running: str
    idle: str
    canceled: str
    warning: str
    question: str
    rail: str
    branch: str
    last_branch: str
    ellipsis: str
    separator: str


UNICODE = Glyphs(
    agent='◆',
    thought='·',
    act='▸',
    observation='◂',
    refused='×',
    expand='┬',
    repair='↻',
    means='=',
    success='✓',
    failure='✗',
    running='●',
    idle='○',
    canceled='⊘',
    warning='!',
    question='?',
    rail='│',
    branch='├',
    last_branch='└',
    ellipsis='…',
    separator='·',
)

ASCII = Glyphs(
    agent='#',
    thought='.',
    act='>',
    observation='<',
    refused='x',
    expand='Y',
    repair='@',
    means='=',
    success='+',
    failure='-',
    running='*',
    idle='o',
    canceled='/',
    warning='!',
    question='?',
    rail='|',
    branch='|',
    last_branch='`',
    ellipsis='~',
    separator='-',
)
