import { type Interval, type IntervalName, intervalOf } from '@chaintape/protocol'
import { ChaintapeError } from './errors.ts'

/** The interval of any of its names; throws for an unknown name. */
export function intervalNamed(name: IntervalName): Interval {
  const interval = intervalOf(name)
  if (interval !== null) return interval
  throw new ChaintapeError(
    `${JSON.stringify(name)} is not an interval (example: 'k5', '5' or 5 for five minutes).`,
    { code: 'invalid_param', param: 'interval' },
  )
}
