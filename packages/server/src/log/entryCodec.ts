import { crc32 } from 'node:zlib'
import type { FinishedBlock, NativeUsd } from '../model/finishedBlock.ts'
import type { LateFacts, LogEntry } from '../model/logEntry.ts'
import { EntryReader } from './entryReader.ts'
import { EntryWriter } from './entryWriter.ts'
import { LogEntryCorruptError, LogEntryTooLargeError, LogEntryTooNewError } from './errors.ts'
import { decodeEvent, encodeEvent } from './eventCodec.ts'
import {
  decodeCreation,
  decodeList,
  decodePair,
  decodeRef,
  decodeShares,
  decodeSupply,
  decodeToken,
  decodeTokenCreation,
  encodeCreation,
  encodeList,
  encodePair,
  encodeRef,
  encodeShares,
  encodeSupply,
  encodeToken,
  encodeTokenCreation,
} from './recordCodec.ts'

/**
 * First byte of every entry. A change of the layout takes the next number and keeps reading the ones before: decoders ask
 * `reader.version`.
 */
export const entryVersion = 1
/** Last bytes of every entry: CRC-32 of all before them, lowest byte first. */
const checksumBytes = 4
// Version, type and the shortest body.
const entryBytesMin = 3 + checksumBytes

/**
 * Largest entry written or read. The fullest block of today's chains, nothing but some 36,000 swaps of 200 bytes each here,
 * stays under 10 MB.
 */
const entryBytesMax = 64 * 1_024 * 1_024

// Positions are written: add at the end, never reorder.
const entryTypes = ['commit', 'late', 'revert', 'finalize'] as const

export type EntryCodecOptions = {
  /** @default 64 MiB */
  entryBytesMax?: number | undefined
}

/** Equal entries give equal bytes, in a buffer of their own that can be handed to another thread. */
export function encodeEntry(entry: LogEntry, options: EntryCodecOptions = {}): Uint8Array {
  const writer = new EntryWriter({
    capacityBytes: capacityOf(entry),
    entryBytesMax: options.entryBytesMax ?? entryBytesMax,
  })
  writer.byte(entryVersion)
  writer.byte(entryTypes.indexOf(entry.type))
  encodeBody(writer, entry)
  return writer.finish(crc32)
}

export function decodeEntry(bytes: Uint8Array, options: EntryCodecOptions = {}): LogEntry {
  const limit = options.entryBytesMax ?? entryBytesMax
  if (bytes.length > limit)
    throw new LogEntryTooLargeError({ sizeBytes: bytes.length, entryBytesMax: limit })
  assertWhole(bytes)
  const reader = new EntryReader(bytes, 1, bytes.length - checksumBytes, bytes[0]!)
  const entry = decodeBody(reader)
  reader.end()
  return entry
}

function assertWhole(bytes: Uint8Array): void {
  if (bytes.length < entryBytesMin)
    throw new LogEntryCorruptError({ offset: bytes.length, reason: 'too short for an entry' })
  const end = bytes.length - checksumBytes
  const written = new DataView(bytes.buffer, bytes.byteOffset).getUint32(end, true)
  if (crc32(bytes.subarray(0, end)) !== written)
    throw new LogEntryCorruptError({ offset: end, reason: 'checksum differs' })
  // Of any version: whole bytes that are not known are those of a newer one.
  const version = bytes[0]!
  if (version > entryVersion) throw new LogEntryTooNewError({ found: version, known: entryVersion })
  if (version < 1)
    throw new LogEntryCorruptError({ offset: 0, reason: `version ${version} is not known` })
}

function encodeBody(writer: EntryWriter, entry: LogEntry): void {
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
      writer.varint(entry.ref.number)
      writer.string(entry.ref.hash)
      break
  }
}

function decodeBody(reader: EntryReader): LogEntry {
  const type = reader.choice(entryTypes)
  switch (type) {
    case 'commit':
      return { type, block: decodeBlock(reader) }
    case 'late':
      return { type, facts: decodeLate(reader) }
    case 'revert':
      return { type, ref: decodeRef(reader) }
    case 'finalize':
      return { type, ref: { number: reader.varint(), hash: reader.string() } }
  }
}

function encodeLate(writer: EntryWriter, facts: LateFacts): void {
  const { ref, tokens, supplies, creations = [], tokenCreations = [], shares = [] } = facts
  writer.varint(ref.number)
  writer.string(ref.hash)
  encodeList(writer, tokens, encodeToken)
  encodeList(writer, supplies, encodeSupply)
  encodeList(writer, creations, encodeCreation)
  encodeList(writer, tokenCreations, encodeTokenCreation)
  encodeList(writer, shares, encodeShares)
}

function decodeLate(reader: EntryReader): LateFacts {
  const ref = { number: reader.varint(), hash: reader.string() }
  const tokens = decodeList(reader, decodeToken)
  const supplies = decodeList(reader, decodeSupply)
  const creations = decodeList(reader, decodeCreation)
  const tokenCreations = decodeList(reader, decodeTokenCreation)
  const shares = decodeList(reader, decodeShares)
  return {
    ref,
    tokens,
    supplies,
    ...(creations.length > 0 ? { creations } : {}),
    ...(tokenCreations.length > 0 ? { tokenCreations } : {}),
    ...(shares.length > 0 ? { shares } : {}),
  }
}

function encodeBlock(writer: EntryWriter, block: FinishedBlock): void {
  encodeRef(writer, block.ref)
  writer.varint(block.receivedMs)
  encodeList(writer, block.tokens, encodeToken)
  encodeList(writer, block.pairs, encodePair)
  encodeList(writer, block.events, encodeEvent)
  encodeList(writer, block.supplies, encodeSupply)
  writer.floatOrNull(block.nativeUsd?.usd ?? null)
  if (block.nativeUsd !== null) writer.varint(block.nativeUsd.atS)
  writer.varintOrNull(block.ref.timeMs ?? null)
}

function decodeBlock(reader: EntryReader): FinishedBlock {
  const ref = decodeRef(reader)
  const block = {
    ref,
    receivedMs: reader.varint(),
    tokens: decodeList(reader, decodeToken),
    pairs: decodeList(reader, decodePair),
    events: decodeList(reader, decodeEvent),
    supplies: decodeList(reader, decodeSupply),
    nativeUsd: decodeNativeUsd(reader),
  }
  const timeMs = reader.varintOrNull()
  if (timeMs !== null) ref.timeMs = timeMs
  return block
}

function decodeNativeUsd(reader: EntryReader): NativeUsd | null {
  const usd = reader.floatOrNull()
  return usd === null ? null : { usd, atS: reader.varint() }
}

// A little over what the parts take on an EVM chain, so that the buffer seldom grows.
function capacityOf(entry: LogEntry): number {
  if (entry.type !== 'commit') return 1_024
  const { tokens, pairs, events, supplies } = entry.block
  return (
    1_024 + tokens.length * 96 + pairs.length * 112 + events.length * 224 + supplies.length * 64
  )
}
