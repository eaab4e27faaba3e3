"""How a node's context becomes a prompt. Templates are text files beside this."""
