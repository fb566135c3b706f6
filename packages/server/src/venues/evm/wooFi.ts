import type { LogDecoder } from './decoding/blockScope.ts'
import { dataLength, readAddress, readUint } from './decoding/hexWords.ts'
import { swapEvent, tradeOf } from './decoding/swapEvent.ts'
import type { EvmVenue } from './venue.ts'

const decodeSwap: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(6)) return false
  const tokenIn = scope.addresses.ofTopic(log.topics[1]!)
  const tokenOut = scope.addresses.ofTopic(log.topics[2]!)
  const to = scope.addresses.ofTopic(log.topics[3]!)
  const sender = readAddress(log.data, 2)
  if (tokenIn === null || tokenOut === null || tokenIn === tokenOut) return false
  if (to === null || sender === null) return false
  const trade = tradeOf([tokenIn, readUint(log.data, 0)], [tokenOut, readUint(log.data, 1)])
  scope.push(swapEvent(log, scope, { sender, to, ...trade }))
  return true
}

/** WooFi: one pool of many tokens at the prices of an oracle. It does not say which tokens it has, so no pair is made of it. */
export const wooFi: EvmVenue = {
  name: 'wooFi',
  kind: 'concentrated',
  events: {
    // WooSwap(address indexed fromToken, address indexed toToken, uint256 fromAmount, uint256 toAmount, address from,
    // address indexed to, address rebateTo, uint256 swapVol, uint256 swapFee)
    '0x0e8e403c2d36126272b08c75823e988381d9dc47f2f0a9a080d95f891d95c469': decodeSwap,
  },
}
