import { encodeCall, readAddressWord, readWord, selector } from './asking/callWords.ts'
import { answered, askAll, callPool } from './asking/inquiry.ts'
import type { LogDecoder } from './decoding/blockScope.ts'
import {
  dataLength,
  readAddress,
  readUint,
  readUintTopic,
  sumPacked,
  unpack,
} from './decoding/hexWords.ts'
import { liquidityEvent, swapEvent } from './decoding/poolEvents.ts'
import { binPrice } from './math/binPrice.ts'
import type { EvmVenue } from './venue.ts'

const uint24End = 1n << 24n
const binStepEnd = 1n << 16n

const decodePairCreated: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(2)) return false
  const token0 = scope.addresses.ofTopic(log.topics[1]!)
  const token1 = scope.addresses.ofTopic(log.topics[2]!)
  const binStep = readUintTopic(log.topics[3]!)
  const pool = readAddress(log.data, 0)
  if (token0 === null || token1 === null || pool === null || token0 === token1) return false
  if (!binStep || binStep >= binStepEnd) return false
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
    params: [binStep],
  })
  return true
}

const decodeSwap: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(6)) return false
  const sender = scope.addresses.ofTopic(log.topics[1]!)
  const to = scope.addresses.ofTopic(log.topics[2]!)
  const activeId = readUint(log.data, 0)
  if (sender === null || to === null || activeId >= uint24End) return false
  const [into, out] = [unpack(readUint(log.data, 1)), unpack(readUint(log.data, 2))]
  const amounts = { amount0: into.amount0 - out.amount0, amount1: into.amount1 - out.amount1 }
  scope.push(swapEvent(log, scope, { sender, to, ...amounts, priceRaw: null, told: [activeId] }))
  return true
}

/** The first version emits one event per crossed bin, with the fee beside the input. */
const decodeBinSwap: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(5)) return false
  const sender = scope.addresses.ofTopic(log.topics[1]!)
  const to = scope.addresses.ofTopic(log.topics[2]!)
  const activeId = readUintTopic(log.topics[3]!)
  const side = readUint(log.data, 0)
  if (sender === null || to === null || activeId === null) return false
  if (activeId >= uint24End || side > 1n) return false
  const into = readUint(log.data, 1) + readUint(log.data, 4)
  const out = -readUint(log.data, 2)
  const [amount0, amount1] = side === 1n ? [into, out] : [out, into]
  const trade = { sender, to, amount0, amount1, priceRaw: null, told: [activeId] }
  scope.push(swapEvent(log, scope, trade))
  return true
}

function binsDecoder(kind: 'add' | 'remove'): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 3 || log.data.length < dataLength(2)) return false
    const sender = scope.addresses.ofTopic(log.topics[1]!)
    const amounts = sumPacked(log.data, 1)
    if (sender === null || amounts === null) return false
    scope.push(liquidityEvent(log, scope, { kind, sender, ...amounts }))
    return true
  }
}

/**
 * Liquidity Book of Trader Joe: bins of one price each, (1 + step)^n. Tokens are X and Y, not
 * ordered by address.
 */
export const liquidityBook: EvmVenue = {
  name: 'liquidityBook',
  kind: 'concentrated',
  events: {
    // LBPairCreated(address indexed tokenX, address indexed tokenY, uint256 indexed binStep,
    // address LBPair, uint256 pid)
    '0x2c8d104b27c6b7f4492017a6f5cf3803043688934ebcaa6a03540beeaf976aff': decodePairCreated,
    // Swap(address indexed sender, address indexed to, uint24 id, bytes32 amountsIn, bytes32
    // amountsOut, uint24 volatilityAccumulator, bytes32 totalFees, bytes32 protocolFees)
    '0xad7d6f97abf51ce18e17a38f4d70e975be9c0708474987bb3e26ad21bd93ca70': decodeSwap,
    // Swap(address indexed sender, address indexed recipient, uint256 indexed id, bool swapForY,
    // uint256 amountIn, uint256 amountOut, uint256 volatilityAccumulated, uint256 fees)
    '0xc528cda9e500228b16ce84fadae290d9a49aecb17483110004c5af0a07f6fd73': decodeBinSwap,
    // DepositedToBins(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts)
    '0x87f1f9dcf5e8089a3e00811b6a008d8f30293a3da878cb1fe8c90ca376402f8a': binsDecoder('add'),
    // WithdrawnFromBins(address indexed sender, address indexed to, uint256[] ids, bytes32[]
    // amounts)
    '0xa32e146844d6144a22e94c586715a1317d58a8aa3581ec33d040113ddcb24350': binsDecoder('remove'),
  },
  identity: {
    questions: {
      tokenX: callPool(selector.getTokenX),
      tokenY: callPool(selector.getTokenY),
      binStep: callPool(selector.getBinStep),
      factory: callPool(selector.getFactory),
    },
    marks: ['tokenX', 'tokenY', 'binStep', 'factory'],
    read({ tokenX, tokenY, binStep: step, factory: maker }) {
      const [token0, token1] = [readAddressWord(tokenX!, 0), readAddressWord(tokenY!, 0)]
      const [binStep, factory] = [readWord(step!, 0), readAddressWord(maker!, 0)]
      if (!token0 || !token1 || !factory || !binStep || binStep >= binStepEnd) return answered(null)
      const ends = { token0, token1, factory, others: [] }
      return answered({ ...ends, feePpm: null, params: [binStep] })
    },
    confirm: (pool, { factory, token0, token1, params: [binStep] }) => {
      const data = encodeCall(selector.getLbPair, token0, token1, Number(binStep))
      return [
        { call: { to: factory, data }, isYes: (answer) => readAddressWord(answer, 1) === pool },
      ]
    },
  },
  readState({ address: to, params: [binStep] }) {
    const calls = {
      reserves: { to, data: selector.getReserves },
      activeId: { to, data: selector.getActiveId },
    }
    return askAll(calls, ({ reserves, activeId }) => {
      const id = activeId === null ? undefined : readWord(activeId, 0)
      const [reserve0, reserve1] = [0, 1].map((at) =>
        reserves === null ? null : (readWord(reserves, at) ?? null),
      ) as [bigint | null, bigint | null]
      const priceRaw = id === undefined ? null : binPrice(id, binStep ?? 0n)
      return answered({ reserve0, reserve1, priceRaw, told: id === undefined ? [] : [id] })
    })
  },
  priceAfter: ({ told: [activeId], params: [binStep] }) =>
    activeId === undefined ? null : binPrice(activeId, binStep ?? 0n),
}
