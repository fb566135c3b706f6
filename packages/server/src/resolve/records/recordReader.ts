import type { PairRecord } from '../../model/pair.ts'
import type { PoolKind } from '../../model/pool.ts'
import type { TokenRecord } from '../../model/token.ts'

type PairList = {
  kind: PoolKind
  /** Lists ids above this one; -1 lists all. */
  afterId: number
  limit: number
}

/**
 * Reads stored pairs and tokens, as of the last persisted block. Unknown addresses are missing from
 * the result, which is in any order.
 */
export type RecordReader = {
  findPairs(addresses: readonly string[]): Promise<readonly PairRecord[]>
  /** Returns all pairs of pools that have more than two tokens. */
  findCouples(pools: readonly string[]): Promise<readonly PairRecord[]>
  /**
   * Returns pairs by ascending id. `address` is the account that holds the pair's reserves. Only
   * the last page has fewer than `limit`.
   */
  listPairs(list: PairList): Promise<readonly { id: number; address: string }[]>
  findTokens(addresses: readonly string[]): Promise<readonly TokenRecord[]>
}
