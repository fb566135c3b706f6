import type { ServedChain, Status } from '@chaintape/protocol'
import { createStore, useStore } from '../lib/store.ts'
import { session } from './session.ts'
import { rest } from './tape.ts'

/** The served chains and their state, refreshed all the time so that lag is always visible. */
export type Chains = {
  served: readonly ServedChain[]
  status: Status['chains']
  /** True if the service did not answer the last request. */
  isLost: boolean
}

const everyMs = 2_000

export const chains = createStore<Chains>({ served: [], status: [], isLost: false })

let refreshing: Promise<void> | null = null

/** Callers during a request share its answer. */
function refresh(): Promise<void> {
  refreshing ??= ask().finally(() => {
    refreshing = null
  })
  return refreshing
}

async function ask(): Promise<void> {
  if (session.get().state === 'locked') return
  try {
    const { served } = chains.get()
    const [known, { chains: status }] = await Promise.all([
      served.length > 0 ? served : rest.supportedChains(),
      rest.status(),
    ])
    chains.set({ served: known, status, isLost: false })
  } catch {
    if (session.get().state !== 'locked') chains.set({ ...chains.get(), isLost: true })
  }
}

export function startChains(): void {
  const again = async () => {
    if (!document.hidden) await refresh()
    setTimeout(again, everyMs)
  }
  void again()
  session.watch(() => session.get().state === 'open' && void refresh())
}

export const useChains = (): Chains => useStore(chains)

/** Symbol of a chain's native coin. */
export function useNative(chain: string): string {
  return useChains().served.find((served) => served.chain === chain)?.main_token_symbol || 'native'
}

/** Splits `<address>-<chain>` at the last hyphen. */
export function splitId(id: string): [address: string, chain: string] {
  const at = id.lastIndexOf('-')
  return [id.slice(0, at), id.slice(at + 1)]
}
