import { type Clock, chainNowS, type GatewayChain } from '../chain/gatewayChain.ts'
import type { PauseCheck } from '../ground/steps.ts'
import type { ColumnRange, ScreenerBoard } from './board.ts'
import type { RowAddresses } from './boardSubject.ts'
import { scanBoard } from './scan/boardScan.ts'
import type { ScreenerCursor } from './screenerInputs.ts'

export type ChainBoard = { chain: GatewayChain; board: ScreenerBoard }

/**
 * A filter on one board. Several filters of one query must not overlap, so that no row appears
 * twice.
 */
export type BoardSelection = ChainBoard & { ranges: readonly ColumnRange[] }

type ScreenedRow = BoardSelection & { id: number; value: number }

export type PageQuery = {
  selections: readonly BoardSelection[]
  column: number
  sign: 1 | -1
  limit: number
  cursor: ScreenerCursor | null
} & RowAddresses

/**
 * Returns a page of rows over all chains, and the next page's cursor (empty on the last page).
 * Null: a reorg happened meanwhile.
 */
export async function readScreenerPage(
  query: PageQuery,
  clock: Clock,
  pause: PauseCheck,
): Promise<{ rows: readonly ScreenedRow[]; next: string } | null> {
  const { selections, column, sign, limit } = query
  const selected: ScreenedRow[] = []
  for (const { chain, board, ranges } of selections) {
    // One row more than requested shows whether there is a next page.
    const ofBoard = {
      ranges,
      column,
      sign,
      limit: limit + 1,
      after: afterOf(query, chain),
    } as const
    const some = await scanBoard(board, ofBoard, pause)
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
    board.invalidate(id)
    board.refresh(id, chainNowS(chain, clock))
    return board.isWithin(id, ranges) && !Number.isNaN(board.value(id, column))
  })
  const isAhead = (a: ScreenedRow, b: ScreenedRow) =>
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
