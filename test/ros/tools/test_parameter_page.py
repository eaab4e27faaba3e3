"""The documentation of the parameters is that of the code."""

from __future__ import annotations

from pathlib import Path

from reactree_tools.ros.parameter_pages import parameter_page


def test_the_parameter_page_is_current():
    page = Path(__file__).parents[3] / 'docs' / 'parameters.md'
    assert page.read_text(encoding='utf-8') == parameter_page()
