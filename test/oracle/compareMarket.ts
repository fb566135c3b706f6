import type { MarketReads } from '../../packages/server/src/engine/marketReads.ts'
import { compareKlines, type ReadKlines } from './compareKlines.ts'
import { compareKlineNow, comparePair, currentPriceOf } from './comparePair.ts'
import { compareHolders, compareToken } from './compareToken.ts'
import { compareTrades, type ReadTrades } from './compareTrades.ts'
import { compareWindows } from './compareWindows.ts'
import { createDifferences, priceErrorMax } from './differences.ts'
import type { Recomputed } from './market.ts'

export type CompareMarketOptions = {
  recomputed: Recomputed
  reads: MarketReads
  klines: ReadKlines
  /**
   * Balances of a token by wallet, as the service has them. Wallets without a balance may be
   * absent.
   */
  holders(tokenAddress: string): ReadonlyMap<string, bigint>
  trades: ReadTrades
  /** Times at which rolling windows are compared. @default the head's time */
  windowsAtS?: readonly number[] | undefined
}

/** Every difference between the service's market and the recomputed one, as sentences. */
export function compareMarket(options: CompareMarketOptions): string[] {
  const { recomputed, reads, klines, holders, trades } = options
  const { head, pairs, tokens } = recomputed
  const windowsAtS = options.windowsAtS ?? [head.timeS]
  const market = createDifferences('The market')
  const { number, hash } = reads.head() ?? { number: -1, hash: '' }
  market.same('head', `${head.number} ${head.hash}`, `${number} ${hash}`)
  market.same('pair count', pairs.size, reads.pairCount())
  market.same('token count', tokens.size, reads.tokenCount())
  market.near('nativeUsd', recomputed.nativeUsd.at(-1) ?? null, reads.nativeUsd(), priceErrorMax)
  const sentences = [...market.sentences]
  for (const pair of pairs.values()) {
    const { address } = pair
    const pairId = reads.findPair(address)
    if (pairId === undefined) {
      sentences.push(`${pair.kind} pair ${address} is not known to the service.`)
      continue
    }
    const current = currentPriceOf(recomputed, pair)
    sentences.push(
      ...comparePair(recomputed, pair, reads, pairId),
      ...compareKlines(`Pair ${address}`, pair.trades, (interval) => klines(address, interval)),
      ...compareTrades(pair, trades(address)),
      ...compareKlineNow(pair, current, head.timeS, reads, pairId),
      ...windowsAtS.flatMap((nowS) => compareWindows(pair, current.usd, reads, pairId, nowS)),
    )
  }
  for (const token of tokens.values())
    sentences.push(...compareToken(token, reads), ...compareHolders(token, holders(token.address)))
  return sentences
}
