import { finished } from 'node:stream/promises'
import type { Client } from 'pg'
import { from } from 'pg-copy-streams'

// PGCOPY, no flags, no extension.
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const capacityBytesFirst = 16_384
const int32Span = 2 ** 32
// PostgreSQL's numeric keeps its digits in base 10,000.
const numericBase = 10_000
const numericBaseDigits = 4
// An array begins with its dimensions, a flag for nulls, and the type of its elements.
const arrayHeadBytes = 12
const integerOid = 23

/**
 * Rows in COPY's binary format: numbers need no text, which costs both sides more than all else about a row of numbers.
 * Fields are written in the order of the table's columns, each with its column's type.
 */
export class CopyBytes {
  rowCount = 0
  #bytes = Buffer.allocUnsafe(capacityBytesFirst)
  #length = header.copy(this.#bytes)

  row(fieldCount: number): void {
    this.rowCount += 1
    this.#reserve(2)
    this.#length = this.#bytes.writeInt16BE(fieldCount, this.#length)
  }

  smallint(value: number): void {
    this.#field(2)
    this.#length = this.#bytes.writeInt16BE(value, this.#length)
  }

  integer(value: number): void {
    this.#field(4)
    this.#length = this.#bytes.writeInt32BE(value, this.#length)
  }

  bigint(value: number): void {
    this.#field(8)
    this.#bytes.writeInt32BE(Math.floor(value / int32Span), this.#length)
    this.#length = this.#bytes.writeUInt32BE(value >>> 0, this.#length + 4)
  }

  double(value: number): void {
    this.#field(8)
    this.#length = this.#bytes.writeDoubleBE(value, this.#length)
  }

  /** PostgreSQL's text cannot hold a zero byte. */
  text(value: string): void {
    const text = value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
    const sizeBytes = Buffer.byteLength(text)
    this.#field(sizeBytes)
    this.#length += this.#bytes.write(text, this.#length)
  }

  /** An array of integers. */
  integers(values: readonly number[]): void {
    // An empty array has no dimension; one has a length, and counts from 1.
    const hasValues = values.length > 0
    this.#field(arrayHeadBytes + (hasValues ? 8 + 8 * values.length : 0))
    this.#length = this.#bytes.writeInt32BE(hasValues ? 1 : 0, this.#length)
    this.#length = this.#bytes.writeInt32BE(0, this.#length)
    this.#length = this.#bytes.writeInt32BE(integerOid, this.#length)
    if (!hasValues) return
    this.#length = this.#bytes.writeInt32BE(values.length, this.#length)
    this.#length = this.#bytes.writeInt32BE(1, this.#length)
    for (const value of values) this.integer(value)
  }

  bytea(value: Uint8Array | null): void {
    if (value === null) {
      this.#reserve(4)
      this.#length = this.#bytes.writeInt32BE(-1, this.#length)
      return
    }
    this.#field(value.byteLength)
    this.#bytes.set(value, this.#length)
    this.#length += value.byteLength
  }

  /** A whole number that is not negative, given by its decimal digits. */
  numeric(digits: string): void {
    const groupCount = digits === '0' ? 0 : Math.ceil(digits.length / numericBaseDigits)
    this.#numericHead(groupCount)
    let end = digits.length - (groupCount - 1) * numericBaseDigits
    for (let group = 0, start = 0; group < groupCount; group += 1) {
      this.#length = this.#bytes.writeInt16BE(Number(digits.slice(start, end)), this.#length)
      start = end
      end += numericBaseDigits
    }
  }

  /** The same of a number that is exact: no text is made of it. */
  safeNumeric(value: number): void {
    let groupCount = 0
    for (let rest = value; rest > 0; rest = Math.floor(rest / numericBase)) groupCount += 1
    this.#numericHead(groupCount)
    let rest = value
    for (let group = groupCount - 1; group >= 0; group -= 1) {
      this.#bytes.writeInt16BE(rest % numericBase, this.#length + 2 * group)
      rest = Math.floor(rest / numericBase)
    }
    this.#length += 2 * groupCount
  }

  /** All that was written, with the end mark; nothing is to be written after it. */
  finish(): Buffer {
    this.#reserve(2)
    this.#length = this.#bytes.writeInt16BE(-1, this.#length)
    return this.#bytes.subarray(0, this.#length)
  }

  /** Digit groups, the power of the first, the sign, and digits after the point. */
  #numericHead(groupCount: number): void {
    this.#field(8 + 2 * groupCount)
    this.#bytes.writeInt16BE(groupCount, this.#length)
    this.#bytes.writeInt16BE(Math.max(0, groupCount - 1), this.#length + 2)
    this.#length = this.#bytes.writeInt32BE(0, this.#length + 4)
  }

  #field(sizeBytes: number): void {
    this.#reserve(4 + sizeBytes)
    this.#length = this.#bytes.writeInt32BE(sizeBytes, this.#length)
  }

  #reserve(sizeBytes: number): void {
    const needBytes = this.#length + sizeBytes
    if (needBytes <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(needBytes, 2 * this.#bytes.length))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}

/** Sends rows in COPY's binary format. `target` is a table with its columns. */
export async function copyBinary(client: Client, target: string, rows: CopyBytes): Promise<void> {
  if (rows.rowCount === 0) return
  const stream = client.query(from(`COPY ${target} FROM STDIN (FORMAT binary)`))
  // Registered before the first write: a connection that breaks in between must not go unheard.
  const done = finished(stream)
  stream.end(rows.finish())
  await done
}
