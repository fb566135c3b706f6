// Formats numbers for people. They arrive as exact text, which a tooltip shows; only the displayed
// text is rounded.

const subscripts = '₀₁₂₃₄₅₆₇₈₉'

const subscript = (count: number) => [...`${count}`].map((digit) => subscripts[+digit]).join('')

const isNothing = (text: string | number | undefined | null) =>
  text === undefined || text === null || text === '' || !Number.isFinite(Number(text))

const inThrees = (whole: string) => whole.replace(/\B(?=(\d{3})+$)/g, ',')

// Without Intl: its tables take longer to load than the rest of a page takes to render.
function plain(value: number, digits: number): string {
  const [whole = '', part] = value.toFixed(digits).split('.')
  return part === undefined ? inThrees(whole) : `${inThrees(whole)}.${part}`
}

/**
 * A price with enough digits to tell it from the next: 2,519.43, 99.375, 1.2346, 0.04213, 0.0₆1234.
 */
export function priceText(text: string | number | undefined): string {
  if (isNothing(text)) return '–'
  const value = Number(text)
  const size = Math.abs(value)
  if (size === 0) return '0'
  if (size >= 1) return plain(value, size >= 100 ? 2 : size >= 10 ? 3 : 4)
  // Zeros before the first other digit.
  const zeros = Math.max(0, -Math.floor(Math.log10(size)) - 1)
  if (zeros < 4) return value.toFixed(zeros + 4)
  const digits = value.toExponential(3).split('e')[0]!.replace(/[-.]/g, '')
  return `${value < 0 ? '-' : ''}0.0${subscript(zeros)}${digits}`
}

const steps = [
  ['T', 1e12],
  ['B', 1e9],
  ['M', 1e6],
  ['K', 1e3],
] as const

/** 12.3M, 4.56K, 789, 0.12. */
export function shortText(text: string | number | undefined): string {
  if (isNothing(text)) return '–'
  const value = Number(text)
  const size = Math.abs(value)
  // A number that rounds up to a thousand of one unit is shown in the next.
  const step = steps.find(([, least]) => size >= least * 0.9995)
  if (step !== undefined) {
    const count = value / step[1]
    return Math.abs(count) >= 999.5
      ? `${plain(count, 0)}${step[0]}`
      : `${count.toPrecision(3)}${step[0]}`
  }
  if (size >= 100 || Number.isInteger(value)) return plain(value, 0)
  if (size >= 0.01) return plain(value, 2)
  return size === 0 ? '0' : priceText(value)
}

export const usdText = (text: string | number | undefined): string => {
  const short = shortText(text)
  return short === '–' ? short : short.startsWith('-') ? `-$${short.slice(1)}` : `$${short}`
}

/** A figure of a row; undefined if the row marks its 0 as unknown (`<name>_known`). */
export function figureOf<row extends object, name extends keyof row & string>(
  row: row,
  name: name,
): row[name] | undefined {
  const { [`${name}_known`]: isKnown } = row as Readonly<Record<string, unknown>>
  return isKnown === false && Number(row[name]) === 0 ? undefined : row[name]
}

/** Undefined for a 0 that means unknown. */
export const knownOf = (text: string | null | undefined): string | undefined =>
  isNothing(text) || Number(text) === 0 ? undefined : text!

export const countText = (count: string | number | undefined | null): string =>
  isNothing(count) ? '–' : plain(Number(count), 0)

/** With its sign and two digits, fewer if it is large. */
export function percentText(text: string | number | undefined): string {
  if (isNothing(text)) return '–'
  const value = Number(text)
  const size = Math.abs(value)
  const digits = size >= 1_000 ? 0 : size >= 100 ? 1 : 2
  const sign = value > 0 ? '+' : ''
  return `${sign}${plain(value, digits).replace(/^-(0\.?0*)$/, '$1')}%`
}

export const shareText = (fraction: string | number | undefined): string =>
  isNothing(fraction) ? '–' : `${plain(Number(fraction) * 100, Number(fraction) < 0.1 ? 2 : 1)}%`

/** The exact text in groups of three, for tooltips. */
export function exactText(text: string | number | undefined | null): string {
  if (isNothing(text)) return ''
  const [whole = '', part] = String(text).split('.')
  return part === undefined ? inThrees(whole) : `${inThrees(whole)}.${part}`
}

const units = [
  ['y', 31_536_000],
  ['mo', 2_592_000],
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const

/** 12s, 5m, 3h, 2d. */
export function spanText(seconds: number): string {
  const unit = units.find(([, size]) => seconds >= size)
  return unit === undefined
    ? `${Math.max(0, Math.floor(seconds))}s`
    : `${Math.floor(seconds / unit[1])}${unit[0]}`
}

const twoDigits = (count: number) => `${count}`.padStart(2, '0')

/** 2026-03-09 14:05:00, in the reader's time zone. */
export function timeText(timeS: number): string {
  const at = new Date(timeS * 1_000)
  const day = [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join('-')
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':')
  return `${day} ${time}`
}

/** 0x1234…cdef. */
export const shortAddress = (address: string): string =>
  address.length <= 13 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`
