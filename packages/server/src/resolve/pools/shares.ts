import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { LateFacts, PairShares } from '../../model/logEntry.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { ResolvedEvent } from '../../model/resolvedBlock.ts'
import type { ChainReader } from '../chainReader.ts'

export type SharesOptions = {
  reader: Pick<ChainReader, 'readShares'>
  /** Pairs of an earlier run whose shares nobody told. */
  wanted?: readonly PairRecord[] | undefined
  limits: {
    /** Pairs asked about at a time. 0: none is. */
    shareReadsMax: number
    /** Pairs that wait for their turn; of more it is not known until their liquidity changes again. */
    shareQueueMax: number
  }
  logger: Logger
}

type FollowedBlock = {
  ref: BlockRef
  events: readonly ResolvedEvent[]
  newPairs: readonly PairRecord[]
  isLive: boolean
}
type Pool = Pick<PairRecord, 'id' | 'address'>
type Told = { ref: BlockRef; pool: Pool; total: bigint }

/**
 * Reads how many shares there are of pools that give some, at the head, behind everything else: once, and again after each
 * block that changed their liquidity, which alone makes or burns any.
 */
export class Shares {
  readonly #options: SharesOptions
  /** By pair id, in turn. */
  readonly #wanted = new Map<number, Pool>()
  /** What is read now; null also when the block that it is read at was reverted. */
  #reading: { ref: BlockRef; pools: readonly Pool[] } | null = null
  /** Block time of the last question. */
  #askedAtS = -1
  #arrived: Told[] = []
  /** Told with blocks that may be reverted. */
  #told: Told[] = []

  constructor(options: SharesOptions) {
    this.#options = options
    for (const pair of options.wanted ?? []) this.#want(pair)
  }

  /** The block in hand is resolved. */
  follow({ ref, events, newPairs, isLive }: FollowedBlock): void {
    if (this.#options.limits.shareReadsMax === 0) return
    for (const pair of newPairs) this.#want(pair)
    for (const event of events) if (event.type === 'liquidity') this.#want(event.pair)
    // Blocks that share a second share a question.
    const isDue = isLive && this.#reading === null && ref.timeS !== this.#askedAtS
    if (isDue && this.#wanted.size > 0) void this.#read(ref)
  }

  /** What has arrived since the last call, each under the block that it was read at. */
  drain(): LateFacts[] {
    const sharesAt = new Map<BlockRef, PairShares[]>()
    for (const { ref, pool, total } of this.#arrived) {
      const shares = sharesAt.get(ref) ?? []
      shares.push({ pairId: pool.id, total })
      sharesAt.set(ref, shares)
    }
    this.#told.push(...this.#arrived)
    this.#arrived = []
    return Array.from(sharesAt, ([{ number, hash }, shares]) => {
      return { ref: { number, hash }, tokens: [], supplies: [], shares }
    })
  }

  /** What was read at a block that goes is read again, except of pairs that go with it. */
  revert(ref: BlockRef, made: readonly { id: number }[]): void {
    const isAt = ({ ref: { hash } }: { ref: BlockRef }) => hash === ref.hash
    const again = [...this.#arrived, ...this.#told].filter(isAt)
    this.#arrived = this.#arrived.filter((told) => !isAt(told))
    this.#told = this.#told.filter((told) => !isAt(told))
    for (const { pool } of again) this.#wanted.set(pool.id, pool)
    if (this.#reading !== null && isAt(this.#reading)) {
      for (const pool of this.#reading.pools) this.#wanted.set(pool.id, pool)
      this.#reading = null
    }
    for (const { id } of made) this.#wanted.delete(id)
    this.#askedAtS = -1
  }

  /** Blocks before this one stay. */
  forgetBelow(number: number): void {
    if (this.#told.length > 0) this.#told = this.#told.filter(({ ref }) => ref.number >= number)
  }

  #want({ id, address, kind, isTrusted }: PairRecord): void {
    if (kind !== 'constantProduct' || !isTrusted) return
    if (this.#wanted.size < this.#options.limits.shareQueueMax)
      this.#wanted.set(id, { id, address })
  }

  async #read(ref: BlockRef): Promise<void> {
    const { reader, limits, logger } = this.#options
    const pools = [...this.#wanted.values()].slice(0, limits.shareReadsMax)
    for (const { id } of pools) this.#wanted.delete(id)
    const reading = { ref, pools }
    this.#reading = reading
    this.#askedAtS = ref.timeS
    const addresses = pools.map(({ address }) => address)
    const at = { number: ref.number, hash: ref.hash }
    const totals = await reader.readShares(addresses, at).catch((error: unknown) => {
      logger.debug({ msg: 'Did not read shares', pools: pools.length, error })
      return null
    })
    // Its block was reverted, and they wait for their turn again.
    if (this.#reading !== reading) return
    this.#reading = null
    if (totals === null) for (const pool of pools) this.#wanted.set(pool.id, pool)
    // A pool that does not answer is no token: it is not asked again before its liquidity changes.
    for (const [i, total] of totals?.entries() ?? [])
      if (total !== null) this.#arrived.push({ ref, pool: pools[i]!, total })
  }
}
