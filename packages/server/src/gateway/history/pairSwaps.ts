import type { StoredSwap } from '../../store/read/history.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { readSettled } from '../recent/readSettled.ts'
import { joinRows, type PageRange, recentSwaps } from './newestRows.ts'
import type { StoreReads } from './storeReads.ts'

type PairSwaps<row> = {
  chain: GatewayChain
  /** Address of the pair, canonical. */
  address: string
  range: PageRange
  /** Converts swaps to rows. Called synchronously, before the next block can change the market. */
  toRow(swap: StoredSwap): row
}

/** Returns swaps of a pair, including swaps that are not stored yet. Null: unknown pair. */
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
