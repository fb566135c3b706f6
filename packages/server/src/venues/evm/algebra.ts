import { encodeCall, readAddressWord, readWord, selector, wordCount } from './asking/callWords.ts'
import {
  answered,
  callPool,
  pairQuestions,
  readPairAnswers,
  type ViewAnswer,
} from './asking/inquiry.ts'
import type { LogDecoder } from './decoding/blockScope.ts'
import { dataLength, readAddress } from './decoding/hexWords.ts'
import { readConcentrated, uniswapV3 } from './uniswap/uniswapV3.ts'
import type { EvmVenue, PoolIdentity } from './venue.ts'

const uniswapCreation = '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118'
const swapTopic = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67'
const burnTopic = '0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c'
const { [uniswapCreation]: _, ...sharedEvents } = uniswapV3.events
const feeEnd = 1n << 24n

/**
 * `first` is the topic of the first token. Events of pools with a custom deployer name the deployer
 * before it.
 */
function poolDecoder(first: number): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== first + 2 || log.data.length < dataLength(1)) return false
    const token0 = scope.addresses.ofTopic(log.topics[first]!)
    const token1 = scope.addresses.ofTopic(log.topics[first + 1]!)
    const pool = readAddress(log.data, 0)
    if (token0 === null || token1 === null || pool === null) return false
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
      // The fee follows volatility.
      feePpm: null,
      venues: scope.venues,
    })
    return true
  }
}

function readPool(answers: Readonly<Record<string, ViewAnswer>>): PoolIdentity | null {
  const ends = readPairAnswers(answers)
  const state = answers.globalState ?? '0x'
  if (ends === null || wordCount(state) < 5) return null
  const fee = readWord(state, 2)!
  return { ...ends, others: [], feePpm: fee < feeEnd ? Number(fee) : null, params: [] }
}

/**
 * Algebra of all versions, including Integral: Uniswap V3 with one pool per couple of tokens and a
 * dynamic fee.
 */
export const algebra: EvmVenue = {
  ...uniswapV3,
  name: 'algebra',
  events: {
    ...sharedEvents,
    // Integral 1.2 has fees behind the words of Uniswap V3: Swap(address indexed sender, address
    // indexed recipient, int256 amount0, int256 amount1, uint160 price, uint128 liquidity, int24
    // tick, uint24 overrideFee, uint24 pluginFee)
    '0x121cb44ee54098b1a04743c487e7460d8dd429b27f88b1f4d4767396e1a59f79':
      uniswapV3.events[swapTopic]!,
    // Burn(address indexed owner, int24 indexed bottomTick, int24 indexed topTick, uint128
    // liquidityAmount, uint256 amount0, uint256 amount1, uint24 pluginFee)
    '0x932214d4a69c27c086643126ed97c32681da179064c678836c173f99bd13ca01':
      uniswapV3.events[burnTopic]!,
    // Pool(address indexed token0, address indexed token1, address pool)
    '0x91ccaa7a278130b65168c3a0c8d3bcae84cf5e43704342bd3ec0b59e59c036db': poolDecoder(1),
    // CustomPool(address indexed deployer, address indexed token0, address indexed token1, address
    // pool)
    '0x8a5f030f5fc13b04a1e4ef7c47177e3d76b0e80e1d9be9843db37caa5b7b9b8f': poolDecoder(2),
  },
  ownTopics: [
    // Fee(uint16 fee)
    '0x598b9f043c813aa6be3426ca60d1c65d17256312890be5118dab55b0775ebe2a',
    // Fee(uint16 feeZto, uint16 feeOtz)
    '0x8a89de70856bccec096661388f305b9a75f5f65cb0d8a0e1e803c39dabedb57f',
    // SwapFee(address indexed sender, uint24 overrideFee, uint24 pluginFee)
    '0x9443903d84c9719611bd4bba871daaf18a3950d00d5d78b1a2fa701f76df54ff',
    // ExcessTokens(uint256 amount0, uint256 amount1)
    '0xef10ebb00f0dbc72ad4602e94abbbda6f3d40632714f70e9c8fa30d5d44289c9',
  ],
  identity: {
    questions: { ...pairQuestions, globalState: callPool(selector.globalState) },
    marks: ['token0', 'token1', 'factory', 'globalState'],
    read: (answers) => answered(readPool(answers)),
    confirm: (pool, { factory, token0, token1 }) => [
      {
        call: { to: factory, data: encodeCall(selector.poolByPair, token0, token1) },
        isYes: (answer) => readAddressWord(answer, 0) === pool,
      },
    ],
  },
  readState: (pair) => readConcentrated(pair, selector.globalState),
}
