import type { EvmBlock } from '../../../model/evm/evmBlock.ts'
import { InconsistentNodeError, RpcError, type RpcErrorKind } from '../../errors.ts'
import type { RpcCall, RpcResult } from '../../rpc/rpcCall.ts'
import { type EvmRpc, logsOfAll } from '../rpc/evmRpc.ts'
import {
  agreementOn,
  askEachEndpoint,
  type CheckName,
  type FailedChecks,
  mostReported,
} from '../verify/failedChecks.ts'
import {
  acceptAgreedHeaders,
  type FaultyHeader,
  faultyOf,
  type HeaderReader,
  readHeader,
} from '../verify/headerReader.ts'
import {
  type BlockParts,
  type Validation,
  validateBlock,
  withoutCheck,
} from '../verify/validateBlock.ts'
import {
  type EvmHeader,
  type RawBlock,
  type RawLog,
  type RawReceipt,
  toQuantity,
} from './rawBlock.ts'

export type FetchContext = {
  chain: string
  rpc: EvmRpc
  topics0: readonly string[]
  validation: Validation
  headers: HeaderReader
  failedChecks: FailedChecks
  /** Uses eth_getBlockReceipts where a node supports it. */
  prefersReceipts: boolean
  /**
   * Requests all logs of single blocks and of ranges instead of the relevant ones only: more bytes,
   * stronger checks.
   */
  isComplete: { block: boolean; range: boolean }
  /**
   * For ranges of relevant logs only: one block out of this many is read whole and compared. 0
   * disables the sample.
   */
  sampleEveryBlocks: number
  nowMs: () => number
}

export type FetchedBlock = {
  block: EvmBlock
  /** The header fields hash to the block's hash. */
  isProven: boolean
  /** The receipts prove the logs. */
  hasProvenLogs: boolean
  endpoint: number
  /** Index of the endpoint that reported the logs. */
  logsEndpoint: number
  receivedMs: number
  /** Why the logs are unverified. Set if no endpoint reports better ones. */
  doubt?: string | undefined
}

export type FetchOptions = {
  signal: AbortSignal
  avoid?: readonly number[] | undefined
  /** Requests all logs of the block. @default the context's setting */
  isComplete?: boolean | undefined
  /** Number of rounds through all endpoints for a header. @default the client's setting */
  roundsMax?: number | undefined
}

// Contradictory answers in a row after which the head is requested again.
const faultsMax = 6

/** Fetches a header; null if no node has the block. */
export async function fetchHeader(
  context: FetchContext,
  block: string | number,
  { signal, avoid = [], roundsMax }: FetchOptions,
): Promise<{ header: EvmHeader; endpoint: number } | null> {
  const { rpc } = context
  const call = blockCall(block, false)
  const avoided = [...avoid]
  let misfits: FaultyHeader[] = []
  let fault = ''
  for (let faults = 0; faults < faultsMax; faults += 1) {
    const options = { signal, avoid: avoided, roundsMax, isNullMiss: true }
    const [result] = await rpc.requestBatch([call], options)
    const { endpoint } = result!
    if (!result!.ok) throw result!.error
    const read = await readHeader(context, result!, signal)
    if (read.header === null) return null
    if (read.fault === null && isAsked(block, read.header)) return { header: read.header, endpoint }
    const { number, hash } = read.header
    rpc.penalise(endpoint, read.fault ?? `Asked for block ${block}, got ${number} ${hash}`)
    if (read.fault === null) return null
    fault = read.fault
    misfits = faultyOf(read)
    avoided.push(endpoint)
  }
  await acceptAgreedHeaders(context, misfits, signal)
  throw inconsistent(context, String(block), fault)
}

function inconsistent({ chain, failedChecks }: FetchContext, block: string, fault: string) {
  return new InconsistentNodeError({ chain, block, fault, failedCheck: failedChecks.summary() })
}

function isAsked(block: string | number, { number, hash }: EvmHeader): boolean {
  if (typeof block === 'number') return number === block
  return block.length === 66 ? hash === block : true
}

