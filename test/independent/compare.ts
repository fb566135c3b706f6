import type { MarketReads } from '../../packages/server/src/engine/marketReads.ts'
import {
  compareKlines,
  type ReadKlines,
} from '../../packages/server/src/verify/compare/compareKlines.ts'
import {
  compareTrades,
  type ReadTrades,
} from '../../packages/server/src/verify/compare/compareTrades.ts'
import {
  createDifferences,
  priceErrorMax,
} from '../../packages/server/src/verify/compare/differences.ts'
import type { MarketProfile } from '../../packages/server/src/verify/marketProfile.ts'
import type { Recomputed } from '../../packages/server/src/verify/recompute.ts'
import { compareKlineNow } from './compareKlineNow.ts'
import { comparePair, currentPriceOf } from './comparePair.ts'
import { compareToken, type ReadHolders } from './compareToken.ts'
import { compareWindows } from './compareWindows.ts'

export type CompareMarketOptions = {
  recomputed: Recomputed
  profile: MarketProfile
  reads: MarketReads
  klines: ReadKlines
  holders: ReadHolders
  /** Trades are compared one by one where this is given. */
  trades?: ReadTrades | undefined
  /** Moments at which rolling windows are read. @default the head's time */
  windowsAtS?: readonly number[] | undefined
}

/** Everything in which the service's market differs from the recomputed one, as sentences. */
export async function compareMarket(options: CompareMarketOptions): Promise<string[]> {
  const { recomputed, profile, reads, klines, holders } = options
  const { head, pairs, tokens } = recomputed
  const windowsAtS = options.windowsAtS ?? [head.timeS]
  const market = createDifferences('The market')
  market.same('head', `${head.number} ${head.hash}`, headOf(reads))
  market.same('pair count', pairs.size, reads.pairCount())
  market.same('token count', tokens.size, reads.tokenCount())
  market.near('nativeUsd', recomputed.nativeUsd.at(-1) ?? null, reads.nativeUsd(), priceErrorMax)
  const sentences = [...market.sentences]
  for (const pair of pairs.values()) {
    const pairId = reads.findPair(pair.address)
    if (!pair.isCovered)
      sentences.push(`Pair ${pair.address} has no quote asset with a rate: it is not checked.`)
    else if (pairId === undefined)
      sentences.push(`${pair.kind} pair ${pair.address} is not known to the service.`)
    else {
      sentences.push(...comparePair(recomputed, pair, profile, reads, pairId))
      sentences.push(...(await compareKlines(pair, klines)))
      if (options.trades) sentences.push(...compareTrades(pair, await options.trades(pair.address)))
      const current = currentPriceOf(recomputed, pair, profile)
      sentences.push(...compareKlineNow(pair, current, head.timeS, reads, pairId))
      for (const nowS of windowsAtS)
        sentences.push(...compareWindows(pair, current.usd, reads, pairId, nowS))
    }
  }
  for (const token of tokens.values())
    sentences.push(...(await compareToken(token, reads, holders)))
  return sentences
}

function headOf(reads: MarketReads): string {
  const head = reads.head()
  return head ? `${head.number} ${head.hash}` : 'none'
}
