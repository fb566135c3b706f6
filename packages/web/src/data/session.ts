import { createStore } from '../lib/store.ts'

/** The key that the page uses. `browser`: it got one for its token. `locked`: it has none and asks for one. */
export type Session =
  | { state: 'opening' }
  | { state: 'open'; source: 'browser' | 'own' }
  | { state: 'locked'; reason: string }

export const session = createStore<Session>({ state: 'opening' })

// Only in this tab, and gone with it.
const storedName = 'chaintape.key'

// For every tab of this browser, so that links open in new ones.
const tokenName = 'chaintape.token'

let key: string | null = null
let opening: Promise<void> | null = null
let renewal: ReturnType<typeof setTimeout> | undefined

type GivenKey = { key: string; expires_at: number }

/** Keeps the token of the address that the start printed, and removes it from the address bar; false: it has none. */
function takeToken(): boolean {
  const [, token] = /^#token=([\w-]+)$/.exec(location.hash) ?? []
  if (token === undefined) return false
  history.replaceState(null, '', location.pathname + location.search)
  localStorage.setItem(tokenName, token)
  sessionStorage.removeItem(storedName)
  return true
}

/** Exchanges the token for a key. Without a token the service answers where to find it. */
async function askForKey(): Promise<void> {
  const token = localStorage.getItem(tokenName)
  const headers = {
    ...(token === null ? {} : { 'X-TERMINAL-TOKEN': token }),
    ...(key?.startsWith('ctb_') ? { 'X-API-KEY': key } : {}),
  }
  const answer = await fetch('/terminal/key', { method: 'POST', headers })
  const body = (await answer.json()) as Partial<GivenKey> & { msg?: string }
  if (!answer.ok || body.key === undefined) {
    key = null
    if (answer.status === 401) localStorage.removeItem(tokenName)
    session.set({ state: 'locked', reason: body.msg ?? 'Enter an API key.' })
    return
  }
  key = body.key
  session.set({ state: 'open', source: 'browser' })
  clearTimeout(renewal)
  const lifeMs = body.expires_at! * 1_000 - Date.now()
  renewal = setTimeout(() => void renew(), Math.max(5_000, lifeMs / 3))
}

const renew = () =>
  askForKey().catch(() => {
    renewal = setTimeout(() => void renew(), 5_000)
  })

async function open(): Promise<void> {
  const own = sessionStorage.getItem(storedName)
  if (own === null) return askForKey()
  key = own
  session.set({ state: 'open', source: 'own' })
}

/** The key to use now. Rejects while there is none: the page asks for one meanwhile. */
export async function currentKey(): Promise<string> {
  if (key === null && session.get().state !== 'locked') {
    opening ??= open().finally(() => {
      opening = null
    })
    await opening
  }
  if (key === null) throw new Error('There is no API key.')
  return key
}

/** The service did not take the key: it ended, or the service began again and forgot it. */
export function refuseKey(refused: string, reason: string): void {
  if (refused !== key) return
  key = null
  const isOwn = sessionStorage.getItem(storedName) !== null
  sessionStorage.removeItem(storedName)
  clearTimeout(renewal)
  session.set(isOwn ? { state: 'locked', reason } : { state: 'opening' })
}

export function enterKey(own: string): void {
  sessionStorage.setItem(storedName, own)
  key = own
  clearTimeout(renewal)
  session.set({ state: 'open', source: 'own' })
}

export function forgetKey(): void {
  sessionStorage.removeItem(storedName)
  key = null
  session.set({ state: 'opening' })
  currentKey().catch(() => undefined)
}

export function startSession(): void {
  takeToken()
  currentKey().catch(() => undefined)
  // Pasting the address over that of an open page loads no page: only the fragment changes.
  addEventListener('hashchange', () => {
    if (takeToken()) forgetKey()
  })
}
