import type { Klines } from '@chaintape/protocol'
import { klineIntervalNames, klineIntervalsS } from '../../model/klines/kline.ts'
import { bucketsOf, type KlineBuckets, monthBuckets } from '../../model/klines/klineBuckets.ts'
import { RequestError } from '../errors.ts'
import type { Input } from './operation.ts'

/** A length of klines that can be asked for. */
export type KlineLength = {
  /** Of the stored klines it is made of, an index into `klineIntervalsS`. */
  interval: number
  buckets: KlineBuckets
  /** Stored klines that one is made of, at most; 1: it is stored itself. */
  partsMax: number
  /** As answers name it: minutes, `s1` or `1M`. */
  word: Klines['interval']
}

const stored = klineIntervalsS.map((lengthS, interval): KlineLength => {
  const word = lengthS < 60 ? 's1' : lengthS / 60
  return { interval, buckets: bucketsOf(lengthS), partsMax: 1, word }
})

/** Put together from stored ones when they are asked for. */
function joined(minutes: number, from: (typeof klineIntervalNames)[number]): KlineLength {
  const interval = klineIntervalNames.indexOf(from)
  const lengthS = minutes * 60
  const partsMax = lengthS / klineIntervalsS[interval]!
  return { interval, buckets: bucketsOf(lengthS), partsMax, word: minutes }
}

const month: KlineLength = {
  interval: klineIntervalNames.indexOf('k1440'),
  buckets: monthBuckets,
  partsMax: 31,
  word: '1M',
}

/** Every length, shortest first. */
export const klineLengths: readonly KlineLength[] = [
  ...stored,
  joined(3, 'k1'),
  joined(180, 'k60'),
  joined(360, 'k120'),
  joined(720, 'k240'),
  joined(4_320, 'k1440'),
  joined(43_200, 'k1440'),
  month,
  joined(525_600, 'k1440'),
  joined(2_628_000, 'k1440'),
].sort((left, right) => durationS(left) - durationS(right))

function durationS({ interval, partsMax }: KlineLength): number {
  return klineIntervalsS[interval]! * partsMax
}

/** `15` and `k15` are the same, 15 minutes; `s1` is one second. */
const namesOf = ({ word }: KlineLength) =>
  typeof word === 'number' ? [`k${word}`, `${word}`] : [word]
const isMinutes = (word: KlineLength['word']) => typeof word === 'number'
const lengthByName = new Map(
  klineLengths.flatMap((length) => namesOf(length).map((name) => [name, length])),
)
const wordsText = klineLengths.map(({ word }) => word).join(', ')

export const klineLength: Input<KlineLength> = {
  name: 'interval',
  in: 'query',
  isRequired: false,
  description:
    'Length of a kline in minutes, `s1` for a second, or `1M` for a month of the calendar, UTC.',
  schema: {
    anyOf: [
      { type: 'string', enum: [...lengthByName.keys()] },
      { type: 'integer', enum: klineLengths.map(({ word }) => word).filter(isMinutes) },
    ],
    default: '60',
  },
  parse(text = '60') {
    const length = lengthByName.get(text)
    if (length === undefined)
      throw new RequestError('invalid_param', `interval is one of ${wordsText}.`, 'interval')
    return length
  },
}
