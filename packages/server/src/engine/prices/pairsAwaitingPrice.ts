import type { MarketState } from '../marketState.ts'
import { pairColumn as P, pairFlag, token0Of, token1Of } from '../tables/pairTable.ts'
import { tokenColumn as T } from '../tables/tokenTable.ts'

/**
 * Pairs that still lack a price although the decimals of both tokens are known now, ids ascending.
 */
export function pairsAwaitingPrice(state: MarketState): number[] {
  const { catalog, tokens, pairs } = state
  const found = new Set<number>()
  const walk = (head: number, nextColumn: number) => {
    for (let row = head; row !== 0; row = pairs.page(row)[pairs.at(row) + nextColumn]!)
      if (awaitsPrice(state, row - 1)) found.add(row - 1)
  }
  for (const tokenId of catalog.rescaledTokens) {
    const token = tokens.page(tokenId + 1)
    const at = tokens.at(tokenId + 1)
    walk(token[at + T.targetHead]!, P.nextTarget)
    walk(token[at + T.quoteHead]!, P.nextQuote)
  }
  return [...found].sort((a, b) => a - b)
}

/** Derives from restored rows which tokens' pairs the next block must price. */
export function restoreRescaledTokens(state: MarketState): void {
  const { catalog, pairs, memory } = state
  for (let row = 1; row < pairs.count; row += 1) {
    memory.evictDuringScan(row)
    if (!awaitsPrice(state, row - 1)) continue
    const page = pairs.page(row)
    const at = pairs.at(row)
    catalog.rescaledTokens.add(token0Of(page, at)).add(token1Of(page, at))
  }
}

function awaitsPrice({ catalog, pairs }: MarketState, pairId: number): boolean {
  const page = pairs.page(pairId + 1)
  const at = pairs.at(pairId + 1)
  if ((page[at + P.flags]! & pairFlag.isUnscaled) === 0) return false
  return catalog.isScaled(token0Of(page, at)) && catalog.isScaled(token1Of(page, at))
}
