// A big tree as a whole, small, with the part that is in view.

import { byId, draw } from './dom.js';
import { NODE } from './store.js';
import { STATUS } from './signs.js';
import { CARD } from './tree_layout.js';

/** Largest size in pixels. */
const WIDTH = 130;
const HEIGHT = 160;
/** Shown when the tree is so many times as large as what can be seen. */
const BIG = 4;
/** Pixels of height below which the tree needs all the room there is. */
const LEAST = 240;

export class Overview {
  /** @param onmove called with where to, as shares of the whole from 0 to 1 */
  constructor(onmove) {
    this.svg = byId('overview');
    /** In pixels; 0 while it is not shown. */
    this.height = 0;
    this.marks = new Map([...STATUS, 'found'].map((name) => [name, draw('path', { class: name })]));
    this.view = draw('rect', { class: 'view' });
    this.svg.append(...this.marks.values(), this.view);
    const move = (event) => {
      if (!event.buttons) return;
      const box = this.svg.getBoundingClientRect();
      onmove((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
      event.preventDefault();
    };
    this.svg.addEventListener('pointerdown', (event) => {
      this.svg.setPointerCapture(event.pointerId);
      move(event);
    });
    this.svg.addEventListener('pointermove', move);
  }

  /** Draw the agents. @param size of the tree as drawn. @param room of what can be seen, in pixels */
  draw(state, places, order, found, size, room, wanted) {
    const shown = wanted && room.height > LEAST && size.width * size.height > room.width * room.height * BIG;
    this.svg.classList.toggle('away', !shown);
    this.height = shown ? Math.round(Math.min(HEIGHT, Math.max(60, (size.height * WIDTH) / size.width))) : 0;
    if (!shown) return;
    this.svg.setAttribute('width', WIDTH);
    this.svg.setAttribute('height', this.height);
    this.svg.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
    const scale = size.scale;
    const paths = new Map([...this.marks.keys()].map((name) => [name, []]));
    for (const id of order) {
      const node = state.nodes.get(id);
      const { x, y, flow } = places.get(id);
      if (!node || flow) continue;
      const box = `M${x * scale} ${y * scale}h${CARD.width * scale}v${CARD.height * scale}h${-CARD.width * scale}z`;
      paths.get(STATUS[node[NODE.status]]).push(box);
      if (found.has(id)) paths.get('found').push(box);
    }
    for (const [name, boxes] of paths) this.marks.get(name).setAttribute('d', boxes.join(''));
  }

  /** The part that is in view, in the pixels of the tree. */
  look(left, top, width, height) {
    for (const [name, value] of Object.entries({ x: left, y: top, width, height })) this.view.setAttribute(name, value);
  }
}
