import type { EvmBlock } from '../../../model/evm/evmBlock.ts'
import type { RpcResult } from '../../rpc/rpcCall.ts'
import { checkSample } from '../verify/checkSample.ts'
import { type ReadHeader, readHeaders } from '../verify/headerReader.ts'
import { hasSameLogs } from '../verify/secondOpinion.ts'
import { type BlockParts, validateBlock } from '../verify/validateBlock.ts'
import {
  blockCall,
  type FetchContext,
  type FetchedBlock,
  type FetchOptions,
  fetchBlockByNumber,
  hasAlternativeRequest,
  partsOf,
  usesReceipts,
} from './fetchBlock.ts'
import {
  endpointOf,
  fetchRangeLogs,
  findSparseRange,
  type LogsByNumber,
  type RangeContext,
} from './rangeLogs.ts'
import { type RawBlock, type RawLog, toQuantity } from './rawBlock.ts'

const none: ReadonlyMap<number, FetchedBlock> = new Map()

// Full blocks requested at once in one range: on a busy chain a parsed block takes about a
// megabyte.
const blocksPerBatchMax = 32

export type RangeBlocks = {
  /** Blocks in order, each consistent by itself. The caller checks their links. */
  blocks: FetchedBlock[]
  /** True if the nodes do not have the rest of the range. */
  isCut: boolean
}

type RangeOptions = FetchOptions & {
  /**
   * Up to this number, blocks without relevant logs stay unread, except for a sample. @default -1
   */
  unreadUpTo?: number | undefined
}

/** Fetches the blocks of a range: all of them, or for a final range those with relevant logs. */
export async function fetchRange(
  context: RangeContext,
  from: number,
  to: number,
  { unreadUpTo = -1, ...options }: RangeOptions,
): Promise<RangeBlocks> {
  const logs = await fetchLogs(context, from, to, options)
  const isOfWanted = logs !== null && !context.isComplete.range
  const sparse =
    isOfWanted && from <= unreadUpTo
      ? await findSparseRange(context, logs, { from, to, unreadUpTo }, options)
      : null
  const wholes = isOfWanted ? await checkSample(context, logs, options, sparse?.disputed) : none
  const known = { logs, wholes }
  const all = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  if (sparse === null || sparse.disputed.length > 0)
    return (await fetchNumbers(context, all, known, options)).range
  // All blocks of an answer that proved wrong are marked by now, and are read.
  const chosen = new Set([...sparse.numbers, ...wholes.keys(), ...logs!.of.keys()])
  const { range, hasLeftOut } = await fetchNumbers(
    context,
    all.filter((number) => chosen.has(number)),
    known,
    options,
  )
  if (!hasLeftOut) return range
  // An endpoint that omitted logs of a checked block may have omitted logs of unread ones.
  const read = new Map(range.blocks.map((one) => [one.block.ref.number, one]))
  const rest = await fetchNumbers(context, all, { logs, wholes: read }, options)
  return rest.range
}

type FetchedRange = { range: RangeBlocks; hasLeftOut: boolean }

async function fetchNumbers(
  context: RangeContext,
  numbers: readonly number[],
  known: Known,
  options: FetchOptions,
): Promise<FetchedRange> {
  const blocks: FetchedBlock[] = []
  let hasLeftOut = false
  for (let at = 0; at < numbers.length; at += blocksPerBatchMax) {
    const batch = await fetchBatch(
      context,
      numbers.slice(at, at + blocksPerBatchMax),
      known,
      options,
    )
    hasLeftOut ||= batch.hasLeftOut
    for (const one of batch.blocks) {
      if (one === null) return { range: { blocks, isCut: true }, hasLeftOut }
      blocks.push(one)
    }
  }
  return { range: { blocks, isCut: false }, hasLeftOut }
}

/** Fetches the logs of a range; null if they come with the receipts of its blocks. */
async function fetchLogs(
  context: RangeContext,
  from: number,
  to: number,
  options: FetchOptions,
): Promise<LogsByNumber | null> {
  if (usesReceipts(context)) return null
  try {
    return await fetchRangeLogs(context, from, to, options)
  } catch (error) {
    if (!hasAlternativeRequest(error) || !context.rpc.supports('eth_getBlockReceipts')) throw error
    return null
  }
}

/** Logs and whole blocks of a range known so far. `logs` null if they come with the receipts. */
type Known = { logs: LogsByNumber | null; wholes: ReadonlyMap<number, FetchedBlock> }

