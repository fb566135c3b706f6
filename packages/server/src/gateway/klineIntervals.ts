import { klineIntervalNames, klineIntervalsS } from '../model/kline.ts'
import { RequestError } from './errors.ts'
import type { Input } from './operation.ts'

/** `15` and `k15` are the same, 15 minutes; `s1` is one second. */
const names = klineIntervalNames.map((name) => [name, name.replace(/^k/, '')])
const words = [...new Set(names.flat())]
const minutesText = names.map(([, bare]) => bare).join(', ')

/** Length of klines, as an index into `klineIntervalsS`. */
export const klineInterval: Input<number> = {
  ...{ name: 'interval', in: 'query', isRequired: false },
  description: 'Length of a kline in minutes, or `s1` for a second.',
  schema: { type: 'string', enum: words, default: '60' },
  parse(text = '60') {
    const interval = names.findIndex((aliases) => aliases.includes(text))
    if (interval < 0)
      throw new RequestError('invalid_param', `interval is one of ${minutesText}.`, 'interval')
    return interval
  },
}

/** As answers name it: minutes, or `s1`. */
export function intervalWord(interval: number): number | string {
  const lengthS = klineIntervalsS[interval]!
  return lengthS < 60 ? klineIntervalNames[interval]! : lengthS / 60
}
