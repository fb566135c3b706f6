import { decimalOfE8 } from '../../../lib/decimal.ts'
import type { Kline } from '../../../model/klines/kline.ts'
import { readKlines } from '../../chain/readKlines.ts'
import { RequestError } from '../../ground/errors.ts'
import { componentRef } from '../../ground/schemas.ts'
import { clampToMax } from '../../inputs/corrections.ts'
import { type Input, optionalTimeInput, requiredTextInput } from '../../inputs/inputs.ts'
import { jsonNumber } from '../../rows/wireNumber.ts'
import { defineOperation } from '../operation.ts'
import { udfResolutionInput } from './udfConfig.ts'
import { findUdfPair } from './udfPair.ts'

// Maximum number of bars per request: charts request one screen at a time and split longer spans.
const barsMax = 5_000

const countback: Input<number | null> = {
  name: 'countback',
  in: 'query',
  isRequired: false,
  description: 'Number of bars before `to`, regardless of `from`.',
  schema: { type: 'integer', minimum: 1, maximum: barsMax },
  parse(text) {
    if (text === undefined) return null
    if (!/^[+-]?\d{1,15}$/.test(text))
      throw new RequestError('invalid_param', 'countback is not a whole number.', 'countback')
    const count = Number(text)
    if (count < 1 || count > barsMax)
      throw new RequestError(
        'limit_out_of_range',
        `countback must be 1 to ${barsMax}.`,
        'countback',
      )
    return count
  },
  correct: (text) => clampToMax('countback', text, barsMax),
}

function required(name: string, description: string): Input<number> {
  const optional = optionalTimeInput(name, description)
  return {
    ...optional,
    isRequired: true,
    parse(text, serving) {
      const timeS = optional.parse(text, serving)
      if (timeS === null)
        throw new RequestError('missing_param', `The parameter ${name} is required.`, name)
      return timeS
    },
  }
}

/** GET /udf/history: bars of a symbol in USD. */
export const udfHistory = defineOperation({
  id: 'udfHistory',
  method: 'GET',
  path: '/udf/history',
  cost: 10,
  tag: 'klines',
  summary: 'Bars of the chart feed',
  description:
    `Bars that start at or after \`from\` and before \`to\`, at most the newest ${barsMax}. If the range has no bars, ` +
    '`nextTime` is the time of the newest bar before `from`.',
  inputs: {
    symbol: requiredTextInput({ name: 'symbol', description: 'Ticker or name of the symbol.' }),
    resolution: udfResolutionInput,
    from: required('from', 'First second of the range, unix time.'),
    to: required('to', 'End of the range, unix time, exclusive.'),
    countback,
  },
  answer: { anyOf: [componentRef('UdfBars'), componentRef('UdfNoData'), componentRef('UdfError')] },
  async run(
    { symbol, resolution, from, to, countback: count },
    { store, chains, rows: { record } },
  ) {
    const pair = findUdfPair(chains, symbol, record)
    if (pair === null) return { json: '{"s":"error","errmsg":"unknown_symbol"}' }
    const of = pair.token === null ? { pair: pair.address } : { token: pair.token }
    const asked = { chain: pair.chain, length: resolution }
    const bars = await readKlines(store, of, {
      ...asked,
      fromS: count === null ? from : 0,
      toS: to - 1,
      limit: count ?? barsMax,
    })
    if (bars.length > 0) return { json: barsText(bars) }
    const toS = Math.min(from, to) - 1
    const [before] = await readKlines(store, of, { ...asked, fromS: 0, toS, limit: 1 })
    const next = before === undefined ? '' : `,"nextTime":${before.startS}`
    return { json: `{"s":"no_data"${next}}` }
  },
})

/** Encodes bars without exponents in numbers, which JSON.stringify would write. */
function barsText(bars: readonly Kline[]): string {
  const list = (textOf: (bar: Kline) => string) => `[${bars.map(textOf).join()}]`
  const t = list(({ startS }) => String(startS))
  const o = list(({ usd }) => jsonNumber(usd.open))
  const h = list(({ usd }) => jsonNumber(usd.high))
  const l = list(({ usd }) => jsonNumber(usd.low))
  const c = list(({ usd }) => jsonNumber(usd.close))
  const v = list(({ volumeUsdE8 }) => decimalOfE8(volumeUsdE8))
  return `{"s":"ok","t":${t},"o":${o},"h":${h},"l":${l},"c":${c},"v":${v}}`
}
