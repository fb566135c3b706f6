import { keccak } from '../../../lib/bytes/keccak.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { RpcResult } from '../../rpc/rpcCall.ts'
import { type EvmHeader, parseHeader, type RawBlock } from '../fetch/rawBlock.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'
import { agreementOn, askEachEndpoint, type FailedChecks, type Report } from './failedChecks.ts'
import { rlp, toMinimal } from './rlp.ts'

/**
 * Result of reading a header. `header` null: the value is not a block. `fault`: the header's fields
 * contradict each other. `misfit`: the fault is a hash that the known fields do not produce.
 */
export type ReadHeader = {
  header: EvmHeader | null
  fault: string | null
  misfit: HashMismatch | null
}

/** A header whose known fields do not produce its hash. */
type HashMismatch = {
  /** Equal for headers with the same hash and known fields. */
  text: string
  /** Fields unknown to this version, which may be part of the hash. */
  unknownFields: readonly string[]
}

export type HeaderReader = {
  read(raw: unknown): ReadHeader
  /** Accepts headers with these fields and this hash from now on. */
  excuse(misfit: HashMismatch): void
}

// Accepted headers remembered. A header is read two or three times within seconds: as the head, by
// its number, with its logs.
const excusedMax = 4_096

/**
 * Creates a parser of headers that recomputes their hashes. `form` null: hashes are not checked.
 */
export function createHeaderReader(form: HashFormat | null): HeaderReader {
  const excused = new Set<string>()
  return {
    read(raw) {
      const header = parseHeader(raw)
      if (header === null) return { header, fault: null, misfit: null }
      if (form === null) return { header: withOwnLogsBloom(header, raw), fault: null, misfit: null }
      const computed = headerHashOf(raw as object)
      const unknownFields = unknownFieldsOf(raw as object)
      const verdict = form.judge(computed, header.hash, unknownFields.length > 0)
      if (verdict === 'proven')
        return { header: { ...header, isProven: true }, fault: null, misfit: null }
      const text = `${header.hash} ${computed}`
      if (verdict === 'unknown' || excused.has(text))
        return { header: withOwnLogsBloom(header, raw), fault: null, misfit: null }
      const fault = `Fields of block ${header.number} do not make up its hash`
      return { header, fault, misfit: { text, unknownFields } }
    },
    excuse({ text }) {
      excused.add(text)
      const [oldest] = excused
      if (excused.size > excusedMax) excused.delete(oldest!)
    },
  }
}

/**
 * Removes the bloom filter and receipts root from headers where these cover other blocks. A proven
 * header has no such field.
 */
export function withOwnLogsBloom(header: EvmHeader, raw: unknown): EvmHeader {
  const { settledHeight = null } = raw as Partial<RawBlock>
  return settledHeight === null ? header : { ...header, bloom: null, receiptsRoot: null }
}

type Field = readonly [name: string, type: 'bytes' | 'quantity']

// Header fields in the order in which they are hashed (Yellow paper 4.4.3).
const fields: readonly Field[] = [
  ['parentHash', 'bytes'],
  ['sha3Uncles', 'bytes'],
  ['miner', 'bytes'],
  ['stateRoot', 'bytes'],
  ['transactionsRoot', 'bytes'],
  ['receiptsRoot', 'bytes'],
  ['logsBloom', 'bytes'],
  ['difficulty', 'quantity'],
  ['number', 'quantity'],
  ['gasLimit', 'quantity'],
  ['gasUsed', 'quantity'],
  ['timestamp', 'quantity'],
  ['extraData', 'bytes'],
  ['mixHash', 'bytes'],
  ['nonce', 'bytes'],
]

// Fields that upgrades appended: London, Shanghai, Cancun (three), Prague, Glamsterdam (two).
const laterFields: readonly Field[] = [
  ['baseFeePerGas', 'quantity'],
  ['withdrawalsRoot', 'bytes'],
  ['blobGasUsed', 'quantity'],
  ['excessBlobGas', 'quantity'],
  ['parentBeaconBlockRoot', 'bytes'],
  ['requestsHash', 'bytes'],
  ['blockAccessListHash', 'bytes'],
  ['slotNumber', 'quantity'],
]

