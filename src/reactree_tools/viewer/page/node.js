// The selected node: what it thought, did and saw, and on demand its prompt and what memory gave.

import { ask, byId, clock, count, make, number } from './dom.js';
import { KIND, kindSign, KIND_WORDS, STATUS, STATUS_WORDS, statusSign } from './signs.js';
import { NODE } from './store.js';

/** Entries shown at once; more on demand. */
const SHOWN = 200;
/** Characters of a text that are shown at once. */
const LONG = 420;

/** Begins the skill of what a person is asked. */
const ASK = 'ask: ';
const allowed = ({ by, approver, back }) =>
  [by.startsWith('person') ? `approved by ${approver || 'a person'}` : `allowed by ${by}`, back ? `taken back by ${back}` : ''].filter(Boolean).join(', ');
/** Whether an act was a skill for a robot, of which can be asked why it was done. */
const isSkill = (event) => !asks(event) && !['done', 'failure'].includes(event.skill);
const asks = (event) => event.skill?.startsWith(ASK);

const FLOW_WORDS = { sequence: 'one after another', fallback: 'until one succeeds', parallel: 'all of them' };

export class NodeView {
  /** @param onselect called with the id of a node that the user chose */
  constructor(store, onselect) {
    this.store = store;
    this.onselect = onselect;
    this.panel = byId('panel-node');
    this.head = make('div', { class: 'node-head' });
    this.list = make('ol', { class: 'transcript' });
    this.more = make('div', { class: 'on-demand' });
    this.panel.append(this.head, this.list, this.more);
    // Known beforehand: asking while drawing would make the browser lay everything out twice.
    this.atEnd = true;
    this.panel.addEventListener('scroll', () => {
      this.atEnd = this.panel.scrollHeight - this.panel.scrollTop - this.panel.clientHeight < 60;
    });
    this.clear();
  }

  clear() {
    this.id = 0;
    this.drawn = 0;
    this.key = '';
    this.node = null;
  }

