import type { PoolKind } from '../model/pool.ts'

export type HolderKind = 'wallet' | 'pool' | 'burn' | 'lock' | 'contract' | 'creator'

export type RiskHolder = { address: string; amountRaw: bigint; kind: HolderKind }

export type RiskQuote = { address: string; symbol: string; decimals: number }

/** A pool of the token. */
export type RiskPool = {
  /** The pool's address, or the id of a curve that has none of its own. */
  address: string
  kind: PoolKind
  venue: string
  /** Factory of the pool; of a curve the launch platform's contract. */
  factory: string
  amm: string
  isTrusted: boolean
  /** Null: the venue's own. */
  feePpm: number | null
  quote: RiskQuote
  /** What the market counts as the pool's, of the quote. */
  quoteReserveRaw: bigint
  /** The venue's own numbers, which a manager knows the pool by. */
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
  /** Empty: not known. */
  creator: string
}

/** Is somebody known who could try to sell? */
export function hasHolders({ holders }: Pick<RiskSubject, 'holders'>): boolean {
  return holders.some(({ kind }) => kind === 'wallet')
}

/** A token with all that is known of it already; what is asked of the chain is asked at `block`. */
export type RiskSubject = {
  /** Canonical text. */
  address: string
  symbol: string
  name: string
  decimals: number
  /** Null: not known yet. */
  supply: RiskSupply | null
  /** Largest first; more than ten are of use, as each is asked whether it could sell. */
  holders: readonly RiskHolder[]
  /** Main pair first. */
  pools: readonly RiskPool[]
  launch: RiskLaunch | null
  /** Null: no priced route. */
  nativeUsd: number | null
  block: { number: number; hash: string; timeS: number }
}
