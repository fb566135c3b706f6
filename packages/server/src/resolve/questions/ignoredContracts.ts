import { RpcError } from '../../chain/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { type BlockRef, compareBlockNumbers } from '../../model/block.ts'
import { type PoolAnswer, poolQueryOf } from '../../model/pool.ts'
import type {
  FirstIgnoredBlock,
  IgnoredContract,
  IgnoredContractChanges,
} from '../../model/trust/ignoredContracts.ts'
import type { ChainReader, ReadPoint } from '../chainReader.ts'
import type { Clock } from '../clock.ts'
import { IgnoredPoolFoundError } from '../errors.ts'

type IgnoredContractsOptions = {
  /** Number of contracts remembered. */
  countMax: number
  /**
   * How long a contract is ignored before it is asked again; doubles with each unchanged answer.
   */
  validMs: number
  /** Upper bound of `validMs` after doubling. */
  validMsMax: number
  clock: Clock
  /** Ignored contracts of an earlier run, asked again at once. */
  known?: readonly IgnoredContract[] | undefined
}

type Verdict = { since: FirstIgnoredBlock; untilMs: number; level: number }

// At this level a contract was asked repeatedly over more than an hour: too long for a node's
// mistake.
const certainLevel = 3

/**
 * Contracts that emit events like pools but do not answer like one. No verdict is permanent: a node
 * may have been wrong, and a contract may become a pool.
 */
export class IgnoredContracts {
  readonly #options: IgnoredContractsOptions
  readonly #verdicts = new Map<string, Verdict>()
  /**
   * Addresses by number of answers. All of one level wait equally long, so the first is due first.
   */
  readonly #levels: Set<string>[] = []
  readonly #missed = new Set<string>()
  readonly #cleared = new Set<string>()
  #forgotten: { address: string; isSettled: boolean }[] = []
  #ignored: readonly string[] = []

  constructor(options: IgnoredContractsOptions) {
    this.#options = options
    for (let ms = options.validMs; ; ms *= 2) {
      this.#levels.push(new Set())
      if (ms >= options.validMsMax) break
    }
    for (const { address, since } of options.known ?? []) this.#set(address, since, 0, 0)
  }

  get size(): number {
    return this.#verdicts.size
  }

  /** True if the contract was asked recently. */
  isIgnored(address: string): boolean {
    const verdict = this.#verdicts.get(address)
    return verdict !== undefined && verdict.untilMs > this.#options.clock.nowMs()
  }

  /**
   * Returns the first block without the contract's events; undefined if no event was ignored, as
   * far as is remembered.
   */
  firstIgnoredBlock(address: string): FirstIgnoredBlock | undefined {
    return this.#verdicts.get(address)?.since
  }

