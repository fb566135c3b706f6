import {
  amounts,
  flag,
  RecordType,
  text,
  textOrNull,
  whole,
  wholeOrNull,
  wholes,
  word,
  wordOrNull,
} from './describe.ts'
import type { PoolKind } from './pool.ts'

/** One pool as a market. Ids are dense per chain, given in log order, and given back by a revert. */
export type PairRecord = {
  id: number
  /** Canonical text of the pool's address or id ; of a couple of a pool's tokens an id of its own. */
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
  /** The name in `venues/` of whose pool it is: by its events and its arithmetic the pair is followed. */
  venue: string
  /** What the venue's price takes beside reserves, in numbers of its own. */
  params: readonly bigint[]
  /** The pool of more than two tokens that the pair is a couple of; null: the pair is the pool. */
  pool: string | null
  /** The further tokens of that pool. */
  otherIds: readonly number[]
}

/** The address is first: an index finds it there. Then come the fields that are read alone. */
export const pairType = new RecordType<PairRecord, 'id'>('id', {
  address: text(''),
  isTrusted: flag(false),
  platform: wordOrNull(null),
  createdAtS: whole(0),
  kind: word('constantProduct'),
  token0Id: whole(0),
  token1Id: whole(0),
  factory: word(''),
  amm: word(''),
  venue: word(''),
  feePpm: wholeOrNull(null),
  pool: textOrNull(null),
  params: amounts([]),
  otherIds: wholes([]),
})

/** What the ledger counts the reserves of a pair under: a holder of tokens, or an account that no transfer reaches. */
export function accountOf({ kind, pool, address }: Pick<PairRecord, 'kind' | 'pool' | 'address'>) {
  return kind === 'vault' ? `${poolAccount}${pool ?? address}` : (pool ?? address)
}

/** Is it the account of a pool inside a vault? What it has, the vault holds: it is no holder. */
export function isPoolAccount(wallet: string): boolean {
  return wallet.startsWith(poolAccount)
}

// No address of any chain has a colon.
const poolAccount = 'pool:'
