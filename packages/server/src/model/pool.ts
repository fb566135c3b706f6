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
