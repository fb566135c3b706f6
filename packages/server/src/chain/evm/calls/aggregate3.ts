export type MulticallCall = { to: string; data: string }

/** `ok: false`: the call failed in the EVM. Hex with 0x; a contract that is not there answers `0x`. */
export type MulticallResult = { ok: true; data: string } | { ok: false }

// aggregate3((address target, bool allowFailure, bytes callData)[]), answered by (bool success, bytes returnData)[]. Written by
// hand: a general ABI coder hashes the signature and walks the types for every call.
const aggregateSelector = '0x82ad56cb'
const wordDigits = 64
const wordBytes = 32
const trueWord = wordOf(1)
const arrayOffsetWord = wordOf(wordBytes)
// Three words of a call's head come before its data: target, allowFailure and this offset.
const dataOffsetWord = wordOf(3 * wordBytes)

export function encodeAggregate(calls: readonly MulticallCall[]): string {
  const offsets: string[] = []
  const parts: string[] = []
  let offset = calls.length * wordBytes
  for (const { to, data } of calls) {
    const digits = data.length - 2
    const padded = Math.ceil(digits / wordDigits) * wordDigits
    offsets.push(wordOf(offset))
    parts.push(
      to.slice(2).toLowerCase().padStart(wordDigits, '0'),
      trueWord,
      dataOffsetWord,
      wordOf(digits / 2),
      data.slice(2).padEnd(padded, '0'),
    )
    offset += 4 * wordBytes + padded / 2
  }
  const head = aggregateSelector + arrayOffsetWord + wordOf(calls.length)
  return head + offsets.join('') + parts.join('')
}

/** Null: it is not the answer to so many calls. */
export function decodeAggregate(answer: string, count: number): MulticallResult[] | null {
  // Digits after 0x; offsets of the answer are in bytes from where their array or item begins.
  const itemsStart = 2 + 2 * wordDigits
  if (numberAt(answer, 2) !== wordBytes || numberAt(answer, 2 + wordDigits) !== count) return null
  const results: MulticallResult[] = []
  for (let at = 0; at < count; at += 1) {
    const start = itemsStart + 2 * numberAt(answer, itemsStart + at * wordDigits)
    const success = numberAt(answer, start)
    const lengthStart = start + 2 * numberAt(answer, start + wordDigits)
    const dataStart = lengthStart + wordDigits
    const dataEnd = dataStart + 2 * numberAt(answer, lengthStart)
    // Comparisons with a number that could not be read are false.
    if (!(dataEnd <= answer.length) || !(success <= 1)) return null
    results.push(
      success === 1 ? { ok: true, data: `0x${answer.slice(dataStart, dataEnd)}` } : { ok: false },
    )
  }
  return results
}

function wordOf(value: number): string {
  return value.toString(16).padStart(wordDigits, '0')
}

const wordPattern = /^0{52}[\da-f]{12}$/i

/** A word as a number, NaN when it is none or is larger than any offset. */
function numberAt(digits: string, start: number): number {
  const word = digits.slice(start, start + wordDigits)
  return wordPattern.test(word) ? Number.parseInt(word, 16) : Number.NaN
}
