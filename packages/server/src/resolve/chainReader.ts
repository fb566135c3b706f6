import type { BlockRef } from '../model/block.ts'
import type { PairRecord } from '../model/pair.ts'
import type { PoolAnswer, PoolQuery, PoolStateAnswer } from '../model/pool.ts'

/** A block whose end state is read. */
export type ReadPoint = { number: number; hash: string }

/** Returns where to read the state before a block: at the end of its parent. */
export function parentPointOf({ parentNumber, parentHash }: BlockRef): ReadPoint {
  return { number: parentNumber, hash: parentHash }
}

export type TokenAnswer = {
  symbol: string
  name: string
  decimals: number
  isUnreadable: boolean
  /** Null if the token did not answer, or could only be read at another block. */
  totalSupply: bigint | null
}

export type ReservesAnswer = { reserve0: bigint; reserve1: bigint }

export type TransferScanQuery = {
  token: string
  /**
   * Last block of the scan, inclusive. It starts at the chain's first block or the reader's
   * configured one.
   */
  to: ReadPoint
  /** The scan returns null after more transfers than this. */
  logsMax: number
  walletsMax: number
  signal: AbortSignal
  progress: TransferScanProgress
  /**
   * Called after each range with the number of transfers so far; the scan waits for it before it
   * continues.
   */
  onProgress: (logCount: number) => Promise<void>
}

export type CreationQuery = {
  address: string
  /** A block after which the contract exists. */
  at: ReadPoint
  /**
   * Block of the contract's first transfer, or null if unknown. Serves as the creation block where
   * no node keeps states that old.
   */
  firstTransfer: number | null
  signal: AbortSignal
}

type PoolsOptions = {
  /** Reads the state of exactly this block, never a newer one. @default false */
  isExact?: boolean | undefined
  /** Lets all other requests go first. @default false */
  isBackground?: boolean | undefined
}

/**
 * How the resolver reads a chain's nodes. Methods throw if no node answers; answers are in the
 * order of the arguments.
 */
export type ChainReader = {
  /** Identifies contracts as pools. Null: the contract does not answer like a pool. */
  readPools(
    pools: readonly PoolQuery[],
    at: ReadPoint,
    options?: PoolsOptions | undefined,
  ): Promise<(PoolAnswer | null)[]>
  /** Returns whether each contract existed after a block; null if no node can tell. */
  readPresence(addresses: readonly string[], at: ReadPoint): Promise<(boolean | null)[]>
  /**
   * Returns a contract's creation time in Unix seconds, or null if no node can tell. Low priority:
   * all other requests go first.
   */
  readCreatedAt(query: CreationQuery): Promise<number | null>
  /**
   * Reads metadata and supply of tokens. With `isLive` false the newest state is used if the state
   * of `at` is gone.
   */
  readTokens(addresses: readonly string[], at: ReadPoint, isLive: boolean): Promise<TokenAnswer[]>
  /** Returns total supplies; null for a token that did not answer. */
  readTotals(addresses: readonly string[], at: ReadPoint): Promise<(bigint | null)[]>
  /**
   * Returns the number of liquidity-provider shares of each pool, or null if it did not answer. Low
   * priority: all other requests go first.
   */
  readShares(pools: readonly string[], at: ReadPoint): Promise<(bigint | null)[]>
  /** Returns the id of a token pair in a pool with more than two tokens. Deterministic. */
  coupleIdOf(pool: string, couple: readonly [string, string]): string
  /**
   * Reads holdings and prices of pools whose events do not contain them. All fields are null for a
   * pool that did not exist.
   */
  readStates(pools: readonly PairRecord[], at: ReadPoint): Promise<PoolStateAnswer[]>
  /**
   * Computes pool states at a block whose state no node keeps any more: the state at the head less
   * the transfers since. Null: unknown. @default always unknown
   */
  rewindStates?(pools: readonly PairRecord[], at: ReadPoint): Promise<(PoolStateAnswer | null)[]>
  /**
   * Returns the reserves that pools store themselves, as of `at`. Null: the pool did not answer.
   */
  readReserves(pools: readonly string[], at: ReadPoint): Promise<(ReservesAnswer | null)[]>
  /**
   * Returns wallets' balances as the token contracts report them. Null: the token did not answer.
   * @default balances cannot be read
   */
  readBalances?(
    holdings: readonly { token: string; wallet: string }[],
    at: ReadPoint,
  ): Promise<(bigint | null)[]>
  readNatives(wallets: readonly string[], at: ReadPoint): Promise<(bigint | null)[]>
  /** True for chains whose nodes never keep older transfers or balances. @default false */
  hasNoHistory?: boolean | undefined
  /**
   * Sums up a token's transfers. Null if there are more than the limits allow. Throws a
   * HistoryRefusedError if retrying would not help.
   */
  readHistory(query: TransferScanQuery): Promise<TransferSums | null>
}

/** Sums of a token's transfers over a range of blocks. */
export type TransferSums = {
  /** Balance by wallet, without the zero address. */
  balances: Map<string, bigint>
  voided: bigint
  logCount: number
  /** Block of the first transfer; null if unknown. No transfer is older. */
  firstBlock: number | null
  /**
   * Balances are as of this block, which may be later than the requested one. @default the
   * requested block
   */
  asOf?: number | undefined
}

/** Progress of a transfer scan; a failed scan resumes from here. */
export type TransferScanProgress = {
  /** First block that is not counted yet; null before the first read. */
  next: number | null
  sums: TransferSums
  /** Number of requests in a row that failed. */
  refusals: number
}

export function createScanProgress(): TransferScanProgress {
  return {
    next: null,
    sums: { balances: new Map(), voided: 0n, logCount: 0, firstBlock: null },
    refusals: 0,
  }
}

/** Adds one transfer. Null stands for the zero address. */
export function addTransfer(
  sums: TransferSums,
  from: string | null,
  to: string | null,
  amount: bigint,
): void {
  const { balances } = sums
  if (from !== null) balances.set(from, (balances.get(from) ?? 0n) - amount)
  if (to !== null) balances.set(to, (balances.get(to) ?? 0n) + amount)
  else sums.voided += amount
}
