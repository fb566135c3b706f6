import { encodeCall, readAddressTopic, readWord, selector } from '../asking/callWords.ts'
import { answered, askAll } from '../asking/inquiry.ts'
import type { LogDecoder } from '../decoding/blockScope.ts'
import {
  concentratedMath,
  decodeDonate,
  decodeModifyLiquidity,
  isId,
  isInt128,
  managedSwapDecoder,
  pushInitialized,
} from '../decoding/concentratedManager.ts'
import { dataLength, readAddress, readInt, readUint, sumPacked } from '../decoding/hexWords.ts'
import { liquidityEvent, swapEvent } from '../decoding/poolEvents.ts'
import { binPrice } from '../math/binPrice.ts'
import { priceOf } from '../math/concentratedPrice.ts'
import type { EvmVenue, VenueIdentity } from '../venue.ts'

const uint24End = 1n << 24n
const uint16Mask = (1n << 16n) - 1n
/** In a pool's key: its hook sets the fee of each trade. */
const dynamicFee = 0x800000n

/**
 * Hooks, fee and parameters, whose upper bits are the tick spacing or the bin step, then the first
 * price.
 */
function initializeDecoder(
  priceOfState: (state: bigint, parameters: bigint) => number | null,
): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 4 || log.data.length < dataLength(4)) return false
    const hooks = readAddress(log.data, 0)
    const fee = readUint(log.data, 1)
    const parameters = readUint(log.data, 2)
    const state = readUint(log.data, 3)
    const priceRaw = priceOfState(state, parameters)
    if (hooks === null || priceRaw === null || fee >= uint24End) return false
    const feePpm = feePpmOf(fee)
    const params = [fee, parameters, BigInt(hooks)]
    return pushInitialized(log, scope, { feePpm, params, priceRaw, told: [state] })
  }
}

const decodeBinSwap: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(5)) return false
  const sender = scope.addresses.ofTopic(log.topics[2]!)
  const [amount0, amount1] = [-readInt(log.data, 0), -readInt(log.data, 1)]
  const activeId = readUint(log.data, 2)
  if (sender === null || !isId(log.topics[1]!) || activeId >= uint24End) return false
  if (!isInt128(amount0) || !isInt128(amount1)) return false
  const mention = { pool: log.topics[1]!, manager: log.address }
  const told = [activeId, feeOf(log.data, 3)]
  const trade = { sender, to: sender, amount0, amount1, priceRaw: null, told }
  scope.push(swapEvent(log, scope, { ...mention, ...trade }))
  return true
}

function binsDecoder(kind: 'add' | 'remove'): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 3 || log.data.length < dataLength(3)) return false
    const sender = scope.addresses.ofTopic(log.topics[2]!)
    const amounts = sumPacked(log.data, 2)
    if (sender === null || amounts === null || !isId(log.topics[1]!)) return false
    const mention = { pool: log.topics[1]!, manager: log.address }
    scope.push({ ...liquidityEvent(log, scope, { kind, sender, ...amounts }), ...mention })
    return true
  }
}

const identity: VenueIdentity = {
  questions: {
    poolKey: ({ pool, manager }) => ({
      to: manager!,
      data: encodeCall(selector.poolIdToPoolKey, pool),
    }),
  },
  marks: ['poolKey'],
  read({ poolKey }, { manager }) {
    const words = [0, 1, 2, 3, 4, 5].map((at) => readWord(poolKey!, at) ?? 0n)
    const [token0, token1] = words.slice(0, 2).map((word) => addressOf(word))
    const [hooks, keeper, fee, parameters] = words.slice(2) as [bigint, bigint, bigint, bigint]
    if (!token0 || !token1 || token0 >= token1 || addressOf(keeper) !== manager)
      return answered(null)
    const ends = { token0, token1, factory: manager!, others: [] }
    return answered({ ...ends, feePpm: feePpmOf(fee), params: [fee, parameters, hooks] })
  },
}

/**
 * The pool's own fee: the charged fee includes the protocol's share, which is taken first and
 * reported beside it.
 */
function feeOf(data: string, place: number): bigint {
  if (data.length < dataLength(place + 2)) return 0n
  const [charged, shared] = [readUint(data, place), readUint(data, place + 1)]
  if (shared >= feeUnit || charged < shared) return charged
  return ((charged - shared) * feeUnit + (feeUnit - shared) / 2n) / (feeUnit - shared)
}

