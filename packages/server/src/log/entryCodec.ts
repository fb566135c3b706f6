import { crc32 } from 'node:zlib'
import { ByteReader } from '../lib/bytes/byteReader.ts'
import { ByteWriter } from '../lib/bytes/byteWriter.ts'
import type { BlockRef } from '../model/block.ts'
import type { FinishedBlock, NativeUsdPrice } from '../model/finishedBlock.ts'
import {
  type LateFacts,
  type LogEntry,
  pairCreationCodec,
  pairSharesCodec,
  tokenCreationCodec,
} from '../model/logEntry.ts'
import { pairCodec } from '../model/pair.ts'
import { supplyCodec, tokenCodec } from '../model/token.ts'
import { LogEntryCorruptError, LogEntryTooLargeError, LogEntryTooNewError } from './errors.ts'
import { decodeEvent, encodeEvent } from './eventCodec.ts'

/**
 * First byte of every entry. A changed layout takes the next number and keeps reading earlier ones:
 * decoders check `reader.version`.
 */
export const entryVersion = 1
/** Last bytes of every entry: CRC-32 of all before them, little-endian. */
const checksumBytes = 4
// Version, type and the shortest body.
const entryBytesMin = 3 + checksumBytes

/**
 * Largest entry written or read. The fullest block of today's chains, some 36,000 swaps of 200
 * bytes each, stays under 10 MB.
 */
const entryBytesMax = 64 * 1_024 * 1_024

// Positions are stored: add at the end, never reorder.
const entryTypes = ['commit', 'late', 'revert', 'finalize'] as const

type EntryCodecOptions = {
  /** @default 64 MiB */
  entryBytesMax?: number | undefined
}

/**
 * Equal entries give equal bytes, in a buffer of their own that can be transferred to another
 * thread.
 */
export function encodeEntry(entry: LogEntry, options: EntryCodecOptions = {}): Uint8Array {
  const bytesMax = options.entryBytesMax ?? entryBytesMax
  const writer = new ByteWriter({
    capacityBytes: capacityOf(entry),
    bytesMax,
    tooLarge: (sizeBytes) => new LogEntryTooLargeError({ sizeBytes, entryBytesMax: bytesMax }),
    sharesTexts: true,
  })
  writer.byte(entryVersion)
  writer.byte(entryTypes.indexOf(entry.type))
  encodeBody(writer, entry)
  writer.u32(crc32(writer.written()))
  return new Uint8Array(writer.written())
}

export function decodeEntry(bytes: Uint8Array, options: EntryCodecOptions = {}): LogEntry {
  const limit = options.entryBytesMax ?? entryBytesMax
  if (bytes.length > limit)
    throw new LogEntryTooLargeError({ sizeBytes: bytes.length, entryBytesMax: limit })
  assertWhole(bytes)
  const reader = new ByteReader({
    corrupt: (reason, offset) => new LogEntryCorruptError({ offset, reason }),
    version: bytes[0]!,
    sharesTexts: true,
  })
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  reader.open(buffer, 1, bytes.length - checksumBytes)
  const entry = decodeBody(reader)
  reader.assertAtEnd()
  return entry
}

function assertWhole(bytes: Uint8Array): void {
  if (bytes.length < entryBytesMin)
    throw new LogEntryCorruptError({ offset: bytes.length, reason: 'too short for an entry' })
  const end = bytes.length - checksumBytes
  const written = new DataView(bytes.buffer, bytes.byteOffset).getUint32(end, true)
  if (crc32(bytes.subarray(0, end)) !== written)
    throw new LogEntryCorruptError({ offset: end, reason: 'checksum differs' })
  // Intact bytes of an unknown form come from a newer version.
  const version = bytes[0]!
  if (version > entryVersion) throw new LogEntryTooNewError({ found: version, known: entryVersion })
  if (version < 1)
    throw new LogEntryCorruptError({ offset: 0, reason: `version ${version} is not known` })
}

