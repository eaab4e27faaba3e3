"""How `make docs` makes a site of these pages: Sphinx, as rosdoc2 does; a warning is an error."""

import re

project = 'reactree_ros'
author = 'reactree_ros contributors'
project_copyright = f'2026, {author}'
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


def _name_paths(app, name, content):
    """Links out of docs/ become the path that a checkout has."""

    def path_or_link(link):
        inside = link.group(2).count('../') <= name.count('/')
        return link.group(0) if inside else f'`{link.group(3)}`'

    content[0] = _OUTSIDE.sub(path_or_link, content[0])


def setup(app):
    """Called by Sphinx."""
    app.connect('source-read', _name_paths)
