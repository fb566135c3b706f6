import { base64ByteAt } from '../../lib/bytes/base64Bytes.ts'
import type { KeySet } from '../../lib/bytes/keySet.ts'
import type { SolanaInstruction } from '../../model/solana/solanaTransaction.ts'

/** Position of the keys in a transaction's bytes, without those of lookup tables. */
export type WireKeys = { bytes: Buffer; at: number; count: number }

/** The part read of every transaction, to decide whether it is relevant: most are not. */
type WireHead = {
  signatureAt: number
  signerCount: number
  keys: WireKeys
  hasLookups: boolean
}

export const keyBytes = 32
const signatureBytes = 64
/** Numbers of signers, of read-only signers, and of other read-only keys. */
const headerBytes = 3
// The highest bit of a message's first byte marks a versioned message; the others are the version.
const versioned = 0x80
const version1 = versioned | 1
// Version 1 starts with its number, three counts of keys, settings, a blockhash, and the counts of
// instructions and keys.
const settingsAt1 = 4
const keysAt1 = settingsAt1 + 4 + keyBytes + 2

/**
 * Reads forward from `at`. Past the end it returns undefined, which turns into NaN and fails the
 * caller's checks.
 */
class WireCursor {
  readonly bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  byte(): number {
    return this.bytes[this.at++]!
  }

  take(length: number): Buffer {
    const part = this.bytes.subarray(this.at, this.at + length)
    this.at += length
    return part
  }

  /** Indexes of one byte each; fewer at the end of the bytes. */
  places(count: number): number[] {
    const places: number[] = []
    const end = Math.min(this.at + count, this.bytes.length)
    for (let at = this.at; at < end; at++) places.push(this.bytes[at]!)
    this.at += count
    return places
  }

  /** A length in one to three bytes of seven bits each. */
  shortLength(): number {
    let value = 0
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.byte()
      value |= (byte & 0x7f) << shift
      if (byte < versioned) break
    }
    return value
  }
}

/** Null if the bytes are not a transaction. */
export function readWireHead(bytes: Buffer): WireHead | null {
  const head = bytes[0] === version1 ? readHead1(bytes) : readOlderHead(bytes)
  return endOfKeys(head) <= bytes.length ? head : null
}

/**
 * Might the transaction name one of the keys? Compares two bytes of each key, taken from the base64
 * text: decoding every transaction costs more, and most name none.
 */
export function mayNameKey(text: string, keys: KeySet): boolean {
  const first = base64ByteAt(text, 0)
  const isFirstVersion = first === version1
  // Counts of signatures or keys that need two bytes do not occur.
  if (!isFirstVersion && first >= versioned) return true
  const headerAt = 1 + first * signatureBytes
  const hasVersion = base64ByteAt(text, headerAt) >= versioned
  const keysAt = isFirstVersion ? keysAt1 : headerAt + headerBytes + (hasVersion ? 2 : 1)
  const count = base64ByteAt(text, keysAt - 1)
  if (count >= versioned) return true
  for (let at = keysAt, left = count; left > 0; left--, at += keyBytes)
    if (keys.hasStart(base64ByteAt(text, at), base64ByteAt(text, at + 1))) return true
  return false
}

/** The outer instructions. Null if the bytes are not a transaction. */
export function readWireInstructions(head: WireHead): SolanaInstruction[] | null {
  const { bytes } = head.keys
  const cursor = new WireCursor(bytes)
  cursor.at = endOfKeys(head)
  const read =
    bytes[0] === version1 ? readInstructions1(cursor, head) : readOlderInstructions(cursor, head)
  return cursor.at === bytes.length ? read : null
}

function endOfKeys({ keys }: WireHead): number {
  return keys.at + keys.count * keyBytes
}

/** Legacy and version 0: signatures, then the message. */
function readOlderHead(bytes: Buffer): WireHead {
  const cursor = new WireCursor(bytes)
  const signatureCount = cursor.shortLength()
  const signatureAt = cursor.at
  cursor.at += signatureCount * signatureBytes
  const hasLookups = bytes[cursor.at]! >= versioned
  if (hasLookups) cursor.at++
  const signerCount = bytes[cursor.at]!
  cursor.at += headerBytes
  const count = cursor.shortLength()
  const keys = { bytes, at: cursor.at, count }
  return { signatureAt, signerCount, keys, hasLookups }
}

function readOlderInstructions(cursor: WireCursor, { hasLookups }: WireHead): SolanaInstruction[] {
  const { bytes } = cursor
  cursor.at += keyBytes
  const instructions: SolanaInstruction[] = []
  for (let left = cursor.shortLength(); left > 0 && cursor.at < bytes.length; left--) {
    const program = cursor.byte()
    const accounts = cursor.places(cursor.shortLength())
    instructions.push({ program, accounts, data: cursor.take(cursor.shortLength()), height: 1 })
  }
  if (hasLookups) skipLookups(cursor)
  return instructions
}

/** Skips lookup tables: the node's answer lists their keys. */
function skipLookups(cursor: WireCursor): void {
  for (let left = cursor.shortLength(); left > 0 && cursor.at < cursor.bytes.length; left--) {
    cursor.at += keyBytes
    // Indexes of writable keys, then of read-only ones.
    cursor.take(cursor.shortLength())
    cursor.take(cursor.shortLength())
  }
}

/**
 * Version 1: no lookup tables, the lengths of all instructions before their contents, signatures at
 * the end.
 */
function readHead1(bytes: Buffer): WireHead {
  const signerCount = bytes[1]!
  const signatureAt = bytes.length - signerCount * signatureBytes
  const keys = { bytes, at: keysAt1, count: bytes[keysAt1 - 1]! }
  return { signatureAt, signerCount, keys, hasLookups: false }
}

function readInstructions1(cursor: WireCursor, { signerCount }: WireHead): SolanaInstruction[] {
  const settings = cursor.bytes.readUInt32LE(settingsAt1)
  // Every set bit adds four bytes of settings; the priority fee has two bits and eight bytes.
  for (let bit = 0; bit < 5; bit++) if (settings & (1 << bit)) cursor.at += 4
  const lengths = Array.from({ length: cursor.bytes[keysAt1 - 2]! }, () => {
    const [program, accountCount] = [cursor.byte(), cursor.byte()]
    return { program, accountCount, dataLength: cursor.byte() + cursor.byte() * 256 }
  })
  const instructions = lengths.map(({ program, accountCount, dataLength }) => {
    const accounts = cursor.places(accountCount)
    return { program, accounts, data: cursor.take(dataLength), height: 1 }
  })
  cursor.at += signerCount * signatureBytes
  return instructions
}
