import { createStore, useStore } from './store.ts'

/** The page of an address, its id, and its view settings. */
export type Route = { page: PageName; id: string; query: URLSearchParams }

const pageNames = ['markets', 'token', 'pair', 'wallet', 'launches', 'status', 'keys'] as const
export type PageName = (typeof pageNames)[number]

export function routeOf(path: string, search: string): Route | null {
  const [, name = '', id = '', ...rest] = path.split('/')
  const page = name === '' ? 'markets' : pageNames.find((known) => known === name)
  const hasId = page === 'token' || page === 'pair' || page === 'wallet'
  if (page === undefined || rest.length > 0 || hasId !== (id !== '')) return null
  return { page, id: decodeURIComponent(id), query: new URLSearchParams(search) }
}

const current = () => routeOf(location.pathname, location.search)
const route = createStore<Route | null>(current())

export const useRoute = (): Route | null => useStore(route)

/** Opens one of our addresses without reloading the page. */
export function navigate(href: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', href)
  route.set(current())
  if (!replace) scrollTo(0, 0)
}

/** Changes the view settings; defaults are left out of the address. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  navigate(location.pathname + (text === '' ? '' : `?${text}`), { replace: true })
}

/** Links stay links: only plain clicks on our own pages are handled here. */
function followLink(event: MouseEvent): void {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey
  const link = (event.target as Element | null)?.closest?.('a')
  if (!isPlain || event.defaultPrevented || !link || link.target !== '') return
  if (link.origin !== location.origin || routeOf(link.pathname, link.search) === null) return
  event.preventDefault()
  navigate(link.pathname + link.search)
}

export function startRouting(): void {
  addEventListener('popstate', () => route.set(current()))
  document.addEventListener('click', followLink)
}
