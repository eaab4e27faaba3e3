"""Going on with a run after a crash: answers come from its journal as long as it has any."""
