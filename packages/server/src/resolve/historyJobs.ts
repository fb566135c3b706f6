import type { Logger } from '../lib/logger.ts'
import type { BlockRef } from '../model/block.ts'
import type { ResolvedEvent, ResolvedTransfer, TokenHistory } from '../model/resolvedBlock.ts'
import type { ChainReader, HistorySums, ReadPoint } from './chainReader.ts'
import type { Clock } from './clock.ts'
import { Slots } from './slots.ts'
import { addTransfer } from './tokenHistory.ts'

export type HistoryLimits = {
  /** Scans at a time, and again as many long ones. */
  historyJobsMax: number
  /** Tokens in or before a scan; more stay incomplete. */
  historyQueueMax: number
  /** A token with more transfers stays incomplete. */
  historyLogsMax: number
  historyWalletsMax: number
  /** A block that nobody waits for waits for a scan of up to so many transfers. */
  historyInlineLogsMax: number
  historyAttemptsMax: number
}

export type HistoryJobsOptions = {
  reader: ChainReader
  clock: Clock
  limits: HistoryLimits
  zeroAddress: string
  reorgDepthMax: number
  logger: Logger
}

type Job = {
  tokenId: number
  token: string
  /** The token is followed from this block on; the scan ends before it. */
  fromNumber: number
  to: ReadPoint
  sums: HistorySums | null
  /** Transfers of followed blocks, by block, until the history is given. */
  since: Map<number, ResolvedTransfer[]>
  sinceCount: number
  givenIn: number | null
  abort: AbortController
  /** Ends when the scan has, or has become too long to wait for. */
  waited: Promise<void>
  stopWaiting: () => void
}

/** Reads the transfers that tokens had before they were followed, and gives each token's holders once. */
export class HistoryJobs {
  readonly #options: HistoryJobsOptions
  readonly #jobs = new Map<number, Job>()
  readonly #slots: Slots
  // A lane of their own: short scans, for which blocks wait, never wait for long ones.
  readonly #longSlots: Slots
  openCount = 0
  failedCount = 0

  constructor(options: HistoryJobsOptions) {
    this.#options = options
    this.#slots = new Slots(options.limits.historyJobsMax)
    this.#longSlots = new Slots(options.limits.historyJobsMax)
  }

