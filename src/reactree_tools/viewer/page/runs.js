// The list of runs: live ones and journals, and a search among them.

import { ask, byId, clock, count, make, matches, setText } from './dom.js';
import { linkTo } from './links.js';
import { STATUS, statusSign } from './signs.js';

export class RunsView {
  /** @param onlook called with the id of a run, or 'newest' */
  constructor(store, onlook) {
    this.store = store;
    this.onlook = onlook;
    this.runs = [];
    this.search = make('input', { type: 'search', id: 'run-search', placeholder: 'Find: task, planner, result, id',
      'aria-label': 'Find a run by task, planner, result or id', autocomplete: 'off', oninput: () => this.render() });
    this.found = make('output', { class: 'muted small', for: 'run-search' });
    this.trouble = make('p', { class: 'trouble' });
    this.list = make('ul', { class: 'runs' });
    byId('panel-runs').append(make('div', { class: 'run-search' }, this.search, this.found), this.trouble, this.list);
  }

  async refresh() {
    try {
      this.runs = await ask('api/runs');
      setText(this.trouble, '');
    } catch (error) {
      setText(this.trouble, error.message);
    }
    this.render();
  }

  render(wanted = this.wanted) {
    this.wanted = wanted;
    const asked = this.search.value.trim();
    const found = asked ? this.runs.filter((run) => matches(asked, words(run))) : this.runs;
    setText(this.found, asked ? `${count(found.length, 'run')} of ${this.runs.length}` : '');
    const items = found.map((run) => this.#item(run.run, run.run === this.store.run,
      statusSign(STATUS[run.live ? 1 : run.status === 1 ? 0 : run.status]),
      make('span', { class: 'run-words', title: run.reason || null },
        make('strong', {}, run.trouble ? 'cannot be read' : run.task || 'without a task'),
        run.trouble ? make('span', { class: 'trouble' }, run.trouble) : null,
        make('span', { class: 'muted' }, [
          run.trouble ? '' : result(run),
          run.planner,
          run.trouble ? '' : clock(run.duration),
          run.changed ? new Date(run.changed * 1000).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' }) : '',
          run.run.slice(0, 8),
        ].filter(Boolean).join(' · ')))));
    if (!asked) {
      items.unshift(this.#item('newest', wanted === 'newest', make('span', { class: 'run-words' },
        make('strong', {}, 'Whichever is newest'), make('span', { class: 'muted' }, 'moves on when another run begins'))));
    }
    if (!found.length) items.push(make('li', { class: 'empty' }, asked ? 'No run has all these words.' : 'No runs are recorded yet.'));
    this.list.replaceChildren(...items);
  }

  /** A link, which may be opened in another tab too. */
  #item(run, current, ...content) {
    const onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.onlook(run);
    };
    return make('li', {}, make('a', { class: 'run-choice', 'aria-current': String(current), onclick,
      href: run === 'newest' ? '#' : linkTo({ run }) }, ...content));
  }
}

const result = (run) => (run.live ? 'live' : run.result);
const words = (run) => `${run.task} ${run.planner} ${run.trouble ? `cannot be read ${run.trouble}` : result(run)} ${run.run}`;
