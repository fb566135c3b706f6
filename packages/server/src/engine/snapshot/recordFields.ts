import { grown } from '../../lib/grown.ts'
import { SnapshotUnreadableError } from '../errors.ts'
import type { RecordSource } from '../records/recordSource.ts'
import { runsOf } from '../tables/bytes.ts'
import type { FieldBytes, RecordList, WrittenList } from './formTypes.ts'

/** Takes the values of one field in order. */
type FieldWriter<value> = { add(value: value): void; finish(): readonly Uint8Array[] }

/**
 * How the values of one field are written, and what stands for them in a snapshot that does not have it yet. Both ways go
 * value by value: all texts of a large market at once would be more than the market.
 */
type Field<value> = {
  type: string
  fallback: value
  writer(count: number): FieldWriter<value>
  /** Gives the next value at each call, `count` times. */
  reader(bytes: Uint8Array, count: number): () => value
}

/** A field for each property of a record but its id, which is its place: the compiler asks for one that is new. */
export type FieldsOf<record, id extends keyof record = never> = {
  readonly [name in Exclude<keyof record, id>]: Field<record[name]>
}

/**
 * The fields are made when they are asked for, in one walk over the records, and each is let go of when the next is taken: of a large market
 * all of them are a gigabyte.
 */
export function encodeRecords<record, id extends keyof record = never>(
  records: RecordSource<record>,
  fields: FieldsOf<record, id>,
): WrittenList {
  const inTurn = () => fieldsInTurn(records, fields)
  const { length: size } = namesOf(fields)
  return { count: records.length, fields: { size, [Symbol.iterator]: inTurn } }
}

function* fieldsInTurn<record, id extends keyof record>(
  records: RecordSource<record>,
  fields: FieldsOf<record, id>,
): Generator<readonly [string, FieldBytes], void, undefined> {
  const { length: count } = records
  const names = namesOf(fields)
  const writers = names.map((name) => fields[name].writer(count))
  for (let place = 0; place < count; place += 1) {
    const record = records.at(place)!
    for (let index = 0; index < names.length; index += 1) writers[index]!.add(record[names[index]!])
  }
  for (const name of names) {
    const runs = runsOf(...writers.shift()!.finish())
    yield [name, { type: fields[name].type, runs }]
  }
}

/** Visits records in order; each call has one of its own, without the id. */
export function decodeRecords<record, id extends keyof record = never>(
  { count, fields: written }: RecordList,
  fields: FieldsOf<record, id>,
  visit: (record: Omit<record, id>, place: number) => void,
): void {
  const readers = namesOf(fields).map(
    (name) => [name, readerOf(written, name, fields, count)] as const,
  )
  for (let place = 0; place < count; place += 1) {
    const record: Record<string, unknown> = {}
    for (const [name, next] of readers) record[name] = next()
    visit(record as Omit<record, id>, place)
  }
}

function readerOf<record, id extends keyof record>(
  written: RecordList['fields'],
  name: Exclude<keyof record, id> & string,
  fields: FieldsOf<record, id>,
  count: number,
): () => unknown {
  const field = fields[name]
  const found = written.get(name)
  if (found === undefined) return () => field.fallback
  if (found.type !== field.type)
    throw new SnapshotUnreadableError(`Its "${name}" is a ${found.type}, not a ${field.type}.`)
  return field.reader(found.runs.joined(), count)
}

function namesOf<record, id extends keyof record>(fields: FieldsOf<record, id>) {
  return Object.keys(fields) as (Exclude<keyof record, id> & string)[]
}

export const numberField = (fallback = 0): Field<number> => ({
  type: 'number',
  fallback,
  writer(count) {
    const numbers = new Float64Array(count)
    let place = 0
    return {
      add(value) {
        numbers[place] = value
        place += 1
      },
      finish: () => [bytesOf(numbers)],
    }
  },
  reader(bytes, count) {
    const numbers = new Float64Array(wordsOf(bytes, 0, count * 8))
    let place = 0
    return () => {
      place += 1
      return numbers[place - 1]!
    }
  },
})

/** A field whose values are written as those of another. */
function fieldBy<value, written>(
  field: Field<written>,
  by: {
    fallback: value
    write: (value: value) => written
    read: (written: written) => value
  },
): Field<value> {
  return {
    type: field.type,
    fallback: by.fallback,
    writer(count) {
      const { add, finish } = field.writer(count)
      return { add: (value) => add(by.write(value)), finish }
    },
    reader(bytes, count) {
      const next = field.reader(bytes, count)
      return () => by.read(next())
    },
  }
}

/** Whole or not known. */
export const countField: Field<number | null> = {
  ...fieldBy<number | null, number>(numberField(), {
    fallback: null,
    write: (value) => value ?? -1,
    read: (value) => (value < 0 ? null : value),
  }),
  type: 'count',
}

