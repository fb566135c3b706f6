import { pairFlagsOf } from '../addPair.ts'
import type { MarketState } from '../marketState.ts'
import { pairColumn as P, pairFlag, token0Of, token1Of } from '../tables/pairTable.ts'
import { tokenColumn as T } from '../tables/tokenTable.ts'

/**
 * Updates a restored state to the current config, which may have other quote assets and
 * stablecoins: pair flags, main pairs and open questions. A pair keeps its sides; if its quote
 * token is no longer a quote asset, it prices nothing from now on.
 */
export function applyConfig(state: MarketState): void {
  const { catalog, pairs, memory, questions } = state
  for (let id = 0; id < catalog.pairCount; id += 1) {
    memory.evictDuringScan(id)
    const page = pairs.page(id + 1)
    const at = pairs.at(id + 1)
    const quoteIndex = catalog.quoteIndex(page[at + P.quoteToken]!)
    const isUnscaled = page[at + P.flags]! & pairFlag.isUnscaled
    const sides = { token0Id: token0Of(page, at), token1Id: token1Of(page, at) }
    const ofConfig = pairFlagsOf(state, { isTrusted: catalog.isTrusted(id), ...sides })
    const flags = ofConfig & (quoteIndex < 0 ? ~pairFlag.mayPrice : ~0)
    page[at + P.quoteIndex] = quoteIndex
    page[at + P.flags] = flags | isUnscaled
    if (flags & pairFlag.pricesNative) catalog.nativePools.push(id)
    questions.refreshPair(id)
  }
  dropUnpricedMainPairs(state)
}

/** Drops main pairs and challengers that can no longer price a token. */
function dropUnpricedMainPairs(state: MarketState): void {
  const { catalog, pairs, tokens, mainPairs, memory, questions } = state
  const mayPrice = (row: number) =>
    row === 0 || (pairs.page(row)[pairs.at(row) + P.flags]! & pairFlag.mayPrice) !== 0
  for (let row = 1; row <= catalog.tokenCount; row += 1) {
    memory.evictDuringScan(row)
    const page = tokens.page(row)
    const at = tokens.at(row)
    if (!mayPrice(page[at + T.mainPair]!) || !mayPrice(page[at + T.challenger]!)) {
      if (!mayPrice(page[at + T.mainPair]!)) page[at + T.mainPair] = 0
      page[at + T.challenger] = 0
      page[at + T.challengerHeight] = 0
      mainPairs.judgeSoon(row)
    }
    questions.refreshToken(row - 1)
  }
}
