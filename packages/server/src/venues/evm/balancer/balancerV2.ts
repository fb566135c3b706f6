import type { PairRecord } from '../../../model/pair.ts'
import {
  encodeCall,
  findTokenPair,
  readAddressWord,
  readAnswerList,
  readWord,
  selector,
} from '../asking/callWords.ts'
import { answered, askAll } from '../asking/inquiry.ts'
import type { LogDecoder } from '../decoding/blockScope.ts'
import { dataLength, findWordList, readAddress, readInt, readUint } from '../decoding/hexWords.ts'
import { absolute, ratioOf, swapEvent, tradeOf } from '../decoding/poolEvents.ts'
import type { EvmVenue } from '../venue.ts'

const idLength = 66

const decodeSwap: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(2)) return false
  const [, pool, topicIn, topicOut] = log.topics as [string, string, string, string]
  const tokenIn = scope.addresses.ofTopic(topicIn)
  const tokenOut = scope.addresses.ofTopic(topicOut)
  if (tokenIn === null || tokenOut === null || tokenIn === tokenOut) return false
  if (pool.length !== idLength) return false
  const trade = tradeOf([tokenIn, readUint(log.data, 0)], [tokenOut, readUint(log.data, 1)])
  const sender = scope.walletOr(log.address)
  // Pools without weights are priced by the amounts of the trade.
  const told = [absolute(trade.amount0), absolute(trade.amount1)]
  const mention = { pool, manager: log.address }
  scope.push(swapEvent(log, scope, { ...mention, sender, to: sender, ...trade, told }))
  return true
}

/** For each token: the provider's amount, and the protocol's part of it. */
const decodeBalanceChanged: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(3)) return false
  const [tokens, deltas, fees] = [0, 1, 2].map((place) => findWordList(log.data, place))
  if (!tokens || !deltas || !fees || log.topics[1]!.length !== idLength) return false
  if (tokens.count !== deltas.count || tokens.count !== fees.count) return false
  const wallet = scope.walletOr(log.address)
  const flows = []
  for (let i = 0; i < tokens.count; i++) {
    const token = readAddress(log.data, tokens.first + i)
    if (token === null) return false
    const amount = readInt(log.data, deltas.first + i) - readUint(log.data, fees.first + i)
    flows.push({ token, amount })
  }
  for (const { token, amount } of flows) {
    if (amount === 0n) continue
    scope.push({
      type: 'flow',
      index: log.logIndex,
      txHash: log.transactionHash,
      wallet,
      pool: log.topics[1]!,
      manager: log.address,
      venues: scope.venues,
      token,
      amount,
    })
  }
  return true
}

/**
 * Tokens that a pool's asset manager invests elsewhere still belong to the pool. This event reports
 * their gains and losses.
 */
const decodeBalanceManaged: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(2)) return false
  const token = scope.addresses.ofTopic(log.topics[3]!)
  if (token === null || log.topics[1]!.length !== idLength) return false
  const amount = readInt(log.data, 0) + readInt(log.data, 1)
  if (amount === 0n) return true
  scope.push({
    type: 'flow',
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(log.address),
    pool: log.topics[1]!,
    manager: log.address,
    venues: scope.venues,
    token,
    amount,
  })
  return true
}

/**
 * A pool of two tokens becomes a pair at once. With more tokens, couples become pairs when they
 * trade.
 */
const decodeTokensRegistered: LogDecoder = (log, scope) => {
  if (log.topics.length !== 2 || log.data.length < dataLength(2)) return false
  const tokens = findWordList(log.data, 0)
  if (tokens === null || log.topics[1]!.length !== idLength) return false
  if (tokens.count !== 2) return true
  const token0 = readAddress(log.data, tokens.first)
  const token1 = readAddress(log.data, tokens.first + 1)
  if (token0 === null || token1 === null || token0 >= token1) return false
  scope.push({
    type: 'pool',
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(log.address),
    kind: 'vault',
    factory: log.address,
    pool: log.topics[1]!,
    token0,
    token1,
    feePpm: null,
    venues: scope.venues,
    // The weights are read from the pool.
    params: null,
  })
  return true
}

/**
 * Balancer V2 and its forks: one vault holds the tokens of all pools. A pool has an id of 32 bytes
 * that begins with its address, and two or more tokens. Params: indexes in the vault's list, then
 * the weights of the two tokens, if it has weights.
 */
export const balancerV2: EvmVenue = {
  name: 'balancerV2',
  kind: 'vault',
  isManaged: true,
  events: {
    // Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256
    // amountIn, uint256 amountOut)
    '0x2170c741c41531aec20e7c107c24eecfdd15e69c9bb0a8dd37b1840b9e0b207b': decodeSwap,
    // PoolBalanceChanged(bytes32 indexed poolId, address indexed liquidityProvider, address[]
    // tokens, int256[] deltas, uint256[] protocolFeeAmounts)
    '0xe5ce249087ce04f05a957192435400fd97868dba0e6a4b4c049abf8af80dae78': decodeBalanceChanged,
    // PoolBalanceManaged(bytes32 indexed poolId, address indexed assetManager, address indexed
    // token, int256 cashDelta, int256 managedDelta)
    '0x6edcaf6241105b4c94c2efdbf3a6b12458eb3d07be3a0e81d24b13c44045fe7a': decodeBalanceManaged,
    // TokensRegistered(bytes32 indexed poolId, address[] tokens, address[] assetManagers)
    '0xf5847d3f2197b16cdcd2098ec95d0905cd1abdaf415f07bb7cef2bba8ac5dec4': decodeTokensRegistered,
  },
  identity: {
    questions: {
      tokens: ({ pool, manager }) => ({
        to: manager!,
        data: encodeCall(selector.getPoolTokens, pool),
      }),
      weights: ({ pool }) => ({ to: pool.slice(0, 42), data: selector.getNormalizedWeights }),
    },
    marks: ['tokens'],
    read({ tokens, weights }, { couple, manager }) {
      const list = readAnswerList(tokens!, 0, readAddressWord)
      const found = findTokenPair(list, couple)
      if (found === null) return answered(null)
      const weightList = readAnswerList(weights ?? '0x', 0, readWord) ?? []
      const [weight0, weight1] = found.places.map((place) => weightList[Number(place)])
      const isWeighted = weightList.length === list?.length && weight0 && weight1
      const params = [...found.places, ...(isWeighted ? [weight0, weight1] : [])]
      return answered({ ...found.tokens, factory: manager!, feePpm: null, params })
    },
  },
  readState({ address, pool, factory, params, otherIds }: PairRecord) {
    const data = encodeCall(selector.getPoolTokens, pool ?? address)
    return askAll({ tokens: { to: factory, data } }, ({ tokens }) => {
      const balances = tokens === null ? null : readAnswerList(tokens, 1, readWord)
      const told = params
        .slice(0, otherIds.length + 2)
        .map((place) => balances?.[Number(place)] ?? null)
      const [reserve0, reserve1, ...reserveOthers] = told as [bigint, bigint, ...bigint[]]
      return answered({ reserve0, reserve1, reserveOthers, priceRaw: null })
    })
  },
  priceAfter({ reserve0, reserve1, others, told: [paid0, paid1], params }) {
    const [weight0, weight1] = params.slice(others.length + 2)
    if (weight0 && weight1) return ratioOf(reserve1 * weight0, reserve0 * weight1)
    return paid0 && paid1 ? ratioOf(paid1, paid0) : null
  },
}
