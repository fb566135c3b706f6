import { compareInterval } from './compareKlines.ts'
import { compareTrades } from './compareTrades.ts'
import { createDifferences } from './differences.ts'
import { bucketStartS, intervalsS, klinesOf } from './klines.ts'
import type { StoredMarket } from './readStore.ts'
import type { Recomputed, RecomputedPair, RecomputedToken } from './recompute.ts'

/** What a running service has stored against the market recomputed up to its cursor, as sentences. */
export function compareStore(recomputed: Recomputed, stored: StoredMarket): string[] {
  const { head, pairs, tokens } = recomputed
  const market = createDifferences('The store')
  market.same(
    'head',
    `${head.number} ${head.hash}`,
    `${stored.cursor.number} ${stored.cursor.hash}`,
  )
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
  const klines = intervalsS.flatMap((intervalS, interval) => {
    // A kline is stored when a block after it says that it is over.
    const closed = klinesOf(pair.trades, intervalS).filter(
      ({ startS }) => startS < bucketStartS(headTimeS, intervalS),
    )
    const actual = stored.klines.get(`${pairId} ${interval}`) ?? []
    return compareInterval(`Stored pair ${pair.address} ${intervalS} s`, closed, actual)
  })
  return [...klines, ...compareTrades(pair, stored.trades.get(pairId) ?? [])]
}

function compareToken(token: RecomputedToken, stored: StoredMarket): string[] {
  const tokenId = stored.tokens.get(token.address)
  if (tokenId === undefined) return [`Token ${token.address} is not in the store.`]
  const differences = createDifferences(`Stored token ${token.address}`)
  const supply = stored.supplies.get(tokenId)
  differences.same('total supply', token.supply, supply?.total ?? null)
  for (const part of ['burnt', 'locked', 'other'] as const)
    differences.same(part, token.parts[part], supply?.[part] ?? null)
  differences.same('holder count', token.holders.size, supply?.holders ?? null)
  differences.same('completeness', 'true', String(supply?.isComplete))
  const balances = stored.balances.get(tokenId) ?? new Map<string, bigint>()
  for (const wallet of new Set([...token.holders.keys(), ...balances.keys()]))
    differences.same(
      `balance of ${wallet}`,
      token.holders.get(wallet) ?? 0n,
      balances.get(wallet) ?? 0n,
    )
  return differences.sentences
}
