import type { LogDecoder } from '../decoding/blockScope.ts'
import { dataLength, readUint } from '../decoding/hexWords.ts'
import { swapEvent, tradeOf } from '../decoding/swapEvent.ts'
import type { EvmVenue } from '../venue.ts'

const decodeSwap: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(2)) return false
  const caller = scope.addresses.ofTopic(log.topics[1]!)
  const tokenIn = scope.addresses.ofTopic(log.topics[2]!)
  const tokenOut = scope.addresses.ofTopic(log.topics[3]!)
  if (caller === null || tokenIn === null || tokenOut === null || tokenIn === tokenOut) return false
  const trade = tradeOf([tokenIn, readUint(log.data, 0)], [tokenOut, readUint(log.data, 1)])
  scope.push(swapEvent(log, scope, { sender: caller, to: caller, ...trade }))
  return true
}

/** Balancer V1, and forks of it: each pool holds its own tokens, up to eight. They are all but empty, so no pair is made of one. */
export const balancerV1: EvmVenue = {
  name: 'balancerV1',
  kind: 'concentrated',
  events: {
    // LOG_SWAP(address indexed caller, address indexed tokenIn, address indexed tokenOut, uint256 tokenAmountIn,
    // uint256 tokenAmountOut)
    '0x908fb5ee8f16c6bc9bc3690973819f32a4d4b10188134543c88706e0e1d43378': decodeSwap,
  },
}
