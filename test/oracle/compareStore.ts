import { compareKlines } from './compareKlines.ts'
import { compareHolders, compareSupply } from './compareToken.ts'
import { compareTrades } from './compareTrades.ts'
import { createDifferences } from './differences.ts'
import type { Recomputed, RecomputedPair, RecomputedToken } from './market.ts'
import type { StoredMarket } from './readStore.ts'

/**
 * Every difference between the stored market and the one recomputed up to its cursor, as sentences.
 */
export function compareStore(recomputed: Recomputed, stored: StoredMarket): string[] {
  const { head, pairs, tokens } = recomputed
  const market = createDifferences('The store')
  const { number, hash } = stored.cursor
  market.same('head', `${head.number} ${head.hash}`, `${number} ${hash}`)
  market.same('pair count', pairs.size, stored.pairs.size)
  market.same('token count', tokens.size, stored.tokens.size)
  return [
    ...market.sentences,
    ...[...pairs.values()].flatMap((pair) => comparePair(pair, stored, head.timeS)),
    ...[...tokens.values()].flatMap((token) => compareToken(token, stored)),
  ]
}

function comparePair(pair: RecomputedPair, stored: StoredMarket, headTimeS: number): string[] {
  const pairId = stored.pairs.get(pair.address)
  if (pairId === undefined) return [`${pair.kind} pair ${pair.address} is not in the store.`]
  const klines = compareKlines(
    `Stored pair ${pair.address}`,
    pair.trades,
    (interval) => stored.klines.get(`${pairId} ${interval}`) ?? [],
    // A kline is stored when a later block ends it.
    headTimeS,
  )
  return [...klines, ...compareTrades(pair, stored.trades.get(pairId) ?? [])]
}

function compareToken(token: RecomputedToken, stored: StoredMarket): string[] {
  const tokenId = stored.tokens.get(token.address)
  if (tokenId === undefined) return [`Token ${token.address} is not in the store.`]
  const differences = createDifferences(`Stored token ${token.address}`)
  if (token.isWhole) compareSupply(differences, token, stored.supplies.get(tokenId))
  return [
    ...differences.sentences,
    ...compareHolders(token, stored.balances.get(tokenId) ?? new Map()),
  ]
}
