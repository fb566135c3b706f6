import type { TokenFacts } from '../../../engine/marketReads.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { awaitStore, type StoreReads } from '../../chain/storeReads.ts'
import { readPositions, type TokenPosition } from './readPositions.ts'

/** A token that a wallet traded, with the wallet's position and current balance. */
export type WalletToken = {
  position: TokenPosition
  token: TokenFacts
  balanceRaw: bigint
}

type Wallet = {
  /** Traded tokens, most recently traded first. */
  tokens: WalletToken[]
  /** Unix seconds of the oldest stored swap; 0 when no swap is stored. */
  sinceS: number
}

/** Reads all tokens that a wallet traded. Balances are as of the newest stored block. */
export async function readWallet(
  store: StoreReads,
  chain: GatewayChain,
  wallet: string,
): Promise<Wallet> {
  const [positions, sinceS] = await Promise.all([
    readPositions(store, chain, wallet, null),
    awaitStore(store.loadHistoryStart(chain.storeId)),
  ])
  const keys = positions.map(({ tokenId }) => ({ tokenId, wallet }))
  const balances = await awaitStore(store.loadBalances(chain.storeId, keys))
  const { reads } = chain
  const tokens = positions.flatMap((position, at) =>
    // Skips tokens that a reorg has reverted since the store was read.
    position.tokenId < reads.tokenCount()
      ? { position, token: reads.tokenFacts(position.tokenId), balanceRaw: balances[at]! }
      : [],
  )
  return { tokens, sinceS: sinceS ?? 0 }
}
