import type { LogDecoder } from './decoding/blockScope.ts'
import { dataLength, readAddress, readUint } from './decoding/hexWords.ts'
import { swapEvent, tradeOf } from './decoding/poolEvents.ts'
import { transfersBefore } from './decoding/transactionFacts.ts'
import type { EvmVenue } from './venue.ts'

// Venues whose events leave out tokens or an amount, which the transfers before the event show.
// Without these transfers an event is not decoded. These venues get no pairs.

const kind = 'concentrated'
const decimalsMax = 18

/**
 * Are both the same number of whole tokens? `amount` is of a token with at least as many decimals.
 */
function isWorth(amount: bigint, gems: bigint): boolean {
  for (let scaled = gems, digits = 0; digits <= decimalsMax; scaled *= 10n, digits++)
    if (scaled === amount) return true
  return false
}

/** The fee is in Dai: a sale yields less by it, a purchase costs more. */
function gemDecoder(isSale: boolean): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 2 || log.data.length < dataLength(2)) return false
    const owner = scope.addresses.ofTopic(log.topics[1]!)
    const [gems, fee] = [readUint(log.data, 0), readUint(log.data, 1)]
    if (owner === null) return false
    const moved = transfersBefore(scope, log)
    const gem = moved.find(({ to, amount }) => amount === gems && (to === owner) !== isSale)
    const dai = moved.find(
      ({ token, to, amount }) =>
        token !== gem?.token &&
        (to === owner) === isSale &&
        isWorth(isSale ? amount + fee : amount - fee, gems),
    )
    if (gems === 0n || !gem || !dai) return true
    const sides = [[gem.token, gems] as const, [dai.token, dai.amount] as const]
    const [sold, bought] = isSale ? sides : sides.reverse()
    scope.push(swapEvent(log, scope, { sender: owner, to: owner, ...tradeOf(sold!, bought!) }))
    return true
  }
}

/**
 * Peg stability modules of Maker, with and without a pool of Dai: a stablecoin for Dai at a fixed
 * rate.
 */
export const makerPsm: EvmVenue = {
  name: 'makerPsm',
  kind,
  events: {
    // SellGem(address indexed owner, uint256 value, uint256 fee)
    '0xef75f5a47cc9a929968796ceb84f19e7541617b4577f2c228ea95200e1572081': gemDecoder(true),
    // BuyGem(address indexed owner, uint256 value, uint256 fee)
    '0x085d06ecf4c34b237767a31c0888e121d89546a77f186f1987c6b8715e1a8caa': gemDecoder(false),
  },
}

const decodeMStable: LogDecoder = (log, scope) => {
  if (log.topics.length !== 2 || log.data.length < dataLength(4)) return false
  const swapper = scope.addresses.ofTopic(log.topics[1]!)
  const [input, output] = [readAddress(log.data, 0), readAddress(log.data, 1)]
  if (swapper === null || input === null || output === null || input === output) return false
  const paid = transfersBefore(scope, log).find(
    ({ token, from }) => token === input && from === swapper,
  )
  if (!paid) return true
  const trade = tradeOf([input, paid.amount], [output, readUint(log.data, 2)])
  scope.push(swapEvent(log, scope, { sender: swapper, to: swapper, ...trade }))
  return true
}

/** Baskets of mStable: coins of equal worth. Its events leave out the input amount. */
export const mStable: EvmVenue = {
  name: 'mStable',
  kind,
  events: {
    // Swapped(address indexed swapper, address input, address output, uint256 outputAmount, uint256
    // scaledFee, address recipient), and before without the fee
    '0x1eeaa4acf3c225a4033105c2647625dbb298dec93b14e16253c4231e26c02b1d': decodeMStable,
    '0x202522f7dbbb826f03c2adf78dedea2ede1e5cf8a67a041843a7b43e529011d4': decodeMStable,
  },
}
