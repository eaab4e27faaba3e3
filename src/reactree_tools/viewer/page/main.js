// Puts the page together: the stream fills the store, and the views show its state.

import { ApprovalView } from './approval.js';
import { QuestionView } from './question.js';
import { showBudgets, showHealth } from './bars.js';
import { Control, takeToken } from './control.js';
import { byId, make, setText } from './dom.js';
import { Find } from './find.js';
import { Lanes } from './lanes.js';
import { linkTo, readLink } from './links.js';
import { MemoryView } from './memory.js';
import { NodeView } from './node.js';
import { ReadingView } from './reading.js';
import { RunsView } from './runs.js';
import { SceneView } from './scene.js';
import { STATUS, STATUS_WORDS, statusSign } from './signs.js';
import { Store } from './store.js';
import { Stream } from './stream.js';
import { nextTheme, showTheme } from './theme.js';
import { Timeline } from './timeline.js';
import { legend, TreeView } from './tree.js';

// Panels in the order of their keys.
const PANELS = ['tree', 'node', 'memory', 'scene', 'runs'];
const narrow = matchMedia('(max-width: 800px)');

const store = new Store();
const tree = new TreeView(store, (id) => choose(id));
const node = new NodeView(store, (id) => choose(id));
const memory = new MemoryView(store);
const scene = new SceneView(store);
const lanes = new Lanes(store, (id) => choose(id));
const timeline = new Timeline(store, () => changed());
const control = new Control(store, trouble);
const approval = new ApprovalView((what, about) => control.tell(what, about));
const question = new QuestionView((answer) => control.tell('answer', answer));
const reading = new ReadingView();
const find = new Find(store, tree, goTo);
const runs = new RunsView(store, look);
let follow = true;
let panel = 'tree';
let status = { live: '', runs: [], health: [], control: false, connected: false };
let linked = true;
/** A place to open as soon as it is there; `waits` until the stream tells of its run. */
let pending = null;

const stream = new Stream({
  onrun(about, same) {
    if (!same) begin(about.run);
    store.live = about.live;
    if (pending) pending.waits = false;
    trouble('');
    runs.render(stream.wanted);
    arrive();
    changed();
  },
  onframes(about) {
    if (about.anew) begin(store.run);
    store.total = about.total;
    heardAt = performance.now();
    store.add(about.frames);
    if (store.state.run?.finished) store.live = false;
    arrive();
    changed();
  },
  onstatus(now) {
    const listed = JSON.stringify(now.runs) !== JSON.stringify(status.runs);
    status = now;
    scene.connect(now.connected, now.scene);
    if (listed) runs.refresh();
    if (panel === 'scene') scene.refresh();
    changed();
  },
  ontrouble(message) {
    begin('');
    pending = null;
    trouble(message);
  },
  onlink(up) {
    linked = up;
    changed();
  },
});

function begin(run) {
  store.clear(run, false);
  tree.clear();
  find.clear();
  node.clear();
  timeline.stop();
  follow = true;
}

function look(run) {
  settle();
  pending = { ...readLink(''), waits: true };
  stream.look(run);
  const link = run === 'newest' ? here() : linkTo({ run });
  if (link !== (location.hash || here())) history.pushState(null, '', link);
  if (narrow.matches) show('tree');
}

function trouble(message) {
  const place = byId('trouble');
  place.hidden = !message;
  setText(place, message);
}

/** The user chose a node. */
function choose(id) {
  settle();
  follow = false;
  tree.select(id);
  tree.focus(id);
  show('node');
  const link = place();
  if (link !== (location.hash || here())) history.pushState(null, '', link);
  changed();
}

/** The user went on to a node that was found; the search keeps the keys. */
function goTo(id) {
  follow = false;
  tree.select(id);
  tree.reveal(id);
  if (!narrow.matches) show('node');
  changed();
}

// The address ----------------------------------------------------------------------------------

/** The address without a fragment. */
const here = () => location.pathname + location.search;

/** What the address is to be: nothing for the newest run as it goes on. */
function place() {
  const id = follow ? 0 : tree.selected;
  const event = store.newest ? 0 : store.number;
  const run = stream.wanted === 'newest' && !id && !event ? '' : store.run || stream.wanted;
  return linkTo({ run, node: id, event }) || here();
}

let settling = 0;
/** Let the address follow, not more often than browsers allow. */
function settle() {
  clearTimeout(settling);
  settling = 0;
  find.refresh();
  if (pending || !stream.run) return;
  const link = place();
  if (link !== (location.hash || here())) history.replaceState(null, '', link);
}

