// Light, dark, or what the system has; pages of one viewer share the choice.

import { byId } from './dom.js';

const THEMES = ['auto', 'light', 'dark'];
const chosen = () => localStorage.getItem('reactree-theme') ?? 'auto';

export function showTheme(name = chosen()) {
  localStorage.setItem('reactree-theme', name);
  if (name === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  byId('theme').title = `Light or dark (d): ${name}`;
}

export const nextTheme = () => showTheme(THEMES[(THEMES.indexOf(chosen()) + 1) % 3]);
