import type { FinishedSwap } from '../../model/finishedBlock.ts'
import type { Catalog } from '../search/catalog.ts'
import { BigWords } from '../tables/bigWords.ts'
import type { Limbs3 } from '../tables/exactSums.ts'
import { pairColumn, pairFlag } from '../tables/pairTable.ts'
import { scaleByTen } from '../tables/powersOfTen.ts'
import type { Rates } from './rates.ts'

// Bindings of its own: fields of an imported constant are read at each use, those of a local one are part of the code.
const P = pairColumn
const flags = pairFlag

// More than all money; a made-up event of a hostile contract must not overflow a sum.
const amountE8Max = 2 ** 80
const amountNativeRawMax = 2 ** 112

/**
 * What trades are worth. A side that is the measure itself, a stablecoin or the native coin, is what was paid: a rate,
 * which is the mean of all pools after the block before, would only be further from it. Else the quote side at its rate.
 */
export class TradeWorth {
  private readonly catalog: Catalog
  private readonly rates: Rates
  private readonly nativeDecimals: number
  private readonly words = new BigWords()

  constructor(options: { catalog: Catalog; rates: Rates; nativeDecimals: number }) {
    this.catalog = options.catalog
    this.rates = options.rates
    this.nativeDecimals = options.nativeDecimals
  }

  /** Of a trusted pair, 0 when nothing is priced. Integer 1e-8 USD. */
  usdE8(
    pair: Float64Array,
    at: number,
    quoteRaw: number,
    targetRaw: number,
    quoteUsd: number,
  ): number {
    const { catalog, rates } = this
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

  /** Of a trusted pair, 0 when nothing is priced. Raw units of the native coin, which `native` gets too. */
  nativeRaw(
    swap: FinishedSwap,
    pair: Float64Array,
    at: number,
    quoteRaw: number,
    quoteNative: number,
    native: Limbs3,
  ): bigint {
    const quote = pair[at + P.quoteToken]!
    const target = pair[at + P.targetToken]!
    const is0 = pair[at + P.targetSide] === 0
    if (quoteNative !== 0 && this.isNative(quote))
      return this.exactRaw(is0 ? swap.amount1 : swap.amount0, quote, native)
    if (isScaled(pair, at) && this.isNative(target))
      return this.exactRaw(is0 ? swap.amount0 : swap.amount1, target, native)
    const exponent = this.nativeDecimals - this.catalog.decimals(quote)
    return this.roundedRaw(scaleByTen(quoteRaw, exponent) * quoteNative, native)
  }

  isNative(tokenId: number): boolean {
    return this.rates.isNative(this.catalog.quoteIndex(tokenId))
  }

  /** An amount of the native coin or of what wraps it. */
  private exactRaw(amount: bigint, tokenId: number, native: Limbs3): bigint {
    const { words } = this
    words.set(amount)
    const exponent = this.nativeDecimals - this.catalog.decimals(tokenId)
    const approx = Math.abs(words.approx)
    if (exponent !== 0 || approx > amountNativeRawMax)
      return this.roundedRaw(scaleByTen(approx, exponent), native)
    words.writeLimbs48(native.limbs)
    return words.isNegative ? -amount : amount
  }

  private roundedRaw(value: number, native: Limbs3): bigint {
    const raw = bounded(value, amountNativeRawMax)
    native.setNumber(raw)
    return raw === 0 ? 0n : BigInt(raw)
  }
}

/** What a USD amount is in integer 1e-8 USD. */
export function usdE8Of(usd: number): number {
  return bounded(usd * 1e8, amountE8Max)
}

/** What an amount in raw units of the native coin is as an integer. */
export function nativeRawOf(value: number): bigint {
  return BigInt(bounded(value, amountNativeRawMax))
}

/** The decimals of both tokens are known. */
function isScaled(pair: Float64Array, at: number): boolean {
  return (pair[at + P.flags]! & flags.isUnscaled) === 0
}

/** The nearest integer, held between 0 and `max`. */
function bounded(value: number, max: number): number {
  return value < max ? Math.round(value) : max
}
