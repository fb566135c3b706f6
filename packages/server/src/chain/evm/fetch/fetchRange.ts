import type { EvmBlock } from '../../../model/evm/evmBlock.ts'
import type { EvmResult } from '../rpc/evmCall.ts'
import { checkSample } from '../verify/checkSample.ts'
import { validateBlock } from '../verify/validateBlock.ts'
import {
  blockCall,
  type FetchedBlock,
  type FetchOptions,
  fetchBlockByNumber,
  hasOtherWay,
  partsOf,
  usesReceipts,
} from './fetchBlock.ts'
import { fetchRangeLogs, type LogsByNumber, type RangeContext } from './rangeLogs.ts'
import { type RawBlock, toQuantity } from './rawBlock.ts'

const none: ReadonlyMap<number, FetchedBlock> = new Map()

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
  const logs = await fetchLogs(context, from, to, options)
  const wholes =
    logs === null || context.isComplete.range ? none : await checkSample(context, logs, options)
  const fetched: FetchedBlock[] = []
  for (let first = from; first <= to; first += blocksPerBatchMax) {
    const last = Math.min(to, first + blocksPerBatchMax - 1)
    const batch = await fetchBatch(context, { first, last }, { logs, wholes }, options)
    for (const one of batch) {
      if (one === null) return fetched
      fetched.push(one)
    }
  }
  return fetched
}

/** Null: they come with the receipts of the blocks. */
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
    if (!hasOtherWay(error) || !context.rpc.supports('eth_getBlockReceipts')) throw error
    return null
  }
}

/** What is known of a range; `logs` null: they come with the receipts of its blocks. */
type Known = { logs: LogsByNumber | null; wholes: ReadonlyMap<number, FetchedBlock> }

async function fetchBatch(
  context: RangeContext,
  { first, last }: { first: number; last: number },
  { logs, wholes }: Known,
  { signal }: FetchOptions,
): Promise<(FetchedBlock | null)[]> {
  const all = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const numbers = all.filter((number) => !wholes.has(number))
  // Only blocks with wanted logs need their transactions: for the senders.
  const calls = numbers.map((number) => blockCall(number, logs?.of.has(number) ?? false))
  if (logs === null)
    for (const number of numbers)
      calls.push({ method: 'eth_getBlockReceipts', params: [toQuantity(number)] })
  const results = await context.rpc.requestBatch(calls, { signal, isNullMiss: true })
  const receivedMs = context.nowMs()
  const fetched = new Map<number, FetchedBlock | null>(wholes)
  for (const [at, number] of numbers.entries()) {
    const block = results[at]!
    const listed = logs === null ? receiptsOf(results[at + numbers.length]!) : logsOf(logs, number)
    const assembled = listed === null ? null : assemble(context, number, block, listed)
    if (assembled?.block && !assembled.isSuspect) {
      const { isProven, hasProvenLogs } = assembled
      const told = { block: assembled.block, isProven, hasProvenLogs, endpoint: block.endpoint }
      fetched.set(number, { ...told, logsEndpoint: listed!.endpoint, receivedMs })
      continue
    }
    const again = await fetchBlockByNumber(context, number, { signal })
    if (assembled?.block && again !== null && leavesOut(assembled.block, again.block))
      context.rpc.penalise(listed!.endpoint, `Logs of block ${number} were left out`)
    fetched.set(number, again)
  }
  return all.map((number) => fetched.get(number)!)
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
  const found = logs.of.get(number)
  if (found?.logs === null) return null
  // Also of blocks without logs it is known who said so.
  const { endpoint } = found ?? logs.answers.findLast(({ first }) => first <= number)!
  return { value: found?.logs ?? [], endpoint, isReceipts: false }
}

/** Null: not there or contradicts itself, and is asked for again by its hash. */
function assemble(context: RangeContext, number: number, result: EvmResult, listed: Listed) {
  if (!result.ok) return null
  const { header, fault } = context.headers.read(result.value)
  if (header === null) return null
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
    return { ...validated, isProven: header.isProven, hasProvenLogs: validated.isProven }
  context.rpc.penalise(listed.endpoint, validated.fault)
  return null
}
