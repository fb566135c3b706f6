import type { FinishedSwap } from '../../model/finishedBlock.ts'
import type { Catalog } from '../search/catalog.ts'
import { BigWords, scaleByTen } from '../tables/bigWords.ts'
import type { ThreeLimbs } from '../tables/exactSums.ts'
import { pairColumn, pairFlag } from '../tables/pairTable.ts'
import type { Rates } from './rates.ts'

// Local alias: V8 inlines fields of a local constant, but not of an imported one.
const P = pairColumn
const flags = pairFlag

// Limits that exceed all money: a forged event of a hostile contract must not overflow a sum.
const amountE8Max = 2 ** 80
const amountNativeRawMax = 2 ** 112

/**
 * Values trades. If one side is a stablecoin or the native coin, its amount is what was paid; a
 * rate, the mean of all pools after the previous block, would be less exact. Otherwise the quote
 * amount counts at its rate.
 */
export class TradeWorth {
  readonly #catalog: Catalog
  readonly #rates: Rates
  readonly #nativeDecimals: number
  readonly #words = new BigWords()

  constructor(options: { catalog: Catalog; rates: Rates; nativeDecimals: number }) {
    this.#catalog = options.catalog
    this.#rates = options.rates
    this.#nativeDecimals = options.nativeDecimals
  }

  /** USD value of a swap on a trusted pair, as an integer of 1e-8 USD; 0 if it cannot be priced. */
  usdE8(
    pair: Float64Array,
    at: number,
    quoteRaw: number,
    targetRaw: number,
    quoteUsd: number,
  ): number {
    const catalog = this.#catalog
    const rates = this.#rates
    const target = pair[at + P.targetToken]!
    const quote = pair[at + P.quoteToken]!
    const isTargetSide =
      isScaled(pair, at) &&
      rates.isStable(catalog.quoteIndex(target)) &&
      !rates.isStable(catalog.quoteIndex(quote))
    if (isTargetSide) return usdE8Of(scaleByTen(targetRaw, -catalog.decimals(target)))
    if (quoteUsd === 0) return 0
    return usdE8Of(scaleByTen(quoteRaw, -catalog.decimals(quote)) * quoteUsd)
  }

  /**
   * Native value of a swap on a trusted pair in raw units of the native coin; 0 if it cannot be
   * priced. Also written to `native`.
   */
  nativeRaw(
    swap: FinishedSwap,
    pair: Float64Array,
    at: number,
    quoteRaw: number,
    quoteNative: number,
    native: ThreeLimbs,
  ): bigint {
    const quote = pair[at + P.quoteToken]!
    const target = pair[at + P.targetToken]!
    const is0 = pair[at + P.targetSide] === 0
    if (quoteNative !== 0 && this.isNative(quote))
      return this.#exactRaw(is0 ? swap.amount1 : swap.amount0, quote, native)
    if (isScaled(pair, at) && this.isNative(target))
      return this.#exactRaw(is0 ? swap.amount0 : swap.amount1, target, native)
    const exponent = this.#nativeDecimals - this.#catalog.decimals(quote)
    return this.#roundedRaw(scaleByTen(quoteRaw, exponent) * quoteNative, native)
  }

  isNative(tokenId: number): boolean {
    return this.#rates.isNative(this.#catalog.quoteIndex(tokenId))
  }

  /** Exact value of an amount of the native coin or its wrapped token. */
  #exactRaw(amount: bigint, tokenId: number, native: ThreeLimbs): bigint {
    const words = this.#words
    words.set(amount)
    const exponent = this.#nativeDecimals - this.#catalog.decimals(tokenId)
    const approx = Math.abs(words.approx)
    if (exponent !== 0 || approx > amountNativeRawMax)
      return this.#roundedRaw(scaleByTen(approx, exponent), native)
    words.writeLimbs48(native.limbs)
    return words.isNegative ? -amount : amount
  }

  #roundedRaw(value: number, native: ThreeLimbs): bigint {
    const raw = roundedUpTo(value, amountNativeRawMax)
    native.setNumber(raw)
    return raw === 0 ? 0n : BigInt(raw)
  }
}

/** Converts a USD amount to an integer of 1e-8 USD. */
export function usdE8Of(usd: number): number {
  return roundedUpTo(usd * 1e8, amountE8Max)
}

/** Rounds an amount in raw units of the native coin to an integer. */
export function nativeRawOf(value: number): bigint {
  return BigInt(roundedUpTo(value, amountNativeRawMax))
}

/** True if the decimals of both tokens are known. */
function isScaled(pair: Float64Array, at: number): boolean {
  return (pair[at + P.flags]! & flags.isUnscaled) === 0
}

/** The nearest integer between 0 and `max`. */
function roundedUpTo(value: number, max: number): number {
  return value < max ? Math.round(value) : max
}