  /** `isNewborn`: the token was made in this block, so that there is nothing to scan. */
  start(token: { id: number; address: string }, ref: BlockRef, isNewborn: boolean): void {
    if (this.openCount >= this.#options.limits.historyQueueMax) {
      this.failedCount++
      return
    }
    let stopWaiting = () => {}
    const waited = new Promise<void>((resolve) => {
      stopWaiting = resolve
    })
    const job: Job = {
      tokenId: token.id,
      token: token.address,
      fromNumber: ref.number,
      to: { number: ref.number - 1, hash: ref.parentHash },
      sums: isNewborn ? { balances: new Map(), voided: 0n, logCount: 0 } : null,
      since: new Map(),
      sinceCount: 0,
      givenIn: null,
      abort: new AbortController(),
      waited,
      stopWaiting,
    }
    this.#jobs.set(token.id, job)
    if (isNewborn) {
      job.stopWaiting()
      return
    }
    this.openCount++
    void this.#run(job).finally(() => {
      this.openCount--
      job.stopWaiting()
    })
  }

  /** Until the scans of tokens that are followed from this block on have ended or grown too long. */
  async wait(ref: BlockRef): Promise<void> {
    const jobs = [...this.#jobs.values()].filter(({ fromNumber }) => fromNumber === ref.number)
    await Promise.all(jobs.map(({ waited }) => waited))
  }

  /** Tokens that were followed before this block and whose scan has ended since. */
  ready(): { tokenId: number; token: string }[] {
    return [...this.#jobs.values()].filter(({ sums, givenIn }) => sums && givenIn === null)
  }

  /** Holders of these tokens before this block. */
  take(ref: BlockRef, tokenIds: Iterable<number>): TokenHistory[] {
    const histories: TokenHistory[] = []
    for (const tokenId of tokenIds) {
      const job = this.#jobs.get(tokenId)
      if (!job?.sums || job.givenIn !== null) continue
      job.givenIn = ref.number
      histories.push(this.#historyOf(job, job.sums))
    }
    this.#forgetFinal(ref)
    return histories
  }

  /** Keeps what happens to tokens whose history is not given yet. */
  follow(ref: BlockRef, events: readonly ResolvedEvent[]): void {
    if (this.#jobs.size === 0) return
    for (const event of events) {
      if (event.type !== 'transfer') continue
      const job = this.#jobs.get(event.tokenId)
      if (!job || job.givenIn !== null) continue
      const block = job.since.get(ref.number)
      if (block) block.push(event)
      else job.since.set(ref.number, [event])
      if (++job.sinceCount > this.#options.limits.historyLogsMax)
        this.#fail(job, 'Too many transfers')
    }
  }

  /** Takes back a block, and gives the tokens that were followed from it on: they are no longer. */
  revert(number: number): { id: number; address: string }[] {
    const dropped: { id: number; address: string }[] = []
    for (const job of this.#jobs.values()) {
      if (job.fromNumber >= number) {
        this.#drop(job)
        dropped.push({ id: job.tokenId, address: job.token })
        continue
      }
      if (job.givenIn === number) job.givenIn = null
      job.sinceCount -= job.since.get(number)?.length ?? 0
      job.since.delete(number)
    }
    return dropped
  }

  close(): void {
    for (const job of this.#jobs.values()) this.#drop(job)
  }

  #historyOf(job: Job, sums: HistorySums): TokenHistory {
    const { zeroAddress } = this.#options
    const total: HistorySums = { ...sums, balances: new Map(sums.balances) }
    for (const transfers of job.since.values())
      for (const { from, to, amount } of transfers)
        addTransfer(
          total,
          from === zeroAddress ? null : from,
          to === zeroAddress ? null : to,
          amount,
        )
    const { balances, voided } = total
    return { tokenId: job.tokenId, balances, voided, totalSupply: null }
  }

  #forgetFinal(ref: BlockRef): void {
    for (const job of this.#jobs.values())
      if (job.givenIn !== null && job.givenIn < ref.number - this.#options.reorgDepthMax)
        this.#jobs.delete(job.tokenId)
  }

  async #run(job: Job): Promise<void> {
    const { clock, limits } = this.#options
    const { signal } = job.abort
    let release = await this.#slots.acquire()
    let isLong = false
    const onProgress = async (logCount: number) => {
      if (isLong || logCount <= limits.historyInlineLogsMax) return
      isLong = true
      job.stopWaiting()
      release()
      release = await this.#longSlots.acquire()
    }
    let cause: unknown
    for (let attempt = 1; attempt <= limits.historyAttemptsMax && !signal.aborted; attempt++) {
      try {
        await this.#scan(job, onProgress)
        release()
        return
      } catch (error) {
        cause = error
        await clock.sleep(Math.min(100 * 2 ** attempt, 10_000), signal)
      }
    }
    release()
    if (!signal.aborted) this.#fail(job, 'Not answered', cause)
  }

  async #scan(job: Job, onProgress: (logCount: number) => Promise<void>): Promise<void> {
    const { reader, limits } = this.#options
    const sums = await reader.readHistory({
      token: job.token,
      to: job.to,
      logsMax: limits.historyLogsMax,
      walletsMax: limits.historyWalletsMax,
      signal: job.abort.signal,
      onProgress,
    })
    if (sums) job.sums = sums
    else this.#fail(job, 'Too many transfers')
  }

  #fail(job: Job, reason: string, error?: unknown): void {
    const { logger } = this.#options
    this.failedCount++
    this.#drop(job)
    logger.warn({ msg: 'Left holders incomplete', token: job.token, reason, error })
  }

  #drop(job: Job): void {
    job.abort.abort()
    job.stopWaiting()
    if (this.#jobs.get(job.tokenId) === job) this.#jobs.delete(job.tokenId)
  }
}
