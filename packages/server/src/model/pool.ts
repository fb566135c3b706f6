/**
 * How a pool makes its price and where its reserves are seen.
 * constantProduct: reserves are in its events. concentrated: reserves are its token balances.
 * vault: one contract holds the tokens of many pools, and reserves are what a pool's own events add up to.
 * curve: a launch platform's bonding curve; real reserves come with its trades.
 */
export type PoolKind = 'constantProduct' | 'concentrated' | 'curve' | 'vault'

export type LiquidityKind = 'add' | 'remove' | 'collect' | 'create'

/** Stands for the chain's native coin where a venue trades it unwrapped; resolve puts the wrapped token in its place. */
export const nativeToken = 'native'

/** A pool of which an event told and nobody knows what it is. */
export type PoolQuery = {
  /** What its pair would be known by: the pool itself, or a couple of its tokens. */
  key: string
  /** Its address or id. */
  pool: string
  /** Whose events it wrote, as far as they tell. @default any venue's */
  venues?: readonly string[] | undefined
  /** The contract that keeps it among others and wrote its events. */
  manager?: string | undefined
  /** Two of its tokens that were traded, as the event names them. */
  couple?: readonly [string, string] | undefined
  /** Both of its tokens, where an event's transaction tells them. */
  tokens?: readonly [string, string] | undefined
}

/** Of a pool of which nothing is known but its address. */
export function queryOf(address: string): PoolQuery {
  return { key: address, pool: address }
}

/** What a pool is, by its own word or its manager's. */
export type PoolAnswer = {
  venue: string
  kind: PoolKind
  token0: string
  token1: string
  /** Its further tokens; any: the pair is one couple of several, and has an id of its own. */
  others: readonly string[]
  /** The pair is one couple of several although `others` are unknown. @default by `others` */
  isCouple?: boolean | undefined
  factory: string
  feePpm: number | null
  params: readonly bigint[]
  /** Its factory or manager is in the config and says the same. */
  isConfirmed: boolean
}

/** A pool as of a block; null: it does not tell. */
export type PoolStateAnswer = {
  reserve0: bigint | null
  reserve1: bigint | null
  /** Of the pool's further tokens. @default not told */
  reserveOthers?: readonly bigint[] | null | undefined
  priceRaw: number | null
  /** The venue's own numbers. @default none */
  told?: readonly bigint[] | undefined
}
