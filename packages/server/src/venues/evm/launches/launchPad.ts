import type { PoolState } from '../../../model/decodedBlock.ts'
import { nativeToken } from '../../../model/pool.ts'
import type { LogDecoder } from '../decoding/blockScope.ts'
import { ppmOf, pushCurveTrade, pushGraduation, pushLaunch } from '../decoding/curveEvents.ts'
import { dataLength, readUint } from '../decoding/hexWords.ts'
import { ratioOf } from '../decoding/poolEvents.ts'
import type { EvmVenue } from '../venue.ts'

const quote = nativeToken

// Every curve sells this many tokens and starts with this virtual reserve.
const tokensForSale = 793_100_000n * 10n ** 18n
const virtualTokenStart = 1_073_000_000n * 10n ** 18n

const decodeTokenCreated: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(2)) return false
  const token = scope.addresses.ofTopic(log.topics[1]!)
  const creator = scope.addresses.ofTopic(log.topics[2]!)
  if (token === null || creator === null) return false
  pushLaunch(log, scope, { token, quote, creator, start: startOf(readUint(log.data, 1)) })
  return true
}

/** The virtual reserve follows from the total that the curve raises. */
function startOf(target: bigint): PoolState {
  const virtualEth = (target * (virtualTokenStart - tokensForSale)) / tokensForSale
  const priceRaw = ratioOf(virtualEth, virtualTokenStart)
  return { reserve0: tokensForSale, reserve1: 0n, priceRaw }
}

const decodeTrade: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(7)) return false
  const token = scope.addresses.ofTopic(log.topics[1]!)
  const trader = scope.addresses.ofTopic(log.topics[2]!)
  if (token === null || trader === null) return false
  const { data } = log
  const side = readUint(data, 0)
  if (side > 1n) return false
  const virtualToken = readUint(data, 3)
  const virtualEth = readUint(data, 4)
  const realToken = readUint(data, 5)
  const realEth = readUint(data, 6)
  const filledPpm = filledPpmOf(virtualToken, virtualEth, realToken, realEth)
  if (filledPpm === null) return false
  pushCurveTrade(log, scope, {
    token,
    quote,
    trader,
    isBuy: side === 1n,
    tokenAmount: readUint(data, 1),
    quoteAmount: readUint(data, 2),
    reserve0: realToken,
    reserve1: realEth,
    priceRaw: ratioOf(virtualEth, virtualToken),
    filledPpm,
  })
  return true
}

const decodeGraduated: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(2)) return false
  const token = scope.addresses.ofTopic(log.topics[1]!)
  const pool = scope.addresses.ofTopic(log.topics[2]!)
  if (token === null || pool === null) return false
  pushGraduation(log, scope, { token, quote, pool })
  return true
}

/**
 * Native raised so far, in millionths of the curve's target. A trade does not name the target, but
 * it follows: the curve is a constant product over its virtual reserves and ends when its last real
 * token is sold, so
 *   target = realEth + virtualEth * realToken / (virtualToken - realToken),
 * with the second term rounded up as in the contract. Null if the reserves cannot be a curve's.
 */
function filledPpmOf(
  virtualToken: bigint,
  virtualEth: bigint,
  realToken: bigint,
  realEth: bigint,
): number | null {
  const left = virtualToken - realToken
  if (left <= 0n || realEth > virtualEth) return null
  const target = realEth + (virtualEth * realToken + left - 1n) / left
  return target === 0n ? null : ppmOf(realEth, target)
}

/**
 * The local launch platform: bonding curves in the native coin that end in a DEX pair. Its contract
 * emits the events.
 */
export const launchPad: EvmVenue = {
  name: 'launchPad',
  kind: 'curve',
  events: {
    // TokenCreated(address indexed token, address indexed creator, uint256 supply, uint256
    // targetEth)
    '0xc53fd35d147910e8b0428fe8d1bc5aaef0bc4af4d778ba5d10c55de9ad134972': decodeTokenCreated,
    // Trade(address indexed token, address indexed trader, bool isBuy, uint256 tokenAmount, uint256
    // ethAmount, uint256 virtualToken, uint256 virtualEth, uint256 realToken, uint256 realEth)
    '0x952ff8d90add9fdeaeb478102d54441cf0cc0cbe53b1d99e51f747cdc8379e54': decodeTrade,
    // Graduated(address indexed token, address indexed pair, uint256 tokenAmount, uint256
    // ethAmount)
    '0x18a56450d3c666e2bae9e0829fcada82a9ab0deef6e33c2496752c88d4155c9d': decodeGraduated,
  },
}