function encodeBody(writer: ByteWriter, entry: LogEntry): void {
  switch (entry.type) {
    case 'commit':
      encodeBlock(writer, entry.block)
      break
    case 'late':
      encodeLate(writer, entry.facts)
      break
    case 'revert':
      encodeRef(writer, entry.ref)
      break
    case 'finalize':
      writer.whole(entry.ref.number)
      writer.text(entry.ref.hash)
      break
  }
}

function decodeBody(reader: ByteReader): LogEntry {
  const type = reader.choice(entryTypes)
  switch (type) {
    case 'commit':
      return { type, block: decodeBlock(reader) }
    case 'late':
      return { type, facts: decodeLate(reader) }
    case 'revert':
      return { type, ref: decodeRef(reader) }
    case 'finalize':
      return { type, ref: { number: reader.whole(), hash: reader.text() } }
  }
}

function encodeRef(writer: ByteWriter, ref: BlockRef): void {
  writer.whole(ref.number)
  writer.text(ref.hash)
  writer.wholeOrNull(ref.parentNumber < 0 ? null : ref.parentNumber)
  writer.text(ref.parentHash)
  writer.whole(ref.timeS)
}

function decodeRef(reader: ByteReader): BlockRef {
  return {
    number: reader.whole(),
    hash: reader.text(),
    parentNumber: reader.wholeOrNull() ?? -1,
    parentHash: reader.text(),
    timeS: reader.whole(),
  }
}

function encodeLate(writer: ByteWriter, facts: LateFacts): void {
  const { ref, tokens, supplies, creations = [], tokenCreations = [], shares = [] } = facts
  writer.whole(ref.number)
  writer.text(ref.hash)
  tokenCodec.writeList(writer, tokens)
  supplyCodec.writeList(writer, supplies)
  pairCreationCodec.writeList(writer, creations)
  tokenCreationCodec.writeList(writer, tokenCreations)
  pairSharesCodec.writeList(writer, shares)
}

function decodeLate(reader: ByteReader): LateFacts {
  const ref = { number: reader.whole(), hash: reader.text() }
  const tokens = tokenCodec.readList(reader)
  const supplies = supplyCodec.readList(reader)
  const creations = pairCreationCodec.readList(reader)
  const tokenCreations = tokenCreationCodec.readList(reader)
  const shares = pairSharesCodec.readList(reader)
  return {
    ref,
    tokens,
    supplies,
    ...(creations.length > 0 ? { creations } : {}),
    ...(tokenCreations.length > 0 ? { tokenCreations } : {}),
    ...(shares.length > 0 ? { shares } : {}),
  }
}

function encodeBlock(writer: ByteWriter, block: FinishedBlock): void {
  encodeRef(writer, block.ref)
  writer.whole(block.receivedMs)
  tokenCodec.writeList(writer, block.tokens)
  pairCodec.writeList(writer, block.pairs)
  writer.list(block.events, (event) => encodeEvent(writer, event))
  supplyCodec.writeList(writer, block.supplies)
  writer.floatOrNull(block.nativeUsd?.usd ?? null)
  if (block.nativeUsd !== null) writer.whole(block.nativeUsd.atS)
  writer.wholeOrNull(block.ref.timeMs ?? null)
}

function decodeBlock(reader: ByteReader): FinishedBlock {
  const ref = decodeRef(reader)
  const block = {
    ref,
    receivedMs: reader.whole(),
    tokens: tokenCodec.readList(reader),
    pairs: pairCodec.readList(reader),
    events: reader.list(() => decodeEvent(reader)),
    supplies: supplyCodec.readList(reader),
    nativeUsd: decodeNativeUsd(reader),
  }
  const timeMs = reader.wholeOrNull()
  if (timeMs !== null) ref.timeMs = timeMs
  return block
}

function decodeNativeUsd(reader: ByteReader): NativeUsdPrice | null {
  const usd = reader.floatOrNull()
  return usd === null ? null : { usd, atS: reader.whole() }
}

// A little more than usual on an EVM chain, so that the buffer seldom grows.
function capacityOf(entry: LogEntry): number {
  if (entry.type !== 'commit') return 1_024
  const { tokens, pairs, events, supplies } = entry.block
  return (
    1_024 + tokens.length * 96 + pairs.length * 112 + events.length * 224 + supplies.length * 64
  )
}
