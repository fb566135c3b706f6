import { nativeToken } from '../../../model/pool.ts'
import type { LogDecoder } from '../decoding/blockScope.ts'
import { pushCurveTrade, pushGraduation, pushLaunch } from '../decoding/curveEvents.ts'
import { dataLength, readUint } from '../decoding/hexWords.ts'
import { ratioOf } from '../decoding/poolEvents.ts'
import type { EvmVenue } from '../venue.ts'

const quote = nativeToken

const decodeCreate: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(6)) return false
  const creator = scope.addresses.ofTopic(log.topics[1]!)
  const token = scope.addresses.ofTopic(log.topics[2]!)
  if (creator === null || token === null) return false
  const [virtualQuote, virtualToken] = [3, 4].map((word) => readUint(log.data, word)) as [
    ...[bigint, bigint],
  ]
  const priceRaw = ratioOf(virtualQuote, virtualToken)
  const start = { reserve0: null, reserve1: null, priceRaw }
  pushLaunch(log, scope, { token, quote, creator, start })
  return true
}

/** The amount that came in, then the one that went out. */
function tradeDecoder(isBuy: boolean): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 3 || log.data.length < dataLength(2)) return false
    const trader = scope.addresses.ofTopic(log.topics[1]!)
    const token = scope.addresses.ofTopic(log.topics[2]!)
    if (trader === null || token === null) return false
    const [into, out] = [readUint(log.data, 0), readUint(log.data, 1)]
    const [quoteAmount, tokenAmount] = isBuy ? [into, out] : [out, into]
    const priceRaw = ratioOf(quoteAmount, tokenAmount)
    const unknownState = { reserve0: null, reserve1: null, filledPpm: null }
    const trade = { token, quote, trader, isBuy, tokenAmount, quoteAmount, priceRaw }
    pushCurveTrade(log, scope, { ...trade, ...unknownState })
    return true
  }
}

const decodeGraduate: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3) return false
  const token = scope.addresses.ofTopic(log.topics[1]!)
  const pool = scope.addresses.ofTopic(log.topics[2]!)
  if (token === null || pool === null) return false
  pushGraduation(log, scope, { token, quote, pool })
  return true
}

/** nad.fun: curves in the native coin. Its trades report only amounts. */
export const nadFun: EvmVenue = {
  name: 'nadFun',
  kind: 'curve',
  events: {
    // CurveCreate(address indexed creator, address indexed token, address indexed pool, string
    // name, string symbol, string tokenURI, uint256 virtualMon, uint256 virtualToken, uint256
    // targetTokenAmount)
    '0xd37e3f4f651fe74251701614dbeac478f5a0d29068e87bbe44e5026d166abca9': decodeCreate,
    // CurveBuy(address indexed sender, address indexed token, uint256 amountIn, uint256 amountOut),
    // and CurveSell
    '0x00a7ba871905cb955432583640b5c9fc6bdd27d36884ab2b5420839224638862': tradeDecoder(true),
    '0x0eb25df0e2137de8ce042eeaf39080d25f0c8d451372c99db69a4c0a298d0fa1': tradeDecoder(false),
    // CurveGraduate(address indexed token, address indexed pool)
    '0xa1cae252e597e19f398a442722a17a17e62d17f9d4f3656786e18aabcd428908': decodeGraduate,
  },
}
