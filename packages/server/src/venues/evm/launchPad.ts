import type { CurveTerms } from '../../model/decodedBlock.ts'
import { nativeToken } from '../../model/pool.ts'
import type { LogDecoder } from './decoding/blockScope.ts'
import { dataLength, readUint } from './decoding/hexWords.ts'
import { ratioOf } from './decoding/ratioOf.ts'
import type { EvmVenue } from './venue.ts'

const ppm = 1_000_000n

const decodeTokenCreated: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(2)) return false
  const token = scope.addresses.ofTopic(log.topics[1]!)
  const creator = scope.addresses.ofTopic(log.topics[2]!)
  if (token === null || creator === null) return false
  scope.push({
    type: 'launch',
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(creator),
    platform: log.address,
    pool: scope.options.poolIds.curveOf(log.address, token),
    token0: token,
    token1: nativeToken,
    creator,
    venues: scope.venues,
  })
  return true
}

const decodeTrade: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(7)) return false
  const token = scope.addresses.ofTopic(log.topics[1]!)
  const trader = scope.addresses.ofTopic(log.topics[2]!)
  if (token === null || trader === null) return false
  const { data } = log
  const side = readUint(data, 0)
  if (side > 1n) return false
  const isBuy = side === 1n
  const tokenAmount = readUint(data, 1)
  const ethAmount = readUint(data, 2)
  const virtualToken = readUint(data, 3)
  const virtualEth = readUint(data, 4)
  const realToken = readUint(data, 5)
  const realEth = readUint(data, 6)
  const filledPpm = filledPpmOf(virtualToken, virtualEth, realToken, realEth)
  if (filledPpm === null) return false

  const index = log.logIndex
  const txHash = log.transactionHash
  const wallet = scope.walletOr(trader)
  const pool = scope.options.poolIds.curveOf(log.address, token)
  scope.push({
    type: 'swap',
    index,
    txHash,
    wallet,
    pool,
    curve: termsOf(log.address, token),
    sender: trader,
    to: trader,
    amount0: isBuy ? -tokenAmount : tokenAmount,
    amount1: isBuy ? ethAmount : -ethAmount,
    reserve0: realToken,
    reserve1: realEth,
    priceRaw: ratioOf(virtualEth, virtualToken),
    venues: scope.venues,
  })
  scope.push({ type: 'curve', index, txHash, wallet, pool, filledPpm })
  return true
}

const decodeGraduated: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(2)) return false
  const token = scope.addresses.ofTopic(log.topics[1]!)
  const pair = scope.addresses.ofTopic(log.topics[2]!)
  if (token === null || pair === null) return false
  const index = log.logIndex
  const txHash = log.transactionHash
  const wallet = scope.walletOr(log.address)
  const curve = scope.options.poolIds.curveOf(log.address, token)
  const terms = termsOf(log.address, token)
  scope.push({ type: 'graduation', index, txHash, wallet, curve, pool: pair, terms })
  // All the curve held is in the pair now and would be counted twice.
  const reserves = { reserve0: 0n, reserve1: 0n, priceRaw: null }
  const { venues } = scope
  scope.push({ type: 'sync', index, txHash, wallet, pool: curve, ...reserves, venues })
  return true
}

function termsOf(platform: string, token: string): CurveTerms {
  return { platform, token0: token, token1: nativeToken, venue: 'launchPad' }
}

/**
 * Native raised so far in millionths of what the whole curve raises. A trade does not name that target, and need
 * not: the curve is a constant product over its virtual reserves and full when its last real token is sold, so
 *
 *   target = realEth + virtualEth * realToken / (virtualToken - realToken), the second rounded up as the contract does
 *
 * Null when the reserves cannot be a curve's.
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
  if (target === 0n) return null
  return Number((realEth * ppm) / target)
}

/** The local launch platform: bonding curves in the native coin that end in a DEX pair. Its contract is the emitter. */
export const launchPad: EvmVenue = {
  name: 'launchPad',
  kind: 'curve',
  events: {
    // TokenCreated(address indexed token, address indexed creator, uint256 supply, uint256 targetEth)
    '0xc53fd35d147910e8b0428fe8d1bc5aaef0bc4af4d778ba5d10c55de9ad134972': decodeTokenCreated,
    // Trade(address indexed token, address indexed trader, bool isBuy, uint256 tokenAmount, uint256 ethAmount,
    // uint256 virtualToken, uint256 virtualEth, uint256 realToken, uint256 realEth)
    '0x952ff8d90add9fdeaeb478102d54441cf0cc0cbe53b1d99e51f747cdc8379e54': decodeTrade,
    // Graduated(address indexed token, address indexed pair, uint256 tokenAmount, uint256 ethAmount)
    '0x18a56450d3c666e2bae9e0829fcada82a9ab0deef6e33c2496752c88d4155c9d': decodeGraduated,
  },
}
