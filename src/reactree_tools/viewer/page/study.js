// A study: how far it is, what its groups came to, and every episode as a link to its run.
// The page asks again while somebody looks; the server answers with one page of tasks, and with
// nothing while nothing changed.

import { ask, byId, count, make, number, setText } from './dom.js';
import { linkTo } from './links.js';
import { statusSign } from './signs.js';
import { nextTheme, showTheme } from './theme.js';

// Milliseconds between two questions, and until a search that is being typed is asked for.
const PERIOD = 2000;
const TYPING = 250;
const SIGNS = { met: 'success', part: 'part', not: 'failure', waiting: 'idle' };
const WORDS = { met: 'goal met', part: 'met in part', not: 'not met', waiting: 'not run yet' };

/** What is looked at; it stands in the address, so that "back" from a run comes back to it. */
const place = readPlace();
/** What the server has told last, and in which place that was. */
let told = null;
let toldOf = '';
let timer = 0;
let asking = 0;

function readPlace() {
  const about = new URLSearchParams(location.hash.slice(1));
  const page = /^\d{1,9}$/.test(about.get('page') ?? '') ? Number(about.get('page')) : 1;
  return { page: Math.max(0, page - 1), find: about.get('find') ?? '', shown: about.get('shown') ?? 'all' };
}

function writePlace() {
  const about = new URLSearchParams();
  if (place.page) about.set('page', place.page + 1);
  if (place.find) about.set('find', place.find);
  if (place.shown !== 'all') about.set('shown', place.shown);
  history.replaceState(null, '', about.size ? `#${about}` : location.pathname);
}

function go(change) {
  Object.assign(place, { page: 0, ...change });
  writePlace();
  refresh();
}

async function refresh() {
  clearTimeout(timer);
  const turn = ++asking;
  const here = JSON.stringify(place);
  const known = here === toldOf && told ? told.mark : '';
  try {
    const news = await ask(`api/study?${new URLSearchParams({ ...place, known })}`);
    if (turn !== asking) return;
    trouble('');
    if (news) {
      const same = here === toldOf;
      told = news;
      toldOf = here;
      show(same);
    }
  } catch (error) {
    if (turn !== asking) return;
    trouble(error.message);
    // What it shows may be another study by the time it answers again.
    toldOf = '';
  }
  if (!document.hidden) timer = setTimeout(refresh, PERIOD);
}

function trouble(message) {
  byId('trouble').hidden = !message;
  setText(byId('trouble'), message);
}

/** @param same whether the same tasks were shown before, so that what is new can be told. */
function show(same) {
  byId('content').hidden = false;
  setText(byId('folder'), told.folder);
  const name = told.folder.split('/').filter(Boolean).at(-1) ?? 'study';
  document.title = `${number(told.done)}${told.total === null ? '' : ` of ${number(told.total)}`} · ${name} · reactree`;
  showProgress();
  showAsked();
  showGroups();
  showChoice();
  showMatrix(same);
}

// How far it is -------------------------------------------------------------------------------

