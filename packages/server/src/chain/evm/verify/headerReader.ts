import { keccak } from '../../../lib/bytes/keccak.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { RpcResult } from '../../rpc/rpcCall.ts'
import { type EvmHeader, parseHeader, type RawBlock } from '../fetch/rawBlock.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'
import { agreementOn, askEach, type FailedChecks, type Report } from './failedChecks.ts'
import { rlp, toMinimal } from './rlp.ts'

/**
 * `header` null: it is not a block. `fault`: it is a block, and its fields contradict each other. `misfit`: the fault is
 * that its known fields make up another hash.
 */
export type ReadHeader = { header: EvmHeader | null; fault: string | null; misfit: Misfit | null }

/** A header whose known fields do not make up its hash. */
export type Misfit = {
  /** Equal where the hash and all known fields are equal. */
  text: string
  /** Fields that this version does not know; they may be hashed too. */
  unknownFields: readonly string[]
}

export type HeaderReader = {
  read(raw: unknown): ReadHeader
  /** From now on a header with these fields and this hash has no fault. */
  excuse(misfit: Misfit): void
}

// A header is read two or three times within seconds: as the head, by its number, with its logs.
const excusedMax = 4_096

/** Reads blocks as nodes give them and recomputes their hashes. `form` null: hashes are believed. */
export function createHeaderReader(form: HashForm | null): HeaderReader {
  const excused = new Set<string>()
  return {
    read(raw) {
      const header = parseHeader(raw)
      if (header === null) return { header, fault: null, misfit: null }
      if (form === null) return { header: ofOwnLogs(header, raw), fault: null, misfit: null }
      const computed = headerHashOf(raw as object)
      const unknownFields = unknownFieldsOf(raw as object)
      const verdict = form.judge(computed, header.hash, unknownFields.length > 0)
      if (verdict === 'proven')
        return { header: { ...header, isProven: true }, fault: null, misfit: null }
      const text = `${header.hash} ${computed}`
      if (verdict === 'unknown' || excused.has(text))
        return { header: ofOwnLogs(header, raw), fault: null, misfit: null }
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

/** Without the filter and the receipts root where they describe other blocks. A proven header has no such field. */
export function ofOwnLogs(header: EvmHeader, raw: unknown): EvmHeader {
  const { settledHeight = null } = raw as Partial<RawBlock>
  return settledHeight === null ? header : { ...header, bloom: null, receiptsRoot: null }
}

type Field = readonly [name: string, type: 'bytes' | 'quantity']

// Yellow paper 4.4.3, in the order in which they are hashed.
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

// Each upgrade appends its own: London, Shanghai, Cancun (three), Prague, Glamsterdam (two).
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

// Fields that nodes report beside the header: derived from it, or the words of one chain for parts of it.
const besideHeader = [
  ...['hash', 'size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals', 'author'],
  ...['sealFields', 'milliTimestamp', 'timestampMs', 'l1BlockNumber', 'sendCount', 'sendRoot'],
]

const knownNames: ReadonlySet<string> = new Set([
  ...[...fields, ...laterFields].map(([name]) => name),
  ...besideHeader,
])

const hexPattern = /^0x[\da-f]*$/i

/** The hash that the reported fields make up. Null: some are missing, or are not hex. */
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
    // One that an upgrade left out is empty where a later one is there.
    const item = isPresent(header[field[0]]) ? itemOf(header, field) : '0x'
    if (item === null) return null
    items.push(item)
  }
  return keccak(rlp(items))
}

/** Names of fields that may belong to a header of a later form. */
export function unknownFieldsOf(raw: object): string[] {
  return Object.keys(raw).filter((name) => !knownNames.has(name))
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

function itemOf(header: Record<string, unknown>, [name, type]: Field): string | null {
  const value = header[name]
  // Proof of stake removed it, and some nodes leave it out.
  if (name === 'difficulty' && !isPresent(value)) return '0x'
  if (typeof value !== 'string' || !hexPattern.test(value)) return null
  return type === 'bytes' ? (value as string) : toMinimal(value)
}

/** proven: the reported parts make up the hash. false: they do not, and must. unknown: nothing can be said. */
export type Verdict = 'proven' | 'false' | 'unknown'

export type HashForm = {
  /**
   * `computed` null: some of the hashed parts are missing. `hasUnknownParts`: parts of no known form may be hashed
   * too, so a misfit says nothing about the form of blocks without them.
   */
  judge(computed: string | null, reported: string, hasUnknownParts?: boolean): Verdict
}

export type HashFormOptions = {
  chain: string
  /** Description of the hashed form, for the log. */
  what: string
  /** The chain is known to hash it as Ethereum does: one that does not fit is a lie from the first on. */
  isListed: boolean
  logger: Logger
}

// So many in a row that do not fit, and none that does: the chain, or a copy of it made for tests, has a form of its own.
const misfitsMax = 16

/**
 * Whether a chain hashes something the way Ethereum does. One that fits proves it, since no node can make one fit; from
 * then on one that does not fit is a lie.
 */
export function createHashForm({ chain, what, isListed, logger }: HashFormOptions): HashForm {
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

// Indexed by chain id (EIP-155). Others are learnt.
const headerFormIds = new Set([
  ...[1, 11_155_111, 17_000, 560_048], // Ethereum and its test networks
  ...[10, 8_453, 130, 480, 57_073, 7_777_777, 34_443], // OP Stack: Optimism, Base, Unichain, World, Ink, Zora, Mode
  ...[56, 137, 42_161, 100], // BNB, Polygon, Arbitrum, Gnosis
])

// Without Polygon, whose receipts of what came over from Ethereum are in no root.
const receiptFormIds = new Set([...headerFormIds].filter((id) => id !== 137))

export function isReceiptFormListed(chainId: number | undefined): boolean {
  return chainId !== undefined && receiptFormIds.has(chainId)
}

export function isHeaderFormListed(chainId: number | undefined): boolean {
  return chainId !== undefined && headerFormIds.has(chainId)
}

type HeaderContext = { rpc: EvmRpc; headers: HeaderReader; failedChecks: FailedChecks }

/** A header that does not make up its hash. */
export type FaultyHeader = { number: number; hash: string; misfit: Misfit }

export async function readHeader(
  context: HeaderContext,
  result: RpcResult,
  signal: AbortSignal,
): Promise<ReadHeader> {
  const [read] = await readHeaders(context, [result], signal)
  return read!
}

/**
 * Reads blocks as nodes gave them. A header with a field that this version does not know need not make up its hash where
 * independent endpoints report the same hash and fields, that one among them.
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
  await excuseAgreed(context, faulty, signal)
  return reads.map((read, at) => (read.misfit ? headers.read(resultOf(results[at]!)) : read))
}

export function faultyOf({ header, misfit }: ReadHeader): FaultyHeader[] {
  if (header === null || misfit === null) return []
  return [{ number: header.number, hash: header.hash, misfit }]
}

/** Excuses the headers that independent endpoints report alike, as far as the failing check permits. */
export async function excuseAgreed(
  context: HeaderContext,
  faulty: readonly FaultyHeader[],
  signal: AbortSignal,
): Promise<void> {
  const { rpc, headers, failedChecks } = context
  if (faulty.length === 0) return
  const calls = faulty.map(({ hash }) => ({ method: 'eth_getBlockByHash', params: [hash, false] }))
  const answers = await askEach(rpc, async (endpoint, avoid) => {
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
  { text, unknownFields }: Misfit,
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
