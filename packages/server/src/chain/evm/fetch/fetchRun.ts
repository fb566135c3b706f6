import type { RpcCall, RpcResult } from '../../rpc/rpcCall.ts'
import { validateBlock } from '../verify/validateBlock.ts'
import {
  blockCall,
  type FetchedBlock,
  type FetchOptions,
  partsOf,
  usesReceipts,
} from './fetchBlock.ts'
import type { RangeBlocks } from './fetchRange.ts'
import { groupLogs, type RangeContext, type RangeLogs } from './rangeLogs.ts'
import { type EvmHeader, type RawBlock, toQuantity } from './rawBlock.ts'

// Blocks per request; each is a full block in the same answer.
const runBlocksMax = 16

/**
 * Fetches consecutive blocks up to a head in one HTTP request, for chains with blocks faster than a
 * node answers. Each block passes the checks of a single block. `isCut`: the next block failed them
 * or cannot be read this way. The caller then reads that block alone, which also finds the faulty
 * endpoint.
 */
export async function fetchRun(
  context: RangeContext,
  from: number,
  head: EvmHeader,
  { signal }: FetchOptions,
): Promise<RangeBlocks> {
  const { rpc, validation, logRange } = context
  // A lagging node returns fewer logs of a range without an error; only the bloom filter in a
  // header reveals that.
  const hasFilters = validation.checks.bloom && head.bloom !== null
  const isReceipts = usesReceipts(context) || (!hasFilters && rpc.supports('eth_getBlockReceipts'))
  if (!isReceipts && !hasFilters) return { blocks: [], isCut: true }
  const countMax = isReceipts ? runBlocksMax : Math.min(runBlocksMax, logRange.blocks())
  const count = Math.min(countMax, head.number - from + 1)
  const numbers = Array.from({ length: count }, (_, at) => from + at)
  const calls: RpcCall[] = numbers.map((number) => blockCall(number, !isReceipts))
  if (isReceipts) calls.push(...numbers.map(receiptsCall))
  else calls.push(logsCall(context, from, numbers.at(-1)!))
  // One round only: if no endpoint has all parts, the next block is read alone.
  const options = { signal, isNullMiss: true, roundsMax: 1 }
  const results = await rpc.requestBatch(calls, options)
  const listed = isReceipts
    ? results.slice(count).map(receiptsOf)
    : logsOf(results[count]!, { first: from, last: numbers.at(-1)! })
  const receivedMs = context.nowMs()
  const blocks: FetchedBlock[] = []
  for (const [at, number] of numbers.entries()) {
    const hash = number === head.number ? head.hash : null
    const block = assemble(context, { number, hash }, results[at]!, listed[at] ?? null)
    if (block === null) return { blocks, isCut: true }
    blocks.push({ ...block, receivedMs })
  }
  return { blocks, isCut: false }
}

function logsCall({ isComplete, topics0 }: RangeContext, first: number, last: number): RpcCall {
  const topics = isComplete.block ? {} : { topics: [topics0] }
  const filter = { fromBlock: toQuantity(first), toBlock: toQuantity(last), ...topics }
  return { method: 'eth_getLogs', params: [filter] }
}

function receiptsCall(number: number): RpcCall {
  return { method: 'eth_getBlockReceipts', params: [toQuantity(number)] }
}

/** Logs or receipts of one block. */
type Listed = { list: unknown; isReceipts: boolean; endpoint: number }

function receiptsOf(result: RpcResult): Listed | null {
  if (!result.ok || result.value === null) return null
  return { list: result.value, isReceipts: true, endpoint: result.endpoint }
}

/** Returns the logs of each block; empty if the answer has logs of other blocks or is an error. */
function logsOf(result: RpcResult, { first, last }: { first: number; last: number }): Listed[] {
  if (!result.ok) return []
  const { endpoint } = result
  const of = new Map<number, RangeLogs>()
  if (groupLogs(result.value, { first, last, endpoint }, of) !== null) return []
  return Array.from({ length: last - first + 1 }, (_, at) => {
    return { list: of.get(first + at)?.logs ?? [], isReceipts: false, endpoint }
  })
}

/**
 * Assembles a block; `hash` null accepts any block of this number. Null if the block is missing or
 * contradicts itself.
 */
function assemble(
  context: RangeContext,
  { number, hash }: { number: number; hash: string | null },
  result: RpcResult,
  listed: Listed | null,
): Omit<FetchedBlock, 'receivedMs'> | null {
  if (!result.ok || listed === null) return null
  const { header, fault } = context.headers.read(result.value)
  if (header === null || fault !== null || header.number !== number) return null
  if (hash !== null && header.hash !== hash) return null
  const parts = partsOf(result.value as RawBlock, header, listed.list, listed.isReceipts)
  const isComplete = parts.isComplete || context.isComplete.block
  const validated = validateBlock({ ...parts, isComplete }, context.validation)
  if (validated.fault !== null || validated.isSuspect) return null
  return {
    block: validated.block,
    isProven: header.isProven,
    hasProvenLogs: validated.isProven,
    endpoint: result.endpoint,
    logsEndpoint: listed.endpoint,
  }
}
