"""A warehouse with a camera over all of it, in which people move things (a double)."""

from __future__ import annotations

from dataclasses import replace

from reactree_core.errors import SkillError
from reactree_core.observation import ObjectFact
from reactree_core.skill_types import class_and_number
from support.small_warehouse import SmallWarehouse


class Watched(SmallWarehouse):
    """All of the warehouse is in sight, and people move crates in it, which is told."""

    listener = None
    looks = 0
    tells = True

    def listen(self, listener):
        self.listener = listener
        return self.tells

    def look(self, cancel):
        self.looks += 1
        return super().look(cancel)

    def reset(self, cancel):
        raise SkillError('It is a warehouse.')

    def bring(self, thing, place):
        """Somebody brings a thing, or takes one along."""
        if place:
            self.things[thing] = place
        else:
            self.things.pop(thing, None)
        if self.listener is not None and self.tells:
            self.listener()

    def _observation(self, text):
        seen = super()._observation(text)
        facts = [
            ObjectFact(*class_and_number(thing), self.places[place], place)
            for thing, place in self.things.items()
        ]
        kept = [one for one in seen.facts if one.object_class not in ('crate', 'pallet')]
        return replace(seen, facts=(*kept, *facts), looked_at=tuple(self.places))


def warehouse(**things):
    def serve(world):
        places = {'dock': 'aisle 1', 'rack': 'aisle 1', 'gate': 'aisle 1'}
        return Watched(places, {name.replace('_', ' '): one for name, one in things.items()})

    return serve
