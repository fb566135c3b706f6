import type { PoolState } from '../../../model/decodedBlock.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import { nativeToken } from '../../../model/pool.ts'
import type { BlockScope, LogDecoder } from '../decoding/blockScope.ts'
import {
  orNative,
  ppmOf,
  pushCurveTrade,
  pushGraduation,
  pushLaunch,
} from '../decoding/curveEvents.ts'
import { dataLength, readAddress, readBytes32, readUint } from '../decoding/hexWords.ts'
import { ratioOf } from '../decoding/poolEvents.ts'
import { nearestLog, paymentTokenOf } from '../decoding/transactionFacts.ts'
import type { EvmVenue } from '../venue.ts'

const curveSetTopic = '0x71a10912a55f73d3cced0d1515c2b33c396c80342522bad0e295ccbede556f37'
const quoteSetTopic = '0x3ceb902d3c555c21c3415b6aa839104b18e4825b2f8324011ff979089a507a8c'
const progressTopic = '0x4c35e20d1e9bce377c7d9ec1572d934e46d62961f4da8af5beb8002d5906742d'
const supplyTopic = '0x115c78ad17c4763fb97bca94f3e59dc8cb2e59c9d3862f24a694ec401200f562'
const concentratedPoolTopic = '0xb1acc4d02e54a5f769cd0b689d82b8b5d5be55f2557a17d9d202e227cff2d335'

/** Prices are per whole token, progress in parts of one; both have 18 decimals. */
const one = 10n ** 18n
// The usual circulating supply when a token leaves its curve; a token may have another.
const soldUsually = 800_000_000n * one
// Supply of every token, all of it on its curve at first.
const supply = 1_000_000_000n * one

const decodeTokenCreated: LogDecoder = (log, scope) => {
  if (log.topics.length !== 1 || log.data.length < dataLength(7)) return false
  const creator = readAddress(log.data, 1)
  const token = readAddress(log.data, 3)
  if (creator === null || token === null) return false
  const set = besideOf(log, scope, quoteSetTopic, token)
  const quote = set === null ? nativeToken : readAddress(set.data, 1)
  if (quote === null) return false
  const start = startOf(log, scope, token)
  pushLaunch(log, scope, { token, quote: orNative(quote), creator, ...start })
  return true
}

/**
 * A curve is a constant product of its holdings and two virtual reserves, which versions before 4.7
 * do not report.
 */
function startOf(log: EvmLog, scope: BlockScope, token: string): { start?: PoolState } {
  const set = besideOf(log, scope, curveSetTopic, token)
  if (set === null || set.data.length < dataLength(4)) return {}
  const [virtualQuote, virtualToken] = [readUint(set.data, 1), readUint(set.data, 2)]
  const priceRaw = ratioOf(virtualQuote, supply + virtualToken)
  return { start: { reserve0: null, reserve1: null, priceRaw } }
}

function tradeDecoder(isBuy: boolean): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 1 || log.data.length < dataLength(7)) return false
    const { address: platform, data } = log
    const token = readAddress(data, 1)
    const trader = readAddress(data, 2)
    if (token === null || trader === null) return false
    const quoteAmount = readUint(data, 4)
    const fee = readUint(data, 5)
    const amounts = [quoteAmount, quoteAmount + fee, quoteAmount - fee]
    pushCurveTrade(log, scope, {
      token,
      quote: paymentTokenOf(scope, { platform, token, isBuy, amounts }),
      trader,
      isBuy,
      tokenAmount: readUint(data, 3),
      quoteAmount,
      reserve0: null,
      reserve1: null,
      priceRaw: ratioOf(readUint(data, 6), one),
      filledPpm: filledPpmOf(log, scope, token),
    })
    return true
  }
}

/**
 * Progress is an event beside each trade; earlier versions report only the circulating supply. Null
 * if neither is there.
 */
function filledPpmOf(log: EvmLog, scope: BlockScope, token: string): number | null {
  const progress = besideOf(log, scope, progressTopic, token)
  if (progress !== null) return ppmOf(readUint(progress.data, 1), one)
  const supply = besideOf(log, scope, supplyTopic, token)
  return supply && ppmOf(readUint(supply.data, 1), soldUsually)
}

/**
 * Finds another event of the platform for the token in the transaction: two words or more, the
 * token first.
 */
function besideOf(log: EvmLog, scope: BlockScope, topic0: string, token: string): EvmLog | null {
  return nearestLog(
    scope,
    log,
    topic0,
    ({ data }) => data.length >= dataLength(2) && readAddress(data, 0) === token,
  )
}

/** The pool's address; a separate event has the id of a concentrated pool in a vault. */
const decodeLaunched: LogDecoder = (log, scope) => {
  if (log.topics.length !== 1 || log.data.length < dataLength(4)) return false
  const { address: platform, data } = log
  const token = readAddress(data, 0)
  const address = readAddress(data, 1)
  if (token === null || address === null) return false
  const concentrated = besideOf(log, scope, concentratedPoolTopic, token)
  const pool = concentrated === null ? address : readBytes32(concentrated.data, 1)
  // The liquidity leaves the platform, or the last payment arrives at it.
  const amounts = [readUint(data, 3)]
  const quote = paymentTokenOf(scope, { platform, token, isBuy: false, amounts })
  pushGraduation(log, scope, { token, quote, pool })
  return true
}

/** Only complements other events of its transaction. */
const readBesides: LogDecoder = (log) => log.data.length >= dataLength(2)

/**
 * flap: curves in the native coin or another token. Its events report prices and progress, but not
 * a curve's holdings.
 */
export const flap: EvmVenue = {
  name: 'flap',
  kind: 'curve',
  events: {
    // TokenCreated(uint256 ts, address creator, uint256 nonce, address token, string name, string
    // symbol, string meta)
    '0x504e7f360b2e5fe33cbaaae4c593bc55305328341bf79009e43e0e3b7f699603': decodeTokenCreated,
    // TokenBought(uint256 ts, address token, address buyer, uint256 amount, uint256 eth, uint256
    // fee, uint256 postPrice)
    '0xa800a2038683844fac66747f771bfdfae862eb28b16bcfa387afa9fbacce8ff7': tradeDecoder(true),
    // TokenSold(uint256 ts, address token, address seller, uint256 amount, uint256 eth, uint256
    // fee, uint256 postPrice)
    '0x03a4693e592f5e75dc7c136acb39b146d2b4966c0e509c34f362dee02b3b861a': tradeDecoder(false),
    // LaunchedToDEX(address token, address pool, uint256 amount, uint256 eth)
    '0x6e4f47630b8745b8cacbd44f42a8a33e7eea7cc08ef22fc7630f4f385784ff7d': decodeLaunched,
    // TokenCurveSetV2(address token, uint256 r, uint256 h, uint256 k)
    [curveSetTopic]: readBesides,
    // TokenQuoteSet(address token, address quoteToken)
    [quoteSetTopic]: readBesides,
    // FlapTokenProgressChanged(address token, uint256 newProgress)
    [progressTopic]: readBesides,
    // FlapTokenCirculatingSupplyChanged(address token, uint256 newSupply)
    [supplyTopic]: readBesides,
    // FlapTokenCLPoolCreated(address token, bytes32 poolId, uint160 sqrtPriceX96)
    [concentratedPoolTopic]: readBesides,
  },
}
