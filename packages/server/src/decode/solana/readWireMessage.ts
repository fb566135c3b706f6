import type { SolanaInstruction } from '../../model/solana/solanaTransaction.ts'

/** Where keys are in the signed bytes of a transaction; those of lookup tables are not among them. */
export type WireKeys = { bytes: Buffer; at: number; count: number }

/** What is read of a transaction before anything says that it is of interest: most are not. */
export type WireHead = {
  signatureAt: number
  signerCount: number
  keys: WireKeys
  hasLookups: boolean
}

export const keyBytes = 32
export const signatureBytes = 64
// The highest bit of a message's first byte says that it has a version, the others which.
const versioned = 0x80
const version1 = versioned | 1
// Version 1 begins with itself, three numbers of keys, settings, a blockhash and the numbers of instructions and keys.
const settingsAt1 = 4
const keysAt1 = settingsAt1 + 4 + keyBytes + 2

/** Reads on from `at`; past the end it gives undefined, which turns into NaN and fails the checks of the caller. */
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

/** Null: these are not the bytes of a transaction. */
export function readWireHead(bytes: Buffer): WireHead | null {
  const cursor = new WireCursor(bytes)
  const head = bytes[0] === version1 ? readHead1(cursor) : readOlderHead(cursor)
  return endOfKeys(head) <= bytes.length ? head : null
}

/** Its own instructions. Null: these are not the bytes of a transaction. */
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

/** Legacy and version 0: signatures first, then the message. */
function readOlderHead(cursor: WireCursor): WireHead {
  const signatureCount = cursor.shortLength()
  const signatureAt = cursor.at
  cursor.at += signatureCount * signatureBytes
  const hasLookups = cursor.bytes[cursor.at]! >= versioned
  if (hasLookups) cursor.at++
  const signerCount = cursor.byte()
  cursor.at += 2
  const count = cursor.shortLength()
  const keys = { bytes: cursor.bytes, at: cursor.at, count }
  return { signatureAt, signerCount, keys, hasLookups }
}

function readOlderInstructions(cursor: WireCursor, { hasLookups }: WireHead): SolanaInstruction[] {
  const { bytes } = cursor
  cursor.at += keyBytes
  const instructions: SolanaInstruction[] = []
  for (let left = cursor.shortLength(); left > 0 && cursor.at < bytes.length; left--) {
    const program = cursor.byte()
    const accounts = [...cursor.take(cursor.shortLength())]
    instructions.push({ program, accounts, data: cursor.take(cursor.shortLength()), height: 1 })
  }
  if (hasLookups) skipLookups(cursor)
  return instructions
}

/** The keys that they stand for are in the node's answer. */
function skipLookups(cursor: WireCursor): void {
  for (let left = cursor.shortLength(); left > 0 && cursor.at < cursor.bytes.length; left--) {
    cursor.at += keyBytes
    // Indexes of those to write, and of those to read.
    cursor.take(cursor.shortLength())
    cursor.take(cursor.shortLength())
  }
}

/** Version 1: no lookup tables, lengths of all instructions before their contents, signatures at the end. */
function readHead1({ bytes }: WireCursor): WireHead {
  const signerCount = bytes[1]!
  const signatureAt = bytes.length - signerCount * signatureBytes
  const keys = { bytes, at: keysAt1, count: bytes[keysAt1 - 1]! }
  return { signatureAt, signerCount, keys, hasLookups: false }
}

function readInstructions1(cursor: WireCursor, { signerCount }: WireHead): SolanaInstruction[] {
  const settings = cursor.bytes.readUInt32LE(settingsAt1)
  // Every bit that is set stands for four bytes of settings; the priority fee has two bits and eight bytes.
  for (let bit = 0; bit < 5; bit++) if (settings & (1 << bit)) cursor.at += 4
  const lengths = Array.from({ length: cursor.bytes[keysAt1 - 2]! }, () => {
    const [program, accountCount] = [cursor.byte(), cursor.byte()]
    return { program, accountCount, dataLength: cursor.byte() + cursor.byte() * 256 }
  })
  const instructions = lengths.map(({ program, accountCount, dataLength }) => {
    const accounts = [...cursor.take(accountCount)]
    return { program, accounts, data: cursor.take(dataLength), height: 1 }
  })
  cursor.at += signerCount * signatureBytes
  return instructions
}
