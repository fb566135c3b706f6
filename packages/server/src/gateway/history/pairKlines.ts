import { endedKlinesOf } from '../../model/endedKlines.ts'
import type { Kline } from '../../model/kline.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import type { TimeRange } from '../operation/timeInputs.ts'
import { readSettled } from '../recent/readSettled.ts'
import type { RecentBlock } from '../recent/recentBlock.ts'
import type { StoreReads } from './storeReads.ts'

export type PairKlinesQuery = TimeRange & {
  chain: GatewayChain
  /** Asked by address: a reorg may give the pair's number to another. */
  address: string
  /** Index into `klineIntervalsS`. */
  interval: number
  limit: number
}

/** The newest klines that start in the range, oldest first; the open one is among them. */
export async function readPairKlines(store: StoreReads, query: PairKlinesQuery): Promise<Kline[]> {
  const { chain, address, interval, fromS, toS, limit } = query
  const pairId = chain.reads.findPair(address)
  if (pairId === undefined) return []
  const chainId = chain.storeId
  return await readSettled(
    chain,
    (blockMax) => store.loadKlines({ chainId, pairId, interval, fromS, toS, limit, blockMax }),
    (stored, blocks) => {
      if (chain.reads.findPair(address) !== pairId) return []
      const recent = endedKlines(blocks, pairId, interval)
      const open = chain.reads.openKline(pairId, interval)
      if (open !== null) recent.push(open)
      const inRange = recent.filter(({ startS }) => startS >= fromS && startS <= toS)
      return [...stored, ...inRange].slice(-limit)
    },
  )
}

/** Of one pair, oldest first. */
function endedKlines(blocks: readonly RecentBlock[], pairId: number, interval: number): Kline[] {
  const klines: Kline[] = []
  for (const { events } of blocks)
    for (const event of events)
      if (event.type === 'endedKlines') klines.push(...endedKlinesOf(event, pairId, interval))
  return klines
}
