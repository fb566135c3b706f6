import type { SwapEvent } from '../../model/marketEvent.ts'
import type { StoredSwap } from '../../store/read/history.ts'
import type { WalletSwapsQuery } from '../../store/read/wallets/wallets.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { readSettled } from '../recent/readSettled.ts'
import { recentSwaps } from './newestRows.ts'
import type { StoreReads } from './storeReads.ts'

type WalletSwaps<row> = Pick<
  WalletSwapsQuery,
  'wallet' | 'fromS' | 'toS' | 'txHash' | 'before' | 'limit'
> & {
  chain: GatewayChain
  /** Only swaps of pairs with this token. */
  token: string | null
  /** Runs before the market moves on. */
  toRow(swap: StoredSwap): row
}

/** The newest swaps of a wallet in the range, newest first: in trusted pools, of one transaction in all pools. */
export async function readWalletSwaps<row>(
  store: StoreReads,
  query: WalletSwaps<row>,
): Promise<row[]> {
  const { chain, token, toRow, ...rest } = query
  const { wallet, fromS, toS, txHash, before, limit } = rest
  const { reads } = chain
  const tokenId = token === null ? null : reads.findToken(token)
  if (tokenId === undefined) return []

  /** Whoever names a transaction wants to see all of it. */
  function isOfPair(pairId: number): boolean {
    const { token0Id, token1Id, isTrusted } = reads.pairRecord(pairId)
    if (!isTrusted && txHash === null) return false
    return tokenId === null || token0Id === tokenId || token1Id === tokenId
  }
  function isWanted({ swap }: SwapEvent): boolean {
    if (swap.wallet !== wallet || (txHash !== null && swap.txHash !== txHash)) return false
    return isOfPair(swap.pairId)
  }
  function isInPage({ timeS, blockNumber, event }: StoredSwap): boolean {
    if (timeS < fromS || timeS > toS) return false
    if (before === null) return true
    if (timeS !== before.timeS) return timeS < before.timeS
    if (blockNumber !== before.block) return blockNumber < before.block
    return event.swap.index < before.index
  }

  return await readSettled(
    chain,
    (blockMax) => store.loadWalletSwaps({ chainId: chain.storeId, ...rest, tokenId, blockMax }),
    (stored, blocks) => {
      // A reorg may have given the token's number to another.
      if (token !== null && reads.findToken(token) !== tokenId) return []
      const recent = recentSwaps(blocks, isWanted).filter(isInPage).reverse()
      return [...recent, ...stored].slice(0, limit).map(toRow)
    },
  )
}
