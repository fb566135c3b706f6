import { type Clock, nowSOf } from '../gatewayChain.ts'
import type { Inputs } from '../operation/operation.ts'
import type { Range } from './board.ts'
import type { BoardSubject, RowNames, WordCodes } from './boardSubject.ts'
import type { BoardOfChain, PageQuery } from './screenedPage.ts'
import { boundRanges, boundsOf, type Cursor, listInputs } from './screenerInputs.ts'

/** Parsed inputs of a screener request, by input name. */
export type ScreenValues = Readonly<Record<string, unknown>>

/** A screener of tokens or pairs: what its rows are, and which filters it has. */
export type Screen = RowNames & {
  subject: BoardSubject
  /** Filter inputs, in addition to bounds, order and page. */
  inputs: Inputs
  /** Converts the filter inputs to ranges of columns. Null: no row can match. */
  codesOf(values: ScreenValues, words: WordCodes): Range[] | null
}

/** Returns all inputs of a screener operation: order, page, filters and bounds. */
export function inputsOf({ subject, inputs }: Screen, limitMax: number): Inputs {
  const names = subject.measures.map(({ name }) => name)
  return { ...listInputs(names, 'volume_24h', limitMax), ...inputs, ...boundsOf(subject.measures) }
}

type Bounds = Readonly<Record<string, number | null>>
type ListValues = { sort: string; order: 'asc' | 'desc'; limit: number; cursor: Cursor | null }

/** Converts parsed inputs to a query over the boards of several chains. */
export function pageQueryOf(
  screen: Screen,
  values: ScreenValues,
  found: readonly BoardOfChain[],
  clock: Clock,
): PageQuery {
  const { sort, order, limit, cursor } = values as ListValues
  const { subject, codesOf, addressOf, findId } = screen
  const columnOf = (word: string) => subject.measures.findIndex(({ name }) => name === word)
  const isPriced = { column: columnOf('price'), min: -Infinity, max: Infinity }
  const selections = found.flatMap(({ chain, board }) => {
    const codes = codesOf(values, board.words)
    if (codes === null) return []
    const bounds = boundRanges(subject, values as Bounds, nowSOf(chain, clock))
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
