import type { Notification, Provider } from './provider.ts'

/** One provider to its users, whichever is behind it: filters and subscriptions go on when it is replaced. */
export type SwitchedProvider = Provider & {
  replace(next: Provider): Promise<void>
}

/** A filter or a subscription. Each provider counts its own ids. */
type Watch = {
  innerId: string
  method: string
  params: readonly unknown[]
  /** What the provider before had to tell, and nobody has asked for. */
  left: unknown[]
}

type Listener = (payload: Notification) => void

const begins = /^eth_(subscribe|new\w*Filter)$/
const ends = /^eth_(unsubscribe|uninstallFilter)$/
const asks = /^eth_getFilter(Changes|Logs)$/

export function createSwitchedProvider(first: Provider): SwitchedProvider {
  let current = first
  let lastId = 0
  const watches = new Map<string, Watch>()
  const listeners = new Map<string, Set<Listener>>()
  const forwarders = new Map<string, Listener>()

  function listen(event: string): void {
    const forward = (payload: Notification) => {
      for (const [id, { innerId }] of watches)
        if (innerId === payload.subscription)
          for (const listener of listeners.get(event)!) listener({ ...payload, subscription: id })
    }
    forwarders.set(event, forward)
    current.addListener(event, forward)
  }

  async function begin(method: string, params: readonly unknown[]): Promise<string> {
    const innerId = (await current.request(method, params)) as string
    lastId += 1
    const id = `0x${lastId.toString(16)}`
    watches.set(id, { innerId, method, params, left: [] })
    return id
  }

  async function askWatch(method: string, id: unknown): Promise<unknown> {
    const watch = watches.get(`${id}`)
    // As the provider answers for an id that it does not know.
    const answer = await current.request(method, [watch?.innerId ?? '0xffffffff'])
    if (ends.test(method)) watches.delete(`${id}`)
    return watch && method === 'eth_getFilterChanges'
      ? [...watch.left.splice(0), ...(answer as unknown[])]
      : answer
  }

  return {
    async request(method, params = []) {
      if (begins.test(method)) return await begin(method, params)
      if (ends.test(method) || asks.test(method)) return await askWatch(method, params[0])
      return await current.request(method, params)
    },
    addListener(event, listener) {
      const known = listeners.get(event)
      if (known) return known.add(listener)
      listeners.set(event, new Set([listener]))
      return listen(event)
    },
    removeListener: (event, listener) => listeners.get(event)?.delete(listener),
    isForgotten: (snapshotId) => current.isForgotten?.(snapshotId) ?? false,
    async replace(next) {
      for (const watch of watches.values()) {
        const { innerId, method, params, left } = watch
        const nextId = (await next.request(method, params)) as string
        if (method !== 'eth_subscribe') {
          left.push(...((await current.request('eth_getFilterChanges', [innerId])) as unknown[]))
          // A new filter has the newest block, which the one before has told.
          await next.request('eth_getFilterChanges', [nextId])
        }
        watch.innerId = nextId
      }
      for (const [event, forward] of forwarders) current.removeListener(event, forward)
      current = next
      for (const event of forwarders.keys()) listen(event)
    },
  }
}
