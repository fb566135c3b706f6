import { ChaintapeError } from './errors.ts'

/** Exact arithmetic on amounts and prices, which are decimals in plain digits. */

type Scaled = { digits: bigint; fraction: number }

const form = /^-?\d+(\.\d+)?$/

function scaledOf(text: string): Scaled {
  if (!form.test(text))
    throw new ChaintapeError(`${JSON.stringify(text)} is not a decimal.`, { code: 'invalid_param' })
  const [whole = '', fraction = ''] = text.split('.')
  return { digits: BigInt(whole + fraction), fraction: fraction.length }
}

/** The same number with more fraction digits. */
function raised({ digits, fraction }: Scaled, to: number): bigint {
  return digits * 10n ** BigInt(to - fraction)
}

/** Negative if the first is less, 0 if they are equal. Fits `sort`. */
export function compareDecimals(left: string, right: string): -1 | 0 | 1 {
  const [a, b] = [scaledOf(left), scaledOf(right)]
  const fraction = Math.max(a.fraction, b.fraction)
  const [x, y] = [raised(a, fraction), raised(b, fraction)]
  return x < y ? -1 : x > y ? 1 : 0
}

/** The sum of all values; `0` without values. */
export function sumDecimals(values: Iterable<string>): string {
  let sum: Scaled = { digits: 0n, fraction: 0 }
  for (const value of values) {
    const next = scaledOf(value)
    const fraction = Math.max(sum.fraction, next.fraction)
    sum = { digits: raised(sum, fraction) + raised(next, fraction), fraction }
  }
  return textOf(sum)
}

/** In the form of the service: no trailing zeros, never -0. */
function textOf({ digits, fraction }: Scaled): string {
  const sign = digits < 0n ? '-' : ''
  const text = String(digits < 0n ? -digits : digits).padStart(fraction + 1, '0')
  const whole = text.slice(0, text.length - fraction)
  const rest = text.slice(text.length - fraction).replace(/0+$/, '')
  return sign + whole + (rest === '' ? '' : `.${rest}`)
}