  /** Bring the panel up to the store's state. */
  render(id) {
    const node = this.store.state.nodes.get(id);
    const events = node ? this.store.eventsOf(id) : [];
    const key = `${this.store.run} ${id} ${this.store.offset}`;
    if (key !== this.key || events.length < this.drawn) {
      this.key = key;
      this.drawn = 0;
      this.node = null;
      this.list.replaceChildren();
      this.most = SHOWN;
      this.#offers(node);
    }
    if (node !== this.node) {
      this.node = node;
      this.head.replaceChildren(...this.#heading(node));
    }
    if (events.length === this.drawn) return;
    const from = Math.max(this.drawn, events.length - this.most);
    if (from > this.drawn) {
      this.list.replaceChildren(this.#earlier(from));
    }
    this.list.append(...events.slice(from).map((frame) => this.#entry(frame)).filter(Boolean));
    this.drawn = events.length;
    if (this.atEnd && this.store.newest && this.store.live) this.more.scrollIntoView({ block: 'end' });
  }

  #earlier(count) {
    const show = () => {
      this.most = Infinity;
      this.drawn = 0;
      this.list.replaceChildren();
      this.render(this.node[NODE.id]);
    };
    return make('li', { class: 'earlier' }, make('button', { type: 'button', onclick: show }, `Show ${count} earlier`));
  }

  #heading(node) {
    if (!node) return [make('p', { class: 'empty' }, 'Choose a node of the tree.')];
    const kind = KIND[node[NODE.kind]];
    const status = STATUS[node[NODE.status]];
    const parts = [STATUS_WORDS[status]];
    if (node[NODE.decisions]) parts.push(count(node[NODE.decisions], 'decision'));
    if (node[NODE.steps]) parts.push(count(node[NODE.steps], 'step'));
    if (node[NODE.started] >= 0) {
      const end = node[NODE.ended] >= 0 ? node[NODE.ended] : null;
      parts.push(end === null ? `since ${clock(node[NODE.started])}` : `${clock(node[NODE.started])} to ${clock(end)}`);
    }
    const title = kind === 'agent' ? node[NODE.goal] : KIND_WORDS[kind];
    const heading = [
      make('h2', {}, kind === 'agent' ? statusSign(status) : kindSign(kind), make('span', { class: 'muted' }, `${node[NODE.id]}`), title),
      make('p', { class: 'muted' }, parts.join(' · ')),
    ];
    if (node[NODE.parent]) {
      heading.push(make('p', { class: 'muted small' }, 'part of ', this.#link(node[NODE.parent])));
    }
    if (kind !== 'agent') {
      const children = this.store.state.children.get(node[NODE.id]) ?? [];
      heading.push(make('ul', { class: 'links' }, ...children.map((id) => make('li', {}, this.#link(id)))));
    }
    if (this.store.base.earlier) {
      heading.push(make('p', { class: 'muted small' }, 'The earliest events are not kept in this page; the journal has them.'));
    }
    return heading;
  }

  #link(id) {
    const node = this.store.state.nodes.get(id);
    if (!node) return String(id);
    const kind = KIND[node[NODE.kind]];
    const words = kind === 'agent' ? node[NODE.goal] : kind;
    const sign = kind === 'agent' ? statusSign(STATUS[node[NODE.status]]) : null;
    return make('button', { type: 'button', class: 'link', onclick: () => this.onselect(id) }, sign, `${id} ${words}`);
  }

  #entry(frame) {
    const { event, time } = frame;
    const body = (kind, sign, ...children) =>
      make('li', { class: `entry ${kind}` },
        make('span', { class: 'time' }, clock(time)),
        make('span', { class: 'mark', 'aria-hidden': 'true' }, sign),
        make('div', { class: 'said' }, ...children));
    switch (event.kind) {
      case 'think':
        return body('think', '…', make('span', { class: 'label' }, 'thinks'), this.#text(event.text), cost(event));
      case 'act':
        return body('act', asks(event) ? '?' : '▸', make('span', { class: 'label' }, asks(event) ? 'asks' : 'acts'),
          make('strong', {}, asks(event) ? event.skill.slice(ASK.length) : event.skill),
          event.text ? make('span', { class: 'muted' }, ` (${event.text})`) : null,
          event.by ? make('span', { class: 'muted' }, `, ${allowed(event)}`) : null, cost(event),
          isSkill(event) ? this.#why(event) : null);
      case 'expand':
        return body('expand', '┬', make('span', { class: 'label' }, 'expands'),
          make('strong', {}, event.flow), make('span', { class: 'muted' }, `, ${FLOW_WORDS[event.flow] ?? ''}`),
          subgoals(event), cost(event));
      case 'repair': {
        const why = event.text ? make('span', {}, `: ${event.text}`) : null;
        return event.subgoals.length
          ? body('repair', '↻', make('span', { class: 'label' }, 'repairs'), make('strong', {}, event.flow), why, subgoals(event), cost(event))
          : body('repair', '↻', make('strong', {}, event.end), why, cost(event));
      }
      case 'see': {
        const failed = event.outcome !== 'succeeded';
        return body(failed ? 'see refused' : 'see', failed ? '×' : '◂',
          make('span', { class: 'label' }, asks(event) ? 'hears' : event.skill ? 'sees' : 'looks'),
          failed ? make('strong', { class: 'outcome' }, `${event.outcome.replaceAll('_', ' ')}: `) : null,
          this.#text(event.text),
          make('span', { class: 'cost' }, [event.place || event.room, event.held.length ? `holds ${event.held.join(', ')}` : '',
            event.offered ? `${count(event.offered, 'skill')} possible` : ''].filter(Boolean).join(' · ')));
      }
      case 'finish':
        return body(`finish ${STATUS[event.status]}`, '■', make('span', { class: 'label' }, 'ends'),
          make('strong', {}, STATUS_WORDS[STATUS[event.status]]), event.text ? `: ${event.text}` : null);
      default:
        return null;
    }
  }

  #text(text) {
    if (text.length <= LONG) return make('span', {}, text);
    const holder = make('span', {}, `${text.slice(0, LONG)}… `);
    const show = () => holder.replaceChildren(text);
    holder.append(make('button', { type: 'button', class: 'link', onclick: show }, count(text.length - LONG, 'more character')));
    return holder;
  }

  /** Asked on demand: why this skill, and why not another one in its place. */
  #why(event) {
    const query = (more) => new URLSearchParams({ run: this.store.run, number: event.sequence, ...more });
    const others = `others-${event.sequence}`;
    const said = make('div', { class: 'whys', 'aria-live': 'polite' });
    const input = make('input', { type: 'text', list: others, required: true, maxlength: 500, placeholder: 'another skill', 'aria-label': `Why not, in place of ${event.skill}` });
    const form = make('form', {}, make('span', {}, 'Why not'), input, make('button', { type: 'submit' }, 'Ask'));
    form.addEventListener('submit', async (submitted) => {
      submitted.preventDefault();
      const skill = input.value.trim();
      if (!skill) return;
      const answer = await whys(query({ instead: skill }));
      said.replaceChildren(make('p', { class: 'muted' }, `Why not “${skill}”?`), answer.list);
    });
    return this.#offer('Why?', async () => {
      const answer = await whys(query({}));
      const list = make('datalist', { id: others }, ...answer.others.map((skill) => make('option', { value: skill })));
      return [answer.list, list, form, said];
    }, 'why');
  }

  // On demand --------------------------------------------------------------------------------

  #offers(node) {
    this.more.replaceChildren();
    if (!node || node[NODE.kind] !== 0) return;
    const id = node[NODE.id];
    this.more.append(
      this.#offer('Prompt', async () => {
        const query = new URLSearchParams({ run: this.store.run, node: id });
        const { text, planner, whole } = await ask(`api/prompt?${query}`);
        if (!text) return [make('p', { class: 'muted' }, 'The record does not have this node yet.')];
        const limit = whole ? null : make('p', { class: 'muted small' },
          `The instructions that the planner ${planner} writes around this are not recorded. This is the node's own transcript; what memory gave it is under Experiences.`);
        return [limit, make('pre', {}, text)].filter(Boolean);
      }),
      this.#offer('Experiences', async () => {
        const query = new URLSearchParams({ run: this.store.run, node: id, goal: node[NODE.goal] });
        return experiences(await ask(`api/experiences?${query}`));
      }),
      id === 1 ? this.#offer('Why it ended', async () => [(await whys(new URLSearchParams({ run: this.store.run }))).list]) : '',
    );
  }

  #offer(title, load, name = null) {
    const content = make('div');
    const details = make('details', { class: name }, make('summary', {}, title), content);
    details.addEventListener('toggle', async () => {
      if (!details.open) return;
      content.replaceChildren(make('p', { class: 'muted' }, 'asking…'));
      try {
        content.replaceChildren(...(await load()));
      } catch (error) {
        content.replaceChildren(make('p', { class: 'trouble' }, error.message));
      }
    });
    return details;
  }
}