const feeUnit = 1_000_000n

/**
 * Pancake Infinity with concentrated pools. The vault holds all tokens; the zero address is the
 * native coin.
 */
export const pancakeInfinityCl: EvmVenue = {
  ...concentratedMath,
  name: 'pancakeInfinityCl',
  kind: 'vault',
  isManaged: true,
  events: {
    // Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address
    // hooks, uint24 fee, bytes32 parameters, uint160 sqrtPriceX96, int24 tick)
    '0x426cc62fe6a33a40ba2788c2c87a9c34ee4582b95bc9fa5a7bb7ae70b750b99c':
      initializeDecoder(priceOf),
    // Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160
    // sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee, uint16 protocolFee)
    '0x04206ad2b7c0f463bff3dd4f33c5735b0f2957a351e4f79763a4fa9e775dd237': managedSwapDecoder(
      7,
      (data) => feeOf(data, 5),
    ),
    // ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper,
    // int256 liquidityDelta, bytes32 salt)
    '0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec': decodeModifyLiquidity,
    // Donate(bytes32 indexed id, address indexed sender, uint256 amount0, uint256 amount1, int24
    // tick)
    '0xbe708911656ae186ac3fc26a794e5f1319609ce340a14c63524f985fee4bc841': decodeDonate,
  },
  identity,
  readState({ address, factory }) {
    const data = encodeCall(selector.getSlot0, address)
    return askAll({ slot0: { to: factory, data } }, ({ slot0 }) => {
      const sqrtPrice = (slot0 === null ? undefined : readWord(slot0, 0)) ?? 0n
      const priceRaw = priceOf(sqrtPrice)
      const told = priceRaw === null ? undefined : [sqrtPrice]
      return answered({ reserve0: null, reserve1: null, priceRaw, told })
    })
  },
}

/** Pancake Infinity with bins of one price each. */
export const pancakeInfinityBin: EvmVenue = {
  name: 'pancakeInfinityBin',
  kind: 'vault',
  isManaged: true,
  events: {
    // Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address
    // hooks, uint24 fee, bytes32 parameters, uint24 activeId)
    '0xddfde5903015c0eb1671976c6c8f760f1328bec57f15286b6bdab2f955cab9c9': initializeDecoder(
      (activeId, parameters) => binPrice(activeId, binStepOf(parameters)),
    ),
    // Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint24
    // activeId, uint24 fee, uint16 protocolFee)
    '0x3e8aae37f890eb1f9d63dd4d2062f3f0be757848a0f0760e4f3e53dad556e861': decodeBinSwap,
    // Mint(bytes32 indexed id, address indexed sender, uint256[] ids, bytes32 salt, bytes32[]
    // amounts, bytes32 compositionFeeAmount, bytes32 feeAmountToProtocol)
    '0x7b6bc49b385af8644341f07a67cd976bf9daf2bdd5d71668e651a3a792e318e1': binsDecoder('add'),
    // Burn(bytes32 indexed id, address indexed sender, uint256[] ids, bytes32 salt, bytes32[]
    // amounts)
    '0x16d40aa4e497175b58e47cbf101544758de8c01d92a760c738943044c758df8a': binsDecoder('remove'),
  },
  identity,
  readState({ address, factory, params }) {
    const data = encodeCall(selector.getSlot0, address)
    return askAll({ slot0: { to: factory, data } }, ({ slot0 }) => {
      const activeId = slot0 === null ? undefined : readWord(slot0, 0)
      const priceRaw =
        activeId === undefined ? null : binPrice(activeId, binStepOf(params[1] ?? 0n))
      const told = activeId === undefined ? undefined : [activeId]
      return answered({ reserve0: null, reserve1: null, priceRaw, told })
    })
  },
  priceAfter: ({ told: [activeId], params: [, parameters] }) =>
    activeId === undefined ? null : binPrice(activeId, binStepOf(parameters ?? 0n)),
}

function feePpmOf(fee: bigint): number | null {
  return fee === dynamicFee ? null : Number(fee)
}

function binStepOf(parameters: bigint): bigint {
  return (parameters >> 16n) & uint16Mask
}

function addressOf(word: bigint): string | undefined {
  return readAddressTopic(`0x${word.toString(16).padStart(64, '0')}`)
}
