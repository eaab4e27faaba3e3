// Puts the page together: the stream fills the store, and the views show its state.

import { showBudgets, showHealth } from './bars.js';
import { Control } from './control.js';
import { byId, setText } from './dom.js';
import { MemoryView } from './memory.js';
import { NodeView } from './node.js';
import { RunsView } from './runs.js';
import { SceneView } from './scene.js';
import { STATUS, STATUS_WORDS, statusSign } from './signs.js';
import { Store } from './store.js';
import { Stream } from './stream.js';
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
const timeline = new Timeline(store, () => changed());
const control = new Control(store, trouble);
const runs = new RunsView(store, look);
let follow = true;
let panel = 'tree';
let status = { live: '', runs: [], health: [], control: false, connected: false };
let linked = true;

const stream = new Stream({
  onrun(about, same) {
    if (!same) begin(about.run);
    store.live = about.live;
    trouble('');
    runs.render(stream.wanted);
    changed();
  },
  onframes(about) {
    if (about.anew) begin(store.run);
    store.total = about.total;
    heardAt = performance.now();
    store.add(about.frames);
    if (store.state.run?.finished) store.live = false;
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
  node.clear();
  timeline.stop();
  follow = true;
}

function look(run) {
  stream.look(run);
  if (narrow.matches) show('tree');
}

function trouble(message) {
  const place = byId('trouble');
  place.hidden = !message;
  setText(place, message);
}

/** The user chose a node. */
function choose(id) {
  follow = false;
  tree.select(id);
  tree.focus(id);
  show('node');
  changed();
}

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
  tree.render();
  if (follow && active && followed !== active) {
    followed = active;
    tree.reveal(active);
  }
  heading(run);
  showBudgets(run, state.time + sinceLast());
  showHealth(linked ? status.health : [{ part: 'viewer', condition: 'bad', text: 'does not answer; trying again' }]);
  if (panel === 'node' || !narrow.matches) node.render(tree.selected);
  if (panel === 'memory') memory.render();
  if (panel === 'scene') scene.render();
  timeline.render();
  control.show(status, store.live);
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
  const key = `${word} ${run?.task} ${run?.planner} ${store.live} ${store.run} ${status.paused}`;
  if (key === headed) return;
  headed = key;
  byId('run-sign').replaceChildren(statusSign(word));
  setText(byId('task'), run?.task || (run ? 'A run whose task is not known' : 'Waiting for a run'));
  const parts = run ? [STATUS_WORDS[word], store.live ? 'live' : 'record', run.planner, store.run.slice(0, 8)] : [];
  if (run && status.paused && store.live) parts.unshift('paused');
  setText(byId('about'), parts.filter(Boolean).join(' · '));
  document.title = run?.task ? `${run.task} · reactree` : 'reactree viewer';
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

const THEMES = ['auto', 'light', 'dark'];
function theme(name) {
  localStorage.setItem('reactree-theme', name);
  if (name === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  byId('theme').title = `Light or dark (d): ${name}`;
}
const nextTheme = () => theme(THEMES[(THEMES.indexOf(localStorage.getItem('reactree-theme') ?? 'auto') + 1) % 3]);

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

function zoom(factor) {
  tree.zoom(factor);
  tree.reveal(tree.selected);
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
  d: nextTheme,
  '?': () => help.showModal(),
  ...Object.fromEntries(PANELS.map((name, index) => [String(index + 1), () => {
    show(name);
    if (name === 'tree') tree.focus(tree.selected || tree.focusable);
  }])),
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || help.open) return;
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
byId('smaller').addEventListener('click', () => zoom(1 / 1.15));
byId('larger').addEventListener('click', () => zoom(1.15));
byId('theme').addEventListener('click', nextTheme);
byId('help-button').addEventListener('click', () => help.showModal());
byId('legend').append(...legend());
narrow.addEventListener('change', () => {
  tree.setOutline(narrow.matches);
  show(narrow.matches ? 'tree' : 'node');
});

theme(localStorage.getItem('reactree-theme') ?? 'auto');
show('tree');
stream.open();
