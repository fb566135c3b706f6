import { readAddressWord, selector } from './asking/callWords.ts'
import { answered } from './asking/inquiry.ts'
import { atPool } from './asking/poolEnds.ts'
import type { LogDecoder } from './decoding/blockScope.ts'
import { dataLength, readAddress, readUint } from './decoding/hexWords.ts'
import { swapEvent, tradeOf } from './decoding/swapEvent.ts'
import type { EvmVenue } from './venue.ts'

const decodeSwap: LogDecoder = (log, scope) => {
  if (log.topics.length !== 1 || log.data.length < dataLength(6)) return false
  const [tokenIn, tokenOut] = [readAddress(log.data, 0), readAddress(log.data, 1)]
  const [trader, to] = [readAddress(log.data, 4), readAddress(log.data, 5)]
  if (tokenIn === null || tokenOut === null || tokenIn === tokenOut) return false
  if (trader === null || to === null) return false
  const trade = tradeOf([tokenIn, readUint(log.data, 2)], [tokenOut, readUint(log.data, 3)])
  scope.push(swapEvent(log, scope, { sender: trader, to, ...trade }))
  return true
}

/** DODO: a price that its pools move by an oracle or a curve of their own; the price here is what was paid. */
export const dodo: EvmVenue = {
  name: 'dodo',
  kind: 'concentrated',
  events: {
    // DODOSwap(address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, address trader, address receiver)
    '0xc2c0245e056d5fb095f04cd6373bc770802ebd1e6c918eb78fdef843cdb37b0f': decodeSwap,
  },
  identity: {
    questions: { base: atPool(selector.baseToken), quote: atPool(selector.quoteToken) },
    marks: ['base', 'quote'],
    read({ base, quote }) {
      // The events name tokens, not sides: they are in the order of their addresses.
      const tokens = [readAddressWord(base!, 0), readAddressWord(quote!, 0)].sort()
      const [token0, token1] = tokens
      if (!token0 || !token1 || token0 === token1) return answered(null)
      const ends = { token0, token1, factory: '', others: [] }
      return answered({ ...ends, feePpm: null, params: [] })
    },
    // Its factories are asked by both tokens and answer with lists that no view of one shape reads.
    confirm: () => [],
  },
}
