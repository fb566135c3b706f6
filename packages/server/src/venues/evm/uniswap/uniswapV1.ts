import type { LogDecoder } from '../decoding/blockScope.ts'
import { readUintTopic } from '../decoding/hexWords.ts'
import { swapEvent } from '../decoding/poolEvents.ts'
import type { EvmVenue } from '../venue.ts'

/** Native coin and token: all values are topics, the input first. */
function purchaseDecoder(isOfToken: boolean): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 4) return false
    const buyer = scope.addresses.ofTopic(log.topics[1]!)
    const sold = readUintTopic(log.topics[2]!)
    const bought = readUintTopic(log.topics[3]!)
    if (buyer === null || sold === null || bought === null) return false
    const [amount0, amount1] = isOfToken ? [sold, -bought] : [-bought, sold]
    scope.push(swapEvent(log, scope, { sender: buyer, to: buyer, amount0, amount1 }))
    return true
  }
}

/**
 * Uniswap V1, whose exchanges trade a token for the native coin. They are almost empty and get no
 * pairs.
 */
export const uniswapV1: EvmVenue = {
  name: 'uniswapV1',
  kind: 'concentrated',
  events: {
    // TokenPurchase(address indexed buyer, uint256 indexed eth_sold, uint256 indexed tokens_bought)
    '0xcd60aa75dea3072fbc07ae6d7d856b5dc5f4eee88854f5b4abf7b680ef8bc50f': purchaseDecoder(true),
    // EthPurchase(address indexed buyer, uint256 indexed tokens_sold, uint256 indexed eth_bought)
    '0x7f4091b46c33e918a0f3aa42307641d17bb67029427a5369e54b353984238705': purchaseDecoder(false),
  },
}
