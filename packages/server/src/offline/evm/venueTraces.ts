import { keccakOfHex } from '../../lib/bytes/keccak.ts'
import type { DecodedSwap } from '../../model/decodedBlock.ts'
import { poolIdOf } from '../../venues/evm/uniswap/uniswapV4.ts'

type Couple = readonly [string, string]

/**
 * How the tokens of a venue's pools show in a transaction. By default they are two, ordered by
 * address.
 */
export type TokenTraces = {
  /** The tokens of a pool are in no order that follows from their addresses. */
  isUnordered?: true
  /**
   * One token may be the native coin, or the first always is. It moves without a transfer and has
   * the zero address.
   */
  hasNative?: 'maybe' | 'first'
  /**
   * The pool trades in what its own tokens are shares of. It mints and burns these shares in each
   * trade.
   */
  isUnderlying?: true
  /**
   * Is the pool's id a hash of these two tokens? `parties` are the transaction's other addresses,
   * each tried as the hook, which is slow; null skips them.
   */
  isPoolOf?(swap: DecodedSwap, tokens: Couple, parties: readonly string[] | null): boolean
  /**
   * Does this factory create a pool of these two tokens, in the order of their addresses, at this
   * address?
   */
  isMadeOf?(pool: string, factory: string, tokens: Couple): boolean
}

// Hashes of the code of pools. V2: Uniswap's own, Sushi's, and PancakeSwap's of BNB Smart Chain and
// of other chains.
const v2CodeHashes = [
  '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f',
  '0xe18a34eb0e04b04f7a0ac29a6e80748dca96319b42c54d679cb821dca90c6303',
  '0x00fb7f630766e6a796048ea87d01acd3068e8ff67d078148a3fa3f4a84f69bd5',
  '0x57224589c67f3f30a6b0d7a1b54cf3153ab84563bc609ef41dfb34f8b2974d2d',
]
const v3CodeHash = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54'
const v3Fees = [100, 500, 3_000, 10_000, 200, 300, 400]

const pancakeV3CodeHash = '0x6ce8eb472fa82df5469c6ab6d485f17c3ad13c8cd7af59b3d4a8026c5ce0f7e2'
const pancakeV3Fees = [100, 500, 2_500, 10_000]
const pancakeV3Factory = '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865'
/** Deploys the pools for the factory, so that their addresses follow from this one. */
const pancakeV3Deployer = '0x41ff9aa7e16b8b1a8a8dc4f0efacd93d02d071c9'

const infinityTraces: TokenTraces = { hasNative: 'maybe', isPoolOf: isInfinityPoolOf }

/** Indexed by venue name. */
export const venueTraces: Readonly<Record<string, TokenTraces>> = {
  uniswapV1: { hasNative: 'first' },
  uniswapV2: {
    isMadeOf: (pool, factory, tokens) =>
      v2CodeHashes.some((codeHash) => v2Address(factory, tokens, codeHash) === pool),
  },
  uniswapV3: {
    isMadeOf: (pool, factory, tokens) =>
      v3Fees.some((fee) => v3Address(factory, tokens, fee, v3CodeHash) === pool),
  },
  pancakeV3: {
    isMadeOf: (pool, factory, tokens) =>
      factory === pancakeV3Factory &&
      pancakeV3Fees.some(
        (fee) => v3Address(pancakeV3Deployer, tokens, fee, pancakeV3CodeHash) === pool,
      ),
  },
  uniswapV4: { hasNative: 'maybe', isPoolOf: isV4PoolOf },
  pancakeInfinityCl: infinityTraces,
  pancakeInfinityBin: infinityTraces,
  curve: { isUnordered: true, hasNative: 'maybe' },
  curveUnderlying: { isUnordered: true, isUnderlying: true },
  saddle: { isUnordered: true },
  liquidityBook: { isUnordered: true },
  maverickV1: { isUnordered: true },
  maverickV2: { isUnordered: true },
  dodoV1: { isUnordered: true },
  fluid: { isUnordered: true, hasNative: 'maybe' },
  ekubo: { hasNative: 'maybe' },
  virtuals: { isUnordered: true },
}

const wordOf = (digits: string) => digits.padStart(64, '0')
const digitsOf = (address: string) => address.slice(2)

/** The CREATE2 address of a contract with this code. */
function create2Address(creator: string, salt: string, codeHash: string): string {
  const hash = keccakOfHex(`0xff${digitsOf(creator)}${digitsOf(salt)}${digitsOf(codeHash)}`)
  return `0x${hash.slice(26)}`
}

function v2Address(factory: string, [token0, token1]: Couple, codeHash: string): string {
  const salt = keccakOfHex(`0x${digitsOf(token0)}${digitsOf(token1)}`)
  return create2Address(factory, salt, codeHash)
}

function v3Address(
  deployer: string,
  [token0, token1]: Couple,
  fee: number,
  codeHash: string,
): string {
  const words = [digitsOf(token0), digitsOf(token1), fee.toString(16)].map(wordOf)
  return create2Address(deployer, keccakOfHex(`0x${words.join('')}`), codeHash)
}

const v4Fees = [100n, 500n, 3_000n, 10_000n]
const v4Spacings = [1n, 10n, 60n, 200n]
const spacingTriedMax = 250n
/** In a pool's key: its hook sets the fee of each trade. */
const dynamicFee = 0x800000n

function isV4PoolOf(
  { pool, told }: DecodedSwap,
  [token0, token1]: Couple,
  parties: readonly string[] | null,
): boolean {
  const fee = told?.[1]
  if (fee === undefined) return false
  const isMade = (keyFee: bigint, spacing: bigint, hooks: bigint) =>
    poolIdOf(token0, token1, [keyFee, spacing, hooks]) === pool
  if (parties === null) return [...v4SpacingsOf(fee)].some((at) => isMade(fee, at, 0n))
  for (let spacing = 1n; spacing <= spacingTriedMax; spacing++)
    if (isMade(fee, spacing, 0n)) return true
  // The charged fee may include a protocol's share on top of the key's fee.
  for (const keyFee of v4Fees)
    if ([...v4SpacingsOf(keyFee)].some((at) => isMade(keyFee, at, 0n))) return true
  return parties.some((party) => {
    const hooks = BigInt(party)
    return v4Spacings.some((at) => isMade(dynamicFee, at, hooks) || isMade(fee, at, hooks))
  })
}

/** Spacings usually go with the fee: a fiftieth of it. */
function v4SpacingsOf(fee: bigint): ReadonlySet<bigint> {
  return new Set([fee / 50n, ...v4Spacings].filter((at) => at > 0n))
}

const infinitySpacings = [1n, 5n, 10n, 50n, 60n, 100n]

/**
 * The id of a pool is the hash of its key, which includes its manager. Pools with hooks are not
 * tried.
 */
function isInfinityPoolOf(
  { pool, manager, told }: DecodedSwap,
  [token0, token1]: Couple,
  parties: readonly string[] | null,
): boolean {
  const fee = told?.[1]
  if (fee === undefined || manager === undefined) return false
  const isMade = (spacing: bigint) => {
    const words = [token0, token1, 0n, manager, fee, spacing << 16n].map(BigInt)
    return keccakOfHex(`0x${words.map((word) => wordOf(word.toString(16))).join('')}`) === pool
  }
  if (parties === null) return infinitySpacings.some(isMade)
  for (let spacing = 1n; spacing <= spacingTriedMax; spacing++) if (isMade(spacing)) return true
  return false
}
