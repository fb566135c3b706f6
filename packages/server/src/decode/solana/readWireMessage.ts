import type { SolanaInstruction } from '../../model/solana/solanaTransaction.ts'

/**
 * What the signed bytes of a transaction say: the keys of lookup tables are not among them. Signature and keys are left as
 * they are: most transactions are of no interest, and to write them as text costs more than all the rest.
 */
export type WireTransaction = {
  signature: Buffer
  keys: Buffer[]
  signerCount: number
  instructions: SolanaInstruction[]
}

const keyBytes = 32
const signatureBytes = 64
// The highest bit of a message's first byte says that it has a version, the others which.
const versioned = 0x80
const version1 = versioned | 1

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
export function readWireTransaction(bytes: Buffer): WireTransaction | null {
  const cursor = new WireCursor(bytes)
  const read = bytes[0] === version1 ? readVersion1(cursor) : readOlder(cursor)
  return cursor.at === bytes.length ? read : null
}

/** Legacy and version 0: signatures first, then the message. */
function readOlder(cursor: WireCursor): WireTransaction {
  const signatureCount = cursor.shortLength()
  const signature = cursor.take(signatureBytes)
  cursor.at += (signatureCount - 1) * signatureBytes
  const hasLookups = cursor.bytes[cursor.at]! >= versioned
  if (hasLookups) cursor.at++
  const signerCount = cursor.byte()
  cursor.at += 2
  const keys = readKeys(cursor, cursor.shortLength())
  cursor.at += keyBytes
  const instructions: SolanaInstruction[] = []
  for (let left = cursor.shortLength(); left > 0 && cursor.at < cursor.bytes.length; left--) {
    const program = cursor.byte()
    const accounts = [...cursor.take(cursor.shortLength())]
    instructions.push({ program, accounts, data: cursor.take(cursor.shortLength()), height: 1 })
  }
  if (hasLookups) skipLookups(cursor)
  return { signature, keys, signerCount, instructions }
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
function readVersion1(cursor: WireCursor): WireTransaction {
  cursor.at = 1
  const signerCount = cursor.byte()
  cursor.at += 2
  const settings = cursor.take(4).reduceRight((mask, byte) => mask * 256 + byte, 0)
  cursor.at += keyBytes
  const instructionCount = cursor.byte()
  const keys = readKeys(cursor, cursor.byte())
  // Every bit that is set stands for four bytes of settings; the priority fee has two bits and eight bytes.
  for (let bit = 0; bit < 5; bit++) if (settings & (1 << bit)) cursor.at += 4
  const lengths = Array.from({ length: instructionCount }, () => {
    const [program, accountCount] = [cursor.byte(), cursor.byte()]
    return { program, accountCount, dataLength: cursor.byte() + cursor.byte() * 256 }
  })
  const instructions = lengths.map(({ program, accountCount, dataLength }) => {
    const accounts = [...cursor.take(accountCount)]
    return { program, accounts, data: cursor.take(dataLength), height: 1 }
  })
  const signature = cursor.take(signatureBytes)
  cursor.at += (signerCount - 1) * signatureBytes
  return { signature, keys, signerCount, instructions }
}

function readKeys(cursor: WireCursor, count: number): Buffer[] {
  return Array.from({ length: count }, () => cursor.take(keyBytes))
}
