import { parseId } from '@chaintape/protocol'
import { RequestError } from '../ground/errors.ts'
import {
  type Input,
  type Inputs,
  optionalTextInput,
  orderInput,
  quoteInput,
  rowLimitInput,
} from '../inputs/inputs.ts'
import type { ColumnRange } from './board.ts'
import type { BoardSubject, Measure, WordCodes } from './boardSubject.ts'

/** Creates a bound parameter: a finite number, or null when not given. */
function bound(name: string, description: string): Input<number | null> {
  return {
    name,
    in: 'query',
    isRequired: false,
    description,
    schema: { type: 'number' },
    parse(text) {
      if (text === undefined || text.trim() === '') return null
      // Accepts decimal numbers with optional exponent, as in JSON; refuses hexadecimal numbers.
      const value = /^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN
      if (!Number.isFinite(value))
        throw new RequestError('invalid_param', `The parameter ${name} is not a number.`, name)
      return value
    },
  }
}

/** Creates the parameters `min_…` and `max_…` of every measure. */
export function boundInputs(measures: readonly Measure[]): Record<string, Input<number | null>> {
  return Object.fromEntries(
    measures.flatMap(({ name, description }) => [
      [`min_${name}`, bound(`min_${name}`, `At least. ${description}`)],
      [`max_${name}`, bound(`max_${name}`, `At most. ${description}`)],
    ]),
  )
}

/** Position in an ordered screener list: value and address of the last row read. */
export type ScreenerCursor = { value: number; chain: string; address: string }

const cursor: Input<ScreenerCursor | null> = {
  name: 'cursor',
  in: 'query',
  isRequired: false,
  description: '`next_cursor` of the page before; the other parameters must be the same.',
  schema: { type: 'string' },
  parse(text) {
    if (text === undefined || text === '') return null
    const [, number, id] = /^(-?[\d.]+(?:e[+-]?\d+)?)_(.+)$/.exec(text) ?? []
    const parsed = id === undefined ? null : parseId(id)
    if (parsed === null || !Number.isFinite(Number(number)))
      throw new RequestError(
        'invalid_param',
        `The cursor ${quoteInput(text)} is not a cursor of this list.`,
        'cursor',
      )
    return { value: Number(number), ...parsed }
  },
}

export const choiceInput = (
  name: string,
  description: string,
  words: readonly string[],
): Input<string | null> => {
  const text = optionalTextInput({ name, description })
  return {
    ...text,
    schema: { type: 'string', enum: words },
    parse(given, serving) {
      const found = text.parse(given, serving)
      if (found !== null && !words.includes(found))
        throw new RequestError(
          'invalid_param',
          `The parameter ${name} is one of ${words.join(', ')}.`,
          name,
        )
      return found
    },
  }
}

/** Creates the parameters for order, page and age of a list. */
export function listInputs<const word extends string>(
  words: readonly word[],
  sortDefault: word,
  limitMax: number,
) {
  return {
    sort: orderInput({
      name: 'sort',
      description: 'What the rows are ordered by; those without it are left out.',
      words,
      default: sortDefault,
    }),
    order: orderInput({
      name: 'order',
      description: 'The largest or the smallest first.',
      words: ['desc', 'asc'],
      default: 'desc',
    }),
    limit: rowLimitInput({ description: 'Rows of a page.', default: 50, max: limitMax }),
    cursor,
    min_age_s: bound('min_age_s', 'At least so many seconds since its launch or creation.'),
    max_age_s: bound('max_age_s', 'At most so many seconds since its launch or creation.'),
  } satisfies Inputs
}

/** Converts bounds to ranges of columns. Bounds of age apply to column 0, the row's start time. */
export function boundRanges(
  { measures }: BoardSubject,
  given: Readonly<Record<string, number | null>>,
  nowS: number,
): ColumnRange[] {
  const ranges: ColumnRange[] = []
  const add = (column: number, min: number | null, max: number | null) => {
    if (min !== null || max !== null)
      ranges.push({ column, min: min ?? -Infinity, max: max ?? Infinity })
  }
  for (const [column, { name }] of measures.entries())
    add(column, given[`min_${name}`] ?? null, given[`max_${name}`] ?? null)
  const { min_age_s: ageMin = null, max_age_s: ageMax = null } = given
  add(0, ageMax === null ? null : nowS - ageMax, ageMin === null ? null : nowS - ageMin)
  return ranges
}

/** Returns a range that contains a single value. */
export const exactRange = (column: number, value: number): ColumnRange => ({
  column,
  min: value,
  max: value,
})

/**
 * Converts word filters to ranges of code columns. Null: a word occurs in no row, so nothing
 * matches.
 */
export function wordRanges(
  words: WordCodes,
  wanted: readonly (readonly [column: number, word: string | null])[],
): ColumnRange[] | null {
  const ranges: ColumnRange[] = []
  for (const [column, word] of wanted) {
    if (word === null) continue
    const code = words.findCode(word)
    if (code === undefined) return null
    ranges.push(exactRange(column, code))
  }
  return ranges
}