/** Seconds in the largest unit that says enough. */
function duration(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  if (seconds < 100 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${(seconds / 3600).toFixed(1)} h`;
  return `${(seconds / 86400).toFixed(1)} days`;
}

function showProgress() {
  const { done, total, running, left, at_once: atOnce } = told;
  const whole = total !== null && done >= total;
  setText(byId('done'), total === null ? count(done, 'episode') : `${number(done)} of ${count(total, 'episode')}`);
  const state = byId('state');
  setText(state, running ? 'running' : whole ? 'complete' : 'not running; the same command goes on');
  state.className = `state ${running ? 'running' : whole ? 'success' : ''}`;
  const several = atOnce >= 1.5 ? `, ${Math.round(atOnce)} at a time` : '';
  setText(byId('left'), left === null || whole ? '' : `about ${duration(left)} left${several}`);
  setText(byId('spent'), told.spent ? `${duration(told.spent)} of episodes so far` : '');
  const bar = byId('bar');
  bar.hidden = total === null;
  bar.setAttribute('aria-valuemax', total ?? 0);
  bar.setAttribute('aria-valuenow', done);
  bar.firstElementChild.style.setProperty('--share', total ? done / total : 0);
  const notes = [...told.troubles];
  if (told.beside) notes.push(`${count(told.beside, 'episode')} more stand here that the study no longer asks for; groups and tasks count them.`);
  if (told.all_columns > told.columns.length) notes.push(`The first ${told.columns.length} of ${told.all_columns} groups have a column below.`);
  byId('notes').replaceChildren(...notes.map((text) => make('li', {}, text)));
}

function showAsked() {
  byId('asked').replaceChildren(...told.asked.map(({ name, values, more }) => make('div', {},
    make('dt', {}, name),
    make('dd', {}, ...values.map((value) => make('span', {}, value)),
      more ? make('span', { class: 'muted' }, `${number(more)} more`) : null))));
}

// Groups --------------------------------------------------------------------------------------

function bar(kind, share) {
  const inside = make('span');
  inside.style.setProperty('--share', Math.min(1, Math.max(0, share)));
  return make('span', { class: `share-bar ${kind}`, 'aria-hidden': 'true' }, inside);
}

function showGroups() {
  const most = (name) => Math.max(1e-9, ...told.groups.map((group) => group[name] ?? 0));
  const decisions = most('decisions');
  const seconds = most('seconds');
  const table = byId('groups');
  table.tHead.replaceChildren(make('tr', {}, ...[`Group: ${told.axes.join(' · ')}`, 'Episodes', 'Solved', 'Conditions met', 'Decisions', 'Seconds']
    .map((title) => make('th', { scope: 'col' }, title))));
  const rows = [];
  let world = '';
  for (const group of told.groups) {
    if (group.world && group.world !== world) {
      world = group.world;
      rows.push(make('tr', { class: 'of-world' }, make('th', { scope: 'rowgroup', colspan: 6 }, world)));
    }
    const figure = (value, words, kind, share) => make('td', {},
      ...value === null ? [make('span', { class: 'muted' }, '–')]
        : [make('span', { class: 'figure' }, make('span', {}, words), bar(kind, share))]);
    const part = group.done ? group.solved / group.done : null;
    rows.push(make('tr', {},
      make('th', { scope: 'row', title: group.about }, make('span', { class: 'badge' }, String(group.number)), make('span', {}, group.name)),
      make('td', {}, group.asked > group.done ? `${number(group.done)} of ${number(group.asked)}` : number(group.done)),
      figure(part, `${number(group.solved)} · ${Math.round(100 * part)} %`, 'solved', part),
      figure(group.share, `${Math.round(100 * group.share)} %`, 'share', group.share),
      figure(group.decisions, (group.decisions ?? 0).toFixed(group.decisions < 10 ? 1 : 0), '', group.decisions / decisions),
      figure(group.seconds, duration(group.seconds ?? 0), '', group.seconds / seconds)));
  }
  table.tBodies[0].replaceChildren(...rows);
}

// Episodes ------------------------------------------------------------------------------------

function showChoice() {
  const shown = byId('shown');
  if (!shown.options.length) {
    shown.append(...Object.entries(told.shown).map(([value, words]) => make('option', { value }, words)));
  }
  shown.value = place.shown;
  const { found, first, tasks, page, pages } = told;
  const of = found === told.all_tasks ? count(found, 'task') : `${count(found, 'task')} found`;
  setText(byId('range'), pages > 1 ? `${number(first)} to ${number(first + tasks.length - 1)} of ${of}` : of);
  byId('before').hidden = byId('after').hidden = pages === 1;
  byId('before').disabled = page === 0;
  byId('after').disabled = page >= pages - 1;
  byId('no-tasks').hidden = found > 0;
  setText(byId('no-tasks'), told.all_tasks ? 'No task is like this.' : 'No episode has ended yet.');
}

let headed = '';
/** The rows as they are drawn, each as its text. */
let drawn = [];
const about = new WeakMap();

function showMatrix(same) {
  const table = byId('matrix');
  table.parentElement.hidden = !told.tasks.length;
  const head = JSON.stringify(told.columns);
  if (head !== headed) {
    headed = head;
    drawn = [];
    table.tHead.replaceChildren(make('tr', {}, make('th', { scope: 'col' }, 'Task'), ...told.columns.map((name, index) =>
      make('th', { scope: 'col' }, make('span', { class: 'badge' }, String(index + 1)), name))));
  }
  const body = table.tBodies[0];
  const focused = placeOf(document.activeElement);
  const texts = told.tasks.map((task) => JSON.stringify(task));
  told.tasks.forEach((task, row) => {
    if (drawn[row] === texts[row]) return;
    const before = same && drawn[row] ? JSON.parse(drawn[row]).cells : null;
    const line = make('tr', {}, make('th', { scope: 'row', title: task.about },
      make('span', {}, ...breakable(task.name)), task.instruction ? make('span', { class: 'muted', title: task.instruction }, task.instruction) : null),
    ...task.cells.map((cell, column) => make('td', {}, item(task, cell, column, before?.[column]))));
    if (body.rows[row]) body.rows[row].replaceWith(line);
    else body.append(line);
  });
  while (body.rows.length > texts.length) body.lastElementChild.remove();
  drawn = texts;
  if (focused) cellAt(focused.row, focused.column)?.focus({ preventScroll: true });
  keepOneStop();
}

/** A name that may go on in the next line after its signs. */
const breakable = (name) => name.split(/(?<=[:/_])/).flatMap((part) => [part, make('wbr')]);

function item(task, cell, column, before) {
  if (!cell) return make('span', { class: 'cell nothing', title: 'the study does not ask for it' }, '–');
  const name = `${task.name}, ${told.columns[column]}`;
  const inside = [statusSign(SIGNS[cell.state]), make('span', {}, cell.met || '')];
  const isNew = before !== undefined && before !== null && before.state === 'waiting' && cell.state !== 'waiting';
  const kind = `cell ${cell.state}${isNew ? ' new' : ''}`;
  const words = cell.words ?? WORDS[cell.state];
  const label = `${name}: ${words}`;
  const made = cell.run
    ? make('a', { class: kind, href: `./${linkTo({ run: cell.run })}`, 'aria-label': label, tabindex: -1 }, ...inside)
    : make('span', { class: kind, role: 'img', 'aria-label': label, tabindex: -1 }, ...inside);
  about.set(made, { name, words, instruction: task.instruction });
  return made;
}

const cellAt = (row, column) => byId('matrix').tBodies[0].rows[row]?.cells[column + 1]?.querySelector('[tabindex]');

function placeOf(element) {
  const field = element?.closest?.('#matrix tbody td');
  return field ? { row: field.parentElement.rowIndex - 1, column: field.cellIndex - 1 } : null;
}

/** One episode is reached with Tab, the others from there with arrows. */
function keepOneStop(wanted = null) {
  const body = byId('matrix').tBodies[0];
  const before = body.querySelector('[tabindex="0"]');
  const next = wanted ?? before ?? body.querySelector('a.cell') ?? body.querySelector('[tabindex]');
  if (before && before !== next) before.tabIndex = -1;
  if (next) next.tabIndex = 0;
}

function tell(cell) {
  const what = about.get(cell);
  if (!what) return;
  byId('detail').replaceChildren(make('strong', {}, what.name), make('span', {}, what.words),
    ...what.instruction ? [make('span', { class: 'muted' }, what.instruction)] : []);
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const matrix = byId('matrix');
matrix.addEventListener('pointerover', (event) => tell(event.target.closest('.cell')));
matrix.addEventListener('focusin', (event) => {
  keepOneStop(event.target);
  tell(event.target);
});
matrix.addEventListener('keydown', (event) => {
  const step = STEPS[event.key];
  const at = placeOf(event.target);
  if (!step || !at) return;
  event.preventDefault();
  let { row, column } = at;
  // Over what nobody asks for, to the next episode.
  for (let next = null; !next;) {
    row += step[0];
    column += step[1];
    if (row < 0 || column < 0 || row >= told.tasks.length || column >= told.columns.length) return;
    next = cellAt(row, column);
    next?.focus();
  }
});

let typing = 0;
byId('find').value = place.find;
byId('find').addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(() => go({ find: byId('find').value.trim() }), TYPING);
});
byId('shown').addEventListener('change', () => go({ shown: byId('shown').value }));
byId('before').addEventListener('click', () => go({ page: told.page - 1 }));
byId('after').addEventListener('click', () => go({ page: told.page + 1 }));
byId('theme').addEventListener('click', nextTheme);
byId('legend').append(...Object.entries(WORDS).map(([state, words]) =>
  make('li', {}, statusSign(SIGNS[state]), words)));

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches('input, select')) return;
  if (event.key === 'd') nextTheme();
  else if (event.key === '/') {
    event.preventDefault();
    byId('find').focus();
  }
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden) clearTimeout(timer);
  else refresh();
});
addEventListener('hashchange', () => {
  Object.assign(place, readPlace());
  byId('find').value = place.find;
  refresh();
});

showTheme();
refresh();
