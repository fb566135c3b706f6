// First bytes of texts and lists, and the length from which the length has bytes of its own (Yellow
// paper, appendix B).
const textMark = 0x80
const listMark = 0xc0
const shortMax = 55
// A first byte and a length of up to eight bytes.
const headBytesMax = 9

let scratch = Buffer.alloc(2_048)

/** Text in hex, or a list of items. */
export type RlpItem = string | readonly RlpItem[]

/**
 * Encodes an item as RLP into a buffer that the next call overwrites. An odd number of digits gets
 * a leading 0.
 */
export function rlp(item: RlpItem): Buffer {
  const needed = bytesMaxOf(item)
  if (needed > scratch.length) scratch = Buffer.alloc(2 * needed)
  return scratch.subarray(0, write(item, 0))
}

function bytesMaxOf(item: RlpItem): number {
  if (typeof item === 'string') return headBytesMax + item.length
  return item.reduce((sum, part) => sum + bytesMaxOf(part), headBytesMax)
}

function write(item: RlpItem, at: number): number {
  if (typeof item === 'string') return writeText(item, at)
  const from = at + headBytesMax
  let end = from
  for (const part of item) end = write(part, end)
  const start = writeHead(listMark, end - from, at)
  scratch.copyWithin(start, from, end)
  return start + end - from
}

function writeText(hex: string, at: number): number {
  const digits = hex.length % 2 === 0 ? hex.slice(2) : `0${hex.slice(2)}`
  const length = digits.length / 2
  // A byte below 0x80 is its own encoding.
  const isByte = length === 1 && digits.charCodeAt(0) < '8'.charCodeAt(0)
  const from = isByte ? at : writeHead(textMark, length, at)
  scratch.write(digits, from, 'hex')
  return from + length
}

function writeHead(mark: number, length: number, at: number): number {
  if (length <= shortMax) {
    scratch[at] = mark + length
    return at + 1
  }
  const count = bytesOf(length)
  scratch[at] = mark + shortMax + count
  scratch.writeUIntBE(length, at + 1, count)
  return at + 1 + count
}

function bytesOf(length: number): number {
  return Math.ceil((32 - Math.clz32(length)) / 8)
}

/** Removes leading zeros of an integer, as RLP requires; 0 becomes empty. */
export function toMinimal(quantity: string): string {
  const digits = quantity.slice(2).replace(/^0+/, '')
  return digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`
}