// Fields that nodes report in addition to the header: derived from it, or another chain's names for
// its parts.
const besideHeader = [
  ...['hash', 'size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals', 'author'],
  ...['sealFields', 'milliTimestamp', 'timestampMs', 'l1BlockNumber', 'sendCount', 'sendRoot'],
]

const knownNames: ReadonlySet<string> = new Set([
  ...[...fields, ...laterFields].map(([name]) => name),
  ...besideHeader,
])

const hexPattern = /^0x[\da-f]*$/i

/** Computes the hash of the reported fields. Null if some are missing or malformed. */
export function headerHashOf(raw: object): string | null {
  const header = raw as Record<string, unknown>
  const items: string[] = []
  for (const field of fields) {
    const item = itemOf(header, field)
    if (item === null) return null
    items.push(item)
  }
  const count = laterFields.findLastIndex(([name]) => isPresent(header[name])) + 1
  for (const field of laterFields.slice(0, count)) {
    // A field that one upgrade skipped is empty if a later field is present.
    const item = isPresent(header[field[0]]) ? itemOf(header, field) : '0x'
    if (item === null) return null
    items.push(item)
  }
  return keccak(rlp(items))
}

/** Returns names of fields that may belong to a later header format. */
function unknownFieldsOf(raw: object): string[] {
  return Object.keys(raw).filter((name) => !knownNames.has(name))
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

function itemOf(header: Record<string, unknown>, [name, type]: Field): string | null {
  const value = header[name]
  // Proof of stake fixed the difficulty at 0, and some nodes omit it.
  if (name === 'difficulty' && !isPresent(value)) return '0x'
  if (typeof value !== 'string' || !hexPattern.test(value)) return null
  return type === 'bytes' ? (value as string) : toMinimal(value)
}

/**
 * proven: the reported parts produce the hash. false: they do not, although they must. unknown: the
 * chain's hashing is not known.
 */
export type Verdict = 'proven' | 'false' | 'unknown'

export type HashFormat = {
  /**
   * Compares a computed hash with the reported one. `computed` null: hashed parts are missing.
   * `hasUnknownParts`: unknown parts may be hashed too, so a mismatch says nothing about other
   * blocks.
   */
  judge(computed: string | null, reported: string, hasUnknownParts?: boolean): Verdict
}

type HashFormOptions = {
  chain: string
  /** What is hashed, for the log. */
  what: string
  /** The chain is known to hash like Ethereum, so the first mismatch already counts as false. */
  isListed: boolean
  logger: Logger
}

// After this many mismatches in a row without a match, the chain, or a test copy of it, is assumed
// to hash in its own way.
const misfitsMax = 16

/**
 * Learns whether a chain hashes something like Ethereum. One match proves it, since no node can
 * forge a match; every later mismatch is false.
 */
export function createHashFormat({ chain, what, isListed, logger }: HashFormOptions): HashFormat {
  let hasFitted = false
  let misfits = 0
  return {
    judge(computed, reported, hasUnknownParts = false) {
      if (computed === null) return 'unknown'
      if (computed === reported) {
        hasFitted = true
        return 'proven'
      }
      if (hasFitted) return 'false'
      if (!hasUnknownParts) misfits += 1
      if (!hasUnknownParts && misfits === misfitsMax)
        logger.warn({ msg: 'Form of hashes is not known: they are not recomputed', chain, what })
      return isListed && misfits <= misfitsMax ? 'false' : 'unknown'
    },
  }
}

// Chain ids (EIP-155) known to hash headers like Ethereum. Other chains are learned.
const headerFormIds = new Set([
  ...[1, 11_155_111, 17_000, 560_048], // Ethereum and its test networks
  ...[10, 8_453, 130, 480, 57_073, 7_777_777, 34_443], // OP Stack: Optimism, Base, Unichain, World, Ink, Zora, Mode
  ...[56, 137, 42_161, 100], // BNB, Polygon, Arbitrum, Gnosis
])

// Chains whose receipts can be checked against the header. Polygon (137) is not one: its receipts
// of state syncs from Ethereum are in no receipts root.
const receiptFormIds = new Set([...headerFormIds].filter((id) => id !== 137))

export function isReceiptFormListed(chainId: number | undefined): boolean {
  return chainId !== undefined && receiptFormIds.has(chainId)
}

export function isHeaderFormListed(chainId: number | undefined): boolean {
  return chainId !== undefined && headerFormIds.has(chainId)
}

type HeaderContext = { rpc: EvmRpc; headers: HeaderReader; failedChecks: FailedChecks }

/** A header that does not match its hash. */
export type FaultyHeader = { number: number; hash: string; misfit: HashMismatch }

export async function readHeader(
  context: HeaderContext,
  result: RpcResult,
  signal: AbortSignal,
): Promise<ReadHeader> {
  const [read] = await readHeaders(context, [result], signal)
  return read!
}

/**
 * Parses headers. A header with a field unknown to this version need not match its hash if
 * independent endpoints report the same hash and fields, including the unknown field.
 */
export async function readHeaders(
  context: HeaderContext,
  results: readonly RpcResult[],
  signal: AbortSignal,
): Promise<ReadHeader[]> {
  const { headers, failedChecks } = context
  const reads = results.map((result) => headers.read(resultOf(result)))
  const isDegraded = failedChecks.isDegraded('header_hash')
  const faulty = reads.flatMap((read) => {
    const isExcusable = isDegraded || (read.misfit?.unknownFields.length ?? 0) > 0
    return isExcusable ? faultyOf(read) : []
  })
  if (faulty.length === 0) return reads
  await acceptAgreedHeaders(context, faulty, signal)
  return reads.map((read, at) => (read.misfit ? headers.read(resultOf(results[at]!)) : read))
}

export function faultyOf({ header, misfit }: ReadHeader): FaultyHeader[] {
  if (header === null || misfit === null) return []
  return [{ number: header.number, hash: header.hash, misfit }]
}

/** Accepts headers that independent endpoints report alike, as far as the failing check permits. */
export async function acceptAgreedHeaders(
  context: HeaderContext,
  faulty: readonly FaultyHeader[],
  signal: AbortSignal,
): Promise<void> {
  const { rpc, headers, failedChecks } = context
  if (faulty.length === 0) return
  const calls = faulty.map(({ hash }) => ({ method: 'eth_getBlockByHash', params: [hash, false] }))
  const answers = await askEachEndpoint(rpc, async (endpoint, avoid) => {
    const results = await rpc.requestBatch(calls, { signal, avoid, roundsMax: 1, isNullMiss: true })
    return { endpoint, results }
  })
  for (const [at, { number, misfit }] of faulty.entries()) {
    const reports = answers.flatMap(({ host, answer: { endpoint, results } }) => {
      const result = results[at]!
      return result.endpoint === endpoint ? reportOf(headers, result, host, misfit) : []
    })
    const agreement = agreementOn(misfit.text, reports)
    const isExplained = misfit.unknownFields.length > 0
    if (failedChecks.note({ check: 'header_hash', number, agreement }, isExplained))
      headers.excuse(misfit)
  }
}

function reportOf(
  headers: HeaderReader,
  result: RpcResult,
  host: string,
  { text, unknownFields }: HashMismatch,
): Report[] {
  const { header, misfit } = headers.read(resultOf(result))
  if (header === null) return []
  const sharesField =
    unknownFields.length === 0 || unknownFields.some((name) => misfit?.unknownFields.includes(name))
  const isSame = misfit?.text === text && sharesField
  return [{ host, text: isSame ? text : 'another', isPassed: header.isProven }]
}

function resultOf(result: RpcResult): unknown {
  return result.ok ? (result.value as RawBlock | null) : null
}
