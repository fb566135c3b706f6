import { readAddressWord, selector } from './asking/callWords.ts'
import { answered, callPool } from './asking/inquiry.ts'
import type { LogDecoder } from './decoding/blockScope.ts'
import { dataLength, readUint } from './decoding/hexWords.ts'
import { namedTrade } from './decoding/namedTrade.ts'
import { swapEvent } from './decoding/poolEvents.ts'
import type { EvmVenue } from './venue.ts'

/**
 * DODO: prices follow an oracle or a curve of the pool. The price here is the ratio of the amounts.
 */
export const dodo: EvmVenue = {
  name: 'dodo',
  kind: 'concentrated',
  events: namedTrade(
    'DODOSwap(address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, ' +
      'address trader, address receiver)',
    {
      sold: ['fromToken', 'fromAmount'],
      bought: ['toToken', 'toAmount'],
      sender: 'trader',
      to: 'receiver',
    },
  ),
  identity: {
    questions: { base: callPool(selector.baseToken), quote: callPool(selector.quoteToken) },
    marks: ['base', 'quote'],
    read({ base, quote }) {
      // The events name the tokens, so they are ordered by address.
      const tokens = [readAddressWord(base!, 0), readAddressWord(quote!, 0)].sort()
      const [token0, token1] = tokens
      if (!token0 || !token1 || token0 === token1) return answered(null)
      const ends = { token0, token1, factory: '', others: [] }
      return answered({ ...ends, feePpm: null, params: [] })
    },
    // No single call confirms a pool: the factories of DODO take both tokens and return lists.
    confirm: () => [],
  },
}

/** The base's amount comes first, then the quote's. */
function baseDecoder(isSold: boolean): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 2 || log.data.length < dataLength(2)) return false
    const trader = scope.addresses.ofTopic(log.topics[1]!)
    if (trader === null) return false
    const [base, quote] = [readUint(log.data, 0), readUint(log.data, 1)]
    const [amount0, amount1] = isSold ? [base, -quote] : [-base, quote]
    scope.push(swapEvent(log, scope, { sender: trader, to: trader, amount0, amount1 }))
    return true
  }
}

/** The first pools of DODO, whose events name no token. They are almost empty and get no pairs. */
export const dodoV1: EvmVenue = {
  name: 'dodoV1',
  kind: 'concentrated',
  events: {
    // SellBaseToken(address indexed seller, uint256 payBase, uint256 receiveQuote)
    '0xd8648b6ac54162763c86fd54bf2005af8ecd2f9cb273a5775921fd7f91e17b2d': baseDecoder(true),
    // BuyBaseToken(address indexed buyer, uint256 receiveBase, uint256 payQuote)
    '0xe93ad76094f247c0dafc1c61adc2187de1ac2738f7a3b49cb20b2263420251a3': baseDecoder(false),
  },
}
