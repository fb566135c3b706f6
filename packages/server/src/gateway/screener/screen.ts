import type { Inputs } from '../operation/operation.ts'
import type { Board, Range } from './board.ts'
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

type ListValues = { sort: string; order: 'asc' | 'desc'; limit: number; cursor: Cursor | null }

/** The page that parsed inputs ask for. */
export function pageQueryOf(
  screen: Screen,
  values: ScreenValues,
  found: readonly BoardOfChain[],
): PageQuery {
  const { sort, order, limit, cursor } = values as ListValues
  const { subject, codesOf, addressOf, findId } = screen
  return {
    found,
    limit,
    cursor,
    addressOf,
    findId,
    column: subject.measures.findIndex(({ name }) => name === sort),
    sign: order === 'asc' ? -1 : 1,
    rangesOf({ words }: Board, nowS: number) {
      const codes = codesOf(values, words)
      if (codes === null) return null
      return [...boundRanges(subject, values as Record<string, number | null>, nowS), ...codes]
    },
  }
}
