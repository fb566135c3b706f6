import { keccakOfHex } from '../../../lib/bytes/keccak.ts'
import { encodeCall, readAddressTopic, readWord, selector } from '../asking/callWords.ts'
import { answered, askAll } from '../asking/inquiry.ts'
import type { LogDecoder } from '../decoding/blockScope.ts'
import {
  concentratedMath,
  decodeDonate,
  decodeModifyLiquidity,
  managedSwapDecoder,
  pushInitialized,
} from '../decoding/concentratedManager.ts'
import { dataLength, readAddress, readInt, readUint } from '../decoding/hexWords.ts'
import { priceOf } from '../math/concentratedPrice.ts'
import type { EvmVenue } from '../venue.ts'

const uint24End = 1n << 24n
const uint160Mask = (1n << 160n) - 1n
/** In a pool's key: its hook sets the fee of each trade. */
const dynamicFee = 0x800000n
/** Slot of the pools in the manager's storage. */
const poolsSlot = 6

/** Position managers by pool manager. They remember the keys of pools that have positions. */
const positionManagers: Readonly<Record<string, string>> = {
  '0x000000000004444c5dc75cb358380d2e3de08a90': '0xbd216513d74c8cf14cf4747e6aaa6420ff64ee9e',
  '0x28e2ea090877bf75740558f6bfb36a5ffee9e9df': '0x7a4a5c919ae2541aed11041a1aeee68f1287f95b',
  '0x498581ff718922c3f8e6a244956af099b2652b2b': '0x7c5f5a4bbd8fd63184577525326123b519429bdc',
  '0x360e68faccca8ca495c1b759fd9eee466db9fb32': '0xd88f38f930b7952f2db2432cb002e7abbf3dd869',
  '0x9a13f98cb987694c9f086b1f5eb990eea8264ec3': '0x3c3ea4b57a46241e54610e5f022e5c45859a1017',
  '0x67366782805870060151383f4bbff9dab53e5cd6': '0x1ec2ebf4f37e7363fdfe3551602425af0b3ceef9',
  '0x06380c0e0912312b5150364b9dc4542ba0dbbc85': '0xb74b1f14d2754acfcbbe1a221023a5cf50ab8acd',
}

const decodeInitialize: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(5)) return false
  const fee = readUint(log.data, 0)
  const spacing = readInt(log.data, 1)
  const hooks = readAddress(log.data, 2)
  const sqrtPrice = readUint(log.data, 3)
  const priceRaw = priceOf(sqrtPrice)
  if (hooks === null || priceRaw === null || fee >= uint24End || spacing <= 0n) return false
  return pushInitialized(log, scope, {
    feePpm: feePpmOf(fee),
    params: [fee, spacing, BigInt(hooks)],
    priceRaw,
    told: [sqrtPrice, fee],
  })
}

function feePpmOf(fee: bigint): number | null {
  return fee === dynamicFee ? null : Number(fee)
}

/** The id of a pool is the hash of its key: two currencies, fee, tick spacing and hooks. */
export function poolIdOf(token0: string, token1: string, rest: readonly bigint[]): string {
  const words = [BigInt(token0), BigInt(token1), ...rest]
  return keccakOfHex(`0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`)
}

/**
 * Uniswap V4: the manager keeps all pools. The zero address is the native coin; hooks are in a
 * pool's params.
 */
export const uniswapV4: EvmVenue = {
  ...concentratedMath,
  name: 'uniswapV4',
  kind: 'vault',
  isManaged: true,
  events: {
    // Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24
    // fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)
    '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438': decodeInitialize,
    // Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160
    // sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)
    '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f': managedSwapDecoder(
      6,
      (data) => readUint(data, 5),
    ),
    // ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper,
    // int256 liquidityDelta, bytes32 salt)
    '0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec': decodeModifyLiquidity,
    // Donate(bytes32 indexed id, address indexed sender, uint256 amount0, uint256 amount1)
    '0x29ef05caaff9404b7cb6d1c0e9bbae9eaa7ab2541feba1a9c4248594c08156cb': decodeDonate,
  },
  identity: {
    questions: {
      poolKeys: ({ pool, manager }) => ({
        to: positionManagers[manager!] ?? manager!,
        data: `${selector.poolKeys}${pool.slice(2, 52)}${'0'.repeat(14)}`,
      }),
    },
    marks: ['poolKeys'],
    read({ poolKeys }, { pool, manager }) {
      const words = [0, 1, 2, 3, 4].map((at) => readWord(poolKeys!, at) ?? 0n)
      const [token0, token1] = words.slice(0, 2).map((word) => addressOf(word))
      const [fee, spacing, hooks] = words.slice(2) as [bigint, bigint, bigint]
      // The id is the key's hash, which proves the key, whichever contract returned it.
      if (!token0 || !token1 || poolIdOf(token0, token1, [fee, spacing, hooks]) !== pool)
        return answered(null)
      const ends = { token0, token1, factory: manager!, others: [] }
      return answered({ ...ends, feePpm: feePpmOf(fee), params: [fee, spacing, hooks] })
    },
  },
  readState({ address, factory }) {
    const slot = keccakOfHex(`${address}${poolsSlot.toString(16).padStart(64, '0')}`)
    const data = encodeCall(selector.extsload, slot)
    return askAll({ slot0: { to: factory, data } }, ({ slot0 }) => {
      const word = slot0 === null ? undefined : readWord(slot0, 0)
      const sqrtPrice = (word ?? 0n) & uint160Mask
      const told = sqrtPrice === 0n ? undefined : [sqrtPrice]
      // The manager's balances do not show a single pool's reserves.
      return answered({ reserve0: null, reserve1: null, priceRaw: priceOf(sqrtPrice), told })
    })
  },
}

function addressOf(word: bigint): string | undefined {
  return readAddressTopic(`0x${word.toString(16).padStart(64, '0')}`)
}