/**
 * Fetches a block by its hash, so that its parts cannot belong to two branches. Null if no node has
 * it.
 */
export async function fetchBlock(
  context: FetchContext,
  hash: string,
  { signal, avoid = [], ...options }: FetchOptions,
): Promise<FetchedBlock | null> {
  const { rpc, failedChecks } = context
  const avoided = [...avoid]
  const failed = new Set<CheckName>()
  let misfits: readonly FaultyHeader[] = []
  let isComplete = options.isComplete ?? context.isComplete.block
  let fault = ''
  for (let faults = 0; faults < faultsMax; faults += 1) {
    const answer = await fetchParts(context, hash, isComplete, { signal, avoid: avoided })
    if (answer === null) return null
    const { parts, endpoint } = answer
    const { isProven } = parts.header
    const validated = answer.fault
      ? { fault: answer.fault, check: null, block: null }
      : validateBlock(parts, context.validation)
    if (validated.fault === null && !validated.isSuspect) {
      const { block, isProven: hasProvenLogs } = validated
      const by = { isProven, hasProvenLogs, endpoint, logsEndpoint: endpoint }
      return { block, ...by, receivedMs: context.nowMs() }
    }
    // All logs together must match the bloom filter exactly, which confirms or clears the
    // suspicion.
    isComplete = true
    if (validated.fault === null) continue
    const { check } = validated
    if (check !== null && failedChecks.isDegraded(check)) {
      const agreed = await fetchAgreed(context, { hash, check }, { signal, avoid })
      if (agreed !== null) return agreed
    }
    fault = validated.fault
    misfits = answer.misfits
    rpc.penalise(endpoint, fault)
    avoided.push(endpoint)
    if (check !== null) failed.add(check)
  }
  for (const check of failed) {
    const agreed = await fetchAgreed(context, { hash, check }, { signal, avoid })
    if (agreed !== null) return agreed
  }
  await acceptAgreedHeaders(context, misfits, signal)
  throw inconsistent(context, hash, fault)
}

/**
 * Returns a block that fails a check if independent endpoints report it alike. Null if they
 * disagree, if one passes the check, or if it is too early to continue without the check.
 */
async function fetchAgreed(
  context: FetchContext,
  { hash, check }: { hash: string; check: CheckName },
  { signal, avoid }: { signal: AbortSignal; avoid: readonly number[] },
): Promise<FetchedBlock | null> {
  const validation = withoutCheck(context.validation, check)
  const answers = await askEachEndpoint(context.rpc, (_, others) =>
    fetchParts(context, hash, true, { signal, avoid: others }),
  )
  const reports = answers.map(({ host, answer: { parts, fault, endpoint } }) => {
    const isPassed = fault === null && validateBlock(parts, context.validation).fault === null
    const { block } = validateBlock(parts, validation)
    const text = fault === null && block !== null ? textOf(block) : `faulty ${endpoint}`
    return { host, text, isPassed, block, endpoint, isProven: parts.header.isProven }
  })
  const text = mostReported(reports)
  const same = reports.filter((report) => report.text === text && report.block !== null)
  const taken = same.find(({ endpoint }) => !avoid.includes(endpoint)) ?? same[0]
  if (taken?.block == null) return null
  const { number } = taken.block.ref
  const agreement = agreementOn(text, reports)
  if (!context.failedChecks.note({ check, number, agreement })) return null
  const { block, isProven, endpoint } = taken
  const by = { isProven, hasProvenLogs: false, endpoint, logsEndpoint: endpoint }
  return { block, ...by, receivedMs: context.nowMs() }
}

function textOf({ ref, logs, senders }: EvmBlock): string {
  return JSON.stringify([ref, logs, [...senders]]).toLowerCase()
}

export async function fetchBlockByNumber(
  context: FetchContext,
  number: number,
  options: FetchOptions,
): Promise<FetchedBlock | null> {
  const found = await fetchHeader(context, number, options)
  return found === null ? null : fetchBlock(context, found.header.hash, options)
}

