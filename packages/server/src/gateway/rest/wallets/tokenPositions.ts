import { BoundedMap } from '../../../lib/boundedMap.ts'
import type { Position } from '../../../model/position.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import type { StoreReads } from '../../chain/storeReads.ts'
import { readTokenPositions } from './readPositions.ts'

export type PositionsByWallet = ReadonlyMap<string, Position>

export type TokenPositionCache = {
  /** Returns the positions of a token's holders. Holders with unknown positions are absent. */
  read(chain: GatewayChain, token: string, wallets: readonly string[]): Promise<PositionsByWallet>
}

type Cached = { version: number; wallets: readonly string[]; positions: Promise<PositionsByWallet> }

// Maximum number of tokens with cached holder positions. Each list has up to a hundred positions of
// about 1 kB.
const tokensMax = 64

/**
 * Creates a cache of holders' positions, valid until the market changes: clients request the same
 * token's holders many times between two blocks.
 */
export function createTokenPositionCache(store: StoreReads): TokenPositionCache {
  const cached = new BoundedMap<string, Cached>(tokensMax)
  return {
    read(chain, token, wallets) {
      const key = `${token}-${chain.profile.name}`
      const version = chain.version()
      const known = cached.use(key)
      if (known?.version === version && isSame(known.wallets, wallets)) return known.positions
      const positions = readTokenPositions(store, chain, token, wallets)
      const made = { version, wallets, positions }
      cached.set(key, made)
      // A failed read is not cached: callers of this read get the error, and the next caller
      // retries.
      positions.catch(() => {
        if (cached.get(key) === made) cached.delete(key)
      })
      return positions
    },
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((wallet, at) => wallet === b[at])
}
