"""What the documentation names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = [
    *(ROOT / name for name in ('README.md', 'CONTRIBUTING.md', 'CHANGELOG.rst')),
    *ROOT.glob('docs/**/*.md'),
    *ROOT.glob('examples/**/*.md'),
]
#: Folders that names in texts may begin in.
BEGINNINGS = [ROOT, ROOT / 'src', *(ROOT / 'src').glob('*/'), ROOT / 'docs', ROOT / 'examples']
_PATH = re.compile(r'`([\w.-]+(?:/[\w.-]+)+\.(?:py|md|yaml|txt|msg|srv|action|js|html|rst))`')
_LINK = re.compile(r'\]\((?!https?:|#)([\w-]*[./][\w./-]*)')


def _there(path: str, page: Path) -> bool:
    return any((folder / path).exists() for folder in (*BEGINNINGS, page.parent))


@pytest.mark.parametrize('page', PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text(encoding='utf-8')
    named = set(_PATH.findall(text)) | set(_LINK.findall(text))
    # Of rclpy; and in a page that shows how to make a package, its own files.
    own = {'action/client.py'} | set(re.findall(r'^`([\w./-]+)`:$', text, re.MULTILINE))
    assert not sorted(path for path in named - own if not _there(path, page))
