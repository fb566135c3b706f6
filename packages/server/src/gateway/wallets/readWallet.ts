import type { TokenFacts } from '../../engine/marketReads.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { fromStore, type StoreReads } from '../history/storeReads.ts'
import { readPositions, type TokenPosition } from './readPositions.ts'

/** A token that a wallet traded, with what it has of it now. */
export type WalletToken = {
  position: TokenPosition
  token: TokenFacts
  balanceRaw: bigint
}

type Wallet = {
  /** The last traded first. */
  tokens: WalletToken[]
  /** Oldest swap that is kept, unix seconds; 0: none is. */
  sinceS: number
}

/** All that is known of a wallet's trading. Balances are as of the newest stored block. */
export async function readWallet(
  store: StoreReads,
  chain: GatewayChain,
  wallet: string,
): Promise<Wallet> {
  const [positions, sinceS] = await Promise.all([
    readPositions(store, chain, wallet, null),
    fromStore(store.loadHistoryStart(chain.storeId)),
  ])
  const keys = positions.map(({ tokenId }) => ({ tokenId, wallet }))
  const balances = await fromStore(store.loadBalances(chain.storeId, keys))
  const { reads } = chain
  const tokens = positions.flatMap((position, at) =>
    // A reorg may have taken the token.
    position.tokenId < reads.tokenCount()
      ? { position, token: reads.tokenFacts(position.tokenId), balanceRaw: balances[at]! }
      : [],
  )
  return { tokens, sinceS: sinceS ?? 0 }
}
