import type { BlockRef } from '../model/block.ts'
import type { PairRecord } from '../model/pair.ts'
import type { PoolAnswer, PoolQuery, PoolStateAnswer } from '../model/pool.ts'
import type { HistoryProgress, HistorySums } from './tokens/historySums.ts'

/** The state to read: right after this block. */
export type ReadPoint = { number: number; hash: string }

/** The state before a block is the one after the block before it. */
export function parentOf({ parentNumber, parentHash }: BlockRef): ReadPoint {
  return { number: parentNumber, hash: parentHash }
}

export type TokenAnswer = {
  symbol: string
  name: string
  decimals: number
  isUnreadable: boolean
  /** Null: it did not answer, or could only be read at another block. */
  totalSupply: bigint | null
}

export type ReservesAnswer = { reserve0: bigint; reserve1: bigint }

export type TransferHistoryQuery = {
  token: string
  /** Last block, included; from the chain's first or what the reader was told. */
  to: ReadPoint
  /** Transfers after which the token's history is given up. */
  logsMax: number
  walletsMax: number
  signal: AbortSignal
  progress: HistoryProgress
  /** Called as it goes on, with the transfers so far; it goes on when this has ended. */
  onProgress: (logCount: number) => Promise<void>
}

export type CreationQuery = {
  address: string
  /** It is there after this block. */
  at: ReadPoint
  /** Its first transfer was in this block: where no node has states so old, it was made then. Null: not known. */
  firstTransfer: number | null
  signal: AbortSignal
}

export type PoolsOptions = {
  /** As of the block, never by a newer state where that one is gone. */
  isExact?: boolean | undefined
  /** Everything else goes first. */
  isBackground?: boolean | undefined
}

/** What the resolver asks a chain. Every method throws when no node answered; answers are in order. */
export type ChainReader = {
  /** Null: it does not answer like a pool. */
  readPools(
    pools: readonly PoolQuery[],
    at: ReadPoint,
    options?: PoolsOptions | undefined,
  ): Promise<(PoolAnswer | null)[]>
  /** Was there a contract after that block? Null: no node tells. */
  readPresence(addresses: readonly string[], at: ReadPoint): Promise<(boolean | null)[]>
  /** Unix seconds. Null: no node can tell. Everything else goes first. */
  readCreatedAt(query: CreationQuery): Promise<number | null>
  /** `isLive` false: where the state of `at` is gone, the newest will do. */
  readTokens(addresses: readonly string[], at: ReadPoint, isLive: boolean): Promise<TokenAnswer[]>
  /** Null: it did not answer. */
  readTotals(addresses: readonly string[], at: ReadPoint): Promise<(bigint | null)[]>
  /** How many shares there are of pools that give some. Null: it did not answer. Everything else goes first. */
  readShares(pools: readonly string[], at: ReadPoint): Promise<(bigint | null)[]>
  /** The id of a couple of a pool's tokens, as its events name them; always the same. */
  coupleIdOf(pool: string, couple: readonly [string, string]): string
  /** Of pools whose events do not tell all. All null: it was not there. */
  readStates(pools: readonly PairRecord[], at: ReadPoint): Promise<PoolStateAnswer[]>
  /**
   * The same where no node has the state of `at` any more: by the state of the head and the transfers since. Null: unknown.
   * @default always unknown
   */
  rewindStates?(pools: readonly PairRecord[], at: ReadPoint): Promise<(PoolStateAnswer | null)[]>
  /** Of pools that keep them, as of `at`. Null: it did not answer. */
  readReserves(pools: readonly string[], at: ReadPoint): Promise<(ReservesAnswer | null)[]>
  /** What wallets have of tokens, by what these say. Null: it did not answer. @default nobody can be asked */
  readBalances?(
    holdings: readonly { token: string; wallet: string }[],
    at: ReadPoint,
  ): Promise<(bigint | null)[]>
  readNatives(wallets: readonly string[], at: ReadPoint): Promise<(bigint | null)[]>
  /** No node of such a chain ever has older transfers or balances. @default false */
  hasNoHistory?: boolean | undefined
  /** Null: it has more than the limits allow. Throws a HistoryRefusedError where asking again is of no use. */
  readHistory(query: TransferHistoryQuery): Promise<HistorySums | null>
}
