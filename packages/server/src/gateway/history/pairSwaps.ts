import type { StoredSwap } from '../../store/read/history.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { readSettled } from '../recent/readSettled.ts'
import { joinRows, type PageRange, recentSwaps } from './newestRows.ts'
import type { StoreReads } from './storeReads.ts'

type PairSwaps<row> = {
  chain: GatewayChain
  /** Of the pair, in small letters. */
  address: string
  range: PageRange
  /** Runs before the market moves on. */
  toRow(swap: StoredSwap): row
}

/** Swaps of a pair, those that are not stored yet among them. Null: there is no such pair. */
export async function readPairSwaps<row>(
  store: Pick<StoreReads, 'loadSwaps'>,
  { chain, address, range, toRow }: PairSwaps<row>,
): Promise<row[] | null> {
  const pairId = chain.reads.findPair(address)
  if (pairId === undefined) return null
  return await readSettled(
    chain,
    (blockMax) => store.loadSwaps({ chainId: chain.storeId, pairId, blockMax, ...range }),
    (stored, blocks) => {
      if (chain.reads.findPair(address) !== pairId) return []
      const recent = recentSwaps(blocks, ({ swap }) => swap.pairId === pairId)
      return joinRows(stored, recent, range).map(toRow)
    },
  )
}
