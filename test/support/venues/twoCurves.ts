import {
  encodeCall,
  readAddressWord,
  readWord,
  selector,
} from '../../../packages/server/src/venues/evm/asking/callWords.ts'
import { answered } from '../../../packages/server/src/venues/evm/asking/inquiry.ts'
import {
  atPool,
  endQuestions,
  readEnds,
} from '../../../packages/server/src/venues/evm/asking/poolEnds.ts'
import type { LogDecoder } from '../../../packages/server/src/venues/evm/decoding/blockScope.ts'
import {
  dataLength,
  readAddress,
  readUint,
} from '../../../packages/server/src/venues/evm/decoding/hexWords.ts'
import { ratioOf } from '../../../packages/server/src/venues/evm/decoding/ratioOf.ts'
import { uniswapV2 } from '../../../packages/server/src/venues/evm/uniswapV2.ts'
import type { EvmVenue } from '../../../packages/server/src/venues/evm/venue.ts'

export const twoCurvesEvents = {
  pairCreated:
    'event PairCreated(address indexed token0, address indexed token1, bool stable, address pair, uint256 count)',
  wideSync: 'event Sync(uint256 reserve0, uint256 reserve1)',
} as const

const swapTopic = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822'
const mintTopic = '0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f'

export const views = {
  stable: '0x22be3de1',
  metadata: '0x392f37e9',
  getPair: '0x6801cc30',
} as const

const decodePairCreated: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(3)) return false
  const token0 = scope.addresses.ofTopic(log.topics[1]!)
  const token1 = scope.addresses.ofTopic(log.topics[2]!)
  const pool = readAddress(log.data, 1)
  if (token0 === null || token1 === null || pool === null) return false
  scope.push({
    ...{ type: 'pool', index: log.logIndex, txHash: log.transactionHash },
    ...{ wallet: scope.walletOr(log.address), kind: 'constantProduct', factory: log.address },
    // The curve takes decimals, which the event does not tell.
    ...{ pool, token0, token1, feePpm: null, venues: scope.venues, params: null },
  })
  return true
}

const decodeSync: LogDecoder = (log, scope) => {
  if (log.topics.length !== 1 || log.data.length < dataLength(2)) return false
  const [reserve0, reserve1] = [readUint(log.data, 0), readUint(log.data, 1)]
  scope.pushSync({
    ...{ type: 'sync', index: log.logIndex, txHash: log.transactionHash, pool: log.address },
    ...{ wallet: scope.walletOr(log.address), venues: scope.venues },
    ...{ reserve0, reserve1, priceRaw: null },
  })
  return true
}

/**
 * A venue with the Swap and Mint of Uniswap V2 and a Sync of its own, whose pools have one of two curves: x * y, or
 * x^3 * y + x * y^3 over whole tokens.
 */
export const twoCurves: EvmVenue = {
  name: 'twoCurves',
  kind: 'constantProduct',
  events: {
    '0xc4805696c66d7cf352fc1d6bb633ad5ee82f6cb577c453024b6e0eb8306c6fc9': decodePairCreated,
    [swapTopic]: uniswapV2.events[swapTopic]!,
    [mintTopic]: uniswapV2.events[mintTopic]!,
    '0xcf2aa50876cdfbb541206f89af0ee78d44a2abf8d328e37fa4917f982149848a': decodeSync,
  },
  identity: {
    questions: {
      ...endQuestions,
      getReserves: atPool(selector.getReserves),
      stable: atPool(views.stable),
      metadata: atPool(views.metadata),
    },
    marks: ['token0', 'token1', 'factory', 'getReserves', 'stable', 'metadata'],
    read({ metadata, ...answers }) {
      const ends = readEnds(answers)
      const [scale0, scale1] = [readWord(metadata!, 0), readWord(metadata!, 1)]
      const stable = readWord(answers.stable!, 0)
      if (ends === null || !scale0 || !scale1 || stable === undefined) return answered(null)
      return answered({ ...ends, others: [], feePpm: null, params: [stable, scale0, scale1] })
    },
    confirm: (pool, { factory, token0, token1, params }) => ({
      call: { to: factory, data: encodeCall(views.getPair, token0, token1, Number(params[0])) },
      isYes: (answer) => readAddressWord(answer, 0) === pool,
    }),
  },
  priceAfter({ reserve0, reserve1, params: [stable, scale0, scale1] }) {
    if (stable === 0n) return ratioOf(reserve1, reserve0)
    const unit = 10n ** 18n
    const [x, y] = [(reserve0 * unit) / scale0!, (reserve1 * unit) / scale1!]
    const numerator = (3n * x * x * y + y ** 3n) * scale1!
    const denominator = (x ** 3n + 3n * x * y * y) * scale0!
    return ratioOf(numerator, denominator)
  },
}
