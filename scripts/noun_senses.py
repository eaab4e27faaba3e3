#!/usr/bin/env python3
"""Write the table of concrete nouns (`reading/noun_senses.tsv.gz`) from WordNet's files.

    scripts/noun_senses.py /usr/share/wordnet src/reactree_planner/reading/noun_senses.tsv.gz

One line a synset: its words, each with the rank of this sense among the noun's senses (1 is the
most frequent), then the lines of its hypernyms. WordNet 3.0: apt-get install wordnet-base.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

#: Lexicographer files of what can lie, stand or be driven to.
TOPS, ARTIFACT, BODY, FOOD, LOCATION, OBJECT, PLANT, SUBSTANCE = 3, 6, 8, 13, 15, 17, 20, 27
CONCRETE = {TOPS, ARTIFACT, BODY, FOOD, LOCATION, OBJECT, PLANT, SUBSTANCE}
HYPERNYM = '@'
#: Words of one synset that people tell apart: the second, and the kind of the first that it is of.
TOLD_APART = {'cupboard': ('closet', 'walk-in closet')}


def main() -> None:
    folder, target = map(Path, sys.argv[1:])
    ranks: dict[tuple[str, str], int] = {}
    for line in (folder / 'index.noun').read_text(encoding='utf-8').splitlines():
        if not line.startswith(' '):
            fields = line.split()
            count = int(fields[2])
            for rank, offset in enumerate(fields[-count:], start=1):
                ranks[offset, fields[0]] = rank
    synsets: dict[str, tuple[list[str], list[str]]] = {}
    for line in (folder / 'data.noun').read_text(encoding='utf-8').splitlines():
        if line.startswith(' '):
            continue
        fields = line.split('|')[0].split()
        offset, file, words = fields[0], int(fields[1]), int(fields[3], 16)
        names = [name for name in fields[4 : 4 + 2 * words : 2] if name == name.lower()]
        pointers = fields[5 + 2 * words :]
        above = [
            pointers[i + 1] for i in range(0, len(pointers) - 3, 4) if pointers[i] == HYPERNYM
        ]
        if file in CONCRETE and names:
            synsets[offset] = names, above
    number = {offset: str(at) for at, offset in enumerate(synsets)}
    lines = []
    for offset, (names, above) in synsets.items():
        words = ','.join(f'{one.replace("_", " ")}:{ranks.get((offset, one), 9)}' for one in names)
        lines.append(f'{words}\t{",".join(number[one] for one in above if one in number)}\n')
    for first, (second, between) in TOLD_APART.items():
        at = next(i for i, line in enumerate(lines) if line.startswith(f'{first}:1,{second}:1\t'))
        lines[at] = lines[at].replace(f',{second}:1', '')
        lines += [f'{between}:1\t{at}\n', f'{second}:1\t{len(lines)}\n']
    with gzip.GzipFile(target, 'wb', mtime=0) as file:
        file.write(''.join(lines).encode())
    print(f'{len(lines)} synsets')


if __name__ == '__main__':
    main()
