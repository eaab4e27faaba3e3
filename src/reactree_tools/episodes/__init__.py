"""Tasks planned in this process: the one loop of evaluation, bootstrapping and seed memory."""
