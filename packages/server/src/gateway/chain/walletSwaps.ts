import type { SwapEvent } from '../../model/marketEvent.ts'
import type { StoredSwap } from '../../store/read/history.ts'
import type { WalletSwapsQuery } from '../../store/read/positions.ts'
import type { GatewayChain } from './gatewayChain.ts'
import { recentSwaps } from './recentRows.ts'
import { readConsistent, type StoreReads } from './storeReads.ts'

type WalletSwaps<row> = Pick<
  WalletSwapsQuery,
  'wallet' | 'fromS' | 'toS' | 'txHash' | 'before' | 'limit'
> & {
  chain: GatewayChain
  /** Only swaps of pairs with this token are returned; null for all tokens. */
  token: string | null
  /** Converts swaps to rows. Called synchronously, before the next block can change the market. */
  toRow(swap: StoredSwap): row
}

/**
 * Returns a wallet's newest swaps in the range, newest first. Only trusted pools count, unless
 * `txHash` is given: a single transaction is returned with all its pools.
 */
export async function readWalletSwaps<row>(
  store: StoreReads,
  query: WalletSwaps<row>,
): Promise<row[]> {
  const { chain, token, toRow, ...rest } = query
  const { wallet, fromS, toS, txHash, before, limit } = rest
  const { reads } = chain
  const tokenId = token === null ? null : reads.findToken(token)
  if (tokenId === undefined) return []

  /**
   * True for trusted pairs with the requested token. A query for one transaction also includes
   * untrusted pairs.
   */
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

  return await readConsistent(
    chain,
    (blockMax) => store.loadWalletSwaps({ chainId: chain.storeId, ...rest, tokenId, blockMax }),
    (stored, blocks) => {
      // After a reorg, the token's id may belong to another token, whose swaps must not be
      // returned.
      if (token !== null && reads.findToken(token) !== tokenId) return []
      const recent = recentSwaps(blocks, isWanted).filter(isInPage).reverse()
      return [...recent, ...stored].slice(0, limit).map(toRow)
    },
  )
}
