import { type Clock, nowSOf } from '../gatewayChain.ts'
import type { Inputs } from '../operation/operation.ts'
import type { Range } from './board.ts'
import type { BoardSubject, RowNames, WordCodes } from './boardSubject.ts'
import type { BoardOfChain, PageQuery } from './screenedPage.ts'
import { boundRanges, boundsOf, type Cursor, listInputs } from './screenerInputs.ts'

/** What is given of the inputs of a screen, by their names. */
export type ScreenValues = Readonly<Record<string, unknown>>

/** Tokens or pairs, as they are selected and ordered. */
export type Screen = RowNames & {
  subject: BoardSubject
  /** Those beside bounds, order and page. */
  inputs: Inputs
  /** What these select. Null: no row can be. */
  codesOf(values: ScreenValues, words: WordCodes): Range[] | null
}

/** All that rows are selected and ordered by. */
export function inputsOf({ subject, inputs }: Screen, limitMax: number): Inputs {
  const names = subject.measures.map(({ name }) => name)
  return { ...listInputs(names, 'volume_24h', limitMax), ...inputs, ...boundsOf(subject.measures) }
}

type Bounds = Readonly<Record<string, number | null>>
type ListValues = { sort: string; order: 'asc' | 'desc'; limit: number; cursor: Cursor | null }

/** The page that parsed inputs ask for. */
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
