/**
 * How a pool is priced, and where its reserves are visible. constantProduct: reserves are in its
 * events. concentrated: reserves are its token balances. vault: one contract holds the tokens of
 * many pools, and a pool's own events add up to its reserves. curve: a launch platform's bonding
 * curve, whose trades report real reserves.
 */
export type PoolKind = 'constantProduct' | 'concentrated' | 'curve' | 'vault'

export type LiquidityKind = 'add' | 'remove' | 'collect' | 'create'

/**
 * The chain's native coin, if a venue trades it unwrapped; resolve replaces it by the wrapped
 * token.
 */
export const nativeToken = 'native'

/** An unknown pool that an event named. */
export type PoolQuery = {
  /** Address of its future pair: the pool's, or the id of a couple of its tokens. */
  key: string
  /** Address or id of the pool. */
  pool: string
  /** Venues with the events that it emitted. @default any */
  venues?: readonly string[] | undefined
  /** The contract that keeps the pool and emitted its events; undefined: the pool itself. */
  manager?: string | undefined
  /** The two traded tokens, as the event names them. */
  couple?: readonly [string, string] | undefined
  /** Both of its tokens, if an event's transaction shows them. */
  tokens?: readonly [string, string] | undefined
}

/** A pool of which only the address is known. */
export function poolQueryOf(address: string): PoolQuery {
  return { key: address, pool: address }
}

/** A pool as it or its manager describes itself. */
export type PoolAnswer = {
  venue: string
  kind: PoolKind
  token0: string
  token1: string
  /**
   * Its further tokens. If there are any, the pair is one couple of several and has an id of its
   * own.
   */
  others: readonly string[]
  /**
   * The pair is one couple of several although `others` is unknown. @default follows from `others`
   */
  isCouple?: boolean | undefined
  factory: string
  feePpm: number | null
  params: readonly bigint[]
  /** Its factory or manager is in the config and confirms it. */
  isConfirmed: boolean
}

/** A pool's state at a block; null if it does not report it. */
export type PoolStateAnswer = {
  reserve0: bigint | null
  reserve1: bigint | null
  /** Reserves of the pool's further tokens. @default unknown */
  reserveOthers?: readonly bigint[] | null | undefined
  priceRaw: number | null
  /** The venue's own numbers. @default none */
  told?: readonly bigint[] | undefined
}