async function fetchBatch(
  context: RangeContext,
  all: readonly number[],
  { logs, wholes }: Known,
  { signal }: FetchOptions,
): Promise<{ blocks: (FetchedBlock | null)[]; hasLeftOut: boolean }> {
  const numbers = all.filter((number) => !wholes.has(number))
  // Only blocks with relevant logs need transactions, which contain the senders.
  const calls = numbers.map((number) => blockCall(number, logs?.of.has(number) ?? false))
  if (logs === null)
    for (const number of numbers)
      calls.push({ method: 'eth_getBlockReceipts', params: [toQuantity(number)] })
  const results = await context.rpc.requestBatch(calls, { signal, isNullMiss: true })
  const receivedMs = context.nowMs()
  const reads = await readHeaders(context, results.slice(0, numbers.length), signal)
  const fetched = new Map<number, FetchedBlock | null>(wholes)
  const suspects: SuspectBlock[] = []
  const faulty: number[] = []
  for (const [at, number] of numbers.entries()) {
    const block = results[at]!
    const listed = logs === null ? receiptsOf(results[at + numbers.length]!) : logsOf(logs, number)
    const assembled =
      listed === null ? null : assemble(context, number, { block, read: reads[at]! }, listed)
    if (assembled === null) {
      faulty.push(number)
      continue
    }
    const { isProven, hasProvenLogs, parts } = assembled
    const from = { endpoint: block.endpoint, logsEndpoint: listed!.endpoint, receivedMs }
    const one = { block: assembled.block, isProven, hasProvenLogs, ...from }
    if (assembled.isSuspect) suspects.push({ reported: one, parts })
    else fetched.set(number, one)
  }
  const cleared = await findConfirmedBlocks(context, suspects, signal)
  let hasLeftOut = false
  for (const { reported } of suspects) {
    const { number } = reported.block.ref
    if (cleared.has(number)) {
      fetched.set(number, reported)
      continue
    }
    const again = await fetchBlockByNumber(context, number, { signal })
    if (again !== null && leavesOut(reported.block, again.block)) {
      context.rpc.penalise(reported.logsEndpoint, `Logs of block ${number} were left out`)
      context.distrusted.add(reported.logsEndpoint)
      hasLeftOut = true
    }
    fetched.set(number, again)
  }
  for (const number of faulty)
    fetched.set(number, await fetchBlockByNumber(context, number, { signal }))
  return { blocks: all.map((number) => fetched.get(number)!), hasLeftOut }
}

/**
 * A bloom filter also matches by chance, so a log counts as omitted only if another reading of the
 * same block has it.
 */
function leavesOut(reported: EvmBlock, whole: EvmBlock): boolean {
  if (reported.ref.hash !== whole.ref.hash) return false
  const indexes = new Set(reported.logs.map(({ logIndex }) => logIndex))
  return whole.logs.some(({ logIndex }) => !indexes.has(logIndex))
}

type Listed = { value: unknown; endpoint: number; isReceipts: boolean }

function receiptsOf(result: RpcResult): Listed | null {
  return result.ok ? { value: result.value, endpoint: result.endpoint, isReceipts: true } : null
}

function logsOf(logs: LogsByNumber, number: number): Listed | null {
  const found = logs.of.get(number)
  if (found?.logs === null) return null
  return { value: found?.logs ?? [], endpoint: endpointOf(logs, number), isReceipts: false }
}

/**
 * Assembles a block; null if it is missing or contradicts itself, and is requested again by hash.
 */
function assemble(
  context: RangeContext,
  number: number,
  { block: result, read: { header, fault } }: { block: RpcResult; read: ReadHeader },
  listed: Listed,
) {
  if (!result.ok || header === null) return null
  const isOther = header.number !== number
  if (isOther || fault !== null) {
    const other = `Asked for block ${number}, got ${header.number}`
    context.rpc.penalise(result.endpoint, isOther ? other : fault!)
    return null
  }
  const parts = partsOf(result.value as RawBlock, header, listed.value, listed.isReceipts)
  const isComplete = listed.isReceipts || context.isComplete.range
  const validated = validateBlock({ ...parts, isComplete }, context.validation)
  if (validated.fault === null)
    return { ...validated, isProven: header.isProven, hasProvenLogs: validated.isProven, parts }
  const { fault: broken, check } = validated
  if (check === null || !context.failedChecks.isDegraded(check))
    context.rpc.penalise(listed.endpoint, broken)
  return null
}

/** A block whose bloom filter matches relevant logs that were not reported. */
type SuspectBlock = { reported: FetchedBlock; parts: BlockParts }

/**
 * Returns the numbers of suspects without omitted logs. The more topics are relevant, the more
 * often a bloom filter matches by chance. All logs of a block must match its filter exactly, so
 * they settle the question. They are requested in one batch; requesting each block by number and by
 * hash would take two requests per block.
 */
async function findConfirmedBlocks(
  context: FetchContext,
  suspects: readonly SuspectBlock[],
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const calls = suspects.map(({ reported }) => ({
    method: 'eth_getLogs',
    params: [{ blockHash: reported.block.ref.hash }],
  }))
  const answers = await context.rpc.requestBatch(calls, { signal, isNullMiss: true })
  const cleared = new Set<number>()
  for (const [at, { reported, parts }] of suspects.entries()) {
    const answer = answers[at]!
    if (!answer.ok || !Array.isArray(answer.value)) continue
    const logs = answer.value as RawLog[]
    const whole = validateBlock({ ...parts, logs, isComplete: true }, context.validation)
    if (whole.fault === null && hasSameLogs(whole.block, reported.block))
      cleared.add(reported.block.ref.number)
  }
  return cleared
}
