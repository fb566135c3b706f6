import { randomBytes } from 'node:crypto'
import type { Clock } from '../../gatewayChain.ts'
import type { AccountRate } from './accountRate.ts'
import { AccountRates } from './accountRates.ts'
import { KeySockets } from './keySockets.ts'
import { decodeNotice, encodeNotices, type PeerNotice, type RateReport } from './peerNotice.ts'

type KeyPeersOptions = {
  clock: Clock
  /** Time between two reports. */
  everyMs: number
  /** To all processes that serve the same keys, this one among them, in one order for all; false: perhaps to nobody. */
  send(notices: readonly string[]): Promise<boolean>
}

/** The processes that serve the same keys, and what is to be shared with them. */
export type KeyPeers = {
  /** Processes that were heard of lately, this one among them. */
  count(): number
  /** Is every notice heard? */
  isTold(): boolean
  rateOf(accountId: number): AccountRate
  sockets: KeySockets
  hear(notice: string): void
  /** False: notices may be missed until the next true. */
  setTold(isTold: boolean): void
  /** Tells the others what was done since the last time. */
  report(): Promise<void>
  close(): Promise<void>
}

// Whoever has nothing to say is heard of so often, by reports.
const reportsPerSign = 4
const silentSigns = 5

export function createKeyPeers(options: KeyPeersOptions): KeyPeers {
  const peers = new Peers(options)
  return {
    count: () => peers.count,
    isTold: () => peers.isTold,
    rateOf: (accountId) => peers.rates.of(accountId),
    sockets: peers.sockets,
    hear: (notice) => peers.hear(notice),
    setTold: (isTold) => peers.setTold(isTold),
    report: () => peers.report(),
    close: () => peers.close(),
  }
}

class Peers {
  readonly #options: KeyPeersOptions
  readonly #self = randomBytes(9).toString('base64url')
  /** When each was last heard of. */
  readonly #heardMs = new Map<string, number>()
  readonly rates: AccountRates
  readonly sockets: KeySockets
  isTold = false
  /** The number of the last one. */
  #noticeCount = 0
  #reportCount = 0
  /** When the others were last asked for all that they have. */
  #askedMs = Number.NEGATIVE_INFINITY
  #isTelling = false
  #isClosed = false

  constructor(options: KeyPeersOptions) {
    this.#options = options
    const { everyMs } = options
    const isTold = () => this.isTold
    this.rates = new AccountRates({ count: () => this.count, isTold, everyMs })
    this.sockets = new KeySockets({
      areHeard: () => this.isTold && this.#heardMs.size > 0,
      onChanged: () => void this.#tellSockets(),
    })
  }

  get count(): number {
    return this.#heardMs.size + 1
  }

  hear(text: string): void {
    const notice = decodeNotice(text)
    if (notice === null) return
    const { from, kind } = notice
    if (from === this.#self) this.sockets.heardOwn(notice.number, notice.sockets)
    else if (kind === 'bye') this.#forget(from)
    else this.#hearOf(notice)
  }

  #hearOf({ from, kind, rates, sockets }: PeerNotice): void {
    const { clock, everyMs } = this.#options
    const nowMs = clock.nowMs()
    const isNews = !this.#heardMs.has(from) && kind === 'report'
    // Of one that was not known, or thought to be gone, there is more to know than this.
    if (isNews && Math.abs(nowMs - this.#askedMs) >= everyMs) this.#ask()
    this.#heardMs.set(from, nowMs)
    this.rates.heard(from, rates, nowMs)
    this.sockets.heard(from, sockets)
    if (kind === 'hello') void this.#tell('report', [], true)
  }

  setTold(isTold: boolean): void {
    this.isTold = isTold
    if (!isTold) return
    const nowMs = this.#options.clock.nowMs()
    for (const peer of this.#heardMs.keys()) this.#heardMs.set(peer, nowMs)
    this.#ask()
    void this.#tell('report', [], true)
  }

  async report(): Promise<void> {
    const { clock, everyMs } = this.#options
    const nowMs = clock.nowMs()
    this.#reportCount += 1
    if (this.isTold)
      for (const [peer, heardMs] of this.#heardMs)
        if (nowMs - heardMs > silentSigns * reportsPerSign * everyMs) this.#forget(peer)
    const reports = this.rates.reports(nowMs)
    const isWanted = reports.length > 0 && this.#heardMs.size > 0
    const isSign = this.#reportCount % reportsPerSign === 0
    if (this.isTold && (isWanted || isSign)) await this.#tell('report', reports)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.isTold) await this.#tell('bye', [])
  }

  #ask(): void {
    this.#askedMs = this.#options.clock.nowMs()
    void this.#tell('hello', [])
  }

  #tell(kind: PeerNotice['kind'], rates: readonly RateReport[], isWhole = false): Promise<boolean> {
    this.#noticeCount += 1
    const number = this.#noticeCount
    const sockets = this.sockets.reports(number, { isWhole })
    const { send } = this.#options
    return send(encodeNotices({ from: this.#self, kind, number, rates, sockets }))
  }

  /** At once; what changes while one is under way goes with the next. */
  async #tellSockets(): Promise<void> {
    if (this.#isTelling || this.#isClosed || !this.isTold || this.#heardMs.size === 0) return
    this.#isTelling = true
    // What is opened in the same turn goes with it.
    await Promise.resolve()
    await this.#tell('report', [])
    this.#isTelling = false
    if (this.sockets.hasChanges()) void this.#tellSockets()
  }

  #forget(peer: string): void {
    this.#heardMs.delete(peer)
    this.sockets.forget(peer)
    this.rates.forget(peer)
  }
}
