import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import { heldElsewhere, isHolding } from '../../model/decodedBlock.ts'
import type {
  ResolvedBalance,
  ResolvedEvent,
  ResolvedTransfer,
  TokenHistory,
} from '../../model/resolvedBlock.ts'
import { type ChainReader, parentOf, type ReadPoint } from '../chainReader.ts'
import type { Clock } from '../clock.ts'
import { HistoryRefusedError } from '../errors.ts'
import { Slots } from '../slots.ts'
import {
  addTransfer,
  createHistoryProgress,
  type HistoryProgress,
  type HistorySums,
} from '../tokens/historySums.ts'
import { Gap } from './gap.ts'

export type HistoryLimits = {
  /** Scans at a time, and again as many long ones. */
  historyJobsMax: number
  /** Tokens in or before a scan; more stay incomplete. */
  historyQueueMax: number
  /** A token with more transfers stays incomplete. */
  historyLogsMax: number
  historyWalletsMax: number
  /** No block waits for a scan of more transfers. */
  historyInlineLogsMax: number
  /** How long a block waits for the short scans of its tokens, so that their holders come with it. */
  historyWaitMs: number
  /** Most blocks that do not wait at all after one has waited in vain. */
  historyGapBlocksMax: number
  historyAttemptsMax: number
  /** Until a token is asked for again whose transfers no node gave. */
  historyRetryMs: number
}

export type HistoryJobsOptions = {
  reader: ChainReader
  clock: Clock
  limits: HistoryLimits
  zeroAddress: string
  logger: Logger
}

// Tokens that pay their holders without a transfer pay the largest most: they are off first.
const askedMax = 20

type HistoryToken = { id: number; address: string }

/** A token whose transfers no node gave. */
type Refused = HistoryToken & { fromNumber: number; againAtMs: number }

