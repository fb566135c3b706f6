import { ChaintapeError } from './errors.ts'

/** Amounts and prices are decimals in plain digits. These compute with them exactly. */

type Scaled = { digits: bigint; fraction: number }

const form = /^-?\d+(\.\d+)?$/

function scaledOf(text: string): Scaled {
  if (!form.test(text))
    throw new ChaintapeError(`${JSON.stringify(text)} is not a decimal.`, { code: 'invalid_param' })
  const [whole = '', fraction = ''] = text.split('.')
  return { digits: BigInt(whole + fraction), fraction: fraction.length }
}

/** The same digits with more zeros behind the point. */
function raised({ digits, fraction }: Scaled, to: number): bigint {
  return digits * 10n ** BigInt(to - fraction)
}

/** Negative: the first is less; 0: they are equal. For `sort`, too. */
export function compareDecimals(left: string, right: string): -1 | 0 | 1 {
  const [a, b] = [scaledOf(left), scaledOf(right)]
  const fraction = Math.max(a.fraction, b.fraction)
  const [x, y] = [raised(a, fraction), raised(b, fraction)]
  return x < y ? -1 : x > y ? 1 : 0
}

/** The sum of all, `0` of none. */
export function sumDecimals(values: Iterable<string>): string {
  let sum: Scaled = { digits: 0n, fraction: 0 }
  for (const value of values) {
    const next = scaledOf(value)
    const fraction = Math.max(sum.fraction, next.fraction)
    sum = { digits: raised(sum, fraction) + raised(next, fraction), fraction }
  }
  return textOf(sum)
}

/** As the service writes it: no zeros at the end, never -0. */
function textOf({ digits, fraction }: Scaled): string {
  const sign = digits < 0n ? '-' : ''
  const text = String(digits < 0n ? -digits : digits).padStart(fraction + 1, '0')
  const whole = text.slice(0, text.length - fraction)
  const rest = text.slice(text.length - fraction).replace(/0+$/, '')
  return sign + whole + (rest === '' ? '' : `.${rest}`)
}
