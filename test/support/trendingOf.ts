import type { MarketReads } from '../../packages/server/src/engine/marketReads.ts'
import { createScreenerBoards } from '../../packages/server/src/gateway/lists/screenerBoards.ts'
import { gatewayChainOf, testProfile } from './gatewayChain.ts'

const orders = new WeakMap<MarketReads, () => readonly number[]>()

/**
 * Token ids by trending score, best first, as a gateway ranks them at the time of the newest block.
 */
export function trendingOf(reads: MarketReads): readonly number[] {
  const known = orders.get(reads)
  if (known !== undefined) return known()
  const clock = { nowMs: () => (reads.head()?.timeS ?? 0) * 1_000 }
  const order = createScreenerBoards(clock).trending(
    gatewayChainOf({ profile: testProfile, reads }),
  )
  orders.set(reads, () => order.ids())
  return order.ids()
}
