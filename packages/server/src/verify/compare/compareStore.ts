import type { TokenSupply } from '../../model/token.ts'
import { bucketStartS, intervalsS, klinesOf } from '../klines.ts'
import type { StoredMarket } from '../readStore.ts'
import type { Recomputed, RecomputedPair, RecomputedToken } from '../recompute.ts'
import { compareInterval } from './compareKlines.ts'
import { compareTrades } from './compareTrades.ts'
import { createDifferences, type Differences } from './differences.ts'

/** What a running service has stored against the market recomputed up to its cursor, as sentences. */
export function compareStore(recomputed: Recomputed, stored: StoredMarket): string[] {
  const { head, pairs, tokens, since } = recomputed
  const market = createDifferences('The store')
  market.same(
    'head',
    `${head.number} ${head.hash}`,
    `${stored.cursor.number} ${stored.cursor.hash}`,
  )
  if (since === null) {
    market.same('pair count', pairs.size, stored.pairs.size)
    market.same('token count', tokens.size, stored.tokens.size)
  }
  const compared = { stored, headTimeS: head.timeS, firstNumber: since?.number ?? null }
  return [
    ...market.sentences,
    ...[...pairs.values()].flatMap((pair) => comparePair(pair, compared)),
    ...[...tokens.values()].flatMap((token) => compareToken(token, stored)),
  ]
}

type Compared = { stored: StoredMarket; headTimeS: number; firstNumber: number | null }

/** `firstNumber`: where what can be compared begins, if not with the first that is stored. */
function comparePair(
  { trades: all, ...pair }: RecomputedPair,
  { stored, headTimeS, firstNumber }: Compared,
): string[] {
  const pairId = stored.pairs.get(pair.address)
  if (pairId === undefined) return [`${pair.kind} pair ${pair.address} is not in the store.`]
  const isIn = ({ blockNumber }: { blockNumber: number }) => blockNumber >= (firstNumber ?? 0)
  const trades = all.filter(isIn)
  const klines = intervalsS.flatMap((intervalS, interval) => {
    // What came before the first of the trades is not known, and with it how its kline opened.
    const firstS =
      firstNumber === null ? -1 : bucketStartS(trades[0]?.timeS ?? headTimeS, intervalS)
    // A kline is stored when a block after it says that it is over.
    const isCompared = ({ startS }: { startS: number }) =>
      startS > firstS && startS < bucketStartS(headTimeS, intervalS)
    const closed = klinesOf(trades, intervalS).filter(isCompared)
    const actual = stored.klines.get(`${pairId} ${interval}`) ?? []
    const subject = `Stored pair ${pair.address} ${intervalS} s`
    return compareInterval(
      subject,
      closed,
      firstNumber === null ? actual : actual.filter(isCompared),
    )
  })
  const served = (stored.trades.get(pairId) ?? []).filter(isIn)
  return [...klines, ...compareTrades({ ...pair, trades }, served)]
}

function compareToken(token: RecomputedToken, stored: StoredMarket): string[] {
  const tokenId = stored.tokens.get(token.address)
  if (tokenId === undefined) return [`Token ${token.address} is not in the store.`]
  const differences = createDifferences(`Stored token ${token.address}`)
  const balances = stored.balances.get(tokenId) ?? new Map<string, bigint>()
  if (token.isWhole) compareSupply(differences, token, stored.supplies.get(tokenId))
  const wallets = token.isWhole
    ? [...token.holders.keys(), ...balances.keys()]
    : [...token.wallets.keys()]
  for (const wallet of new Set(wallets))
    differences.same(
      `balance of ${wallet}`,
      token.holders.get(wallet) ?? 0n,
      balances.get(wallet) ?? 0n,
    )
  return differences.sentences
}

function compareSupply(
  differences: Differences,
  token: RecomputedToken,
  supply: Omit<TokenSupply, 'tokenId'> | undefined,
): void {
  differences.same('total supply', token.supply, supply?.total ?? null)
  for (const part of ['burnt', 'locked', 'other'] as const)
    differences.same(part, token.parts[part], supply?.[part] ?? null)
  differences.same('holder count', token.holders.size, supply?.holders ?? null)
  differences.same('completeness', 'true', String(supply?.isComplete))
}