/** Parts of a block. `fault`: the header is of another block, or contradicts its hash. */
type FetchedParts = {
  parts: BlockParts
  fault: string | null
  misfits: readonly FaultyHeader[]
  endpoint: number
}

// Errors after which the logs may still come from receipts instead of eth_getLogs, or the other way
// round.
const otherWayKinds: ReadonlySet<RpcErrorKind> = new Set([
  'unknownMethod',
  'addressNeeded',
  'rangeTooLarge',
  'logsRefused',
  'responseTooLarge',
  'forbidden',
  'refused',
  'failed',
])

export function hasAlternativeRequest(error: unknown): boolean {
  return error instanceof RpcError && otherWayKinds.has(error.kind)
}

async function fetchParts(
  context: FetchContext,
  hash: string,
  isComplete: boolean,
  options: FetchOptions,
): Promise<FetchedParts | null> {
  const isReceipts = usesReceipts(context)
  try {
    return await fetchPartsBy(context, hash, isComplete, isReceipts, options)
  } catch (error) {
    if (!hasAlternativeRequest(error)) throw error
    return fetchPartsBy(context, hash, isComplete, !isReceipts, options)
  }
}

async function fetchPartsBy(
  context: FetchContext,
  hash: string,
  isComplete: boolean,
  isReceipts: boolean,
  { signal, avoid }: FetchOptions,
): Promise<FetchedParts | null> {
  const filter = isComplete ? { blockHash: hash } : { blockHash: hash, topics: [context.topics0] }
  const logsCall = isReceipts
    ? { method: 'eth_getBlockReceipts', params: [hash] }
    : { method: 'eth_getLogs', params: [filter] }
  const calls = [blockCall(hash, !isReceipts), logsCall]
  const [blockResult, logsResult] = await context.rpc.requestBatch(calls, {
    signal,
    avoid,
    isNullMiss: true,
  })
  const raw = unwrap(blockResult!) as RawBlock | null
  const read = await readHeader(context, blockResult!, signal)
  const { header, fault } = read
  if (raw === null || header === null) return null
  const listed = unwrap(logsResult!)
  if (listed === null) return null
  const parts = partsOf(raw, header, listed, isReceipts)
  const isOther = header.hash !== hash
  return {
    parts: { ...parts, isComplete: isComplete || isReceipts },
    fault: isOther ? `Asked for block ${hash}, got ${header.hash}` : fault,
    endpoint: fault === null ? logsResult!.endpoint : blockResult!.endpoint,
    misfits: faultyOf(read),
  }
}

/** Assembles a block from its full JSON and its logs or receipts, without validating them. */
export function partsOf(
  raw: RawBlock,
  header: EvmHeader,
  listed: unknown,
  isReceipts: boolean,
): BlockParts {
  const transactions = Array.isArray(raw.transactions) ? raw.transactions : []
  const list = Array.isArray(listed) ? (listed as unknown[]) : [undefined]
  if (!isReceipts)
    return { header, transactions, logs: list as RawLog[], receipts: null, isComplete: false }
  const receipts = list as RawReceipt[]
  const logs = receipts.flatMap((receipt) => receipt?.logs ?? [])
  return { header, transactions, logs, receipts, isComplete: true }
}

export function usesReceipts({ rpc, prefersReceipts }: FetchContext): boolean {
  return rpc.supports('eth_getBlockReceipts') && (prefersReceipts || !rpc.supports(logsOfAll))
}

/** Creates the request for a block by hash, number or tag. */
export function blockCall(block: string | number, isFull: boolean): RpcCall {
  if (typeof block === 'number')
    return { method: 'eth_getBlockByNumber', params: [toQuantity(block), isFull] }
  const method = block.length === 66 ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  return { method, params: [block, isFull] }
}

export function unwrap(result: RpcResult): unknown {
  if (!result.ok) throw result.error
  return result.value
}
