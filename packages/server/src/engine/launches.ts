import { curveStepPpm } from '../model/marketEvent.ts'
import type { LaunchState } from './marketReads.ts'
import { columnNames, RowTable } from './tables/rowTable.ts'
import { tokenColumn as T, tokenPart } from './tables/tokenTable.ts'
import type { UndoLog } from './tables/undoLog.ts'

const states = ['in', 'almost', 'out'] as const
export const launchStates = states
const column = {
  token: 0,
  /** Launch state as an index into `states`. */
  state: 1,
  filledPpm: 2,
  curvePair: 3,
  createdAtS: 4,
  graduatedAtS: 5,
  /** Previous and next row in the list of launches in the same state, the newest first. */
  next: 6,
  previous: 7,
} as const
// The header has the first row of each state's list, from column 2 on.
const columns = columnNames(column)
const firstListColumn = 2

/** Tokens of launch platforms in three states: on the curve, almost full, graduated. */
export class Launches {
  readonly rows: RowTable
  /**
   * Creator of each launch, indexed by row - 1. Rows are never freed, so a revert only shortens the
   * list.
   */
  readonly creators: string[] = []
  readonly #tokens: RowTable
  readonly #almostPpm: number

  constructor(undo: UndoLog, options: { tokens: RowTable; almostPpm: number }) {
    this.rows = new RowTable(undo, { name: 'launches', columns, header: states, isPaged: true })
    this.#tokens = options.tokens
    this.#almostPpm = options.almostPpm
  }

  /** Adds a launch. False if the token was already launched. */
  create(tokenId: number, pairId: number, creator: string, timeS: number): boolean {
    const tokenRow = tokenId + 1
    if (this.#rowOf(tokenId) !== 0) return false
    const row = this.rows.alloc()
    const page = this.rows.page(row)
    const at = this.rows.at(row)
    page[at + column.token] = tokenId
    page[at + column.curvePair] = pairId
    page[at + column.createdAtS] = timeS
    this.creators.push(creator)
    this.#tokens.save(tokenRow, tokenPart.facts)
    this.#tokens.page(tokenRow)[this.#tokens.at(tokenRow) + T.launchRow] = row
    this.#link(row)
    return true
  }

  /** Updates the progress of a token's curve. True if the curve has just become almost full. */
  setProgress(tokenId: number, filledPpm: number): boolean {
    const row = this.#rowOf(tokenId)
    if (row === 0) return false
    this.rows.save(row)
    const page = this.rows.page(row)
    const at = this.rows.at(row)
    page[at + column.filledPpm] = filledPpm
    const state = page[at + column.state]!
    if (state === 2) return false
    const now = filledPpm >= this.#almostPpm ? 1 : 0
    if (now === state) return false
    this.#moveToState(row, now)
    return now === 1
  }

  /**
   * Number of completed progress steps of the token's curve; -1 if it has no curve or has
   * graduated.
   */
  progressStep(tokenId: number): number {
    const row = this.#rowOf(tokenId)
    if (row === 0) return -1
    const page = this.rows.page(row)
    const at = this.rows.at(row)
    if (page[at + column.state] === 2) return -1
    return Math.floor(page[at + column.filledPpm]! / curveStepPpm)
  }

  /** Marks a token as graduated. False if it has no platform or has already graduated. */
  graduate(tokenId: number, timeS: number): boolean {
    const row = this.#rowOf(tokenId)
    if (row === 0 || this.rows.page(row)[this.rows.at(row) + column.state] === 2) return false
    this.#moveToState(row, 2)
    this.rows.page(row)[this.rows.at(row) + column.graduatedAtS] = timeS
    return true
  }

  /** Must be called after rows of launches were reverted. */
  truncate(): void {
    this.creators.length = this.rows.count - 1
  }

  stateOf(tokenId: number, platformOf: (pairId: number) => string): LaunchState | null {
    const row = this.#rowOf(tokenId)
    if (row === 0) return null
    const page = this.rows.page(row)
    const at = this.rows.at(row)
    const curvePairId = page[at + column.curvePair]!
    return {
      state: states[page[at + column.state]!]!,
      platform: platformOf(curvePairId),
      filledPpm: page[at + column.filledPpm]!,
      curvePairId,
      creator: this.creators[row - 1]!,
      createdAtS: page[at + column.createdAtS]!,
      graduatedAtS: page[at + column.graduatedAtS]!,
    }
  }

  /**
   * Launch time of a token; 0 if no platform launched it, or if it was discovered after its launch.
   */
  createdAtS(tokenId: number): number {
    const row = this.#rowOf(tokenId)
    return row === 0 ? 0 : this.rows.page(row)[this.rows.at(row) + column.createdAtS]!
  }

  /** Id of the pair that is the token's launch curve; the token must have one. */
  curveOf(tokenId: number): number {
    const row = this.#rowOf(tokenId)
    return this.rows.page(row)[this.rows.at(row) + column.curvePair]!
  }

  tokensInState(state: LaunchState['state'], max: number): number[] {
    const found: number[] = []
    let row = this.rows.page(0)[firstListColumn + states.indexOf(state)]!
    for (; row !== 0 && found.length < max; ) {
      const page = this.rows.page(row)
      const at = this.rows.at(row)
      found.push(page[at + column.token]!)
      row = page[at + column.next]!
    }
    return found
  }

  /**
   * Tokens that a creator launched, newest first. Searches only the newest `lookedAtMax` launches.
   */
  launchedBy(creator: string, max: number, lookedAtMax: number): number[] {
    const found: number[] = []
    const end = Math.max(0, this.creators.length - lookedAtMax)
    for (let i = this.creators.length - 1; i >= end && found.length < max; i -= 1)
      if (this.creators[i] === creator)
        found.push(this.rows.page(i + 1)[this.rows.at(i + 1) + column.token]!)
    return found
  }

  #rowOf(tokenId: number): number {
    return this.#tokens.page(tokenId + 1)[this.#tokens.at(tokenId + 1) + T.launchRow]!
  }

  #moveToState(row: number, state: number): void {
    this.#unlink(row)
    this.rows.page(row)[this.rows.at(row) + column.state] = state
    this.#link(row)
  }

  #link(row: number): void {
    const page = this.rows.page(row)
    const at = this.rows.at(row)
    this.rows.saveHeader()
    const header = this.rows.page(0)
    const headAt = firstListColumn + page[at + column.state]!
    const next = header[headAt]!
    page[at + column.next] = next
    page[at + column.previous] = 0
    if (next !== 0) this.#setLink(next, column.previous, row)
    header[headAt] = row
  }

  #unlink(row: number): void {
    this.rows.save(row)
    const page = this.rows.page(row)
    const at = this.rows.at(row)
    const next = page[at + column.next]!
    const previous = page[at + column.previous]!
    if (next !== 0) this.#setLink(next, column.previous, previous)
    if (previous !== 0) this.#setLink(previous, column.next, next)
    else {
      this.rows.saveHeader()
      this.rows.page(0)[firstListColumn + page[at + column.state]!] = next
    }
  }

  #setLink(row: number, columnAt: number, value: number): void {
    this.rows.save(row)
    this.rows.page(row)[this.rows.at(row) + columnAt] = value
  }
}
