/** The head of a request as nearly every client writes it. */
export type RequestHead = {
  method: 'GET' | 'POST'
  /** Begins with a slash. */
  target: string
  apiKey: string | undefined
  bodyBytes: number
  /** Where the body begins. */
  endAt: number
}

// Heads of clients are some hundred bytes; what is much longer is looked at by Node's parser, which has its own limit.
const headBytesMax = 8_192
// A length of more digits is over every limit on bodies.
const lengthDigitsMax = 8

const tab = 0x09
const lineFeed = 0x0a
const carriageReturn = 0x0d
const space = 0x20
const slash = 0x2f
const colon = 0x3a
const digit0 = 0x30
const digit9 = 0x39
/** Letters of a header name differ from lower case in this bit alone, and its other characters have it set. */
const lowerCase = 0x20

const flagsOf = (isIn: (byte: number) => boolean) =>
  Uint8Array.from({ length: 256 }, (_, byte) => (isIn(byte) ? 1 : 0))
const isVisible = flagsOf((byte) => byte > 0x20 && byte < 0x7f)
const isOfValue = flagsOf((byte) => byte === tab || (byte >= 0x20 && byte < 0x7f))
const isOfName = flagsOf((byte) => /[A-Za-z0-9-]/.test(String.fromCharCode(byte)))

const protocol = ' HTTP/1.1\r\n'

/**
 * Reads a head that is complete and plain: a GET or POST of HTTP/1.1 with a path, one Host, ASCII alone, a length that says
 * where the body ends, a connection that stays open. Null: anything else, be it wrong, rare or not here yet. Whatever could
 * be understood in two ways is left to Node's parser.
 */
export function readHead(bytes: Buffer, from: number): RequestHead | null {
  const method = isAt(bytes, from, 'GET ') ? 'GET' : isAt(bytes, from, 'POST ') ? 'POST' : null
  if (method === null) return null
  const targetAt = from + method.length + 1
  if (bytes[targetAt] !== slash) return null
  const targetEnd = endOf(isVisible, bytes, targetAt)
  if (!isAt(bytes, targetEnd, protocol)) return null
  const fields = readFields(bytes, targetEnd + protocol.length)
  if (fields === null || fields.endAt - from > headBytesMax) return null
  const { apiKey, bodyBytes, endAt } = fields
  // A GET has no body and a POST has one.
  if ((method === 'POST') !== bodyBytes >= 0) return null
  const target = bytes.toString('latin1', targetAt, targetEnd)
  return { method, target, apiKey, bodyBytes: Math.max(0, bodyBytes), endAt }
}

/** `bodyBytes` is -1 when there is no length. */
type Fields = { apiKey: string | undefined; bodyBytes: number; hosts: number; endAt: number }

function readFields(bytes: Buffer, from: number): Fields | null {
  const fields: Fields = { apiKey: undefined, bodyBytes: -1, hosts: 0, endAt: 0 }
  let at = from
  while (bytes[at] !== carriageReturn) {
    const nameEnd = endOf(isOfName, bytes, at)
    if (nameEnd === at || bytes[nameEnd] !== colon) return null
    const valueAt = bytes[nameEnd + 1] === space ? nameEnd + 2 : nameEnd + 1
    const valueEnd = endOf(isOfValue, bytes, valueAt)
    if (bytes[valueEnd] !== carriageReturn || bytes[valueEnd + 1] !== lineFeed) return null
    if (!takeField(fields, bytes, at, nameEnd, valueAt, valueEnd)) return null
    at = valueEnd + 2
  }
  if (bytes[at + 1] !== lineFeed || fields.hosts !== 1) return null
  fields.endAt = at + 2
  return fields
}

/** False: this field makes the request one that is not plain. */
function takeField(
  fields: Fields,
  bytes: Buffer,
  nameAt: number,
  nameEnd: number,
  valueAt: number,
  valueEnd: number,
): boolean {
  switch (nameEnd - nameAt) {
    case 4:
      if (isLowerAt(bytes, nameAt, 'host')) fields.hosts += 1
      return true
    case 6:
      // A page's request has more to be answered.
      return !isLowerAt(bytes, nameAt, 'expect') && !isLowerAt(bytes, nameAt, 'origin')
    case 7:
      return !isLowerAt(bytes, nameAt, 'upgrade') && !isLowerAt(bytes, nameAt, 'trailer')
    case 9:
      if (!isLowerAt(bytes, nameAt, 'x-api-key')) return true
      if (fields.apiKey !== undefined || hasSpaceAround(bytes, valueAt, valueEnd)) return false
      fields.apiKey = bytes.toString('latin1', valueAt, valueEnd)
      return true
    case 10:
      if (!isLowerAt(bytes, nameAt, 'connection')) return true
      return valueEnd - valueAt === keepAlive.length && isLowerAt(bytes, valueAt, keepAlive)
    case 14:
      if (!isLowerAt(bytes, nameAt, 'content-length')) return true
      if (fields.bodyBytes >= 0) return false
      fields.bodyBytes = lengthAt(bytes, valueAt, valueEnd)
      return fields.bodyBytes >= 0
    case 17:
      return !isLowerAt(bytes, nameAt, 'transfer-encoding')
    default:
      return true
  }
}

const keepAlive = 'keep-alive'

/** Spaces around a value do not belong to it. */
function hasSpaceAround(bytes: Buffer, from: number, end: number): boolean {
  return end > from && (isVisible[bytes[from]!] === 0 || isVisible[bytes[end - 1]!] === 0)
}

/** -1: not digits alone, or too many. */
function lengthAt(bytes: Buffer, from: number, end: number): number {
  if (end === from || end - from > lengthDigitsMax) return -1
  let length = 0
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at]!
    if (byte < digit0 || byte > digit9) return -1
    length = length * 10 + byte - digit0
  }
  return length
}

/** Where the first byte stands that is not flagged; the end of the bytes at the latest. */
function endOf(flags: Uint8Array, bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && flags[bytes[at]!] === 1) at += 1
  return at
}

function isAt(bytes: Buffer, from: number, text: string): boolean {
  for (let at = 0; at < text.length; at += 1)
    if (bytes[from + at] !== text.charCodeAt(at)) return false
  return true
}

/** Is this text there, in letters of either case? */
function isLowerAt(bytes: Buffer, from: number, text: string): boolean {
  for (let at = 0; at < text.length; at += 1)
    if ((bytes[from + at]! | lowerCase) !== text.charCodeAt(at)) return false
  return true
}
