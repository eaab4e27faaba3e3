// A shape for every status and every kind of node; colour only repeats what the shape says.

import { draw } from './dom.js';

export const STATUS = ['idle', 'running', 'success', 'failure', 'expanded', 'canceled'];
export const KIND = ['agent', 'sequence', 'fallback', 'parallel'];
export const STATUS_WORDS = {
  idle: 'not tried',
  running: 'at work',
  success: 'succeeded',
  failure: 'failed',
  expanded: 'expanded',
  canceled: 'canceled',
};
export const KIND_WORDS = {
  agent: 'agent',
  sequence: 'sequence: one after another, until one fails',
  fallback: 'fallback: one after another, until one succeeds',
  parallel: 'parallel: all of them',
};

const STATUS_SHAPES = {
  // A dashed ring: nothing happened yet.
  idle: [['circle', { cx: 10, cy: 10, r: 7, class: 'line dashed' }]],
  // A full disc in a ring.
  running: [
    ['circle', { cx: 10, cy: 10, r: 8.2, class: 'line' }],
    ['circle', { cx: 10, cy: 10, r: 4.6, class: 'full' }],
  ],
  // A full disc with a tick.
  success: [
    ['circle', { cx: 10, cy: 10, r: 8.5, class: 'full' }],
    ['path', { d: 'M6 10.4l2.8 2.8L14 7.6', class: 'inside' }],
  ],
  // A full square with a cross.
  failure: [
    ['rect', { x: 2.2, y: 2.2, width: 15.6, height: 15.6, rx: 2, class: 'full' }],
    ['path', { d: 'M6.7 6.7l6.6 6.6M13.3 6.7l-6.6 6.6', class: 'inside' }],
  ],
  // A ring, half of it full: some of a goal's conditions hold. Only of episodes.
  part: [
    ['circle', { cx: 10, cy: 10, r: 7.6, class: 'line' }],
    ['path', { d: 'M10 2.4a7.6 7.6 0 0 1 0 15.2z', class: 'full' }],
  ],
  // A ring that hands down.
  expanded: [
    ['circle', { cx: 10, cy: 10, r: 8, class: 'line' }],
    ['path', { d: 'M10 5.5v8M6.6 10.4l3.4 3.4 3.4-3.4', class: 'line' }],
  ],
  // A barred ring.
  canceled: [
    ['circle', { cx: 10, cy: 10, r: 8, class: 'line' }],
    ['path', { d: 'M4.6 15.4L15.4 4.6', class: 'line' }],
  ],
};

const KIND_SHAPES = {
  // An arrow, a diamond, two bars: as in behaviour trees.
  sequence: [
    ['path', { d: 'M2 4h20l8 9-8 9H2z', class: 'frame' }],
    ['path', { d: 'M8 13h13M16.5 8.5L21 13l-4.500 4.500', class: 'line' }],
  ],
  fallback: [
    ['path', { d: 'M16 1l15 12-15 12L1 13z', class: 'frame' }],
    ['path', { d: 'M12.700 10.200c0-4.200 6.600-4.200 6.600 0 0 2.400-3.300 2.300-3.300 5M16 18.700v.4', class: 'line' }],
  ],
  parallel: [
    ['path', { d: 'M8 3h22l-6 20H2z', class: 'frame' }],
    ['path', { d: 'M9 10h13M9 16h13M19 7l3 3-3 3M19 13l3 3-3 3', class: 'line' }],
  ],
};

/** The sign of a status, 20 by 20. */
export function statusSign(status) {
  const shapes = STATUS_SHAPES[status].map(([tag, attributes]) => draw(tag, attributes));
  return draw('svg', { viewBox: '0 0 20 20', class: `sign ${status}`, 'aria-hidden': 'true' }, ...shapes);
}

/** The sign of a control-flow node, 32 by 26. */
export function kindSign(kind) {
  const shapes = KIND_SHAPES[kind].map(([tag, attributes]) => draw(tag, attributes));
  return draw('svg', { viewBox: '0 0 32 26', class: `kind ${kind}`, 'aria-hidden': 'true' }, ...shapes);
}
