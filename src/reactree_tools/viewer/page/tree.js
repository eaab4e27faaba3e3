// The agent tree: signs and words as elements, lines between them as one SVG path.

import { byId, count, make, setText } from './dom.js';
import { Overview } from './overview.js';
import { KIND, kindSign, KIND_WORDS, STATUS, STATUS_WORDS, statusSign } from './signs.js';
import { NODE } from './store.js';
import { CARD, layOut, line, LINE, MARGIN } from './tree_layout.js';

const ENDED = ['success', 'failure', 'canceled'];
/** Below this scale words cannot be read; cards become bars that use all the room there is. */
const FAR = 0.45;
export class TreeView {
  /** @param onselect called with the id of a node that the user chose */
  constructor(store, onselect) {
    this.store = store;
    this.onselect = onselect;
    this.space = byId('tree-space');
    this.scroll = byId('tree-scroll');
    this.tree = byId('tree');
    [this.lines, this.activeLine] = byId('tree-lines').children;
    this.items = new Map();
    this.folded = new Set();
    this.selected = 0;
    this.narrow = matchMedia('(max-width: 800px)');
    this.outline = this.narrow.matches;
    this.scale = 1;
    /** Whether the whole tree is shown in the room there is. */
    this.fit = false;
    this.found = new Set();
    /** Whether the selected node is to stay in view when the room for the tree changes. */
    this.following = true;
    this.room = { width: this.scroll.clientWidth, height: this.scroll.clientHeight };
    this.overview = new Overview((x, y) => {
      this.scroll.scrollLeft = x * this.size.width * this.scale - this.room.width / 2;
      this.scroll.scrollTop = y * this.size.height * this.scale - this.room.height / 2;
    });
    new ResizeObserver(() => {
      this.room = { width: this.scroll.clientWidth, height: this.scroll.clientHeight };
      this.#resize();
      this.#overlook();
      if (this.following) this.reveal(this.selected);
    }).observe(this.scroll);
    this.scroll.addEventListener('scroll', () => this.#look(), { passive: true });
    this.places = new Map();
    this.order = [];
    this.drawnStructure = -1;
    this.tree.addEventListener('click', (event) => this.#click(event));
    this.space.addEventListener('click', (event) => {
      if (this.space.classList.contains('far') && !event.target.closest('[data-id]')) this.#nearest(event);
    });
    this.tree.addEventListener('keydown', (event) => this.#key(event));
  }

  clear() {
    this.items.clear();
    this.folded.clear();
    this.tree.replaceChildren();
    this.selected = 0;
    this.found = new Set();
    this.order = [];
    this.places = new Map();
    this.drawnStructure = -1;
  }

  /** Bring the picture up to the store's state. */
  render() {
    const { state, structure } = this.store;
    byId('tree-empty').hidden = state.nodes.size > 0;
    if (structure !== this.drawnStructure) {
      this.drawnStructure = structure;
      this.#arrange();
    }
    let changed = this.placed;
    this.placed = false;
    for (const id of this.order) {
      const item = this.items.get(id);
      const node = state.nodes.get(id);
      if (item.node === node) continue;
      this.#update(item, node);
      changed = true;
    }
    this.#mark();
    if (changed) this.#overlook();
    const ended = [...state.nodes.values()].filter(
      (node) => node[NODE.kind] === 0 && ENDED.includes(STATUS[node[NODE.status]]),
    ).length;
    const agents = [...state.nodes.values()].filter((node) => node[NODE.kind] === 0).length;
    setText(byId('tree-count'), agents ? `${count(agents, 'agent')}, ${ended} ended` : '');
  }

  #mark() {
    const active = this.store.state.run?.active ?? 0;
    if (this.markedActive !== active || this.markedSelected !== this.selected || this.unmarked) {
      this.unmarked = false;
      for (const id of [this.markedActive, active, this.markedSelected, this.selected]) {
        const item = this.items.get(id);
        if (!item) continue;
        item.element.classList.toggle('active', id === active);
        item.element.setAttribute('aria-selected', String(id === this.selected));
      }
      this.markedActive = active;
      this.markedSelected = this.selected;
      this.#linesToActive();
      this.#crumbs();
    }
  }

  /** The goals above the selected node, which may be far away in a large tree. */
  #crumbs() {
    const { nodes } = this.store.state;
    const above = [];
    let id = nodes.get(this.selected)?.[NODE.parent];
    while (id && nodes.has(id)) {
      if (nodes.get(id)[NODE.kind] === 0) above.unshift(id);
      id = nodes.get(id)[NODE.parent];
    }
    const key = above.join();
    if (key === this.crumbed) return;
    this.crumbed = key;
    byId('crumbs').replaceChildren(...above.map((one) => make('li', {}, make('button', {
      type: 'button', class: 'link', onclick: () => this.onselect(one), title: nodes.get(one)[NODE.goal],
    }, `${one} ${nodes.get(one)[NODE.goal]}`))));
  }

  // Where everything stands ------------------------------------------------------------------

  #arrange() {
    const laid = layOut(this.store.state, this.folded, this.outline, this.narrow.matches);
    this.order = laid.order;
    this.places = laid.places;
    this.#place(laid.width, laid.height);
  }

