"""Units of numbers, as people say them."""

from __future__ import annotations

#: Units as people say them -> as skills do.
_SAID_UNITS = {
    'ml': 'millilitre milliliter', 'l': 'litre liter', 's': 'second sec', 'min': 'minute',
    'h': 'hour', 'mm': 'millimetre millimeter', 'cm': 'centimetre centimeter', 'm': 'metre meter',
    'km': 'kilometre kilometer', 'g': 'gram gramme', 'kg': 'kilogram kilo', 'deg': 'degree',
    'gal': 'gallon', 'cup': '', 'oz': 'ounce', 'lb': 'pound', '%': 'percent', 'drop': '',
}  # fmt: skip
UNITS = {
    form: unit
    for unit, said in _SAID_UNITS.items()
    for word in (unit, *said.split())
    for form in (word, f'{word}s')
}