export const truthField = (fallback: boolean): Field<boolean> => ({
  type: 'truth',
  fallback,
  writer(count) {
    const truths = new Uint8Array(count)
    let place = 0
    return {
      add(value) {
        truths[place] = Number(value)
        place += 1
      },
      finish: () => [truths],
    }
  },
  reader(bytes, count) {
    const truths = partOf(bytes, 0, count)
    let place = 0
    return () => {
      place += 1
      return truths[place - 1] === 1
    }
  },
})

const chunkBytes = 1 << 20
/** Of UTF-8, for each character of a text. */
const characterBytesMax = 3

/** Lengths, then the texts. */
export const textField: Field<string> = {
  type: 'text',
  fallback: '',
  writer(count) {
    const lengths = new Uint32Array(count)
    const chunks: Uint8Array[] = []
    let chunk = Buffer.alloc(0)
    let at = 0
    let place = 0
    return {
      add(value) {
        const room = value.length * characterBytesMax
        if (at + room > chunk.length) {
          chunks.push(chunk.subarray(0, at))
          chunk = Buffer.allocUnsafeSlow(Math.max(room, Math.min(chunkBytes, 64 * count)))
          at = 0
        }
        const length = chunk.write(value, at)
        at += length
        lengths[place] = length
        place += 1
      },
      finish: () => [bytesOf(lengths), ...chunks, chunk.subarray(0, at)],
    }
  },
  reader(bytes, count) {
    const lengths = new Uint32Array(wordsOf(bytes, 0, count * 4))
    const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let place = 0
    let at = count * 4
    return () => {
      const from = at
      at += lengths[place]!
      place += 1
      if (at > bytes.length) throw new SnapshotUnreadableError('A field ends too early.')
      return texts.toString('utf8', from, at)
    }
  },
}

/** Whole numbers of any size, as text. */
export function listField<whole extends bigint | number>(
  read: (text: string) => whole,
): Field<readonly whole[]> {
  const none: readonly whole[] = []
  return fieldBy<readonly whole[], string>(textField, {
    fallback: none,
    write: (list) => list.join(' '),
    read: (text) => (text === '' ? none : text.split(' ').map(read)),
  })
}

/** One of a few: the different ones by first use, then their places plus 1, 0 for none. */
export const wordField: Field<string | null> = {
  type: 'word',
  fallback: null,
  writer(count) {
    const places = new Map<string, number>()
    const used = new Uint32Array(count)
    let at = 0
    return {
      add(value) {
        if (value !== null) {
          const place = places.get(value) ?? places.size + 1
          places.set(value, place)
          used[at] = place
        }
        at += 1
      },
      finish() {
        const texts = textField.writer(places.size)
        for (const word of places.keys()) texts.add(word)
        const words = texts.finish()
        const wordsLength = words.reduce((sum, { length }) => sum + length, 0)
        return [bytesOf(Uint32Array.of(places.size, wordsLength)), ...words, bytesOf(used)]
      },
    }
  },
  reader(bytes, count) {
    const [size, length] = new Uint32Array(wordsOf(bytes, 0, 8))
    const next = textField.reader(partOf(bytes, 8, length!), size!)
    const words = Array.from({ length: size! }, next)
    const used = new Uint32Array(wordsOf(bytes, 8 + length!, count * 4))
    let at = 0
    return () => {
      const place = used[at]!
      at += 1
      const word = place === 0 ? null : words[place - 1]
      if (word === undefined) throw new SnapshotUnreadableError(`It has no word ${place}.`)
      return word
    }
  },
}

/** As a word that is always there. */
export function nameField<name extends string>(fallback: name): Field<name> {
  return fieldBy<name, string | null>(wordField, {
    fallback,
    write: (word) => word,
    read: (word) => (word ?? fallback) as name,
  })
}

/** Never negative: how many words of 64 bits, then the words, the lowest first. */
export const amountField: Field<bigint> = {
  type: 'amount',
  fallback: 0n,
  writer(count) {
    const sizes = new Uint8Array(count)
    let words = new BigUint64Array(Math.max(1, count))
    let place = 0
    let at = 0
    return {
      add(value) {
        const from = at
        for (let rest = value; rest > 0n; rest >>= 64n) {
          if (at === words.length) words = grown(words)
          words[at] = rest
          at += 1
        }
        sizes[place] = at - from
        place += 1
      },
      finish: () => [sizes, bytesOf(words.subarray(0, at))],
    }
  },
  reader(bytes, count) {
    const sizes = partOf(bytes, 0, count)
    const length = sizes.reduce((sum, size) => sum + size, 0)
    const words = new BigUint64Array(wordsOf(bytes, count, length * 8))
    let place = 0
    let end = 0
    return () => {
      const from = end
      end += sizes[place]!
      place += 1
      let value = 0n
      for (let at = end - 1; at >= from; at -= 1) value = (value << 64n) | words[at]!
      return value
    }
  },
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
