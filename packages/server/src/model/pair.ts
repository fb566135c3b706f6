import type { PoolKind } from './pool.ts'

/** One pool as a market. Ids are dense per chain, given in log order, and given back by a revert. */
export type PairRecord = {
  id: number
  /** Canonical text of the pool's address or id (20 or 32 bytes on EVM). */
  address: string
  kind: PoolKind
  token0Id: number
  token1Id: number
  factory: string
  /** The venue's word on the wire, for example `uniswapv2`. */
  amm: string
  /** Its factory is in the config and confirms it: only then it may price, be a main pair or count as liquidity. */
  isTrusted: boolean
  feePpm: number | null
  /** 0: not known, the pair was discovered late, by an event that is not its creation. */
  createdAtS: number
  /** Launch platform word for a curve, else null. */
  platform: string | null
}
