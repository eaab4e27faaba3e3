"""What a home's sentences tell of a first observation, for the choice of examples."""

from __future__ import annotations

from reactree_core.domain import NamesInTexts


def opening_features(goal: str, opening: str, names: NamesInTexts) -> frozenset[str]:
    """What of a goal's named things the first observation shows already.

    Read from the household's published sentences ("You hold ...", "You are in the middle of ...").
    """
    text = opening.casefold()
    _, holds, held = text.partition('you hold ')
    # What was seen elsewhere may be told behind it.
    held = held.partition('.')[0]
    features = set()
    for mention in names.find_all(goal):
        name = mention.name.casefold()
        if holds and name in held:
            features.add(f'holds {mention.kind.value}')
        elif mention.instance is not None:
            if f'in the middle of a {name} ({mention.instance})' in text:
                features.add(f'in {mention.kind.value}')
        elif f'{name} (' in text:
            features.add(f'sees {mention.kind.value}')
    return frozenset(features)
