import type { ChainKind, ChainState } from '@chaintape/protocol'
import type { MarketReads } from '../engine/marketReads.ts'
import type { ChainProfile } from '../model/chainProfile.ts'

/** How the intake of a chain is doing, beside what its engine says. */
export type ChainStatus = {
  state: ChainState
  /** Newest block the nodes announce; null when none answered yet. */
  tipNumber: number | null
  /** Newest block in the database; null when there is none. */
  persistedNumber: number | null
  /** Blocks applied and not yet in the database. */
  queueBlocks: number
  queueBlocksMax: number
  pausedReason: string | null
  databaseError: string | null
  rpcError: string | null
}

/** One chain as the gateway serves it. */
export type GatewayChain = {
  kind: ChainKind
  profile: ChainProfile
  reads: MarketReads
  status(): ChainStatus
}

/** By chain name. */
export type GatewayChains = ReadonlyMap<string, GatewayChain>

export type Clock = { nowMs(): number }

/** Unix seconds to end rolling windows at: a chain whose clock is ahead of ours decides. */
export function nowSOf(chain: GatewayChain, clock: Clock): number {
  const wallS = Math.floor(clock.nowMs() / 1_000)
  return Math.max(wallS, chain.reads.head()?.timeS ?? 0)
}
