// Budgets, and the health of the parts.

import { byId, clock, make, number } from './dom.js';

const BUDGETS = [
  ['Decisions', 'decisions', number],
  ['Steps', 'steps', number],
  ['Tokens', 'tokens', number],
  ['Cost', 'cost', (money) => String(money)],
  ['Time', 'time', clock],
];
const CONDITION_SIGNS = { good: '✓', warning: '!', bad: '×', unknown: '?' };

let budgetText = '';
/** Show what a run has spent, and of how much where it is limited. */
export function showBudgets(run, time) {
  const spent = { ...run, time };
  const limits = { ...run?.limits, time: run?.limits.seconds };
  // A run without a price has no cost.
  const told = BUDGETS.filter(([, name]) => name !== 'cost' || run?.cost || limits.cost);
  const rows = told.map(([title, name, words]) => {
    const most = limits[name] ?? 0;
    return [title, run ? words(spent[name]) : '–', most ? words(most) : '', most ? Math.min(1, spent[name] / most) : 0];
  });
  const text = JSON.stringify([rows, run?.model]);
  if (text === budgetText) return;
  budgetText = text;
  byId('budgets').replaceChildren(...rows.map(([title, value, most, share]) => {
    const meter = most ? make('meter', { min: 0, max: 1, high: 0.85, value: share, 'aria-label': `${title} used` }) : null;
    return make('div', {}, make('dt', {}, title), make('dd', {}, make('strong', {}, value), most ? make('span', { class: 'muted' }, ` of ${most}`) : null, meter));
  }), run?.model ? make('div', { class: 'model' }, make('dt', {}, 'Model'), make('dd', { title: run.model }, run.model)) : '');
}

let healthText = '';
/** Show how the parts are. */
export function showHealth(health) {
  const text = JSON.stringify(health);
  if (text === healthText) return;
  healthText = text;
  byId('health').replaceChildren(...health.map((one) => make('li', { class: one.condition, title: one.text },
    make('span', { class: 'condition', 'aria-hidden': 'true' }, CONDITION_SIGNS[one.condition]),
    make('strong', {}, one.part), make('span', { class: 'muted' }, one.text))));
}
