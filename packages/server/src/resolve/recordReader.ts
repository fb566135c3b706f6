import type { PairRecord } from '../model/pair.ts'
import type { TokenRecord } from '../model/token.ts'

/** Pairs and tokens of earlier blocks; as of the last block that was persisted. Those that are kept, in any order. */
export type RecordReader = {
  findPairs(addresses: readonly string[]): Promise<readonly PairRecord[]>
  findTokens(addresses: readonly string[]): Promise<readonly TokenRecord[]>
}
