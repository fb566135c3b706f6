import { RpcError } from '../../chain/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import { type PoolAnswer, queryOf } from '../../model/pool.ts'
import type { FirstLeftOut } from '../../model/trust/leftOut.ts'
import type { ChainReader, ReadPoint } from '../chainReader.ts'
import type { Clock } from '../clock.ts'
import { PoolProvedError } from '../errors.ts'
import type { NotPools } from './notPools.ts'

/** Repeats a request until it is answered. */
type Insist = <answer>(ask: () => Promise<answer>) => Promise<answer>

export type PoolReviewsOptions = {
  notPools: NotPools
  reader: ChainReader
  limits: {
    /** Contracts per request. */
    reviewsMax: number
    /** Least time between two requests. */
    reviewEveryMs: number
  }
  insist: Insist
  clock: Clock
  logger: Logger
}

export type ReviewContext = {
  ref: BlockRef
  /** Number of the last final block. */
  settledNumber: number
}

/** Asks ignored contracts again whether they are pools, and reinstates those that are. */
export class PoolReviews {
  readonly #options: PoolReviewsOptions
  readonly #proven = new Set<string>()
  #isAsking = false
  #againAtMs = 0

  constructor(options: PoolReviewsOptions) {
    this.#options = options
  }

  /** Asks contracts that are due, at low priority and a few at a time. */
  begin(at: ReadPoint): void {
    const { notPools, clock, limits } = this.#options
    const nowMs = clock.nowMs()
    if (this.#isAsking || nowMs < this.#againAtMs) return
    const addresses = notPools.due(limits.reviewsMax)
    if (addresses.length === 0) return
    this.#isAsking = true
    this.#againAtMs = nowMs + limits.reviewEveryMs
    void this.#ask(addresses, at)
  }

  async #ask(addresses: readonly string[], at: ReadPoint): Promise<void> {
    const { notPools, reader, logger } = this.#options
    try {
      const { number, hash } = at
      const answers = await reader.readPools(
        addresses.map(queryOf),
        { number, hash },
        {
          isBackground: true,
        },
      )
      for (const [i, address] of addresses.entries())
        if (answers[i]) this.#proven.add(address)
        else notPools.confirm(address)
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
  async settle(context: ReviewContext): Promise<void> {
    for (const address of this.#proven) {
      await this.makeGood(address, context)
      this.#proven.delete(address)
      // The contract's next event creates its pair.
      this.#options.notPools.delete(address)
    }
  }

  /**
   * Reinstates an ignored contract that is a pool: throws a PoolProvedError to re-read the chain,
   * or records the missing trades if they are final.
   */
  async makeGood(pool: string, { ref, settledNumber }: ReviewContext): Promise<void> {
    const { notPools, reader, insist, logger } = this.#options
    const since = notPools.firstLeftOut(pool)
    if (since === undefined) return
    const wronged = await findWronged({ pool, since, settledNumber, reader, insist, notPools })
    if (wronged === 'none') return
    if (wronged !== 'final') throw new PoolProvedError({ pool, since: wronged })
    notPools.delete(pool, true)
    const facts = { pool, fromBlock: since.number, toBlock: ref.parentNumber }
    const msg = 'Trades of a pool are missing until the chain is re-read: its events were ignored'
    logger.warn({ msg, ...facts })
  }
}

type WrongedQuery = {
  /** A contract that is a pool now, and whose events were ignored from block `since` on. */
  pool: string
  since: FirstLeftOut
  notPools: NotPools
  /** Number of the last final block. */
  settledNumber: number
  reader: ChainReader
  insist: Insist
}

/**
 * Finds the first block that was resolved without this pool although it already was one. `none`:
 * the contract became a pool later, and none of its earlier events was a trade. `final`: that block
 * is final, or no node has its state any more.
 * The contract's present state proves nothing about earlier blocks: a contract that changes its
 * answers at will could cause endless re-reads of the chain. A node that was wrong about one pool
 * may have been wrong about others, so all that can still be reinstated are checked.
 */
async function findWronged(query: WrongedQuery): Promise<FirstLeftOut | 'none' | 'final'> {
  const { pool, since, notPools, settledNumber } = query
  const then = await readThen(query, since, [pool])
  if (then?.[0] === null) return 'none'
  if (then === null || since.number <= settledNumber) return 'final'
  for (const block of notPools.leftOutBetween(settledNumber, since.number)) {
    const answers = await readThen(query, block.since, block.addresses)
    if (answers?.some((answer) => answer !== null)) return block.since
  }
  return since
}

/** Reads contracts as of exactly that block. Null if no node has its state any more. */
function readThen(
  { reader, insist }: WrongedQuery,
  { number, hash }: FirstLeftOut,
  addresses: readonly string[],
): Promise<(PoolAnswer | null)[] | null> {
  return insist(() =>
    reader
      .readPools(addresses.map(queryOf), { number, hash }, { isExact: true })
      .catch((error: unknown) => {
        if (error instanceof RpcError && error.kind === 'notFound') return null
        throw error
      }),
  )
}
