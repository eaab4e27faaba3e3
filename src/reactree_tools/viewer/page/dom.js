// Elements from words. Text of worlds and models only ever becomes text, never markup.

const SVG = 'http://www.w3.org/2000/svg';

export const byId = (id) => document.getElementById(id);

/** An element; children are elements or texts, and what is null is left out. */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same of SVG. */
export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Set a text only when it changed: the browser then has nothing to lay out again. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Seconds as minutes and seconds. */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

export const number = (value) => Math.round(value).toLocaleString('en');

/** A number with its noun: '1 step', '2,500 steps'. */
export const count = (value, noun) => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;

/** Whether all words of a search stand in a text, in any order; a number means that number, not 12 for 2. */
export const matches = (search, text) => {
  const words = ` ${text.toLowerCase()} `;
  return search.toLowerCase().split(/\s+/).every((word) => words.includes(/^\d{1,4}$/.test(word) ? ` ${word} ` : word));
};

const REORDERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** What the server tells; characters that would reorder a line, or that nobody sees, are shown as such. */
export function told(text) {
  return JSON.parse(text, (name, value) => (typeof value === 'string' ? value.replace(REORDERING, '\ufffd') : value));
}

/** Ask the server; its own sentence when it says no. */
export async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error('The viewer does not answer; is it still running?');
  }
  const content = await answer.text().then(told).catch(() => ({}));
  if (!answer.ok) throw new Error(content.message || `The viewer answered ${answer.status}.`);
  return content;
}
