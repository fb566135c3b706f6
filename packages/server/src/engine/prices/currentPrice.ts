import type { UsdNativePrice } from '../../model/price.ts'
import type { MarketState } from '../marketState.ts'
import { pairColumn as P } from '../tables/pairTable.ts'
import { tokenColumn as T } from '../tables/tokenTable.ts'

const unknown: Readonly<UsdNativePrice> = { usd: 0, native: 0 }

/**
 * Current price of a pair's target: the pair's last price at the newest rates of its quote token.
 */
export function readTargetPrice(
  state: MarketState,
  pairRow: number,
  quote = readQuoteRate(state, pairRow),
): UsdNativePrice {
  const { pairs, rates, catalog } = state
  const page = pairs.page(pairRow)
  const at = pairs.at(pairRow)
  const price = page[at + P.price]!
  // If the target is the native coin itself, its native price is 1, whatever the quote is worth.
  const isNative = rates.isNative(catalog.quoteIndex(page[at + P.targetToken]!))
  return { usd: price * quote.usd, native: isNative && price !== 0 ? 1 : price * quote.native }
}

/** Rate that values amounts of the pair's quote token. */
export function readQuoteRate(state: MarketState, pairRow: number): Readonly<UsdNativePrice> {
  const { pairs, rates } = state
  const page = pairs.page(pairRow)
  const at = pairs.at(pairRow)
  const index = page[at + P.quoteIndex]!
  if (index >= 0) return { usd: rates.quoteUsd(index), native: rates.quoteNative(index) }
  return readRate(state, page[at + P.quoteToken]!)
}

/** Rate that values amounts of a token. For the native coin it is the mean of its pools. */
export function readRate(state: MarketState, tokenId: number): Readonly<UsdNativePrice> {
  const { catalog, rates } = state
  const index = catalog.quoteIndex(tokenId)
  if (index >= 0) return { usd: rates.quoteUsd(index), native: rates.quoteNative(index) }
  const main = mainPairRow(state, tokenId)
  return main === 0 ? unknown : readTargetPrice(state, main)
}

/**
 * Current price of a token, which is that of its main pair everywhere. A stablecoin is worth 1 USD
 * by definition.
 */
export function readTokenPrice(state: MarketState, tokenId: number): Readonly<UsdNativePrice> {
  const { catalog, rates } = state
  const main = mainPairRow(state, tokenId)
  if (main === 0 || rates.isStable(catalog.quoteIndex(tokenId))) return readRate(state, tokenId)
  return readTargetPrice(state, main)
}

/** Row of the token's main pair, of which the token is the target; 0 if it has none. */
function mainPairRow({ tokens }: MarketState, tokenId: number): number {
  return tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + T.mainPair]!
}
