import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import { balanceInOtherAccounts, isHoldingEvent } from '../../model/decodedBlock.ts'
import type {
  ResolvedBalance,
  ResolvedEvent,
  ResolvedTransfer,
  ScannedHolders,
} from '../../model/resolvedBlock.ts'
import {
  addTransfer,
  type ChainReader,
  createScanProgress,
  parentPointOf,
  type ReadPoint,
  type TransferScanProgress,
  type TransferSums,
} from '../chainReader.ts'
import type { Clock } from '../clock.ts'
import { TransfersRefusedError } from '../errors.ts'
import { Semaphore } from '../semaphore.ts'
import { BlockBackoff } from './questions.ts'

export type TransferScanLimits = {
  /** Transfer scans run at a time; as many long ones run beside them. */
  historyJobsMax: number
  /** Tokens being scanned or queued; holders of further tokens stay incomplete. */
  transferScanQueueMax: number
  /** Holders of a token with more transfers stay incomplete. */
  transferScanLogsMax: number
  transferScanWalletsMax: number
  /** Blocks do not wait for a scan with more transfers. */
  awaitedScanLogsMax: number
  /**
   * How long a block waits for short scans of its new tokens, so that it contains their holders.
   */
  transferScanWaitMs: number
  /** Most blocks that do not wait after a block waited without success. */
  transferScanBackoffBlocksMax: number
  transferScanAttemptsMax: number
  /** Delay before a token is retried whose transfers the nodes refused. */
  transferScanRetryMs: number
}

type TransferScansOptions = {
  reader: ChainReader
  clock: Clock
  limits: TransferScanLimits
  zeroAddress: string
  logger: Logger
}

// Number of largest holders to verify. Tokens that pay holders without a transfer pay the largest
// most, so their balances are wrong first.
const askedMax = 20

type HistoryToken = { id: number; address: string }

/** A token whose transfers the nodes refused. */
type Refused = HistoryToken & { fromNumber: number; againAtMs: number }

type Job = {
  tokenId: number
  token: string
  /** The token is followed from this block on; the scan ends before this block. */
  fromNumber: number
  to: ReadPoint
  sums: TransferSums | null
  /**
   * False if the token reports other balances than its transfers add up to. Null if the token was
   * not asked.
   */
  isConfirmed: boolean | null
  progress: TransferScanProgress
  /** The scan is a retry, which `failedCount` already includes. */
  isRetry: boolean
  /** Transfers and balances of followed blocks, by block number, until the history is delivered. */
  since: Map<number, (ResolvedTransfer | ResolvedBalance)[]>
  sinceCount: number
  deliveredIn: number | null
  abort: AbortController
  /** Resolves when the scan has ended or has become too long to wait for. */
  waited: Promise<void>
  stopWaiting: () => void
}

/**
 * Scans the transfers of tokens before they were followed, and delivers each token's holders once.
 */
export class TransferScans {
  readonly #options: TransferScansOptions
  readonly #jobs = new Map<number, Job>()
  readonly #slots: Semaphore
  // A separate lane: short scans, for which blocks wait, never queue behind long ones.
  readonly #longSlots: Semaphore
  /** Refused tokens, the longest waiting first. */
  readonly #refused = new Map<number, Refused>()
  /** Backoff of blocks that do not wait for scans. */
  readonly #gap: BlockBackoff
  openCount = 0
  failedCount = 0

  constructor(options: TransferScansOptions) {
    this.#options = options
    this.#slots = new Semaphore(options.limits.historyJobsMax)
    this.#longSlots = new Semaphore(options.limits.historyJobsMax)
    this.#gap = new BlockBackoff(options.limits.transferScanBackoffBlocksMax)
  }