  /** Returns contracts that are due to be asked again. */
  due(countMax: number): string[] {
    const nowMs = this.#options.clock.nowMs()
    const due: string[] = []
    for (const level of this.#levels)
      for (const address of level) {
        if (due.length >= countMax) return due
        if (this.#verdicts.get(address)!.untilMs > nowMs) break
        due.push(address)
      }
    return due
  }

  /**
   * Returns contracts grouped by the first block without their events, oldest first, for blocks
   * strictly between two numbers.
   */
  ignoredBetween(
    after: number,
    before: number,
  ): { since: FirstIgnoredBlock; addresses: string[] }[] {
    const byHash = new Map<string, { since: FirstIgnoredBlock; addresses: string[] }>()
    for (const [address, { since }] of this.#verdicts) {
      if (since.number <= after || since.number >= before) continue
      const block = byHash.get(since.hash)
      if (block === undefined) byHash.set(since.hash, { since, addresses: [address] })
      else block.addresses.push(address)
    }
    return [...byHash.values()].sort((a, b) => compareBlockNumbers(a.since, b.since))
  }

  /** Records that a contract answered unlike a pool. `ref` is the block being resolved. */
  add(address: string, { number, hash, parentNumber, parentHash }: BlockRef): void {
    if (this.#verdicts.has(address)) this.confirm(address)
    else this.#setVerdict(address, { number, hash, parentNumber, parentHash }, 0)
    if (this.#verdicts.size > this.#options.countMax) this.#dropMostCertain()
  }

  /** Records an unchanged answer. Two concurrent requests count once. */
  confirm(address: string): void {
    const verdict = this.#verdicts.get(address)
    if (verdict === undefined || this.isIgnored(address)) return
    this.#remove(address)
    this.#setVerdict(address, verdict.since, Math.min(verdict.level + 1, this.#levels.length - 1))
  }

  /**
   * Removes a contract that is a pool after all. `isMissed`: its ignored events cannot be
   * recovered.
   */
  delete(address: string, isMissed = false): void {
    if (!this.#remove(address)) return
    if (isMissed) this.#missed.add(address)
    else this.#cleared.add(address)
  }

  /** Records the contracts whose events the current block ignores. */
  recordIgnored(addresses: readonly string[]): void {
    this.#ignored = addresses
  }

  /** Returns changes since the last call; null if there are none. */
  takeChanges(): IgnoredContractChanges | null {
    const [missed, cleared] = [[...this.#missed], [...this.#cleared]]
    const [forgotten, leftOut] = [this.#forgotten, this.#ignored]
    if (missed.length + cleared.length + forgotten.length + leftOut.length === 0) return null
    this.#missed.clear()
    this.#cleared.clear()
    this.#forgotten = []
    this.#ignored = []
    return { missed, cleared, forgotten, leftOut }
  }

  /** Removes contracts first ignored in the reverted block or later, as the store does. */
  revert(number: number): void {
    for (const [address, { since }] of this.#verdicts)
      if (since.number >= number) this.#remove(address)
  }

  #setVerdict(address: string, since: FirstIgnoredBlock, level: number): void {
    const { validMs, validMsMax, clock } = this.#options
    const ms = Math.min(validMs * 2 ** level, Math.max(validMs, validMsMax))
    this.#set(address, since, level, clock.nowMs() + ms)
  }

  #set(address: string, since: FirstIgnoredBlock, level: number, untilMs: number): void {
    this.#verdicts.set(address, { since, untilMs, level })
    this.#levels[level]!.add(address)
  }

  #remove(address: string): boolean {
    const verdict = this.#verdicts.get(address)
    if (verdict === undefined) return false
    this.#levels[verdict.level]!.delete(address)
    return this.#verdicts.delete(address)
  }

  /** Drops the contract that most certainly is not a pool. */
  #dropMostCertain(): void {
    const level = this.#levels.findLastIndex((addresses) => addresses.size > 0)
    const [address] = this.#levels[level]!
    this.#remove(address!)
    this.#forgotten.push({ address: address!, isSettled: level >= certainLevel })
  }
}

/** Repeats a request until it is answered. */
type RetryUntilAnswered = <answer>(ask: () => Promise<answer>) => Promise<answer>

type IgnoredContractReviewsOptions = {
  ignoredContracts: IgnoredContracts
  reader: ChainReader
  limits: {
    /** Contracts per request. */
    reviewsMax: number
    /** Least time between two requests. */
    reviewEveryMs: number
  }
  retryUntilAnswered: RetryUntilAnswered
  clock: Clock
  logger: Logger
}

export type ReviewContext = {
  ref: BlockRef
  /** Number of the last final block. */
  settledNumber: number
}

/** Asks ignored contracts again whether they are pools, and reinstates those that are. */
export class IgnoredContractReviews {
  readonly #options: IgnoredContractReviewsOptions
  readonly #proven = new Set<string>()
  #isAsking = false
  #againAtMs = 0

  constructor(options: IgnoredContractReviewsOptions) {
    this.#options = options
  }

  /** Asks contracts that are due, at low priority and a few at a time. */
  askDueContracts(at: ReadPoint): void {
    const { ignoredContracts, clock, limits } = this.#options
    const nowMs = clock.nowMs()
    if (this.#isAsking || nowMs < this.#againAtMs) return
    const addresses = ignoredContracts.due(limits.reviewsMax)
    if (addresses.length === 0) return
    this.#isAsking = true
    this.#againAtMs = nowMs + limits.reviewEveryMs
    void this.#ask(addresses, at)
  }

  async #ask(addresses: readonly string[], at: ReadPoint): Promise<void> {
    const { ignoredContracts, reader, logger } = this.#options
    try {
      const { number, hash } = at
      const answers = await reader.readPools(
        addresses.map(poolQueryOf),
        { number, hash },
        {
          isBackground: true,
        },
      )
      for (const [i, address] of addresses.entries())
        if (answers[i]) this.#proven.add(address)
        else ignoredContracts.confirm(address)
    } catch (error) {
      // Without an answer the contracts stay due.
      logger.debug({
        msg: 'Nodes did not answer for ignored contracts',
        error,
        contractCount: addresses.length,
      })
    } finally {
      this.#isAsking = false
    }
  }

  /** Reinstates contracts that proved to be pools. Called before a block is resolved. */
  async reinstateProven(context: ReviewContext): Promise<void> {
    for (const address of this.#proven) {
      await this.reinstate(address, context)
      this.#proven.delete(address)
      // The contract's next event creates its pair.
      this.#options.ignoredContracts.delete(address)
    }
  }

  /**
   * Reinstates an ignored contract that is a pool: throws a PoolProvedError to re-read the chain,
   * or records the missing trades if they are final.
   */
  async reinstate(pool: string, { ref, settledNumber }: ReviewContext): Promise<void> {
    const { ignoredContracts, reader, retryUntilAnswered, logger } = this.#options
    const since = ignoredContracts.firstIgnoredBlock(pool)
    if (since === undefined) return
    const wronged = await findFirstWrongBlock({
      pool,
      since,
      settledNumber,
      reader,
      retryUntilAnswered,
      ignoredContracts,
    })
    if (wronged === 'none') return
    if (wronged !== 'final') throw new IgnoredPoolFoundError({ pool, since: wronged })
    ignoredContracts.delete(pool, true)
    const facts = { pool, fromBlock: since.number, toBlock: ref.parentNumber }
    const msg = 'Trades of a pool are missing until the chain is re-read: its events were ignored'
    logger.warn({ msg, ...facts })
  }
}

type FirstWrongBlockQuery = {
  /** A contract that is a pool now, and whose events were ignored from block `since` on. */
  pool: string
  since: FirstIgnoredBlock
  ignoredContracts: IgnoredContracts
  /** Number of the last final block. */
  settledNumber: number
  reader: ChainReader
  retryUntilAnswered: RetryUntilAnswered
}

/**
 * Finds the first block that was resolved without this pool although it already was one. `none`:
 * the contract became a pool later, and none of its earlier events was a trade. `final`: that block
 * is final, or no node has its state any more.
 * The contract's present state proves nothing about earlier blocks: a contract that changes its
 * answers at will could cause endless re-reads of the chain. A node that was wrong about one pool
 * may have been wrong about others, so all that can still be reinstated are checked.
 */
async function findFirstWrongBlock(
  query: FirstWrongBlockQuery,
): Promise<FirstIgnoredBlock | 'none' | 'final'> {
  const { pool, since, ignoredContracts, settledNumber } = query
  const then = await readAtBlock(query, since, [pool])
  if (then?.[0] === null) return 'none'
  if (then === null || since.number <= settledNumber) return 'final'
  for (const block of ignoredContracts.ignoredBetween(settledNumber, since.number)) {
    const answers = await readAtBlock(query, block.since, block.addresses)
    if (answers?.some((answer) => answer !== null)) return block.since
  }
  return since
}

/** Reads contracts as of exactly that block. Null if no node has its state any more. */
function readAtBlock(
  { reader, retryUntilAnswered }: FirstWrongBlockQuery,
  { number, hash }: FirstIgnoredBlock,
  addresses: readonly string[],
): Promise<(PoolAnswer | null)[] | null> {
  return retryUntilAnswered(() =>
    reader
      .readPools(addresses.map(poolQueryOf), { number, hash }, { isExact: true })
      .catch((error: unknown) => {
        if (error instanceof RpcError && error.kind === 'notFound') return null
        throw error
      }),
  )
}
