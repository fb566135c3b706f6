import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import type { Pause } from '../turns/runInSlices.ts'
import type { Board, Range } from './board.ts'
import type { RowNames } from './boardSubject.ts'
import { selectRows } from './scan/boardScan.ts'
import type { Cursor } from './screenerInputs.ts'

export type BoardOfChain = { chain: GatewayChain; board: Board }

/**
 * A filter on one board. Several filters of one query must not overlap, so that no row appears
 * twice.
 */
export type Selected = BoardOfChain & { ranges: readonly Range[] }

type Screened = Selected & { id: number; value: number }

export type PageQuery = {
  selections: readonly Selected[]
  column: number
  sign: 1 | -1
  limit: number
  cursor: Cursor | null
} & RowNames

/**
 * Returns a page of rows over all chains, and the next page's cursor (empty on the last page).
 * Null: a reorg happened meanwhile.
 */
export async function screenedPage(
  query: PageQuery,
  clock: Clock,
  pause: Pause,
): Promise<{ rows: readonly Screened[]; next: string } | null> {
  const { selections, column, sign, limit } = query
  const selected: Screened[] = []
  for (const { chain, board, ranges } of selections) {
    // One row more than requested shows whether there is a next page.
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
  // The page's rows are re-read, because the board may be older than the figures that the rows
  // show.
  const rows = page.filter(({ chain, board, id, ranges }) => {
    board.forgetOne(id)
    board.refresh(id, nowSOf(chain, clock))
    return board.isWithin(id, ranges) && !Number.isNaN(board.value(id, column))
  })
  const isAhead = (a: Screened, b: Screened) =>
    sign * (b.board.value(b.id, column) - a.board.value(a.id, column))
  return { rows: rows.sort(isAhead), next }
}

/**
 * Returns the row of a chain after which the page starts. Rows with equal values are ordered by
 * chain: on earlier chains they were on earlier pages, on later chains they are still to come.
 */
function afterOf({ cursor, selections, findId }: PageQuery, chain: GatewayChain) {
  if (cursor === null) return null
  const { value, address } = cursor
  const at = selections.findIndex((selection) => selection.chain === chain)
  const cursorAt = selections.findIndex(({ chain: { profile } }) => profile.name === cursor.chain)
  const id = at === cursorAt ? (findId(chain, address) ?? -1) : -1
  return { value, id: at < cursorAt ? Number.POSITIVE_INFINITY : id }
}
