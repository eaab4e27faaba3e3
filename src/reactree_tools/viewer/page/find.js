// Finding nodes by words of their goals and skills.

import { byId, matches, setText } from './dom.js';
import { NODE } from './store.js';

export class Find {
  /**
   * @param onfind called with the ids of what was found
   * @param ongo called with the id of the one to go to
   */
  constructor(store, tree, ongo) {
    this.store = store;
    this.tree = tree;
    this.ongo = ongo;
    this.field = byId('find');
    this.found = [];
    this.at = -1;
    /** The state of the run that was searched last. */
    this.searched = '';
    this.field.addEventListener('input', () => {
      this.at = -1;
      this.#search();
    });
    this.field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.#next(event.shiftKey ? -1 : 1);
      else if (event.key === 'Escape') this.clear();
      else return;
      event.preventDefault();
    });
  }

  clear() {
    this.field.value = '';
    this.at = -1;
    this.#search();
  }

  /** Search again where more of the run has come. */
  refresh() {
    const { nodes, time } = this.store.state;
    const key = `${this.store.run} ${nodes.size} ${time}`;
    if (!this.field.value.trim() || key === this.searched) return;
    this.searched = key;
    const before = this.found[this.at];
    this.#search();
    this.at = this.found.indexOf(before);
    this.#tell();
  }

  #next(step) {
    const before = this.found[this.at];
    this.#search();
    if (!this.found.length) return;
    const known = this.found.indexOf(before);
    this.at = known < 0 ? (step > 0 ? 0 : this.found.length - 1) : (known + step + this.found.length) % this.found.length;
    this.#tell();
    this.ongo(this.found[this.at]);
  }

  /** Agents in the order of the tree, folded ones too. */
  #search() {
    const asked = this.field.value.trim();
    const { state } = this.store;
    this.found = [];
    const visit = (id) => {
      const node = state.nodes.get(id);
      if (node[NODE.kind] === 0 && this.#texts(id, node).some((text) => matches(asked, text))) this.found.push(id);
      (state.children.get(id) ?? []).forEach(visit);
    };
    if (asked) (state.children.get(0) ?? []).forEach(visit);
    this.tree.showFound(new Set(this.found));
    this.#tell();
  }

  #texts(id, node) {
    const skills = this.store.eventsOf(id).map(({ event }) => event.skill).filter(Boolean);
    return [`${id} ${node[NODE.goal]}`, ...new Set(skills)];
  }

  #tell() {
    const count = this.found.length;
    const text = !this.field.value.trim() ? '' : !count ? 'none' : this.at < 0 ? `${count} found` : `${this.at + 1} of ${count}`;
    setText(byId('found'), text);
  }
}
