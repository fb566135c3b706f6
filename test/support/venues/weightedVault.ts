import type { PairRecord } from '../../../packages/server/src/model/pair.ts'
import {
  encodeCall,
  readAddressWord,
  readWord,
} from '../../../packages/server/src/venues/evm/asking/callWords.ts'
import { answered, askAll } from '../../../packages/server/src/venues/evm/asking/inquiry.ts'
import type { LogDecoder } from '../../../packages/server/src/venues/evm/decoding/blockScope.ts'
import {
  dataLength,
  readAddress,
  readInt,
  readUint,
} from '../../../packages/server/src/venues/evm/decoding/hexWords.ts'
import { ratioOf } from '../../../packages/server/src/venues/evm/decoding/ratioOf.ts'
import type { EvmVenue } from '../../../packages/server/src/venues/evm/venue.ts'

export const vaultEvents = {
  swap: 'event Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
  balanceChanged:
    'event PoolBalanceChanged(bytes32 indexed poolId, address indexed liquidityProvider, address[] tokens, int256[] deltas, uint256[] protocolFeeAmounts)',
} as const

export const views = { getPoolTokens: '0xf94d4668', getNormalizedWeights: '0xf89f27ed' } as const

const decodeSwap: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(2)) return false
  const tokenIn = scope.addresses.ofTopic(log.topics[2]!)
  const tokenOut = scope.addresses.ofTopic(log.topics[3]!)
  if (tokenIn === null || tokenOut === null) return false
  const wallet = scope.walletOr(log.address)
  const [into, out] = [readUint(log.data, 0), -readUint(log.data, 1)]
  const isFirst = tokenIn < tokenOut
  scope.push({
    ...{ type: 'swap', index: log.logIndex, txHash: log.transactionHash, wallet },
    ...{ pool: log.topics[1]!, venues: scope.venues, manager: log.address },
    couple: isFirst ? [tokenIn, tokenOut] : [tokenOut, tokenIn],
    ...{ sender: wallet, to: wallet },
    ...{ amount0: isFirst ? into : out, amount1: isFirst ? out : into },
    ...{ reserve0: null, reserve1: null, priceRaw: null },
  })
  return true
}

const decodeBalanceChanged: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(3)) return false
  const listAt = (place: number) => Number(readUint(log.data, place)) / 32
  const [tokensAt, deltasAt] = [listAt(0), listAt(1)]
  const count = Number(readUint(log.data, tokensAt))
  const wallet = scope.walletOr(log.address)
  for (let i = 1; i <= count; i++) {
    const token = readAddress(log.data, tokensAt + i)
    if (token === null) return false
    scope.push({
      ...{ type: 'flow', index: log.logIndex, txHash: log.transactionHash, wallet },
      ...{ pool: log.topics[1]!, venues: scope.venues, manager: log.address },
      ...{ token, amount: readInt(log.data, deltasAt + i) },
    })
  }
  return true
}

/** A vault that holds the tokens of all pools. A pool has an id of 32 bytes, its address first, and two tokens or more. */
export const weightedVault: EvmVenue = {
  name: 'weightedVault',
  kind: 'vault',
  isManaged: true,
  events: {
    '0x2170c741c41531aec20e7c107c24eecfdd15e69c9bb0a8dd37b1840b9e0b207b': decodeSwap,
    '0xe5ce249087ce04f05a957192435400fd97868dba0e6a4b4c049abf8af80dae78': decodeBalanceChanged,
  },
  identity: {
    questions: {
      getPoolTokens: ({ pool, manager }) => ({
        to: manager!,
        data: encodeCall(views.getPoolTokens, pool),
      }),
      getNormalizedWeights: ({ pool }) => ({
        to: pool.slice(0, 42),
        data: views.getNormalizedWeights,
      }),
    },
    marks: ['getPoolTokens', 'getNormalizedWeights'],
    read({ getPoolTokens, getNormalizedWeights }, { couple, manager }) {
      const tokens = listOf(getPoolTokens!, 0, readAddressWord)
      const weights = listOf(getNormalizedWeights!, 0, readWord)
      const [at0, at1] = couple!.map((token) => tokens.indexOf(token)) as [number, number]
      if (at0 < 0 || at1 < 0 || weights.length !== tokens.length) return answered(null)
      const rest = tokens.map((_, at) => at).filter((at) => at !== at0 && at !== at1)
      return answered({
        ...{ token0: tokens[at0]!, token1: tokens[at1]!, factory: manager!, feePpm: null },
        others: rest.map((at) => tokens[at]!),
        params: [weights[at0]!, weights[at1]!, ...[at0, at1, ...rest].map(BigInt)],
      })
    },
  },
  readState({ address, pool, factory, params }: PairRecord) {
    const data = encodeCall(views.getPoolTokens, pool ?? address)
    return askAll({ tokens: { to: factory, data } }, ({ tokens }) => {
      const balances = tokens === null ? [] : listOf(tokens, 1, readWord)
      const [reserve0, reserve1, ...reserveOthers] = params
        .slice(2)
        .map((at) => balances[Number(at)] ?? null) as [bigint, bigint, ...bigint[]]
      return answered({ reserve0, reserve1, reserveOthers, priceRaw: null })
    })
  },
  priceAfter: ({ reserve0, reserve1, params: [weight0, weight1] }) =>
    ratioOf(reserve1 * weight0!, reserve0 * weight1!),
}

/** The list at a place of an answer. */
function listOf<item>(
  answer: string,
  place: number,
  read: (answer: string, word: number) => item | undefined,
): item[] {
  const at = Number(readWord(answer, place)) / 32
  const count = Number(readWord(answer, at))
  return Array.from({ length: count }, (_, i) => read(answer, at + 1 + i)!)
}
