import type { PoolKind } from '../model/pool.ts'

export type HolderKind = 'wallet' | 'pool' | 'burn' | 'lock' | 'contract' | 'creator'

export type RiskHolder = { address: string; amountRaw: bigint; kind: HolderKind }

export type RiskQuote = { address: string; symbol: string; decimals: number }

/** A pool of the token. */
export type RiskPool = {
  /** Address of the pool, or the id of a curve without one. */
  address: string
  kind: PoolKind
  venue: string
  /** Factory of the pool; for a curve, the launch platform's contract. */
  factory: string
  amm: string
  isTrusted: boolean
  /** Null if the venue has one fee for all. */
  feePpm: number | null
  quote: RiskQuote
  /** The pool's quote reserve as the market counts it. */
  quoteReserveRaw: bigint
  /** The venue's own numbers, by which a manager identifies the pool. */
  params: readonly bigint[]
  liquidityUsd: number
}

export type RiskSupply = {
  total: bigint
  burnt: bigint
  locked: bigint
  other: bigint
  holders: number
}

export type RiskLaunch = {
  platform: string
  state: 'in' | 'almost' | 'out'
  /** Empty if unknown. */
  creator: string
}

/** Are holders known who could try to sell? */
export function hasHolders({ holders }: Pick<RiskSubject, 'holders'>): boolean {
  return holders.some(({ kind }) => kind === 'wallet')
}

/** A token with all that the market knows of it. The checker reads the chain at `block`. */
export type RiskSubject = {
  /** In canonical form. */
  address: string
  symbol: string
  name: string
  decimals: number
  /** Null if not known yet. */
  supply: RiskSupply | null
  /** Largest first. More than ten are useful: each is asked whether it could sell. */
  holders: readonly RiskHolder[]
  /** Main pair first. */
  pools: readonly RiskPool[]
  launch: RiskLaunch | null
  /** Null if no priced route exists. */
  nativeUsd: number | null
  block: { number: number; hash: string; timeS: number }
}
