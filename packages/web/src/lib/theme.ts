import { createStore } from './store.ts'

export type Theme = 'dark' | 'light'

const storedName = 'chaintape.theme'

function chosen(): Theme {
  const stored = localStorage.getItem(storedName)
  if (stored === 'dark' || stored === 'light') return stored
  return matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark'
}

/** The chosen theme, else the system's. */
export const theme = createStore<Theme>(chosen())

function wear(): void {
  document.documentElement.dataset.theme = theme.get()
}

export function startTheme(): void {
  wear()
  theme.watch(wear)
  matchMedia('(prefers-color-scheme: light)').addEventListener('change', () => theme.set(chosen()))
}

export function switchTheme(): void {
  const next = theme.get() === 'dark' ? 'light' : 'dark'
  localStorage.setItem(storedName, next)
  theme.set(next)
}
