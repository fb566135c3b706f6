import { readAddressWord, selector, wordCount } from './asking/callWords.ts'
import { answered, callPool } from './asking/inquiry.ts'
import type { LogDecoder } from './decoding/blockScope.ts'
import { dataLength, readAddress, readUint } from './decoding/hexWords.ts'
import { swapEvent } from './decoding/poolEvents.ts'
import type { EvmVenue } from './venue.ts'

/** Fluid's address for the native coin, which is the zero address here. */
const fluidNative = `0x${'e'.repeat(40)}`
const native = `0x${'0'.repeat(40)}`
/** Words of the two tokens in a pool's constants. */
const tokenPlaces = [9, 10]

const decodeSwap: LogDecoder = (log, scope) => {
  if (log.topics.length !== 1 || log.data.length < dataLength(4)) return false
  const side = readUint(log.data, 0)
  const to = readAddress(log.data, 3)
  if (to === null || side > 1n) return false
  const [into, out] = [readUint(log.data, 1), -readUint(log.data, 2)]
  const [amount0, amount1] = side === 1n ? [into, out] : [out, into]
  scope.push(swapEvent(log, scope, { sender: to, to, amount0, amount1 }))
  return true
}

/**
 * Fluid: pools on top of one lending contract that holds all tokens, so transfers do not show a
 * pool's reserves. The price is the ratio of the amounts.
 */
export const fluid: EvmVenue = {
  name: 'fluid',
  kind: 'concentrated',
  events: {
    // Swap(bool swap0to1, uint256 amountIn, uint256 amountOut, address to)
    '0xdc004dbca4ef9c966218431ee5d9133d337ad018dd5b5c5493722803f75c64f7': decodeSwap,
  },
  identity: {
    questions: { constants: callPool(selector.constantsView) },
    marks: ['constants'],
    read({ constants }) {
      if (wordCount(constants!) <= tokenPlaces[1]!) return answered(null)
      const [token0, token1] = tokenPlaces.map((place) => {
        const token = readAddressWord(constants!, place)
        return token === fluidNative ? native : token
      })
      const factory = readAddressWord(constants!, 2)
      if (!token0 || !token1 || !factory || token0 === token1) return answered(null)
      return answered({ token0, token1, factory, others: [], feePpm: null, params: [] })
    },
    confirm: () => [],
  },
}
