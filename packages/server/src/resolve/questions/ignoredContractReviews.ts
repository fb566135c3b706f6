import { RpcError } from '../../chain/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import { type PoolAnswer, poolQueryOf } from '../../model/pool.ts'
import type { FirstIgnoredBlock } from '../../model/trust/ignoredContracts.ts'
import type { ChainReader, ReadPoint } from '../chainReader.ts'
import type { Clock } from '../clock.ts'
import { IgnoredPoolFoundError } from '../errors.ts'
import type { IgnoredContracts } from './ignoredContracts.ts'

/** Repeats a request until it is answered. */
type RetryUntilAnswered = <answer>(ask: () => Promise<answer>) => Promise<answer>

export type IgnoredContractReviewsOptions = {
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
