// A small market with blocks written by the test.

import { createEngine } from '../../packages/server/src/engine/engine.ts'
import type { FinishedBlock, FinishedEvent } from '../../packages/server/src/model/finishedBlock.ts'
import type { MarketEvent } from '../../packages/server/src/model/marketEvent.ts'
import type { PairRecord } from '../../packages/server/src/model/pair.ts'
import type { TokenRecord } from '../../packages/server/src/model/token.ts'
import { generatorProfile } from './blockGenerator.ts'
import { pairDefaults } from './pairDefaults.ts'

// Token 0 is wrapped native, 1 and 2 are stablecoins, 3 is a less preferred quote asset. To keep
// amounts readable, all records have 0 decimals; native has 18 by the profile.
export const profile = { ...generatorProfile, native: { ...generatorProfile.native, decimals: 0 } }

export const token = (id: number, parts: Partial<TokenRecord> = {}): TokenRecord => ({
  id,
  address: `token-${id}`,
  symbol: `T${id}`,
  name: `Token ${id}`,
  decimals: 0,
  isUnreadable: false,
  seenAtS: 100,
  ...parts,
})

export const pair = (
  id: number,
  token0Id: number,
  token1Id: number,
  isTrusted = true,
): PairRecord => ({
  id,
  address: `pair-${id}`,
  kind: 'constantProduct',
  token0Id,
  token1Id,
  factory: 'factory',
  amm: 'uniswapv2',
  isTrusted,
  feePpm: 3_000,
  createdAtS: 100,
  platform: id === 9 ? 'launchpad' : null,
  ...pairDefaults,
})

export const state = (reserve0: number, reserve1: number) => ({
  reserve0: BigInt(reserve0),
  reserve1: BigInt(reserve1),
  priceRaw: reserve1 / reserve0,
})

export const sync = (pairId: number, reserve0: number, reserve1: number): FinishedEvent => ({
  type: 'sync',
  index: 0,
  pairId,
  ...state(reserve0, reserve1),
})

export const swap = (
  pairId: number,
  amounts: readonly [number, number],
  reserves: readonly [number, number],
  wallet = 'alice',
): FinishedEvent => ({
  type: 'swap',
  index: 0,
  txHash: 'tx',
  wallet,
  pairId,
  sender: wallet,
  to: wallet,
  amount0: BigInt(amounts[0]),
  amount1: BigInt(amounts[1]),
  ...state(...reserves),
  holding0: null,
  holding1: null,
  native: null,
  accountFlags: 0,
})

const startS = 1_700_000_000

/** Blocks on one engine, one second apart by default. */
export function createChain(options: Partial<Parameters<typeof createEngine>[0]> = {}) {
  const engine = createEngine({ profile, ...options })
  let number = 0
  let timeS = startS
  const chain = {
    engine,
    commit(parts: Partial<FinishedBlock>, stepS = 1): MarketEvent[] {
      const parent = { parentNumber: number, parentHash: `hash-${number}` }
      number += 1
      timeS += stepS
      const ref = { number, hash: `hash-${number}`, ...parent, timeS }
      const rest = { tokens: [], pairs: [], events: [], supplies: [], nativeUsd: null }
      return engine.apply({ type: 'commit', block: { ref, receivedMs: 0, ...rest, ...parts } })
    },
    /**
     * Commits a block in which the first pool reports unchanged reserves, so that time passes for
     * main pairs.
     */
    pass(stepS = 1): MarketEvent[] {
      const { reserve0, reserve1 } = engine.pairState(0)
      return chain.commit({ events: [sync(0, Number(reserve0), Number(reserve1))] }, stepS)
    },
    revert(): MarketEvent[] {
      const ref = engine.head()!
      const events = engine.apply({ type: 'revert', ref })
      number -= 1
      timeS = engine.head()?.timeS ?? startS
      return events
    },
  }
  return chain
}

export const tokens = [0, 1, 2, 3, 4, 5].map((id) => token(id))

/** Native at 2,000 USD; token 4 at 0.5 native in pair 1. */
export const genesis = {
  tokens,
  pairs: [pair(0, 0, 1), pair(1, 4, 0)],
  events: [sync(0, 1_000, 2_000_000), sync(1, 2_000, 1_000)],
}

export const eventsOfType = <type extends MarketEvent['type']>(
  events: readonly MarketEvent[],
  type: type,
) => events.filter((event): event is Extract<MarketEvent, { type: type }> => event.type === type)
