// The list of runs: live ones and journals.

import { ask, byId, clock, make } from './dom.js';
import { STATUS, STATUS_WORDS, statusSign } from './signs.js';

export class RunsView {
  /** @param onlook called with the id of a run, or 'newest' */
  constructor(store, onlook) {
    this.store = store;
    this.onlook = onlook;
    this.panel = byId('panel-runs');
    this.runs = [];
  }

  async refresh() {
    try {
      this.runs = await ask('api/runs');
      this.trouble = '';
    } catch (error) {
      this.trouble = error.message;
    }
    this.render();
  }

  render(wanted = this.wanted) {
    this.wanted = wanted;
    const newest = make('button', { type: 'button', class: 'run-choice', 'aria-current': String(wanted === 'newest'),
      onclick: () => this.onlook('newest') }, make('strong', {}, 'Whichever is newest'),
    make('span', { class: 'muted' }, 'moves on when another run begins'));
    const items = this.runs.map((run) => make('li', {}, make('button', {
      type: 'button', class: 'run-choice', 'aria-current': String(run.run === this.store.run), onclick: () => this.onlook(run.run),
    }, statusSign(STATUS[run.live ? 1 : run.status === 1 ? 0 : run.status]),
    make('span', { class: 'run-words' }, make('strong', {}, run.trouble ? 'cannot be read' : run.task || 'without a task'),
      run.trouble ? make('span', { class: 'trouble' }, run.trouble) : '',
      make('span', { class: 'muted' }, [
        run.trouble ? '' : run.live ? 'live' : run.status === 1 ? 'no end recorded' : STATUS_WORDS[STATUS[run.status]],
        run.trouble ? '' : clock(run.duration),
        run.changed ? new Date(run.changed * 1000).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' }) : '',
        run.run.slice(0, 8),
      ].filter(Boolean).join(' · '))))));
    this.panel.replaceChildren(
      this.trouble ? make('p', { class: 'trouble' }, this.trouble) : newest,
      this.runs.length ? make('ul', { class: 'runs' }, ...items) : make('p', { class: 'empty' }, 'No runs are recorded yet.'));
  }
}
