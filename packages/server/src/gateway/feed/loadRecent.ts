import type { ChainMarket } from './chainMarket.ts'
import type { FeedHistory } from './feedHistory.ts'

/** Gives a market without a past the blocks that can still be taken back. */
export async function loadRecent(market: ChainMarket, history: FeedHistory): Promise<void> {
  const { chain } = market
  const blocks = await history.loadRecent(chain, chain.profile.reorgDepthMax)
  if (market.chain !== chain || market.recent.last !== undefined) return
  for (const { ref, events } of blocks) {
    const block = market.recent.commit({ ref, events, receivedMs: null })
    // Which of its pairs the block made is not known any more.
    for (const pairId of block.trades().keys()) block.born.set(pairId, market.facts.get(pairId))
  }
}
