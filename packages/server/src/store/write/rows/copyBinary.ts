import { finished } from 'node:stream/promises'
import type { Client } from 'pg'
import { from } from 'pg-copy-streams'

// PGCOPY, no flags, no extension.
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const capacityBytesFirst = 16_384
const int32Span = 2 ** 32
// PostgreSQL's numeric has digits in base 10,000.
const numericBase = 10_000
const numericBaseDigits = 4
const numericNegative = 0x4000
const numericInfinity = 0xd000
const numericMinusInfinity = 0xf000
const zeroCharCode = 48
// UTF-8 bytes of one character of a JavaScript string.
const utf8BytesMax = 3
// An array starts with its dimensions, a flag for nulls, and its element type.
const arrayHeadBytes = 12
const integerOid = 23

/**
 * Rows in COPY's binary format: numbers need no text, which would cost both sides more than the
 * rest of a row. Fields are written in the order of the table's columns, with the column's type.
 */
export class CopyBytes {
  rowCount = 0
  #bytes = Buffer.allocUnsafeSlow(capacityBytesFirst)
  // Buffer's own methods repeat type checks at several times the cost.
  #view = new DataView(this.#bytes.buffer)
  #length = header.copy(this.#bytes)

  row(fieldCount: number): void {
    this.rowCount += 1
    this.#reserve(2)
    this.#int16(fieldCount)
  }

  smallint(value: number): void {
    this.#field(2)
    this.#int16(value)
  }

  integer(value: number): void {
    this.#field(4)
    this.#int32(value)
  }

  bigint(value: number | null): void {
    if (value === null) {
      this.#null()
      return
    }
    this.#field(8)
    this.#int32(Math.floor(value / int32Span))
    this.#int32(value >>> 0)
  }

  double(value: number | null): void {
    if (value === null) {
      this.#null()
      return
    }
    this.#field(8)
    this.#view.setFloat64(this.#length, value)
    this.#length += 8
  }

  boolean(value: boolean): void {
    this.#field(1)
    this.#bytes[this.#length] = value ? 1 : 0
    this.#length += 1
  }

  /** PostgreSQL's text cannot contain a zero byte. */
  text(value: string): void {
    const text = value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
    this.#reserve(4 + utf8BytesMax * text.length)
    const sizeBytes = this.#bytes.write(text, this.#length + 4)
    this.#int32(sizeBytes)
    this.#length += sizeBytes
  }

  /** An array of integers. */
  integers(values: readonly number[]): void {
    // An empty array has no dimension; others have a length and start at index 1.
    const hasValues = values.length > 0
    this.#field(arrayHeadBytes + (hasValues ? 8 + 8 * values.length : 0))
    this.#int32(hasValues ? 1 : 0)
    this.#int32(0)
    this.#int32(integerOid)
    if (!hasValues) return
    this.#int32(values.length)
    this.#int32(1)
    for (const value of values) this.integer(value)
  }

  bytea(value: Uint8Array | null): void {
    if (value === null) {
      this.#null()
      return
    }
    this.#field(value.byteLength)
    this.#bytes.set(value, this.#length)
    this.#length += value.byteLength
  }

  /** An integer or infinity. Most fit into a double, which avoids making text. */
  numeric(value: bigint | number | null): void {
    if (value === null) {
      this.#null()
      return
    }
    const number = Number(value)
    const sign = number < 0 ? numericNegative : 0
    if (Number.isSafeInteger(number)) this.#shortNumeric(Math.abs(number), sign)
    else if (Math.abs(number) === Number.POSITIVE_INFINITY && typeof value === 'number')
      this.#numericHead(0, number < 0 ? numericMinusInfinity : numericInfinity)
    else this.#longNumeric(BigInt(value).toString(), number < 0 ? 1 : 0, sign)
  }

  #shortNumeric(value: number, sign: number): void {
    let groupCount = 0
    for (let rest = value; rest > 0; rest = Math.floor(rest / numericBase)) groupCount += 1
    this.#numericHead(groupCount, sign)
    let rest = value
    for (let group = groupCount - 1; group >= 0; group -= 1) {
      this.#view.setInt16(this.#length + 2 * group, rest % numericBase)
      rest = Math.floor(rest / numericBase)
    }
    this.#length += 2 * groupCount
  }

  /** Decimal digits from `start` on. */
  #longNumeric(digits: string, start: number, sign: number): void {
    const groupCount = Math.ceil((digits.length - start) / numericBaseDigits)
    this.#numericHead(groupCount, sign)
    let groupEnd = digits.length - (groupCount - 1) * numericBaseDigits
    let group = 0
    for (let at = start; at < digits.length; at += 1) {
      group = group * 10 + digits.charCodeAt(at) - zeroCharCode
      if (at + 1 < groupEnd) continue
      this.#int16(group)
      group = 0
      groupEnd += numericBaseDigits
    }
  }

  /** All bytes with the end mark; nothing may be written after it. */
  finish(): Buffer {
    this.#reserve(2)
    this.#int16(-1)
    return this.#bytes.subarray(0, this.#length)
  }

  /** Number of digit groups, weight of the first, sign, and digits after the point. */
  #numericHead(groupCount: number, sign: number): void {
    this.#field(8 + 2 * groupCount)
    this.#int16(groupCount)
    this.#int16(Math.max(0, groupCount - 1))
    this.#int16(sign)
    this.#int16(0)
  }

  #null(): void {
    this.#reserve(4)
    this.#int32(-1)
  }

  #field(sizeBytes: number): void {
    this.#reserve(4 + sizeBytes)
    this.#int32(sizeBytes)
  }

  #int16(value: number): void {
    this.#view.setInt16(this.#length, value)
    this.#length += 2
  }

  #int32(value: number): void {
    this.#view.setInt32(this.#length, value)
    this.#length += 4
  }

  #reserve(sizeBytes: number): void {
    const needBytes = this.#length + sizeBytes
    if (needBytes <= this.#bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(needBytes, 2 * this.#bytes.length))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}

/** Sends rows in COPY's binary format. `target` is a table with its columns. */
export async function copyBinary(client: Client, target: string, rows: CopyBytes): Promise<void> {
  if (rows.rowCount === 0) return
  const stream = client.query(from(`COPY ${target} FROM STDIN (FORMAT binary)`))
  // Registered before the first write: a connection that breaks in between must be noticed.
  const done = finished(stream)
  stream.end(rows.finish())
  await done
}
