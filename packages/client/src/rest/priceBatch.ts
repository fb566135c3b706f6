import type { PriceEntry } from '@chaintape/protocol'
import type { Operations } from './operations.ts'
import type { CallOptions } from './send.ts'

/** Limit of one request. */
const idsMax = 200

type Waiting = { resolve(entry: PriceEntry | null): void; reject(error: unknown): void }

/**
 * The price of one token; null if it has none. Calls in one turn of the event loop share requests
 * of up to 200 tokens.
 */
export type AskPrice = (tokenId: string) => Promise<PriceEntry | null>

export function createPriceBatch(
  tokenPrices: Operations['tokenPrices'],
  call?: CallOptions,
): AskPrice {
  let waiting = new Map<string, Waiting[]>()

  async function ask(group: ReadonlyMap<string, Waiting[]>): Promise<void> {
    try {
      // A caller that names a token wants its price even if it trades little.
      const prices = await tokenPrices({ token_ids: [...group.keys()], tvl_min: 0 }, call)
      for (const [id, callers] of group)
        for (const { resolve } of callers) resolve(prices[id] ?? null)
    } catch (error) {
      for (const { reject } of [...group.values()].flat()) reject(error)
    }
  }

  function flush(): void {
    const entries = [...waiting]
    waiting = new Map()
    for (let at = 0; at < entries.length; at += idsMax)
      void ask(new Map(entries.slice(at, at + idsMax)))
  }

  return (tokenId) =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) setTimeout(flush)
      const callers = waiting.get(tokenId)
      if (callers === undefined) waiting.set(tokenId, [{ resolve, reject }])
      else callers.push({ resolve, reject })
    })
}