/** Go where the address says, once it is there. */
function travel() {
  clearTimeout(settling);
  settling = 0;
  const link = readLink(location.hash);
  const wanted = link.run || 'newest';
  pending = { ...link, waits: wanted !== stream.wanted };
  if (pending.waits) stream.look(wanted);
  arrive();
  changed();
}

function arrive() {
  if (!pending || pending.waits) return;
  const { node: id, event, time } = pending;
  const whole = store.total > 0 && stream.position >= store.total;
  const until = time === null ? -1 : store.frames.findIndex((frame) => frame.time > time);
  const count = event ? store.positionOf(event) : until;
  if (!whole && (event ? count > store.length : time !== null && until < 0)) return;
  if ((event || until >= 0) && count < store.length) timeline.go(count);
  else if (!store.newest) timeline.toNewest();
  if (id && !store.state.nodes.has(id) && !whole) return;
  pending = null;
  follow = !id || !store.state.nodes.has(id);
  if (follow) tree.selected = 0;
  else {
    tree.select(id);
    revealed = id;
    show('node');
  }
}
/** A node to bring into view when the tree is drawn. */
let revealed = 0;

let asked = false;
/** Draw once, before the next picture, however much came. */
function changed() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    render();
  });
}

function render() {
  const { state } = store;
  const { run } = state;
  // A run that has ended is told from its root.
  const root = state.children.get(0)?.[0] ?? 0;
  const active = run?.active || (tree.selected === 0 || run?.finished ? root : 0);
  if (follow && active && tree.selected !== active) tree.select(active);
  tree.following = follow;
  tree.render();
  if (follow && active && followed !== active) {
    followed = active;
    tree.reveal(active);
  }
  if (revealed) {
    tree.select(revealed);
    tree.reveal(revealed);
    revealed = 0;
  }
  heading(run);
  showBudgets(run, state.time + sinceLast());
  showHealth(linked ? status.health : [{ part: 'viewer', condition: 'bad', text: 'does not answer; trying again' }]);
  if (panel === 'node' || !narrow.matches) node.render(tree.selected);
  if (panel === 'memory') memory.render();
  if (panel === 'scene') scene.render();
  timeline.render();
  lanes.render();
  control.show(status, store.live);
  reading.show(status.connected);
  byId('to-study').hidden = !status.study;
  approval.show(linked ? status.approval : null, status.control && Boolean(control.token), run?.task);
  question.show(linked ? status.question : null, status.control && Boolean(control.token), run?.task);
  byId('fit').setAttribute('aria-pressed', String(tree.fit));
  if (!settling) settling = setTimeout(settle, 400);
  byId('follow').setAttribute('aria-pressed', String(follow));
  setText(byId('layout'), tree.outline ? 'Tree' : 'Outline');
}
let followed = 0;

/** Seconds since the newest event of a live run: its clock goes on while a model thinks. */
const sinceLast = () =>
  store.live && store.newest && store.state.run && !store.state.run.finished
    ? (performance.now() - heardAt) / 1000 : 0;
let heardAt = performance.now();
setInterval(() => {
  if (sinceLast() > 1) changed();
}, 1000);

let headed = '';
function heading(run) {
  const word = run ? STATUS[run.finished ? run.status : 1] : 'idle';
  const waits = status.approval ? '(approve?) ' : status.question ? '(answer?) ' : '';
  const forbidden = run?.must_not ?? [];
  const key = JSON.stringify([word, run?.task, run?.planner, run?.result, forbidden, run?.left_to_model, run?.means, run?.ties, run?.milestones, run?.unread, run?.living,
    store.live, store.run, status.paused, waits]);
  if (key === headed) return;
  headed = key;
  byId('run-sign').replaceChildren(statusSign(word));
  setText(byId('task'), run?.task || (run ? 'A run whose task is not known' : 'Waiting for a run'));
  const result = run?.finished || (run && !store.live && store.newest) ? run.result : STATUS_WORDS[word];
  const parts = run ? [result, store.live ? 'live' : 'record', run.planner, store.run.slice(0, 8)] : [];
  if (run && status.paused && store.live) parts.unshift('paused');
  if (run?.waits && !run.finished) parts.unshift('waits');
  setText(byId('about'), parts.filter(Boolean).join(' · '));
  byId('about').title = run?.finished ? run.reason : '';
  const means = run?.means ?? '';
  const from = (run?.sources ?? []).map((one) => `now: ${one}`);
  const ties = [...from, ...run?.ties ?? []].join(' · ');
  byId('means').hidden = !means && !ties;
  byId('means').replaceChildren(
    ...means ? ['means: ', make('strong', {}, means)] : [],
    make('span', { class: 'muted' }, `${means && ties ? ' · ' : ''}${ties}`));
  const milestones = run?.milestones ?? [];
  byId('milestones').hidden = milestones.length < 2 && !milestones.some(([, state]) => state === 'met');
  byId('milestones').replaceChildren(...milestones.map(([text, state]) =>
    make('li', { class: state.split(' ')[0] }, `${state === 'met' ? '✓' : '○'} ${text} (${state})`)));
  const living = run?.living ?? [];
  byId('living').hidden = !living.length;
  byId('living').replaceChildren(...living.map((line) => make('li', {}, line)));
  byId('unread').hidden = !run?.unread;
  setText(byId('unread'), run?.unread ?? '');
  const left = run?.left_to_model ?? '';
  byId('must-not').hidden = !forbidden.length && !left;
  byId('must-not').replaceChildren(
    ...forbidden.length ? ['must not: ', make('strong', {}, forbidden.join(', '))] : [],
    make('span', { class: 'muted' }, left ? `${forbidden.length ? ' · ' : ''}left to the model: ${left}` : ''));
  document.title = `${waits}${run?.task ? `${run.task} · reactree` : 'reactree viewer'}`;
}

