"""Names, for the matcher of skills."""

from reactree_planner.reading.names import Names as Names
from reactree_planner.reading.vocabulary import NameKind as NameKind