  /** Starts a scan. `isNewborn`: the block created the token, so there is nothing to scan. */
  start(token: HistoryToken, ref: BlockRef, isNewborn: boolean): void {
    const isRetry = this.#refused.delete(token.id)
    if (this.openCount >= this.#options.limits.transferScanQueueMax) {
      if (!isRetry) this.failedCount++
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
      to: parentPointOf(ref),
      sums: isNewborn ? { ...createScanProgress().sums, firstBlock: ref.number } : null,
      isConfirmed: null,
      progress: createScanProgress(),
      isRetry,
      since: new Map(),
      sinceCount: 0,
      deliveredIn: null,
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

  /** Returns refused tokens whose retry is due, a few per block. */
  tokensToRetry(): HistoryToken[] {
    const { clock, limits } = this.#options
    const due: HistoryToken[] = []
    for (const token of this.#refused.values()) {
      if (due.length >= limits.historyJobsMax || token.againAtMs > clock.nowMs()) break
      due.push(token)
    }
    return due
  }

  /**
   * Waits a moment, until the scans of tokens followed from this block on have ended or grown too
   * long. Unfinished scans are delivered with a later block. After a timeout the next blocks do not
   * wait at all.
   */
  async waitBriefly(ref: BlockRef): Promise<void> {
    const { clock, limits } = this.#options
    const jobs = [...this.#jobs.values()].filter(({ fromNumber }) => fromNumber === ref.number)
    const mayWait = this.#gap.isOver
    this.#gap.nextBlock()
    if (jobs.length === 0 || !mayWait) return
    const ending = new AbortController()
    const isInTime = await Promise.race([
      Promise.all(jobs.map(({ waited }) => waited)).then(() => true),
      clock.sleep(limits.transferScanWaitMs, ending.signal).then(() => false),
    ])
    ending.abort()
    this.#gap.recordAttempt(isInTime)
  }

  /**
   * Returns tokens followed before this block whose scan has ended since and contains no later
   * block.
   */
  finishedTokens(ref: BlockRef): HistoryToken[] {
    const ready = [...this.#jobs.values()].filter((job) => isReady(job, ref))
    return ready.map(({ tokenId, token }) => ({ id: tokenId, address: token }))
  }

  /** Delivers the holders of these tokens before this block. */
  deliver(ref: BlockRef, tokenIds: Iterable<number>): ScannedHolders[] {
    const histories: ScannedHolders[] = []
    for (const tokenId of tokenIds) {
      const job = this.#jobs.get(tokenId)
      if (!job?.sums || !isReady(job, ref)) continue
      job.deliveredIn = ref.number
      histories.push(this.#historyOf(job, job.sums))
    }
    return histories
  }

  /** True while the token's scan is running or its history is not delivered. */
  isOpen(tokenId: number): boolean {
    return this.#jobs.get(tokenId)?.deliveredIn === null
  }

  /**
   * Returns the block of the token's first transfer, while its history is kept. Null if unknown.
   */
  firstBlockOf(tokenId: number): number | null {
    return this.#jobs.get(tokenId)?.sums?.firstBlock ?? null
  }

  /** Keeps transfers and balances of tokens whose history is not delivered yet. */
  follow(ref: BlockRef, events: readonly ResolvedEvent[]): void {
    if (this.#jobs.size === 0) return
    for (const event of events) {
      if (!isHoldingEvent(event)) continue
      const job = this.#jobs.get(event.tokenId)
      if (!job || job.deliveredIn !== null) continue
      const block = job.since.get(ref.number)
      if (block) block.push(event)
      else job.since.set(ref.number, [event])
      if (++job.sinceCount > this.#options.limits.transferScanLogsMax)
        this.#fail(job, 'Too many transfers')
    }
  }

  /**
   * Reverts a block. Returns the tokens whose scan it dropped because they were followed from this
   * block on.
   */
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
      // The scan read its balances while the reverted block was canonical.
      if ((job.sums?.asOf ?? -1) >= number) {
        this.#drop(job)
        this.#setRefused({ id: job.tokenId, address: job.token }, job.fromNumber)
        continue
      }
      if (job.deliveredIn === number) job.deliveredIn = null
      job.sinceCount -= job.since.get(number)?.length ?? 0
      job.since.delete(number)
    }
    return dropped
  }

  /** Blocks below this number are never reverted. */
  forgetBelow(heldFrom: number): void {
    for (const job of this.#jobs.values())
      if (job.deliveredIn !== null && job.deliveredIn < heldFrom) this.#jobs.delete(job.tokenId)
  }

  close(): void {
    for (const job of this.#jobs.values()) this.#drop(job)
  }

  #historyOf(job: Job, sums: TransferSums): ScannedHolders {
    const { zeroAddress } = this.#options
    const total: TransferSums = { ...sums, balances: new Map(sums.balances) }
    const walletOf = (address: string) => (address === zeroAddress ? null : address)
    for (const [number, events] of job.since)
      for (const event of events)
        if (number > (sums.asOf ?? -1)) addEvent(total, event, walletOf)
        else if (event.type === 'balance' && !total.balances.has(event.owner))
          // The scanned balances are newer than this event. An owner missing from them has sold
          // everything by then.
          total.balances.set(event.owner, 0n)
    const { balances, voided } = total
    const isContradicted = job.isConfirmed === false
    return { tokenId: job.tokenId, balances, voided, totalSupply: null, isContradicted }
  }

  async #run(job: Job): Promise<void> {
    const { clock, limits } = this.#options
    const { signal } = job.abort
    let release = await this.#slots.acquire()
    let isLong = false
    const onProgress = async (logCount: number) => {
      if (isLong || logCount <= limits.awaitedScanLogsMax) return
      isLong = true
      job.stopWaiting()
      release()
      release = await this.#longSlots.acquire()
    }
    let cause: unknown
    for (let attempt = 1; attempt <= limits.transferScanAttemptsMax && !signal.aborted; attempt++) {
      try {
        await this.#scan(job, onProgress)
        release()
        return
      } catch (error) {
        cause = error
        if (error instanceof TransfersRefusedError) break
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
      logsMax: limits.transferScanLogsMax,
      walletsMax: limits.transferScanWalletsMax,
      signal: job.abort.signal,
      progress: job.progress,
      onProgress,
    })
    if (sums === null) {
      this.#fail(job, 'Too many transfers')
      return
    }
    const at = { ...job.to, number: sums.asOf ?? job.to.number }
    job.isConfirmed = await areHoldersConfirmed(reader, job.token, sums.balances, at)
    if (!job.abort.signal.aborted) job.sums = sums
  }

  #fail(job: Job, reason: string, error?: unknown): void {
    const { logger } = this.#options
    this.#drop(job)
    if (job.isRetry) return
    this.failedCount++
    const facts = { msg: 'Left holders incomplete', token: job.token, reason, error }
    // On a chain whose nodes never have older transfers, every token fails, so a warning would be
    // noise.
    if (this.#options.reader.hasNoHistory) logger.debug(facts)
    else logger.warn(facts)
  }

  #setRefused({ id, address }: HistoryToken, fromNumber: number): void {
    const { clock, limits } = this.#options
    if (this.#refused.size >= limits.transferScanQueueMax) return
    const againAtMs = clock.nowMs() + limits.transferScanRetryMs
    this.#refused.set(id, { id, address, fromNumber, againAtMs })
  }

  #drop(job: Job): void {
    job.abort.abort()
    job.stopWaiting()
    if (this.#jobs.get(job.tokenId) === job) this.#jobs.delete(job.tokenId)
  }
}

function isReady({ sums, deliveredIn }: Job, ref: BlockRef): boolean {
  return sums !== null && deliveredIn === null && (sums.asOf ?? -1) < ref.number
}

function addEvent(
  sums: TransferSums,
  event: ResolvedTransfer | ResolvedBalance,
  walletOf: (address: string) => string | null,
): void {
  const { balances } = sums
  if (event.type === 'transfer')
    addTransfer(sums, walletOf(event.from), walletOf(event.to), event.amount)
  else
    balances.set(
      event.owner,
      event.amount + balanceInOtherAccounts(event, balances.get(event.owner) ?? 0n),
    )
}

/**
 * Compares the largest holders' scanned balances with what the token reports after the same block.
 * Null if no node can tell because the state is gone.
 */
async function areHoldersConfirmed(
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