type Job = {
  tokenId: number
  token: string
  /** The token is followed from this block on; the scan ends before it. */
  fromNumber: number
  to: ReadPoint
  sums: HistorySums | null
  /** False: the token says otherwise than its transfers. Null: it was not asked. */
  isTrue: boolean | null
  progress: HistoryProgress
  /** It was given up before, and counted. */
  isAgain: boolean
  /** Transfers and balances of followed blocks, by block, until the history is given. */
  since: Map<number, (ResolvedTransfer | ResolvedBalance)[]>
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
  /** The longest waiting first. */
  readonly #refused = new Map<number, Refused>()
  /** Blocks that do not wait. */
  readonly #gap: Gap
  openCount = 0
  failedCount = 0

  constructor(options: HistoryJobsOptions) {
    this.#options = options
    this.#slots = new Slots(options.limits.historyJobsMax)
    this.#longSlots = new Slots(options.limits.historyJobsMax)
    this.#gap = new Gap(options.limits.historyGapBlocksMax)
  }

  /** `isNewborn`: the token was made in this block, so that there is nothing to scan. */
  start(token: HistoryToken, ref: BlockRef, isNewborn: boolean): void {
    const isAgain = this.#refused.delete(token.id)
    if (this.openCount >= this.#options.limits.historyQueueMax) {
      if (!isAgain) this.failedCount++
      this.#setRefused(token, ref.number)
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
      to: parentOf(ref),
      sums: isNewborn
        ? { balances: new Map(), voided: 0n, logCount: 0, firstBlock: ref.number }
        : null,
      isTrue: null,
      progress: createHistoryProgress(),
      isAgain,
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

  /** Tokens that were refused and whose time has come, a few with each block. */
  dueAgain(): HistoryToken[] {
    const { clock, limits } = this.#options
    const due: HistoryToken[] = []
    for (const token of this.#refused.values()) {
      if (due.length >= limits.historyJobsMax || token.againAtMs > clock.nowMs()) break
      due.push(token)
    }
    return due
  }

  /**
   * For a moment, until the scans of tokens that are followed from this block on have ended or grown too long. What is
   * not there then comes with a later block, and where it was in vain the next blocks do not wait at all.
   */
  async wait(ref: BlockRef): Promise<void> {
    const { clock, limits } = this.#options
    const jobs = [...this.#jobs.values()].filter(({ fromNumber }) => fromNumber === ref.number)
    const mayWait = this.#gap.isOver
    this.#gap.nextBlock()
    if (jobs.length === 0 || !mayWait) return
    const ending = new AbortController()
    const isInTime = await Promise.race([
      Promise.all(jobs.map(({ waited }) => waited)).then(() => true),
      clock.sleep(limits.historyWaitMs, ending.signal).then(() => false),
    ])
    ending.abort()
    this.#gap.asked(isInTime)
  }

  /** Tokens that were followed before this block and whose scan has ended since, with nothing in it that comes later. */
  ready(ref: BlockRef): HistoryToken[] {
    const ready = [...this.#jobs.values()].filter((job) => isReady(job, ref))
    return ready.map(({ tokenId, token }) => ({ id: tokenId, address: token }))
  }

  /** Holders of these tokens before this block. */
  take(ref: BlockRef, tokenIds: Iterable<number>): TokenHistory[] {
    const histories: TokenHistory[] = []
    for (const tokenId of tokenIds) {
      const job = this.#jobs.get(tokenId)
      if (!job?.sums || !isReady(job, ref)) continue
      job.givenIn = ref.number
      histories.push(this.#historyOf(job, job.sums))
    }
    return histories
  }

  /** Its transfers are being read, or its history is not given yet. */
  isOpen(tokenId: number): boolean {
    return this.#jobs.get(tokenId)?.givenIn === null
  }

  /** The block of a token's first transfer, while its history is kept. Null: it was not told. */
  firstBlockOf(tokenId: number): number | null {
    return this.#jobs.get(tokenId)?.sums?.firstBlock ?? null
  }

  /** Keeps what happens to tokens whose history is not given yet. */
  follow(ref: BlockRef, events: readonly ResolvedEvent[]): void {
    if (this.#jobs.size === 0) return
    for (const event of events) {
      if (!isHolding(event)) continue
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
  revert(number: number): HistoryToken[] {
    const dropped: HistoryToken[] = []
    for (const { id, address, fromNumber } of this.#refused.values()) {
      if (fromNumber < number) continue
      this.#refused.delete(id)
      dropped.push({ id, address })
    }
    for (const job of this.#jobs.values()) {
      if (job.fromNumber >= number) {
        this.#drop(job)
        dropped.push({ id: job.tokenId, address: job.token })
        continue
      }
      // It was read when the block was there.
      if ((job.sums?.asOf ?? -1) >= number) {
        this.#drop(job)
        this.#setRefused({ id: job.tokenId, address: job.token }, job.fromNumber)
        continue
      }
      if (job.givenIn === number) job.givenIn = null
      job.sinceCount -= job.since.get(number)?.length ?? 0
      job.since.delete(number)
    }
    return dropped
  }

  /** Blocks below this number are never reverted. */
  forgetBelow(heldFrom: number): void {
    for (const job of this.#jobs.values())
      if (job.givenIn !== null && job.givenIn < heldFrom) this.#jobs.delete(job.tokenId)
  }

  close(): void {
    for (const job of this.#jobs.values()) this.#drop(job)
  }

  #historyOf(job: Job, sums: HistorySums): TokenHistory {
    const { zeroAddress } = this.#options
    const total: HistorySums = { ...sums, balances: new Map(sums.balances) }
    const walletOf = (address: string) => (address === zeroAddress ? null : address)
    for (const [number, events] of job.since)
      for (const event of events)
        if (number > (sums.asOf ?? -1)) addEvent(total, event, walletOf)
        else if (event.type === 'balance' && !total.balances.has(event.owner))
          // Who had something on the way to the block that it is of, and is not in it, has nothing.
          total.balances.set(event.owner, 0n)
    const { balances, voided } = total
    const isContradicted = job.isTrue === false
    return { tokenId: job.tokenId, balances, voided, totalSupply: null, isContradicted }
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
        if (error instanceof HistoryRefusedError) break
        await clock.sleep(Math.min(100 * 2 ** attempt, 10_000), signal)
      }
    }
    release()
    if (signal.aborted) return
    this.#fail(job, 'Not answered', cause)
    this.#setRefused({ id: job.tokenId, address: job.token }, job.fromNumber)
  }

  async #scan(job: Job, onProgress: (logCount: number) => Promise<void>): Promise<void> {
    const { reader, limits } = this.#options
    const sums = await reader.readHistory({
      token: job.token,
      to: job.to,
      logsMax: limits.historyLogsMax,
      walletsMax: limits.historyWalletsMax,
      signal: job.abort.signal,
      progress: job.progress,
      onProgress,
    })
    if (sums === null) {
      this.#fail(job, 'Too many transfers')
      return
    }
    const at = { ...job.to, number: sums.asOf ?? job.to.number }
    job.isTrue = await areHoldersTrue(reader, job.token, sums.balances, at)
    if (!job.abort.signal.aborted) job.sums = sums
  }

  #fail(job: Job, reason: string, error?: unknown): void {
    const { logger } = this.#options
    this.#drop(job)
    if (job.isAgain) return
    this.failedCount++
    const facts = { msg: 'Left holders incomplete', token: job.token, reason, error }
    // Where no node ever has them, it is said of every token alike.
    if (this.#options.reader.hasNoHistory) logger.debug(facts)
    else logger.warn(facts)
  }

  #setRefused({ id, address }: HistoryToken, fromNumber: number): void {
    const { clock, limits } = this.#options
    if (this.#refused.size >= limits.historyQueueMax) return
    const againAtMs = clock.nowMs() + limits.historyRetryMs
    this.#refused.set(id, { id, address, fromNumber, againAtMs })
  }

  #drop(job: Job): void {
    job.abort.abort()
    job.stopWaiting()
    if (this.#jobs.get(job.tokenId) === job) this.#jobs.delete(job.tokenId)
  }
}

function isReady({ sums, givenIn }: Job, ref: BlockRef): boolean {
  return sums !== null && givenIn === null && (sums.asOf ?? -1) < ref.number
}

function addEvent(
  sums: HistorySums,
  event: ResolvedTransfer | ResolvedBalance,
  walletOf: (address: string) => string | null,
): void {
  const { balances } = sums
  if (event.type === 'transfer')
    addTransfer(sums, walletOf(event.from), walletOf(event.to), event.amount)
  else
    balances.set(event.owner, event.amount + heldElsewhere(event, balances.get(event.owner) ?? 0n))
}

/**
 * Has each of the largest holders what transfers add up to, by what the token itself says after the same block? Null: no node
 * tells, as of blocks whose states are gone.
 */
async function areHoldersTrue(
  reader: Pick<ChainReader, 'readBalances'>,
  token: string,
  balances: ReadonlyMap<string, bigint>,
  at: ReadPoint,
): Promise<boolean | null> {
  const largest = [...balances]
    .filter(([, amount]) => amount > 0n)
    .sort(([, a], [, b]) => (a < b ? 1 : -1))
    .slice(0, askedMax)
  if (reader.readBalances === undefined || largest.length === 0) return null
  const asked = largest.map(([wallet]) => ({ token, wallet }))
  const told = await reader.readBalances(asked, at).catch(() => null)
  if (told === null || told.every((amount) => amount === null)) return null
  return largest.every(([, amount], i) => told[i] === null || told[i] === amount)
}
