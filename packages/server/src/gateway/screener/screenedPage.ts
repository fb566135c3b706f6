import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import type { Pause } from '../turns/runInSlices.ts'
import type { Board, Range } from './board.ts'
import type { RowNames } from './boardSubject.ts'
import { selectRows } from './scan/boardScan.ts'
import type { Cursor } from './screenerInputs.ts'

export type BoardOfChain = { chain: GatewayChain; board: Board }

/** Rows of a board. A row is in one selection of a query at most. */
export type Selected = BoardOfChain & { ranges: readonly Range[] }

export type Screened = Selected & { id: number; value: number }

export type PageQuery = {
  selections: readonly Selected[]
  column: number
  sign: 1 | -1
  limit: number
  cursor: Cursor | null
} & RowNames

/** A page of all chains, in order, and the cursor of the next, empty: there is none. Null: a reorg came between. */
export async function screenedPage(
  query: PageQuery,
  clock: Clock,
  pause: Pause,
): Promise<{ rows: readonly Screened[]; next: string } | null> {
  const { selections, column, sign, limit } = query
  const selected: Screened[] = []
  for (const { chain, board, ranges } of selections) {
    // One more than asked for says whether there is a next page.
    const ofBoard = {
      ranges,
      column,
      sign,
      limit: limit + 1,
      after: afterOf(query, chain),
    } as const
    const some = await selectRows(board, ofBoard, pause)
    if (some === null) return null
    selected.push(...some.map((ranked) => ({ ...ranked, chain, board, ranges })))
  }
  selected.sort((a, b) => b.value - a.value)
  const page = selected.slice(0, limit)
  const last = page.at(-1)
  const isMore = selected.length > page.length && last !== undefined
  const next = isMore
    ? `${last.value}_${query.addressOf(last.chain, last.id)}-${last.chain.profile.name}`
    : ''
  // The board may be older than what the rows show.
  const rows = page.filter(({ chain, board, id, ranges }) => {
    board.forgetOne(id)
    board.refresh(id, nowSOf(chain, clock))
    return board.isWithin(id, ranges) && !Number.isNaN(board.value(id, column))
  })
  const isAhead = (a: Screened, b: Screened) =>
    sign * (b.board.value(b.id, column) - a.board.value(a.id, column))
  return { rows: rows.sort(isAhead), next }
}

/** Of equal ones, those of earlier chains were on pages before. */
function afterOf({ cursor, selections, findId }: PageQuery, chain: GatewayChain) {
  if (cursor === null) return null
  const { value, address } = cursor
  const at = selections.findIndex((selection) => selection.chain === chain)
  const cursorAt = selections.findIndex(({ chain: { profile } }) => profile.name === cursor.chain)
  const id = at === cursorAt ? (findId(chain, address) ?? -1) : -1
  return { value, id: at < cursorAt ? Number.POSITIVE_INFINITY : id }
}
