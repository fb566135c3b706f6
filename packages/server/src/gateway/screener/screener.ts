import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import type { Pause } from '../turns/runInSlices.ts'
import type { Turns } from '../turns/turns.ts'
import { type BoardQuery, type Ranked, Selection, TokenBoard } from './tokenBoard.ts'

/** Boards of all chains, made when they are first asked for and read again while they are. */
export type Screener = {
  /** The chain's board, once all of its tokens were read. */
  of(chain: GatewayChain, turns: Turns): Promise<TokenBoard>
}

type Entry = {
  board: TokenBoard
  reverts: number
  /** Tokens of the last pass that ended, and when that began; null: none did. */
  last: { count: number; atMs: number } | null
  underWay: Promise<void> | null
}

// So many are read within milliseconds: who asks waits for it.
const smallBoard = 2_000
// A token is read within a few microseconds: a twentieth of a core at most goes into a board that is asked for all the time.
const tokensPerMs = 20
const ageMsMin = 1_000
/** Older than so many passes' time, or than this, it is not given out. */
const staleMs = 60_000

export function createScreener(clock: Clock): Screener {
  const entries = new WeakMap<GatewayChain, Entry>()

  function entryOf(chain: GatewayChain): Entry {
    const reverts = chain.reads.revertCount()
    const entry = entries.get(chain) ?? {
      ...{ board: new TokenBoard(chain), reverts, last: null, underWay: null },
    }
    entries.set(chain, entry)
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
    let tokenId = 0
    for (; tokenId < chain.reads.tokenCount(); tokenId += 1) {
      if (turns.isOver()) await turns.next(place)
      if (tokenId < chain.reads.tokenCount()) entry.board.refresh(tokenId, nowSOf(chain, clock))
    }
    entry.last = { count: tokenId, atMs }
  }

  return {
    async of(chain, turns) {
      const entry = entryOf(chain)
      const { last } = entry
      const ageMs = last === null ? Infinity : clock.nowMs() - last.atMs
      const dueMs = last === null ? 0 : Math.max(ageMsMin, last.count / tokensPerMs)
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

/** The first tokens of a query, by what the board knows; null: a reorg came between. */
export async function selectTokens(
  chain: GatewayChain,
  board: TokenBoard,
  query: BoardQuery,
  pause: Pause,
): Promise<Ranked[] | null> {
  const selection = new Selection(query)
  const count = chain.reads.tokenCount()
  for (let from = 0; from < count; from += scanStep) {
    const pausing = pause()
    if (pausing !== null && !(await pausing)) return null
    board.scan(selection, from, Math.min(count, from + scanStep))
  }
  return selection.largest()
}
