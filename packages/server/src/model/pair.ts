import type { PoolKind } from './pool.ts'
import {
  amountListField,
  flagField,
  nullableTextField,
  nullableWholeField,
  nullableWordField,
  RecordCodec,
  textField,
  wholeField,
  wholeListField,
  wordField,
} from './recordType.ts'

/**
 * Two tokens of a pool, as the market keeps them. Ids are dense per chain, assigned in log order,
 * and freed by a revert.
 */
export type PairRecord = {
  id: number
  /**
   * Canonical text of the pool's address or id; for a pool with more than two tokens an id of the
   * token pair.
   */
  address: string
  kind: PoolKind
  token0Id: number
  token1Id: number
  factory: string
  /** The venue's name on the wire, for example `uniswapv2`. */
  amm: string
  /**
   * True if the pair's factory is in the config and confirms the pool. Only a trusted pair sets
   * prices, can be a main pair and counts as liquidity.
   */
  isTrusted: boolean
  feePpm: number | null
  /** 0 if unknown: the pair was discovered late, by another event than its creation. */
  createdAtS: number
  /** Name of the launch platform for a curve, else null. */
  platform: string | null
  /** Name of the pool's venue in `venues/`, which defines its events and arithmetic. */
  venue: string
  /** Venue-specific parameters that the price depends on besides reserves. */
  params: readonly bigint[]
  /** The pool, if it has more than two tokens. Null: the pair is the pool. */
  pool: string | null
  /** The further tokens of a pool with more than two tokens. */
  otherIds: readonly number[]
}

/** Field order: the address comes first for the index, then the fields that are read separately. */
export const pairCodec = new RecordCodec<PairRecord, 'id'>('id', {
  address: textField(''),
  isTrusted: flagField(false),
  platform: nullableWordField(null),
  createdAtS: wholeField(0),
  kind: wordField('constantProduct'),
  token0Id: wholeField(0),
  token1Id: wholeField(0),
  factory: wordField(''),
  amm: wordField(''),
  venue: wordField(''),
  feePpm: nullableWholeField(null),
  pool: nullableTextField(null),
  params: amountListField([]),
  otherIds: wholeListField([]),
})

/**
 * Returns the ledger account that holds a pair's reserves: a token holder, or a pool's account
 * inside a vault, which no transfer reaches.
 */
export function pairReserveAccount({
  kind,
  pool,
  address,
}: Pick<PairRecord, 'kind' | 'pool' | 'address'>) {
  return kind === 'vault' ? `${poolAccount}${pool ?? address}` : (pool ?? address)
}

/**
 * Returns true for the account of a pool inside a vault. The vault holds its tokens, so the account
 * is not a holder.
 */
export function isVaultPoolAccount(wallet: string): boolean {
  return wallet.startsWith(poolAccount)
}

// No address of any chain has a colon.
const poolAccount = 'pool:'
