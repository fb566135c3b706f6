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
import { dataLength, findWordList, readAddress, readUint } from '../decoding/hexWords.ts'
import { liquidityEvent, swapEvent, tradeOf } from '../decoding/poolEvents.ts'
import type { EvmVenue } from '../venue.ts'

/** Words of one token's settings in a registration. */
const tokenConfigWords = 4
/** Fees are in units of 1e-18. */
const feeUnitsPerPpm = 10n ** 12n
const feeMax = 10n ** 18n
/** Words of a pool's settings: its fee, and the vault's part of it. */
const feeWords = [4, 5]

/** Null if the fee is unknown or not a fee. */
function feePpmOf(fee: bigint | undefined): number | null {
  return fee === undefined || fee > feeMax ? null : Number(fee / feeUnitsPerPpm)
}

const decodeSwap: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(4)) return false
  const pool = scope.addresses.ofTopic(log.topics[1]!)
  const tokenIn = scope.addresses.ofTopic(log.topics[2]!)
  const tokenOut = scope.addresses.ofTopic(log.topics[3]!)
  if (pool === null || tokenIn === null || tokenOut === null || tokenIn === tokenOut) return false
  const trade = tradeOf([tokenIn, readUint(log.data, 0)], [tokenOut, readUint(log.data, 1)])
  const fee = readUint(log.data, 3)
  const told = tokenIn < tokenOut ? [fee, 0n] : [0n, fee]
  const sender = scope.walletOr(log.address)
  const mention = { pool, manager: log.address }
  scope.push(swapEvent(log, scope, { ...mention, sender, to: sender, ...trade, told }))
  return true
}

const pairAt = (data: string, word: number): [bigint, bigint] => [
  readUint(data, word),
  readUint(data, word + 1),
]

/**
 * Amounts are ordered by address. The event does not name the tokens, so only pools of two are
 * decoded.
 */
function liquidityDecoder(kind: 'add' | 'remove'): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 4 || log.data.length < dataLength(3)) return false
    const pool = scope.addresses.ofTopic(log.topics[1]!)
    const sender = scope.addresses.ofTopic(log.topics[2]!)
    const [amounts, fees] = [findWordList(log.data, 1), findWordList(log.data, 2)]
    if (pool === null || sender === null || amounts === null || fees === null) return false
    if (amounts.count !== 2) return true
    const [amount0, amount1] = pairAt(log.data, amounts.first)
    const moved = { kind, sender, amount0, amount1 } as const
    // Initial liquidity pays no fee.
    const told = fees.count === 2 ? pairAt(log.data, fees.first) : []
    scope.push({ ...liquidityEvent(log, scope, moved), pool, manager: log.address, told })
    return true
  }
}

const decodePoolRegistered: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(3)) return false
  const pool = scope.addresses.ofTopic(log.topics[1]!)
  const configs = findWordList(log.data, 0)
  const feePpm = feePpmOf(readUint(log.data, 1))
  if (pool === null || configs === null || feePpm === null) return false
  if (configs.count !== 2) return true
  if (log.data.length < dataLength(configs.first + 2 * tokenConfigWords)) return false
  const token0 = readAddress(log.data, configs.first)
  const token1 = readAddress(log.data, configs.first + tokenConfigWords)
  if (token0 === null || token1 === null || token0 >= token1) return false
  scope.push({
    type: 'pool',
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(log.address),
    kind: 'vault',
    factory: log.address,
    pool,
    token0,
    token1,
    feePpm,
    venues: scope.venues,
    // The vault's part of the fees is read from the vault.
    params: null,
  })
  return true
}

/**
 * Balancer V3: one vault holds the tokens of all pools, which are identified by address. Params:
 * indexes of the tokens, then the part of the fees that the vault keeps, read when the pool is
 * discovered because no trade event has it. `told`: the fees in both tokens.
 */
export const balancerV3: EvmVenue = {
  name: 'balancerV3',
  kind: 'vault',
  isManaged: true,
  events: {
    // Swap(address indexed pool, address indexed tokenIn, address indexed tokenOut, uint256
    // amountIn, uint256 amountOut, uint256 swapFeePercentage, uint256 swapFeeAmount)
    '0x0874b2d545cb271cdbda4e093020c452328b24af12382ed62c4d00f5c26709db': decodeSwap,
    // LiquidityAdded(address indexed pool, address indexed liquidityProvider, uint8 indexed kind,
    // uint256 totalSupply, uint256[] amountsAddedRaw, uint256[] swapFeeAmountsRaw)
    '0xa26a52d8d53702bba7f137907b8e1f99ff87f6d450144270ca25e72481cca871': liquidityDecoder('add'),
    // LiquidityRemoved(address indexed pool, address indexed liquidityProvider, uint8 indexed kind,
    // uint256 totalSupply, uint256[] amountsRemovedRaw, uint256[] swapFeeAmountsRaw)
    '0xfbe5b0d79fb94f1e81c0a92bf86ae9d3a19e9d1bf6202c0d3e75120f65d5d8a5':
      liquidityDecoder('remove'),
    // PoolRegistered(address indexed pool, address indexed factory, (address token, uint8
    // tokenType, address rateProvider, bool paysYieldFees)[] tokenConfig, uint256
    // swapFeePercentage, ...)
    '0xbc1561eeab9f40962e2fb827a7ff9c7cdb47a9d7c84caeefa4ed90e043842dad': decodePoolRegistered,
  },
  identity: {
    questions: {
      tokens: ({ pool, manager }) => ({
        to: manager!,
        data: encodeCall(selector.getPoolTokensOf, pool),
      }),
      config: ({ pool, manager }) => ({
        to: manager!,
        data: encodeCall(selector.getPoolConfig, pool),
      }),
    },
    marks: ['tokens'],
    read({ tokens, config }, { couple, manager }) {
      const found = findTokenPair(readAnswerList(tokens!, 0, readAddressWord), couple)
      if (found === null) return answered(null)
      const { tokens: ends, places } = found
      const [fee, keptShare = 0n] = feeWords.map((word) => readWord(config ?? '0x', word))
      const params = [...places, keptShare]
      return answered({ ...ends, factory: manager!, feePpm: feePpmOf(fee), params })
    },
  },
  readState({ address, pool, factory, params, otherIds }) {
    const unknown = { reserve0: null, reserve1: null, priceRaw: null }
    // Liquidity events of more than two tokens do not name them, so a balance read once would soon
    // be wrong.
    if (otherIds.length > 0) return answered(unknown)
    const data = encodeCall(selector.getPoolTokenInfo, pool ?? address)
    return askAll({ info: { to: factory, data } }, ({ info }) => {
      const balances = info === null ? null : readAnswerList(info, 2, readWord)
      const [reserve0, reserve1] = params
        .slice(0, 2)
        .map((place) => balances?.[Number(place)] ?? null)
      return answered({ ...unknown, reserve0: reserve0 ?? null, reserve1: reserve1 ?? null })
    })
  },
  reserveAmountsOf({ amount0, amount1 }, [fee0 = 0n, fee1 = 0n], { params }) {
    // Records without the part end with an index, which is almost nothing in units of 1e-18.
    const share = params.at(-1) ?? 0n
    const without = (amount: bigint, fee: bigint) => amount - (fee * share) / feeMax
    return { amount0: without(amount0, fee0), amount1: without(amount1, fee1) }
  },
}