  #place(width, height) {
    const { nodes, children } = this.store.state;
    const shown = new Set(this.order);
    for (const [id, item] of this.items) {
      if (!shown.has(id)) item.element.remove();
      if (!nodes.has(id)) this.items.delete(id);
    }
    this.tree.classList.toggle('outline', this.outline);
    this.order.forEach((id, index) => {
      const node = nodes.get(id);
      let item = this.items.get(id);
      if (!item) {
        item = this.#make(node);
        this.items.set(id, item);
        item.element.classList.toggle('found', this.found.has(id));
      }
      if (this.tree.children[index] !== item.element) {
        this.tree.insertBefore(item.element, this.tree.children[index] ?? null);
      }
      const place = this.places.get(id);
      if (item.replaced !== place.replaced) {
        item.replaced = place.replaced;
        item.element.classList.toggle('replaced', place.replaced);
        item.node = null; // its words change
      }
      const { style } = item.element;
      style.transform = `translate(${place.x}px, ${place.y}px)`;
      style.setProperty('--x', `${place.x}px`);
      style.setProperty('--y', `${place.y}px`);
      item.element.setAttribute('aria-level', place.depth + 1);
      const below = children.get(id)?.length ?? 0;
      const folded = this.folded.has(id);
      if (below) item.element.setAttribute('aria-expanded', String(!folded));
      else item.element.removeAttribute('aria-expanded');
      item.fold.hidden = !below;
      setText(item.fold, folded ? `+${this.#below(id)}` : '−');
    });
    this.size = { width: width + MARGIN, height };
    this.placed = true;
    this.#resize();
    this.lines.setAttribute('d', this.order.map((id) => this.#line(id)).join(''));
    this.unmarked = true;
    this.crumbed = '';
    if (!this.order.includes(this.focusable)) this.#focusable(this.order[0]);
  }

  #resize() {
    const { width, height } = this.size ?? { width: 0, height: 0 };
    const { style } = this.space;
    const { x, y, far } = this.#scales(width, height);
    style.width = this.outline ? '100%' : `${width * x}px`;
    style.height = `${height * y}px`;
    style.setProperty('--scale', far ? 1 : y);
    style.setProperty('--sx', x);
    style.setProperty('--sy', y);
    this.space.classList.toggle('far', far);
    const svg = byId('tree-lines');
    svg.setAttribute('width', width);
    svg.setAttribute('height', height);
  }

