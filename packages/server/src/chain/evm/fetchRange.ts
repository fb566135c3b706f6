import type { EvmBlock } from '../../model/evmBlock.ts'
import type { EvmResult } from './evmRpc.ts'
import {
  blockCall,
  type FetchContext,
  type FetchedBlock,
  type FetchOptions,
  fetchBlockByNumber,
  partsOf,
  usesReceipts,
} from './fetchBlock.ts'
import type { LogRange } from './logRanges.ts'
import { parseHeader, parseQuantity, type RawBlock, type RawLog, toQuantity } from './rawBlock.ts'
import { validateBlock } from './validateBlock.ts'

export type RangeContext = FetchContext & { logRange: LogRange }

// Full blocks under way at once in one range: on a busy chain one is about a megabyte parsed.
const blocksPerBatchMax = 32

/**
 * All blocks of a range, in order, each consistent in itself. Shorter when the nodes have no more.
 * Links between them are for the reader to check.
 */
export async function fetchRange(
  context: RangeContext,
  from: number,
  to: number,
  options: FetchOptions,
): Promise<FetchedBlock[]> {
  const isReceipts = usesReceipts(context)
  const logs = isReceipts ? null : await fetchLogs(context, from, to, options)
  const fetched: FetchedBlock[] = []
  for (let first = from; first <= to; first += blocksPerBatchMax) {
    const last = Math.min(to, first + blocksPerBatchMax - 1)
    const batch = await fetchBatch(context, first, last, logs, options)
    for (const one of batch) {
      if (one === null) return fetched
      fetched.push(one)
    }
  }
  return fetched
}

/** What a range said of one block; `logs` is null where the node could not give them by range. */
type RangeLogs = { logs: RawLog[] | null; endpoint: number }
/** `endpointAt` knows also of blocks without logs who said so. */
type LogsByNumber = { of: Map<number, RangeLogs>; endpointAt(number: number): number }

async function fetchBatch(
  context: RangeContext,
  first: number,
  last: number,
  logs: LogsByNumber | null,
  { signal }: FetchOptions,
): Promise<(FetchedBlock | null)[]> {
  const numbers = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  // Only blocks with wanted logs need their transactions: for the senders.
  const calls = numbers.map((number) => blockCall(number, logs?.of.has(number) ?? false))
  if (logs === null)
    for (const number of numbers)
      calls.push({ method: 'eth_getBlockReceipts', params: [toQuantity(number)] })
  const results = await context.rpc.requestBatch(calls, { signal, isNullMiss: true })
  const receivedMs = context.nowMs()
  const fetched: (FetchedBlock | null)[] = []
  for (const [at, number] of numbers.entries()) {
    const block = results[at]!
    const listed = logs === null ? receiptsOf(results[at + numbers.length]!) : logsOf(logs, number)
    const assembled = listed === null ? null : assemble(context, number, block, listed)
    if (assembled?.block && !assembled.isSuspect) {
      fetched.push({ block: assembled.block, endpoint: block.endpoint, receivedMs })
      continue
    }
    const again = await fetchBlockByNumber(context, number, { signal })
    if (assembled?.block && again !== null && leavesOut(assembled.block, again.block))
      context.rpc.penalise(listed!.endpoint, `Logs of block ${number} were left out`)
    fetched.push(again)
  }
  return fetched
}

/** A filter promises by chance too: only a wanted log of the very same block that was not told is one left out. */
function leavesOut(told: EvmBlock, whole: EvmBlock): boolean {
  if (told.ref.hash !== whole.ref.hash) return false
  const indexes = new Set(told.logs.map(({ logIndex }) => logIndex))
  return whole.logs.some(({ logIndex }) => !indexes.has(logIndex))
}

type Listed = { value: unknown; endpoint: number; isReceipts: boolean }

function receiptsOf(result: EvmResult): Listed | null {
  return result.ok ? { value: result.value, endpoint: result.endpoint, isReceipts: true } : null
}

function logsOf(logs: LogsByNumber, number: number): Listed | null {
  const found = logs.of.get(number) ?? { logs: [], endpoint: logs.endpointAt(number) }
  if (found.logs === null) return null
  return { value: found.logs, endpoint: found.endpoint, isReceipts: false }
}

/** Null: not there or contradicts itself, and is asked for again by its hash. */
function assemble(context: RangeContext, number: number, result: EvmResult, listed: Listed) {
  if (!result.ok) return null
  const header = parseHeader(result.value)
  if (header === null) return null
  if (header.number !== number) {
    context.rpc.penalise(result.endpoint, `Asked for block ${number}, got ${header.number}`)
    return null
  }
  const parts = partsOf(result.value as RawBlock, header, listed.value, listed.isReceipts)
  const isComplete = listed.isReceipts || context.isComplete.range
  const validated = validateBlock({ ...parts, isComplete }, context.validation)
  if (validated.fault === null) return validated
  context.rpc.penalise(listed.endpoint, validated.fault)
  return null
}

// Answers that a smaller range may turn into a good one.
const shrinkingKinds = new Set(['rangeTooLarge', 'responseTooLarge', 'timeout'])

async function fetchLogs(
  context: RangeContext,
  from: number,
  to: number,
  { signal }: FetchOptions,
): Promise<LogsByNumber> {
  const { rpc, logRange, topics0 } = context
  const of = new Map<number, RangeLogs>()
  const answers: { first: number; endpoint: number }[] = []
  const topics = context.isComplete.range ? {} : { topics: [topics0] }
  for (let first = from; first <= to; ) {
    const last = Math.min(to, first + logRange.blocks() - 1)
    const blocks = last - first + 1
    const filter = { fromBlock: toQuantity(first), toBlock: toQuantity(last), ...topics }
    const call = { method: 'eth_getLogs', params: [filter] }
    const [result] = await rpc.requestBatch([call], { signal })
    const { endpoint } = result!
    if (result!.ok) {
      group(result!.value, endpoint, of)
      logRange.onAnswer(blocks)
    } else {
      const { error } = result!
      if (!shrinkingKinds.has(error.kind)) throw error
      logRange.onTooLarge(blocks, error.rangeBlocksMax)
      if (blocks > 1) continue
      if (error.kind === 'timeout') throw error
      of.set(first, { logs: null, endpoint })
    }
    answers.push({ first, endpoint })
    first = last + 1
  }
  const endpointAt = (number: number) => answers.findLast(({ first }) => first <= number)!.endpoint
  return { of, endpointAt }
}

function group(answer: unknown, endpoint: number, of: Map<number, RangeLogs>): void {
  if (!Array.isArray(answer)) return
  // The same text is the same number: one is read per block, not per log.
  let quantity: unknown
  let list: RawLog[] | null = null
  for (const log of answer as RawLog[]) {
    if (list === null || log?.blockNumber !== quantity) {
      quantity = log?.blockNumber
      const number = parseQuantity(quantity)
      list = of.get(number)?.logs ?? []
      of.set(number, { logs: list, endpoint })
    }
    list.push(log)
  }
}
