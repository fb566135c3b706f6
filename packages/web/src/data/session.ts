import { createStore } from '../lib/store.ts'

/** The key of the page. `browser`: received for its token. `locked`: the page asks for one. */
export type Session =
  | { state: 'opening' }
  | { state: 'open'; source: 'browser' | 'own' }
  | { state: 'locked'; reason: string }

export const session = createStore<Session>({ state: 'opening' })

// Stored for this tab only.
const storedName = 'chaintape.key'

// Stored for every tab of this browser, so that links work in new tabs.
const tokenName = 'chaintape.token'

let key: string | null = null
let opening: Promise<void> | null = null
let renewal: ReturnType<typeof setTimeout> | undefined

type GivenKey = { key: string; expires_at: number }

/**
 * Stores the token of the printed address and removes it from the address bar; false if there is
 * none.
 */
function takeToken(): boolean {
  const [, token] = /^#token=([\w-]+)$/.exec(location.hash) ?? []
  if (token === undefined) return false
  history.replaceState(null, '', location.pathname + location.search)
  localStorage.setItem(tokenName, token)
  sessionStorage.removeItem(storedName)
  return true
}

/** Exchanges the token for a key. Without a token the service's answer says where to find it. */
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

/** The current key. Rejects if none exists; the page then asks for one. */
export async function currentKey(): Promise<string> {
  if (key === null && session.get().state !== 'locked') {
    opening ??= open().finally(() => {
      opening = null
    })
    await opening
  }
  if (key === null) throw new Error('No API key.')
  return key
}

/** The service rejected the key: it expired, or the service restarted and forgot it. */
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
  // Pasting the address over an open page only changes the fragment, without loading.
  addEventListener('hashchange', () => {
    if (takeToken()) forgetKey()
  })
}