  /** How much smaller than laid out; far away the two sides may differ, since there are no words to stretch. */
  #scales(width, height) {
    const { room } = this;
    if (!this.fit || !width || !room.width) return { x: this.scale, y: this.scale, far: this.scale < FAR && !this.outline };
    const x = Math.min(1, room.width / width);
    const y = Math.min(1, room.height / height);
    const both = Math.min(x, y);
    return both < FAR ? { x, y, far: true } : { x: both, y: both, far: false };
  }

  // The overview ---------------------------------------------------------------------------

  #overlook() {
    const { size, room } = this;
    if (!size || !room.width) return;
    const { scale } = this;
    const whole = { width: size.width * scale, height: size.height * scale, scale };
    this.overview.draw(this.store.state, this.places, this.order, this.found, whole, room, !this.fit && !this.outline);
    this.#look();
  }

  #look() {
    this.overview.look(this.scroll.scrollLeft, this.scroll.scrollTop, this.room.width, this.room.height);
  }

  /** Mark what a search found. */
  showFound(found) {
    this.found = found;
    for (const [id, item] of this.items) item.element.classList.toggle('found', found.has(id));
    this.#overlook();
  }

  /** How many agents are below a node. */
  #below(id) {
    const { nodes, children } = this.store.state;
    let count = 0;
    const visit = (one) => {
      if (nodes.get(one)[NODE.kind] === 0) count += 1;
      (children.get(one) ?? []).forEach(visit);
    };
    (children.get(id) ?? []).forEach(visit);
    return count;
  }

  #line(id) {
    const parent = this.store.state.nodes.get(id)[NODE.parent];
    return line(this.places.get(parent), this.places.get(id), this.outline, this.narrow.matches);
  }

  #linesToActive() {
    const parts = [];
    let id = this.store.state.run?.active ?? 0;
    while (id && this.store.state.nodes.has(id)) {
      parts.push(this.#line(id));
      id = this.store.state.nodes.get(id)[NODE.parent];
    }
    this.activeLine.setAttribute('d', parts.join(''));
  }

  // One node ---------------------------------------------------------------------------------

  #make(node) {
    const flow = node[NODE.kind] !== 0;
    const sign = make('span', { class: 'sign-holder' });
    const goal = make('span', { class: 'goal' });
    const detail = make('span', { class: 'detail' });
    const fold = make('button', { type: 'button', class: 'fold', tabindex: '-1', 'aria-hidden': 'true' });
    const element = make(
      'div',
      { role: 'treeitem', class: flow ? 'node flow' : 'node agent', tabindex: '-1', 'data-id': node[NODE.id] },
      flow ? kindSign(KIND[node[NODE.kind]]) : sign,
      make('span', { class: 'words' }, goal, detail),
      fold,
    );
    return { element, sign, goal, detail, fold, node: null, status: '', replaced: false };
  }

  #update(item, node) {
    item.node = node;
    const status = STATUS[node[NODE.status]];
    const kind = KIND[node[NODE.kind]];
    if (status !== item.status) {
      item.element.classList.remove(item.status || 'none');
      item.element.classList.add(status);
      if (kind === 'agent') item.sign.replaceChildren(statusSign(status));
      item.status = status;
    }
    setText(item.goal, kind === 'agent' ? node[NODE.goal] : kind);
    setText(item.detail, kind === 'agent' ? node[NODE.detail] : '');
    const name = kind === 'agent' ? node[NODE.goal] : KIND_WORDS[kind];
    const word = item.replaced ? `replaced, ${STATUS_WORDS[status]}` : STATUS_WORDS[status];
    item.element.setAttribute('aria-label', `${node[NODE.id]}, ${name}, ${word}`);
    item.element.title = kind === 'agent' ? `${node[NODE.id]}  ${name}\n${word}` : name;
  }

  // What the user does -----------------------------------------------------------------------

  #click(event) {
    const element = event.target.closest('[data-id]');
    if (!element) return;
    const id = Number(element.dataset.id);
    if (event.target.closest('.fold')) this.toggle(id);
    else this.onselect(id);
    this.#focusable(id);
  }

  /** Bars are thin: a click beside one means the nearest. */
  #nearest(event) {
    const box = this.space.getBoundingClientRect();
    const { x, y } = this.#scales(this.size.width, this.size.height);
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    let best = [Infinity, 0];
    for (const id of this.order) {
      const place = this.places.get(id);
      if (place.flow) continue;
      const across = Math.max(place.x * x - left, 0, left - (place.x + CARD.width) * x);
      const away = across + Math.abs((place.y + CARD.height / 2) * y - top);
      if (away < best[0]) best = [away, id];
    }
    if (best[1] && best[0] < 24) this.onselect(best[1]);
  }

  #key(event) {
    const id = this.focusable;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { nodes, children } = this.store.state;
    const index = this.order.indexOf(id);
    const below = children.get(id) ?? [];
    const moves = {
      ArrowDown: () => this.order[index + 1],
      ArrowUp: () => this.order[index - 1],
      Home: () => this.order[0],
      End: () => this.order.at(-1),
      ArrowRight: () => {
        if (below.length && this.folded.has(id)) this.toggle(id);
        else return below[0];
      },
      ArrowLeft: () => {
        if (below.length && !this.folded.has(id)) this.toggle(id);
        else return nodes.get(id)?.[NODE.parent];
      },
      Enter: () => this.onselect(id),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const next = move();
    if (next) this.focus(next);
  }

  #focusable(id) {
    this.items.get(this.focusable)?.element.setAttribute('tabindex', '-1');
    this.focusable = id;
    this.items.get(id)?.element.setAttribute('tabindex', '0');
  }

  focus(id) {
    const item = this.items.get(id);
    if (!item || !this.order.includes(id)) return;
    this.#focusable(id);
    item.element.focus({ preventScroll: true });
    this.reveal(id);
  }

  toggle(id) {
    if (!this.folded.delete(id)) this.folded.add(id);
    this.#changed();
  }

  foldEnded() {
    const { nodes, children } = this.store.state;
    for (const [id, node] of nodes) {
      const done = ENDED.includes(STATUS[node[NODE.status]]);
      if (done && node[NODE.kind] === 0 && node[NODE.parent] && children.get(id)?.length) this.folded.add(id);
    }
    this.#changed();
  }

  unfold() {
    this.folded.clear();
    this.#changed();
  }

  setOutline(outline) {
    this.outline = outline;
    this.fit = false;
    this.#changed();
  }

  zoom(factor) {
    this.fit = false;
    this.scale = Math.min(1.5, Math.max(0.2, this.scale * factor));
    this.#resize();
    this.#overlook();
  }

  /** Show the whole tree in the room there is, or as large as before. */
  setFit(fit, outline) {
    this.outline = outline;
    this.fit = fit;
    this.#changed();
    if (!fit) this.reveal(this.selected);
  }

  #changed() {
    this.drawnStructure = -1;
    this.render();
  }

  /** Unfold whatever hides a node. */
  #uncover(id) {
    let covered = false;
    let above = this.store.state.nodes.get(id)?.[NODE.parent];
    while (above) {
      covered = this.folded.delete(above) || covered;
      above = this.store.state.nodes.get(above)?.[NODE.parent];
    }
    if (covered) this.#changed();
  }

  select(id) {
    this.selected = id;
    this.#uncover(id);
    this.#mark();
  }

  /** Scroll so far that a node can be seen. */
  reveal(id) {
    const place = this.places.get(id);
    if (!place || this.fit) return;
    const { scroll } = this;
    const height = (this.outline ? LINE.height : CARD.height) * this.scale;
    const y = place.y * this.scale;
    const x = place.x * this.scale;
    const room = 40;
    // Nothing that is to be seen goes under the overview.
    const below = room + this.overview.height;
    if (y < scroll.scrollTop + room) scroll.scrollTop = y - room;
    else if (y + height > scroll.scrollTop + scroll.clientHeight - below) {
      scroll.scrollTop = Math.min(y - MARGIN, y + height + below - scroll.clientHeight);
    }
    if (this.outline) {
      scroll.scrollLeft = Math.max(0, x - scroll.clientWidth * 0.4);
      return;
    }
    const width = CARD.width * this.scale;
    if (x < scroll.scrollLeft) scroll.scrollLeft = x - MARGIN;
    else if (x + width > scroll.scrollLeft + scroll.clientWidth) {
      scroll.scrollLeft = x + width + MARGIN - scroll.clientWidth;
    }
  }
}

/** The legend of the help. */
export function legend() {
  const statuses = STATUS.map((status) => make('li', {}, statusSign(status), STATUS_WORDS[status]));
  const kinds = KIND.slice(1).map((kind) => make('li', {}, kindSign(kind), KIND_WORDS[kind]));
  return [...statuses, ...kinds];
}
