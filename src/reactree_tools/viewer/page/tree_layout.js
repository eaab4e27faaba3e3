// Where the nodes of a tree stand, as a tree that grows to the right or as an outline.
//
// Every leaf takes a row, and a parent starts at the row of its first child: what is there already
// does not move sideways or up while the tree grows.

import { NODE } from './store.js';

/** Sizes in pixels: of cards, of control-flow signs, and between them. */
export const CARD = { width: 236, height: 54, row: 64 };
const FLOW = { width: 36, height: 30 };
const GAP = 26;
export const LINE = { height: 30, row: 32, indent: 22, narrow: 14 };
export const MARGIN = 14;

/** Places by node id, the nodes from top to bottom, and the size of the whole. */
export function layOut({ nodes, children }, folded, outline, narrow) {
  const order = [];
  const places = new Map();
  let row = 0;
  let width = 0;
  const level = CARD.width + FLOW.width + 2 * GAP;
  const indent = narrow ? LINE.narrow : LINE.indent;
  const visit = (id, depth, replaced) => {
    const flow = nodes.get(id)[NODE.kind] !== 0;
    const below = folded.has(id) ? [] : children.get(id) ?? [];
    const place = { flow, depth, replaced };
    if (outline) {
      place.x = MARGIN + (depth * indent) / 2;
      place.y = MARGIN + row * LINE.row;
      row += 1;
    } else {
      const top = MARGIN + row * CARD.row;
      place.x = MARGIN + Math.floor(depth / 2) * level + (flow ? CARD.width + GAP : 0);
      place.y = flow ? top + (CARD.height - FLOW.height) / 2 : top;
      if (!below.length) row += 1;
    }
    places.set(id, place);
    order.push(id);
    width = Math.max(width, place.x + (flow && !outline ? FLOW.width : CARD.width));
    // A repair expands once more, and its control node is the one that counts.
    const newest = below.findLast((child) => nodes.get(child)[NODE.kind] !== 0);
    for (const child of below) {
      visit(child, depth + 1, replaced || (nodes.get(child)[NODE.kind] !== 0 && child !== newest));
    }
  };
  for (const root of children.get(0) ?? []) visit(root, 0, false);
  return { order, places, width, height: MARGIN * 2 + row * (outline ? LINE.row : CARD.row) };
}

/** The line from a parent's place to a child's, as SVG path data. */
export function line(from, to, outline, narrow) {
  if (!from || !to) return '';
  if (outline) {
    const x = from.x + (narrow ? 4 : 7);
    return `M${x} ${from.y + LINE.height - 2}V${to.y + LINE.height / 2}H${to.x}`;
  }
  const x1 = from.x + (from.flow ? FLOW.width : CARD.width);
  const y1 = from.y + (from.flow ? FLOW.height : CARD.height) / 2;
  const y2 = to.y + (to.flow ? FLOW.height : CARD.height) / 2;
  if (y1 === y2) return `M${x1} ${y1}H${to.x}`;
  const x = x1 + GAP / 2;
  return `M${x1} ${y1}H${x - 6}Q${x} ${y1} ${x} ${y1 + 8}V${y2 - 8}Q${x} ${y2} ${x + 8} ${y2}H${to.x}`;
}
