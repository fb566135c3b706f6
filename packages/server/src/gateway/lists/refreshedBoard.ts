import { type Clock, chainNowS, type GatewayChain } from '../chain/gatewayChain.ts'
import type { Scheduler } from '../ground/scheduler.ts'
import { ScreenerBoard } from './board.ts'
import type { BoardSubject } from './boardSubject.ts'
import { zoneRows } from './scan/zones.ts'
import { launchStates } from './tokenMeasures.ts'

/** A set of board rows (all, or launched tokens) that is refreshed while requests ask for it. */
type Reading = {
  ids(): Iterable<number>
  /** The last completed refresh pass over the rows; null before the first. */
  last: { count: number; atMs: number; version: number } | null
  underWay: Promise<void> | null
}

// A pass over this many rows takes milliseconds, so small boards are refreshed after each block,
// and requests wait for it.
const smallBoard = 2_000
// Limits refreshing to about a twentieth of a core: a row takes a few microseconds.
const rowsPerMs = 20
const ageMsMin = 1_000
/** Boards older than twice the interval between passes plus this time are not served. */
const staleMs = 60_000

/** A screener board and the passes that refresh it on demand. */
export class RefreshedBoard {
  readonly chain: GatewayChain
  readonly board: ScreenerBoard
  readonly #clock: Clock
  readonly #all: Reading
  readonly #launched: Reading
  #reverts: number

  constructor(chain: GatewayChain, subject: BoardSubject, clock: Clock) {
    const { reads } = chain
    this.chain = chain
    this.board = new ScreenerBoard(chain, subject)
    this.#clock = clock
    this.#reverts = reads.revertCount()
    const { board } = this
    const launched = () => launchStates.flatMap((state) => reads.launched(state))
    this.#all = { ids: () => allIds(board), last: null, underWay: null }
    this.#launched = { ids: launched, last: null, underWay: null }
  }

  /** Refreshes all rows of the board when due. Resolves when the board may be read. */
  readAll(scheduler: Scheduler): Promise<void> {
    return this.#read(this.#all, scheduler)
  }

  /**
   * Refreshes the newest tokens of launch platforms, as many as the engine lists. Resolves when
   * they may be read.
   */
  readLaunched(scheduler: Scheduler): Promise<void> {
    return this.#read(this.#launched, scheduler)
  }

  handleReverts(): void {
    const reverts = this.chain.reads.revertCount()
    if (this.#reverts === reverts) return
    this.#reverts = reverts
    this.board.invalidateAll()
    for (const { last } of [this.#all, this.#launched])
      if (last !== null) last.atMs = Math.min(last.atMs, this.#clock.nowMs() - ageMsMin)
  }

  async #read(reading: Reading, scheduler: Scheduler): Promise<void> {
    this.handleReverts()
    const { last } = reading
    const ageMs = last === null ? Infinity : this.#clock.nowMs() - last.atMs
    const dueMs = last === null ? 0 : Math.max(ageMsMin, last.count / rowsPerMs)
    const isSmall = last === null || last.count <= smallBoard
    const isDue = Math.abs(ageMs) >= dueMs || (isSmall && last?.version !== this.chain.version())
    if (isDue)
      reading.underWay ??= this.#pass(reading, scheduler).finally(() => {
        reading.underWay = null
      })
    const isGiven = !isSmall && Math.abs(ageMs) < 2 * dueMs + staleMs
    if (reading.underWay !== null && !isGiven) await reading.underWay
  }

  async #pass(reading: Reading, scheduler: Scheduler): Promise<void> {
    const { board, chain } = this
    const clock = this.#clock
    const began = { atMs: clock.nowMs(), version: chain.version() }
    const place = scheduler.newPosition()
    let count = 0
    for (const id of reading.ids()) {
      if (scheduler.isSlotOver()) await scheduler.nextSlot(place)
      if (id < board.count) board.refresh(id, chainNowS(chain, clock))
      count += 1
    }
    reading.last = { count, ...began }
  }
}

function* allIds(board: ScreenerBoard): Generator<number, void, undefined> {
  for (let id = 0; id < board.count; id += 1) {
    yield id
    if ((id + 1) % zoneRows === 0 || id + 1 === board.count) board.tighten(id)
  }
}
