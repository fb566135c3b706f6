import type { MarketReads } from '../../engine/marketReads.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import type { Made } from './rowCache.ts'

export type WindowCacheOptions<value> = {
  /** Values kept of each chain; the first made go first. */
  countMax: number
  make(chain: GatewayChain, id: number, nowS: number): Made<value>
  /** What the windows are of, beside the passing of time. */
  sourceOf(reads: MarketReads, id: number): WindowSource
}

export type WindowSource = {
  lastTradeBlock: number
  /** Whose prices the windows have; null: no other pair can take its place. */
  mainPairId: number | null
  /** Of the amounts. */
  decimals: number
}

/** Made of nothing but the windows of a token or pair, so that a block without a trade of it changes nothing. */
export type WindowCache<value> = (chain: GatewayChain, id: number, nowS: number) => Made<value>

type Held<value> = Made<value> & WindowSource & { reverts: number; madeAtS: number }

export const tokenSource: WindowCacheOptions<unknown>['sourceOf'] = (reads, tokenId) => ({
  lastTradeBlock: reads.tokenActivity(tokenId).lastTradeBlock,
  mainPairId: reads.mainPairOf(tokenId),
  decimals: reads.tokenRecord(tokenId).decimals,
})

export const pairSource: WindowCacheOptions<unknown>['sourceOf'] = (reads, pairId) => ({
  lastTradeBlock: reads.pairActivity(pairId).lastTradeBlock,
  mainPairId: null,
  decimals: reads.tokenRecord(reads.targetTokenOf(pairId)).decimals,
})

export function createWindowCache<value>(options: WindowCacheOptions<value>): WindowCache<value> {
  const { countMax, make, sourceOf } = options
  /** A chain that starts anew is another object: its values go with it. */
  const byChain = new WeakMap<GatewayChain, Map<number, Held<value>>>()

  return (chain, id, nowS) => {
    let held = byChain.get(chain)
    if (held === undefined) {
      held = new Map()
      byChain.set(chain, held)
    }
    const { lastTradeBlock, mainPairId, decimals } = sourceOf(chain.reads, id)
    const reverts = chain.reads.revertCount()
    const known = held.get(id)
    if (
      known !== undefined &&
      known.lastTradeBlock === lastTradeBlock &&
      known.mainPairId === mainPairId &&
      known.decimals === decimals &&
      known.reverts === reverts &&
      nowS >= known.madeAtS &&
      nowS < known.validUntilS
    )
      return known
    const { value, validUntilS } = make(chain, id, nowS)
    if (known === undefined && held.size >= countMax) held.delete(held.keys().next().value!)
    const made = {
      value,
      validUntilS,
      lastTradeBlock,
      mainPairId,
      decimals,
      reverts,
      madeAtS: nowS,
    }
    held.set(id, made)
    return made
  }
}
