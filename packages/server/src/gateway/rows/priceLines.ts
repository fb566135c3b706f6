import { type Clock, type GatewayChain, type GatewayChains, nowSOf } from '../gatewayChain.ts'
import type { PriceEntry } from './priceEntry.ts'
import type { Kept, RowCache } from './rowCache.ts'

/** One token of a batch of prices, as the caller names it. */
export type PriceLine = {
  /** The member of the answer: the id as it was written, and the entry. */
  json: string
  sizeBytes: number
  tvlUsd: number
  volume24hUsd: number
}

/** Members of price batches by the text of their id: reading an id costs more than the price behind it. */
export type PriceLines = {
  /** The known tokens of a batch, each id once. `find` says what an id names, and throws when it is none. */
  batch(
    ids: readonly string[],
    chains: GatewayChains,
    find: (id: string) => { chain: GatewayChain; address: string },
  ): readonly PriceLine[]
}

export type PriceLinesOptions = {
  clock: Clock
  /** Texts of ids kept; the first made go first. */
  countMax: number
  price: RowCache<PriceEntry>
}

type Held = PriceLine & {
  chain: GatewayChain
  entry: Kept<PriceEntry>
  /** The batch that had it last: an id that is given twice is answered once. */
  batch: number
}

/** A chain at one moment: it does not change while a batch is put together. */
type Moment = { chain: GatewayChain | null; isServed: boolean; version: number; nowS: number }

export function createPriceLines({ clock, countMax, price }: PriceLinesOptions): PriceLines {
  const held = new Map<string, Held>()
  let batches = 0

  function isFresh({ chain, entry }: Held, moment: Moment, chains: GatewayChains): boolean {
    if (moment.chain !== chain) {
      moment.chain = chain
      // A chain that starts anew is another object.
      moment.isServed = chains.get(chain.profile.name) === chain
      moment.version = chain.version()
      moment.nowS = nowSOf(chain, clock)
    }
    return moment.isServed && entry.version === moment.version && moment.nowS < entry.validUntilS
  }

  function make(id: string, chain: GatewayChain, tokenId: number): Held {
    const entry = price.kept(chain, tokenId)
    const { tvlUsd, volume24hUsd, members } = entry.value
    const key = JSON.stringify(id)
    // Through bytes: then it is one text, and not put together again for every answer.
    const bytes = Buffer.from(`${key}:{"token_id":${key},${members}}`)
    return {
      json: bytes.toString(),
      sizeBytes: bytes.length,
      tvlUsd,
      volume24hUsd,
      chain,
      entry,
      batch: 0,
    }
  }

  return {
    batch(ids, chains, find) {
      batches += 1
      const lines: PriceLine[] = []
      const moment: Moment = { chain: null, isServed: false, version: 0, nowS: 0 }
      for (const id of ids) {
        let line = held.get(id)
        if (line?.batch === batches) continue
        if (line === undefined || !isFresh(line, moment, chains)) {
          const { chain, address } = find(id)
          const tokenId = chain.reads.findToken(address)
          if (tokenId === undefined) continue
          if (line === undefined && held.size >= countMax) held.delete(held.keys().next().value!)
          line = make(id, chain, tokenId)
          held.set(id, line)
        }
        line.batch = batches
        lines.push(line)
      }
      return lines
    },
  }
}
