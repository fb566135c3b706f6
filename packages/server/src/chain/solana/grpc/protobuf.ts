// Protocol buffers wire format, as far as messages of nodes need it: fields in any order, unknown
// ones skipped.

const [varint, eightBytes, sized, fourBytes] = [0, 1, 2, 5]

/** A field: its number, and its value as a number or as bytes of the message. */
export type Field = { number: number; value: number; bytes: Buffer }

const noBytes = Buffer.alloc(0)

/** Yields the fields of a message. Throws RangeError for malformed bytes. */
export function* fieldsOf(message: Buffer): Generator<Field> {
  const at = { place: 0 }
  while (at.place < message.length) {
    const key = readVarint(message, at)
    const [number, type] = [Math.floor(key / 8), key % 8]
    if (type === varint) yield { number, value: readVarint(message, at), bytes: noBytes }
    else if (type === sized) {
      const length = readVarint(message, at)
      yield { number, value: 0, bytes: take(message, at, length) }
    } else if (type === eightBytes || type === fourBytes)
      yield { number, value: 0, bytes: take(message, at, type === eightBytes ? 8 : 4) }
    else throw new RangeError('no field of a message')
  }
}

function take(message: Buffer, at: { place: number }, length: number): Buffer {
  const end = at.place + length
  if (end > message.length) throw new RangeError('a field is longer than its message')
  const bytes = message.subarray(at.place, end)
  at.place = end
  return bytes
}

/** Reads a varint as a double, which is exact for slots, indexes and lamports. */
function readVarint(message: Buffer, at: { place: number }): number {
  let [value, scale] = [0, 1]
  for (let count = 0; count < 10; count++) {
    const byte = message[at.place++]
    if (byte === undefined) throw new RangeError('the message ends in a number')
    value += (byte & 0x7f) * scale
    scale *= 128
    if (byte < 0x80) return value
  }
  throw new RangeError('a number is too long')
}

export function writeVarint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) + 128)
  }
}

export function numberField(number: number, value: number): Buffer {
  return Buffer.concat([writeVarint(number * 8 + varint), writeVarint(value)])
}

export function bytesField(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([writeVarint(number * 8 + sized), writeVarint(bytes.length), bytes])
}
