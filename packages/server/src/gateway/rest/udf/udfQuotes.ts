import { windowNames } from '../../../engine/marketReads.ts'
import { chainNowS } from '../../chain/gatewayChain.ts'
import { RequestError } from '../../ground/errors.ts'
import { componentRef } from '../../ground/schemas.ts'
import { type Input, requiredTextInput } from '../../inputs/inputs.ts'
import { changePercent, jsonNumber, jsonObject, usdOfE8 } from '../../rows/wireNumber.ts'
import { defineOperation, type OperationContext } from '../operation.ts'
import { findUdfPair, type UdfPair, udfNameOf, udfTickerOf, udfTokensOf } from './udfPair.ts'

// Maximum number of symbols per request, about the size of a watch list.
const symbolsMax = 50
const dayWindow = windowNames.indexOf('24h')

const symbolsText = requiredTextInput({
  name: 'symbols',
  description: `Tickers or names of symbols, 1 to ${symbolsMax}, separated by commas.`,
  charsMax: 8_000,
})

const symbols: Input<string[]> = {
  ...symbolsText,
  parse(text, serving) {
    const names = symbolsText.parse(text, serving).split(',')
    if (names.length > symbolsMax)
      throw new RequestError(
        'limit_out_of_range',
        `symbols must have 1 to ${symbolsMax} names, not ${names.length}.`,
        'symbols',
      )
    return names
  },
}

/** GET /udf/quotes: figures of the symbols in a watch list. */
export const udfQuotes = defineOperation({
  id: 'udfQuotes',
  method: 'GET',
  path: '/udf/quotes',
  cost: 10,
  tag: 'klines',
  summary: 'Quotes of the chart feed',
  description:
    'Price, change since 00:00 UTC, high, low and volume of 24 hours, in USD. There are no bid and ask, because pools have no order book.',
  inputs: { symbols },
  answer: componentRef('UdfQuotes'),
  run({ symbols: names }, serving) {
    return { json: `{"s":"ok","d":[${names.map((name) => quoteText(name, serving)).join()}]}` }
  },
})

function quoteText(name: string, serving: OperationContext): string {
  const pair = findUdfPair(serving.chains, name, serving.rows.record)
  const values = pair === null ? {} : quoteValues(pair, serving)
  const s = pair === null ? '"error"' : '"ok"'
  return jsonObject({ s, n: JSON.stringify(name), v: jsonObject(values) })
}

function quoteValues(pair: UdfPair, { clock, rows }: OperationContext): Record<string, string> {
  const { chain, pairId } = pair
  const { reads } = chain
  const nowS = chainNowS(chain, clock)
  const { record, price0Usd, price1Usd, targetTokenId } = reads.pairState(pairId)
  const priceUsd = (targetTokenId === record.token0Id ? price0Usd : price1Usd) ?? 0
  const openUsd = reads.pairDayOpenUsd(pairId, nowS) ?? priceUsd
  const day = reads.pairTrading(pairId, dayWindow, nowS)
  const open = jsonNumber(openUsd)
  return {
    short_name: JSON.stringify(udfNameOf(pair, rows.record)),
    original_name: JSON.stringify(udfTickerOf(pair)),
    exchange: JSON.stringify(chain.profile.name),
    description: JSON.stringify(udfTokensOf(pair, rows.record).target.name),
    lp: jsonNumber(priceUsd),
    ch: jsonNumber(priceUsd - openUsd),
    chp: jsonNumber(changePercent(openUsd, priceUsd)),
    open_price: open,
    prev_close_price: open,
    high_price: jsonNumber(day.highUsd ?? priceUsd),
    low_price: jsonNumber(day.lowUsd ?? priceUsd),
    volume: jsonNumber(usdOfE8(day.buyVolumeUsdE8 + day.sellVolumeUsdE8)),
  }
}
