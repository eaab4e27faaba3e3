"""How well the words of an instruction are tied to names and facts: phrasings with their goals."""