// Panels, theme, keys --------------------------------------------------------------------------

function show(name) {
  panel = name === 'tree' && !narrow.matches ? 'node' : name;
  document.body.dataset.panel = panel;
  for (const tab of byId('tabs').children) {
    tab.setAttribute('aria-selected', String(tab.dataset.panel === panel));
  }
  if (panel === 'scene') scene.refresh();
  if (panel === 'runs') runs.refresh();
  changed();
}

function toggleFollow() {
  follow = !follow;
  followed = 0;
  if (follow) {
    tree.selected = 0;
    timeline.toNewest();
  }
  changed();
}

function toggleLayout() {
  tree.setOutline(!tree.outline);
  tree.reveal(tree.selected);
  changed();
}

let outlined = false;
/** An outline of many lines cannot be made small: what fits is the tree. */
function toggleFit() {
  if (!tree.fit) outlined = tree.outline;
  tree.setFit(!tree.fit, tree.fit && outlined);
  changed();
}

function zoom(factor) {
  tree.zoom(factor);
  tree.reveal(tree.selected);
  changed();
}

const help = byId('help');
const KEYS = {
  ',': () => timeline.go(store.shown - 1),
  '.': () => timeline.go(store.shown + 1),
  ' ': () => timeline.toggle(),
  Home: () => timeline.go(1),
  End: () => timeline.toNewest(),
  l: () => timeline.toNewest(),
  f: toggleFollow,
  t: toggleLayout,
  e: () => tree.foldEnded(),
  u: () => tree.unfold(),
  '+': () => zoom(1.15),
  '=': () => zoom(1.15),
  '-': () => zoom(1 / 1.15),
  z: toggleFit,
  '/': () => {
    if (panel === 'runs') runs.search.focus();
    else {
      if (narrow.matches) show('tree');
      byId('find').focus();
    }
  },
  a: () => (question.waits ? question : approval).focus(),
  d: nextTheme,
  s: () => status.study && location.assign('study'),
  '?': () => help.showModal(),
  ...Object.fromEntries(PANELS.map((name, index) => [String(index + 1), () => {
    show(name);
    if (name === 'tree') tree.focus(tree.selected || tree.focusable);
  }])),
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || help.open) return;
  if (event.target.matches('input:not([type=range]), textarea')) return;
  const field = event.target.closest('input, button, summary, textarea');
  if (field && (event.key === ' ' || event.key === 'Home' || event.key === 'End')) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

byId('tabs').addEventListener('click', (event) => {
  const tab = event.target.closest('[data-panel]');
  if (tab) show(tab.dataset.panel);
});
byId('tabs').addEventListener('keydown', (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tabs = [...byId('tabs').children].filter((tab) => tab.offsetParent);
  const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
  next.focus();
  show(next.dataset.panel);
});
byId('follow').addEventListener('click', toggleFollow);
byId('layout').addEventListener('click', toggleLayout);
byId('fold-ended').addEventListener('click', () => tree.foldEnded());
byId('unfold').addEventListener('click', () => tree.unfold());
byId('fit').addEventListener('click', toggleFit);
byId('smaller').addEventListener('click', () => zoom(1 / 1.15));
byId('larger').addEventListener('click', () => zoom(1.15));
byId('theme').addEventListener('click', nextTheme);
byId('help-button').addEventListener('click', () => help.showModal());
byId('legend').append(...legend());
narrow.addEventListener('change', () => {
  tree.setOutline(narrow.matches);
  show(narrow.matches ? 'tree' : 'node');
});

showTheme();
show('tree');
addEventListener('popstate', () => {
  control.token = takeToken();
  travel();
});
const link = readLink(location.hash);
if (link.run) stream.wanted = link.run;
pending = { ...link, waits: true };
stream.open();
