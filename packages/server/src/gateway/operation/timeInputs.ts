import { RequestError } from '../errors.ts'
import { wholeFloat } from './corrections.ts'
import type { Input } from './operation.ts'

// End of the year 9999. A later time is a mistake, most likely milliseconds.
const timeSMax = 253_402_300_799

/** Creates a time parameter in unix seconds; null when not given. */
export function optionalTimeS(name: string, description: string): Input<number | null> {
  return {
    name,
    in: 'query',
    isRequired: false,
    description,
    schema: { type: 'integer', minimum: 0, maximum: timeSMax },
    parse(text) {
      if (text === undefined) return null
      if (!/^[+-]?\d{1,400}$/.test(text))
        throw new RequestError('invalid_param', `${name} is not a whole number.`, name)
      const timeS = Number(text)
      if (timeS < 0 || timeS > timeSMax)
        throw new RequestError(
          'limit_out_of_range',
          `${name} is in unix seconds, 0 to ${timeSMax}.`,
          name,
        )
      return timeS
    },
    correct: (text) => wholeFloat(name, text),
  }
}

export const fromTime = optionalTimeS('from_time', 'First second, unix time.')
export const toTime = optionalTimeS('to_time', 'Last second, unix time; without it now.')

/** A range of unix seconds, both ends included. */
export type TimeRange = { fromS: number; toS: number }

/**
 * Returns the requested range. A missing start means the start of history; a missing end means now.
 */
export function timeRangeOf(
  fromS: number | null,
  toS: number | null,
  nowS: number,
  names = { from: 'from_time', to: 'to_time' },
): TimeRange {
  if (fromS !== null && toS !== null && fromS > toS)
    throw new RequestError('invalid_param', `${names.from} is after ${names.to}.`, names.from)
  return { fromS: fromS ?? 0, toS: toS ?? Math.max(nowS, fromS ?? 0) }
}
