import { encodeCall, readAddressWord, readWord, selector } from './asking/callWords.ts'
import { answered, callPool, pairQuestions, readPairAnswers } from './asking/inquiry.ts'
import type { LogDecoder } from './decoding/blockScope.ts'
import { dataLength, readAddress, readInt } from './decoding/hexWords.ts'
import { uniswapV3 } from './uniswap/uniswapV3.ts'
import type { EvmVenue } from './venue.ts'

const uniswapCreation = '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118'
const { [uniswapCreation]: _, ...sharedEvents } = uniswapV3.events
const spacingMax = 1n << 23n

const decodePoolCreated: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(1)) return false
  const token0 = scope.addresses.ofTopic(log.topics[1]!)
  const token1 = scope.addresses.ofTopic(log.topics[2]!)
  const spacing = readInt(log.topics[3]!, 0)
  const pool = readAddress(log.data, 0)
  if (token0 === null || token1 === null || pool === null) return false
  if (spacing <= 0n || spacing >= spacingMax) return false
  scope.push({
    type: 'pool',
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(log.address),
    kind: 'concentrated',
    factory: log.address,
    pool,
    token0,
    token1,
    // Its factory may change the fee at any time.
    feePpm: null,
    venues: scope.venues,
    params: [spacing],
  })
  return true
}

/**
 * Concentrated pools of Velodrome and Aerodrome: Uniswap V3 by tick spacing, with dynamic fees and
 * gauges.
 */
export const slipstream: EvmVenue = {
  ...uniswapV3,
  name: 'slipstream',
  events: {
    ...sharedEvents,
    // PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing,
    // address pool)
    '0xab0d57f0df537bb25e80245ef7748fa62353808c54d6e528a9dd20887aed9ac2': decodePoolCreated,
  },
  // CollectFees(address indexed recipient, uint128 amount0, uint128 amount1)
  ownTopics: ['0x205860e66845f2bbc0966bfab80db9bf93fca93862ea2b9fcf6945748352b4a3'],
  identity: {
    questions: {
      ...pairQuestions,
      slot0: callPool(selector.slot0),
      gauge: callPool(selector.gauge),
      tickSpacing: callPool(selector.tickSpacing),
    },
    marks: ['token0', 'token1', 'factory', 'slot0', 'gauge', 'tickSpacing'],
    read(answers) {
      const ends = readPairAnswers(answers)
      const spacing = readWord(answers.tickSpacing ?? '0x', 0)
      if (ends === null || !spacing || spacing >= spacingMax) return answered(null)
      return answered({ ...ends, others: [], feePpm: null, params: [spacing] })
    },
    confirm: (pool, { factory, token0, token1, params: [spacing] }) => {
      const data = encodeCall(selector.getPoolBySpacing, token0, token1, Number(spacing))
      return [
        { call: { to: factory, data }, isYes: (answer) => readAddressWord(answer, 0) === pool },
      ]
    },
  },
}
