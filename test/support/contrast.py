"""How well the texts of a page can be told from what is behind them."""

from __future__ import annotations

#: JavaScript: the least contrast among the visible elements of a selector, 1..21.
CONTRAST = """(selector) => {
  const light = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map((value) => {
      // Of mixed colours parts are 0 to 1.
      const part = text.startsWith('color(') ? value : value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    for (let here = one; here; here = here.parentElement) {
      const colour = getComputedStyle(here).backgroundColor;
      if (!colour.endsWith(', 0)') && colour !== 'transparent') return light(colour);
    }
    return 1;
  };
  const ratio = (one) => {
    const [a, b] = [light(getComputedStyle(one).color), behind(one)].sort();
    return (b + 0.05) / (a + 0.05);
  };
  const all = [...document.querySelectorAll(selector)];
  return Math.min(...all.filter((one) => one.checkVisibility()).map(ratio));
}"""
