"""How `make docs` makes a site of these pages: Sphinx, as rosdoc2 does; a warning is an error."""

import re

project = 'reactree_ros'
author = 'the founders of reactree_ros'
extensions = ['myst_parser']
html_theme = 'furo'
html_title = 'reactree_ros'
html_copy_source = False
myst_heading_anchors = 4
myst_enable_extensions = ['colon_fence']
#: Code in pages is of many languages, and of none.
highlight_language = 'none'
suppress_warnings = ['misc.highlighting_failure']

_OUTSIDE = re.compile(r'\[`?([^\]`]+)`?\]\(((?:\.\./)+)([\w./-]+)(?:#[\w-]*)?\)')


def _tell_paths(app, name, content):
    """Links out of docs/ become the path that a checkout has."""

    def told(link):
        inside = link.group(2).count('../') <= name.count('/')
        return link.group(0) if inside else f'`{link.group(3)}`'

    content[0] = _OUTSIDE.sub(told, content[0])


def setup(app):
    """Called by Sphinx."""
    app.connect('source-read', _tell_paths)
