import type { PairRecord } from '../../model/pair.ts'
import type { PoolKind } from '../../model/pool.ts'
import type { TokenRecord } from '../../model/token.ts'

type PairList = {
  kind: PoolKind
  /** The ids above this one; -1 for all. */
  afterId: number
  limit: number
}

/** Pairs and tokens of earlier blocks; as of the last block that was persisted. Those that are kept, in any order. */
export type RecordReader = {
  findPairs(addresses: readonly string[]): Promise<readonly PairRecord[]>
  /** Pairs that are couples of one of these pools. */
  findCouples(pools: readonly string[]): Promise<readonly PairRecord[]>
  /** Ids ascending, with the account that its reserves are counted under; fewer than the limit only at the end. */
  listPairs(list: PairList): Promise<readonly { id: number; address: string }[]>
  findTokens(addresses: readonly string[]): Promise<readonly TokenRecord[]>
}
