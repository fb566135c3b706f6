import type { Klines } from '@chaintape/protocol'
import { klineIntervalNames, klineIntervalsS } from '../../model/kline.ts'
import { RequestError } from '../errors.ts'
import type { Input } from './operation.ts'

/** A length of klines that can be asked for. */
export type KlineLength = {
  /** Of the stored klines it is made of, an index into `klineIntervalsS`. */
  interval: number
  /** A multiple of theirs, or the same. */
  lengthS: number
  /** As answers name it: minutes, or `s1`. */
  word: Klines['interval']
}

const dayInterval = klineIntervalNames.indexOf('k1440')
// Three days, 30 days, a year and five years, in minutes: put together from days when they are asked for.
const longMinutes = [4_320, 43_200, 525_600, 2_628_000]

const stored = klineIntervalsS.map((lengthS, interval): KlineLength => {
  const word = lengthS < 60 ? 's1' : lengthS / 60
  return { interval, lengthS, word }
})
const long = longMinutes.map(
  (word): KlineLength => ({ interval: dayInterval, lengthS: word * 60, word }),
)
const lengths = [...stored, ...long].sort((left, right) => left.lengthS - right.lengthS)

/** `15` and `k15` are the same, 15 minutes; `s1` is one second. */
const namesOf = ({ word }: KlineLength) =>
  typeof word === 'number' ? [`k${word}`, `${word}`] : [word]
const lengthByName = new Map(
  lengths.flatMap((length) => namesOf(length).map((name) => [name, length])),
)
const wordsText = lengths.map(({ word }) => word).join(', ')

export const klineLength: Input<KlineLength> = {
  name: 'interval',
  in: 'query',
  isRequired: false,
  description: 'Length of a kline in minutes, or `s1` for a second.',
  schema: { type: 'string', enum: [...lengthByName.keys()], default: '60' },
  parse(text = '60') {
    const length = lengthByName.get(text)
    if (length === undefined)
      throw new RequestError('invalid_param', `interval is one of ${wordsText}.`, 'interval')
    return length
  },
}
