import { SnapshotUnreadableError } from '../errors.ts'

/** All values of one field of records, one after another. */
export type FieldBytes = { type: string; bytes: Uint8Array }

/** How the values of one field are written, and what stands for them in a snapshot that does not have it yet. */
type Field<value> = {
  type: string
  fallback: value
  encode(values: readonly value[]): Uint8Array
  decode(bytes: Uint8Array, count: number): value[]
}

/** A field for each property of a record but its id, which is its place: the compiler asks for one that is new. */
export type FieldsOf<record, id extends keyof record = never> = {
  readonly [name in Exclude<keyof record, id>]: Field<record[name]>
}

/** Records of one kind, field by field: a reader leaves out a field that it does not know. */
export type RecordList = { count: number; fields: ReadonlyMap<string, FieldBytes> }

/** The values of each field, by the place of the record. */
type FieldValues<record, id extends keyof record = never> = {
  readonly [name in Exclude<keyof record, id>]: readonly record[name][]
}

export function encodeRecords<record, id extends keyof record = never>(
  records: readonly record[],
  fields: FieldsOf<record, id>,
): RecordList {
  const written = new Map<string, FieldBytes>()
  for (const name of namesOf(fields)) {
    const { type, encode } = fields[name]
    written.set(name, { type, bytes: encode(records.map((record) => record[name])) })
  }
  return { count: records.length, fields: written }
}

export function decodeRecords<record, id extends keyof record = never>(
  { count, fields: written }: RecordList,
  fields: FieldsOf<record, id>,
): FieldValues<record, id> {
  const values = namesOf(fields).map((name) => [name, decodeField(written, name, fields, count)])
  return Object.fromEntries(values) as FieldValues<record, id>
}

function decodeField<record, id extends keyof record>(
  written: RecordList['fields'],
  name: Exclude<keyof record, id> & string,
  fields: FieldsOf<record, id>,
  count: number,
): readonly unknown[] {
  const field = fields[name]
  const found = written.get(name)
  if (found === undefined) return Array.from({ length: count }, () => field.fallback)
  if (found.type !== field.type)
    throw new SnapshotUnreadableError(`Its "${name}" is a ${found.type}, not a ${field.type}.`)
  return field.decode(found.bytes, count)
}

function namesOf<record, id extends keyof record>(fields: FieldsOf<record, id>) {
  return Object.keys(fields) as (Exclude<keyof record, id> & string)[]
}

export const numberField = (fallback = 0): Field<number> => ({
  type: 'number',
  fallback,
  encode: (values) => bytesOf(Float64Array.from(values)),
  decode: (bytes, count) => Array.from(new Float64Array(wordsOf(bytes, 0, count * 8))),
})

/** Whole or not known. */
export const countField: Field<number | null> = {
  type: 'count',
  fallback: null,
  encode: (values) => bytesOf(Float64Array.from(values, (value) => value ?? -1)),
  decode: (bytes, count) =>
    numberField()
      .decode(bytes, count)
      .map((value) => (value < 0 ? null : value)),
}

export const truthField = (fallback: boolean): Field<boolean> => ({
  type: 'truth',
  fallback,
  encode: (values) => Uint8Array.from(values, Number),
  decode: (bytes, count) => Array.from(partOf(bytes, 0, count), (value) => value === 1),
})

/** Lengths, then the texts. */
export const textField: Field<string> = {
  type: 'text',
  fallback: '',
  encode(values) {
    const lengths = Uint32Array.from(values, (value) => Buffer.byteLength(value))
    const bytes = Buffer.allocUnsafe(
      lengths.reduce((sum, length) => sum + length, lengths.byteLength),
    )
    bytes.set(bytesOf(lengths))
    let at = lengths.byteLength
    for (const value of values) at += bytes.write(value, at)
    return bytes
  },
  decode(bytes, count) {
    const lengths = new Uint32Array(wordsOf(bytes, 0, count * 4))
    const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let at = count * 4
    return Array.from(lengths, (length) => {
      partOf(bytes, at, length)
      at += length
      return texts.toString('utf8', at - length, at)
    })
  },
}

/** Whole numbers of any size, as text. */
export function listField<whole extends bigint | number>(
  read: (text: string) => whole,
): Field<readonly whole[]> {
  return {
    type: 'text',
    fallback: [],
    encode: (values) => textField.encode(values.map((list) => list.join(' '))),
    decode: (bytes, count) =>
      textField.decode(bytes, count).map((text) => (text === '' ? [] : text.split(' ').map(read))),
  }
}

/** One of a few: the different ones by first use, then their places plus 1, 0 for none. */
export const wordField: Field<string | null> = {
  type: 'word',
  fallback: null,
  encode(values) {
    const places = new Map<string, number>()
    const used = Uint32Array.from(values, (value) => {
      if (value === null) return 0
      const place = places.get(value) ?? places.size + 1
      places.set(value, place)
      return place
    })
    const words = textField.encode([...places.keys()])
    const counts = Uint32Array.of(places.size, words.byteLength)
    return Buffer.concat([bytesOf(counts), words, bytesOf(used)])
  },
  decode(bytes, count) {
    const [size, length] = new Uint32Array(wordsOf(bytes, 0, 8))
    const words = textField.decode(partOf(bytes, 8, length!), size!)
    return Array.from(new Uint32Array(wordsOf(bytes, 8 + length!, count * 4)), (place) => {
      const word = place === 0 ? null : words[place - 1]
      if (word === undefined) throw new SnapshotUnreadableError(`It has no word ${place}.`)
      return word
    })
  },
}

/** As a word that is always there. */
export function nameField<name extends string>(fallback: name): Field<name> {
  return {
    type: 'word',
    fallback,
    encode: wordField.encode,
    decode: (bytes, count) =>
      wordField.decode(bytes, count).map((word) => (word ?? fallback) as name),
  }
}

/** Never negative: how many words of 64 bits, then the words, the lowest first. */
export const amountField: Field<bigint> = {
  type: 'amount',
  fallback: 0n,
  encode(values) {
    const sizes = Uint8Array.from(values, wordCount)
    const words = new BigUint64Array(sizes.reduce((sum, size) => sum + size, 0))
    let at = 0
    for (const value of values)
      for (let rest = value; rest > 0n; rest >>= 64n) {
        words[at] = rest
        at += 1
      }
    return Buffer.concat([sizes, bytesOf(words)])
  },
  decode(bytes, count) {
    const sizes = partOf(bytes, 0, count)
    const length = sizes.reduce((sum, size) => sum + size, 0)
    const words = new BigUint64Array(wordsOf(bytes, count, length * 8))
    let end = 0
    return Array.from(sizes, (size) => {
      end += size
      let value = 0n
      for (let at = end - 1; at >= end - size; at -= 1) value = (value << 64n) | words[at]!
      return value
    })
  },
}

function wordCount(value: bigint): number {
  let words = 0
  for (let rest = value; rest > 0n; rest >>= 64n) words += 1
  return words
}

function bytesOf(values: Float64Array | Uint32Array | BigUint64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}

function partOf(bytes: Uint8Array, at: number, length: number): Uint8Array {
  if (at + length > bytes.length) throw new SnapshotUnreadableError('A field ends too early.')
  return bytes.subarray(at, at + length)
}

/** In a buffer of their own, where they are aligned. */
function wordsOf(bytes: Uint8Array, at: number, length: number): ArrayBuffer {
  return new Uint8Array(partOf(bytes, at, length)).buffer
}
