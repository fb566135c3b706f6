import { type Clock, chainNowS } from '../chain/gatewayChain.ts'
import type { Inputs } from '../inputs/inputs.ts'
import type { ColumnRange } from './board.ts'
import type { BoardSubject, RowAddresses, WordCodes } from './boardSubject.ts'
import { boundInputs, boundRanges, listInputs, type ScreenerCursor } from './screenerInputs.ts'
import type { ChainBoard, PageQuery } from './screenerPage.ts'

/** Parsed inputs of a screener request, by input name. */
export type ScreenerValues = Readonly<Record<string, unknown>>

/** A screener of tokens or pairs: what its rows are, and which filters it has. */
export type ScreenerKind = RowAddresses & {
  subject: BoardSubject
  /** Filter inputs, in addition to bounds, order and page. */
  inputs: Inputs
  /** Converts the filter inputs to ranges of columns. Null: no row can match. */
  filterRanges(values: ScreenerValues, words: WordCodes): ColumnRange[] | null
}

/** Returns all inputs of a screener operation: order, page, filters and bounds. */
export function screenerInputsOf({ subject, inputs }: ScreenerKind, limitMax: number): Inputs {
  const names = subject.measures.map(({ name }) => name)
  return {
    ...listInputs(names, 'volume_24h', limitMax),
    ...inputs,
    ...boundInputs(subject.measures),
  }
}

type Bounds = Readonly<Record<string, number | null>>
type ListValues = {
  sort: string
  order: 'asc' | 'desc'
  limit: number
  cursor: ScreenerCursor | null
}

/** Converts parsed inputs to a query over the boards of several chains. */
export function pageQueryOf(
  screen: ScreenerKind,
  values: ScreenerValues,
  found: readonly ChainBoard[],
  clock: Clock,
): PageQuery {
  const { sort, order, limit, cursor } = values as ListValues
  const { subject, filterRanges, addressOf, findId } = screen
  const columnOf = (word: string) => subject.measures.findIndex(({ name }) => name === word)
  const isPriced = { column: columnOf('price'), min: -Infinity, max: Infinity }
  const selections = found.flatMap(({ chain, board }) => {
    const codes = filterRanges(values, board.words)
    if (codes === null) return []
    const bounds = boundRanges(subject, values as Bounds, chainNowS(chain, clock))
    return [{ chain, board, ranges: [...bounds, ...codes, isPriced] }]
  })
  return {
    selections,
    limit,
    cursor,
    addressOf,
    findId,
    column: columnOf(sort),
    sign: order === 'asc' ? -1 : 1,
  }
}
