"""What goes wrong with pictures."""

from reactree_core.errors import ReactreeError


class PictureError(ReactreeError):
    """A picture from which nothing can be read; says what to do."""
