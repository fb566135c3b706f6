import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import type { Pause } from '../turns/runInSlices.ts'
import type { Turns } from '../turns/turns.ts'
import { Board, type BoardQuery, type Ranked } from './board.ts'
import type { BoardSubject } from './boardSubject.ts'
import { BoardScan } from './scan/boardScan.ts'
import { zoneRows } from './scan/zones.ts'

/** Boards of all chains, made when they are first asked for and read again while they are. */
export type Screener = {
  /** The chain's board of a subject, once all of its rows were read. */
  of(chain: GatewayChain, subject: BoardSubject, turns: Turns): Promise<Board>
}

type Entry = {
  board: Board
  reverts: number
  /** Rows of the last pass that ended, and when that began; null: none did. */
  last: { count: number; atMs: number } | null
  underWay: Promise<void> | null
}

// So many are read within milliseconds: who asks waits for it.
const smallBoard = 2_000
// A row is read within a few microseconds: a twentieth of a core at most goes into a board that is asked for all the time.
const rowsPerMs = 20
const ageMsMin = 1_000
/** Older than so many passes' time, or than this, it is not given out. */
const staleMs = 60_000

export function createScreener(clock: Clock): Screener {
  const boards = new WeakMap<GatewayChain, Map<BoardSubject, Entry>>()

  function entryOf(chain: GatewayChain, subject: BoardSubject): Entry {
    const reverts = chain.reads.revertCount()
    const entries = boards.get(chain) ?? new Map<BoardSubject, Entry>()
    const entry = entries.get(subject) ?? {
      board: new Board(chain, subject),
      reverts,
      last: null,
      underWay: null,
    }
    boards.set(chain, entries)
    entries.set(subject, entry)
    if (entry.reverts !== reverts) {
      entry.reverts = reverts
      entry.board.forget()
      if (entry.last !== null) entry.last.atMs = Math.min(entry.last.atMs, clock.nowMs() - ageMsMin)
    }
    return entry
  }

  async function readAll(chain: GatewayChain, entry: Entry, turns: Turns): Promise<void> {
    const atMs = clock.nowMs()
    const place = turns.place()
    const { board } = entry
    let id = 0
    for (; id < board.count; id += 1) {
      if (turns.isOver()) await turns.next(place)
      if (id >= board.count) break
      board.refresh(id, nowSOf(chain, clock))
      if ((id + 1) % zoneRows === 0) board.tighten(id)
    }
    if (id > 0) board.tighten(id - 1)
    entry.last = { count: id, atMs }
  }

  return {
    async of(chain, subject, turns) {
      const entry = entryOf(chain, subject)
      const { last } = entry
      const ageMs = last === null ? Infinity : clock.nowMs() - last.atMs
      const dueMs = last === null ? 0 : Math.max(ageMsMin, last.count / rowsPerMs)
      if (Math.abs(ageMs) >= dueMs)
        entry.underWay ??= readAll(chain, entry, turns).finally(() => {
          entry.underWay = null
        })
      const isGiven =
        last !== null && last.count > smallBoard && Math.abs(ageMs) < 2 * dueMs + staleMs
      if (entry.underWay !== null && !isGiven) await entry.underWay
      return entry.board
    },
  }
}

// Some tenths of a millisecond.
const scanStep = 50_000

/** The first rows of a query, by what the board knows; null: a reorg came between. */
export async function selectRows(
  board: Board,
  query: BoardQuery,
  pause: Pause,
): Promise<Ranked[] | null> {
  const scan = new BoardScan(board, query)
  while (!scan.isOver) {
    const pausing = pause()
    if (pausing !== null && !(await pausing)) return null
    scan.step(scanStep)
  }
  return scan.rows()
}
