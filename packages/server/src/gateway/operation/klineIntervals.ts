import type { Klines } from '@chaintape/protocol'
import { klineIntervalNames, klineIntervalsS } from '../../model/klines/kline.ts'
import { bucketsOf, type KlineBuckets, monthBuckets } from '../../model/klines/klineBuckets.ts'
import { RequestError } from '../errors.ts'
import type { Input } from './operation.ts'

/** A kline length that clients can request. */
export type KlineLength = {
  /** Index in `klineIntervalsS` of the stored klines that klines of this length are built from. */
  interval: number
  buckets: KlineBuckets
  /** Maximum number of stored klines per kline of this length; 1 for a stored length. */
  partsMax: number
  /** Name in answers: a number of minutes, `s1` or `1M`. */
  word: Klines['interval']
}

const stored = klineIntervalsS.map((lengthS, interval): KlineLength => {
  const word = lengthS < 60 ? 's1' : lengthS / 60
  return { interval, buckets: bucketsOf(lengthS), partsMax: 1, word }
})

/**
 * Returns a length that is not stored; its klines are merged from shorter stored klines per
 * request.
 */
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

/** Every kline length that clients can request, shortest first. */
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

/** Spellings of a length in requests: `15` and `k15` both mean 15 minutes, `s1` is one second. */
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
