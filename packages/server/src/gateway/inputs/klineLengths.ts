import { klineIntervalNames, klineIntervalsS } from '../../model/klines/kline.ts'
import { fixedBuckets, monthBuckets } from '../../model/klines/klineBuckets.ts'
import type { KlineLength } from '../chain/readKlines.ts'
import { RequestError } from '../ground/errors.ts'
import type { Input } from './inputs.ts'

const stored = klineIntervalsS.map((lengthS, storedInterval): KlineLength => {
  const name = lengthS < 60 ? 's1' : lengthS / 60
  return { storedInterval, buckets: fixedBuckets(lengthS), storedKlinesMax: 1, name }
})

/**
 * Returns a length that is not stored; its klines are merged from shorter stored klines per
 * request.
 */
function mergedLength(minutes: number, from: (typeof klineIntervalNames)[number]): KlineLength {
  const storedInterval = klineIntervalNames.indexOf(from)
  const lengthS = minutes * 60
  const storedKlinesMax = lengthS / klineIntervalsS[storedInterval]!
  return { storedInterval, buckets: fixedBuckets(lengthS), storedKlinesMax, name: minutes }
}

const month: KlineLength = {
  storedInterval: klineIntervalNames.indexOf('k1440'),
  buckets: monthBuckets,
  storedKlinesMax: 31,
  name: '1M',
}

/** Every kline length that clients can request, shortest first. */
export const klineLengths: readonly KlineLength[] = [
  ...stored,
  mergedLength(3, 'k1'),
  mergedLength(180, 'k60'),
  mergedLength(360, 'k120'),
  mergedLength(720, 'k240'),
  mergedLength(4_320, 'k1440'),
  mergedLength(43_200, 'k1440'),
  month,
  mergedLength(525_600, 'k1440'),
  mergedLength(2_628_000, 'k1440'),
].sort((left, right) => durationS(left) - durationS(right))

function durationS({ storedInterval, storedKlinesMax }: KlineLength): number {
  return klineIntervalsS[storedInterval]! * storedKlinesMax
}

/** Spellings of a length in requests: `15` and `k15` both mean 15 minutes, `s1` is one second. */
const namesOf = ({ name }: KlineLength) =>
  typeof name === 'number' ? [`k${name}`, `${name}`] : [name]
const isMinutes = (word: KlineLength['name']) => typeof word === 'number'
const lengthByName = new Map(
  klineLengths.flatMap((length) => namesOf(length).map((name) => [name, length])),
)
const wordsText = klineLengths.map(({ name }) => name).join(', ')

export const klineLengthInput: Input<KlineLength> = {
  name: 'interval',
  in: 'query',
  isRequired: false,
  description: 'Length of a kline in minutes; `s1`: one second, `1M`: one calendar month, UTC.',
  schema: {
    anyOf: [
      { type: 'string', enum: [...lengthByName.keys()] },
      { type: 'integer', enum: klineLengths.map(({ name }) => name).filter(isMinutes) },
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