/** What memory gave the node or, without a journal, has now. */
function experiences({ source, offered, experiences: found }) {
  const part = found.length < offered ? `, ${found.length} of them here` : '';
  const chosen = found.some((one) => one.shown === null) ? 'Which of them the prompt showed was not written down.'
    : found.some((one) => one.shown) ? '✓ was chosen for the prompt.' : 'None of them was chosen for the prompt.';
  const words = {
    journal: offered
      ? `What memory gave this node, as the journal has it: ${count(offered, 'experience')}${part}. ${chosen}`
      : 'Memory gave this node nothing, or was not asked.',
    memory: `No journal tells what memory gave this node; this is what it has for the goal now${offered ? '' : ': nothing'}.`,
  };
  const about = words[source] ?? 'No journal tells what memory gave this node, and no memory node is there.';
  return [
    make('p', { class: 'muted small' }, about),
    ...found.map((one) => make('details', { class: 'experience' },
      make('summary', {}, one.shown ? make('span', { class: 'looked', title: 'chosen for the prompt' }, '✓ ') : null, one.goal,
        make('span', { class: 'muted' }, ` · ${[one.termination, one.planner, one.similarity.toFixed(2)].filter(Boolean).join(' · ')}`)),
      make('pre', {}, one.text))),
  ];
}

/** The viewer's sentences about why. */
async function whys(query) {
  try {
    const { sentences, others } = await ask(`api/why?${query}`);
    return { others, list: make('ul', { class: 'sentences' }, ...sentences.map((one) => make('li', {}, one))) };
  } catch (error) {
    return { others: [], list: make('p', { class: 'trouble' }, error.message) };
  }
}

const subgoals = (event) => make('ol', {}, ...event.subgoals.map((goal) => make('li', {}, goal)));

function cost(event) {
  if (event.tokens === undefined) return null;
  return make('span', { class: 'cost' }, `${count(event.tokens, 'token')} · ${event.latency.toFixed(1)} s`);
}
