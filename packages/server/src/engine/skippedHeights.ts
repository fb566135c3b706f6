import type { MainPairEvent } from '../model/marketEvent.ts'
import type { MarketState } from './marketState.ts'

/**
 * Goes over heights whose blocks are not in the stream, because nothing in them is wanted: does what an empty block would
 * have done at each. A challenger's time comes at its height, and judgements that were too many for one block go on, so
 * that a market is the same whether its empty blocks were read or not.
 */
export function passSkippedHeights(state: MarketState, count: number, out: MainPairEvent[]): void {
  const { rates, mainPairs } = state
  const last = state.height + count
  for (;;) {
    // Where nothing is due, an empty block changes nothing.
    const next = mainPairs.nextDueHeight(state.height)
    if (next > last) break
    state.height = next
    rates.startBlock()
    rates.endBlock(null)
    mainPairs.endBlock(state.height, out)
    rates.refreshQuotes()
  }
  state.height = last
}
