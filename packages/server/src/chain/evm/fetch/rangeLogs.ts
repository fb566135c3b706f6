import { InconsistentNodeError, RpcError, type RpcErrorKind } from '../../errors.ts'
import type { FetchContext, FetchOptions } from './fetchBlock.ts'
import { parseQuantity, type RawLog, toQuantity } from './rawBlock.ts'

export type RangeContext = FetchContext & {
  logRange: LogRange
  /** Endpoints that once omitted or changed logs: every header of their ranges is read. */
  distrusted: Set<number>
}

/**
 * Logs of one block in a range answer. `logs` null: the block's logs are unavailable or unreliable
 * by range.
 */
export type RangeLogs = { logs: RawLog[] | null; endpoint: number }

/** One answer, with the endpoint that returned it. */
export type RangeAnswer = { first: number; last: number; endpoint: number }

export type LogsByNumber = {
  /** Logs by block number. Blocks without an entry were reported without logs. */
  of: Map<number, RangeLogs>
  /** Answers in order, without a gap. */
  answers: readonly RangeAnswer[]
}

// Errors that may hide a range that is too large: a gateway that gives up on a large answer does
// not mention its size.
const silentKinds: ReadonlySet<RpcErrorKind> = new Set(['failed', 'malformed', 'batchRefused'])
// Unusable answers in a row after which the range is given up for now.
const faultsMax = 6

export async function fetchRangeLogs(
  context: RangeContext,
  from: number,
  to: number,
  { signal, avoid: avoidedFirst = [] }: FetchOptions,
): Promise<LogsByNumber> {
  const { rpc, logRange, topics0, chain } = context
  const of = new Map<number, RangeLogs>()
  const answers: RangeAnswer[] = []
  const topics = context.isComplete.range ? {} : { topics: [topics0] }
  const avoid = [...avoidedFirst]
  let faults = 0
  for (let first = from; first <= to; ) {
    const last = Math.min(to, first + logRange.blocks() - 1)
    const blocks = last - first + 1
    const filter = { fromBlock: toQuantity(first), toBlock: toQuantity(last), ...topics }
    const call = { method: 'eth_getLogs', params: [filter] }
    const [result] = await rpc.requestBatch([call], { signal, avoid, isNullMiss: true })
    const { endpoint } = result!
    if (result!.ok) {
      const fault = groupLogs(result!.value, { first, last, endpoint }, of)
      if (fault !== null) {
        rpc.penalise(endpoint, fault)
        avoid.push(endpoint)
        faults += 1
        if (faults < faultsMax) continue
        throw new InconsistentNodeError({ chain, block: `${first} to ${last}`, fault })
      }
      logRange.onAnswer(blocks)
    } else {
      const { error } = result!
      if (!error.isOfSize && !silentKinds.has(error.kind)) throw error
      logRange.onTooLarge(blocks, error.rangeBlocksMax)
      if (blocks > 1) continue
      of.set(first, { logs: null, endpoint })
    }
    answers.push({ first, last, endpoint })
    first = last + 1
  }
  return { of, answers }
}

/** Returns the endpoint that reported a block, including blocks without logs. */
export function endpointOf({ of, answers }: LogsByNumber, number: number): number {
  return (of.get(number) ?? answers.findLast(({ first }) => first <= number)!).endpoint
}

/** Groups logs by block. Returns the fault of the answer, or null. */
export function groupLogs(
  value: unknown,
  answer: RangeAnswer,
  of: Map<number, RangeLogs>,
): string | null {
  const { first, last, endpoint } = answer
  if (!Array.isArray(value)) return `The logs of blocks ${first} to ${last} are no list`
  const found = new Map<number, RangeLogs>()
  // Equal texts are equal numbers, so each block's number is parsed once instead of once per log.
  let quantity: unknown
  let list: RawLog[] | null = null
  for (const log of value as RawLog[]) {
    if (list === null || log?.blockNumber !== quantity) {
      quantity = log?.blockNumber
      const number = parseQuantity(quantity)
      if (!(number >= first && number <= last))
        return `Among the logs of blocks ${first} to ${last} is one of block ${number}`
      list = found.get(number)?.logs ?? []
      found.set(number, { logs: list, endpoint })
    }
    list.push(log)
  }
  for (const [number, logs] of found) of.set(number, logs)
  return null
}

type LogRangeOptions = {
  /** Size of the first request, in blocks. */
  blocks: number
  /** Largest size of a request, in blocks. */
  blocksMax: number
}

/** Adaptive number of blocks per eth_getLogs request; follows what the nodes accept. */
export type LogRange = {
  blocks(): number
  onAnswer(askedBlocks: number): void
  onTooLarge(askedBlocks: number, suggestedBlocksMax: number | undefined): void
}

// Growth is slower than shrinking, so that at the limit about one request in eight fails.
const growth = 1.1
const shrink = 0.5

export function createLogRange(options: LogRangeOptions): LogRange {
  let blocks = Math.min(options.blocks, options.blocksMax)
  return {
    blocks: () => Math.max(1, Math.floor(blocks)),
    onAnswer(askedBlocks) {
      // A short last request does not show whether a full one would succeed.
      if (askedBlocks < Math.floor(blocks)) return
      blocks = Math.min(options.blocksMax, Math.max(blocks * growth, blocks + 1))
    },
    onTooLarge(askedBlocks, suggestedBlocksMax) {
      // A request that was sent before the size shrank must not halve it again.
      if (askedBlocks > blocks && suggestedBlocksMax === undefined) return
      if (suggestedBlocksMax !== undefined && suggestedBlocksMax < askedBlocks) {
        blocks = Math.max(1, Math.min(blocks, suggestedBlocksMax))
        return
      }
      blocks = Math.max(1, Math.min(blocks, askedBlocks) * shrink)
    },
  }
}

/** Blocks of a final range to read; the others were reported without relevant logs. */
type SparseRange = {
  /** Block numbers in order, including the first and the last of the range. */
  numbers: readonly number[]
  /** Blocks on which two answers disagree. If there are any, the whole range is read. */
  disputed: readonly DisputedBlock[]
}

/** A disputed block. `endpoint` is the one that reported it differently. */
export type DisputedBlock = { number: number; endpoint: number }

/** A range of blocks. Blocks above `unreadUpTo` are all read. */
type Range = { from: number; to: number; unreadUpTo: number }

// Out of this many blocks without relevant logs, one header is read and checked.
const headerSampleBlocks = 32
// If fewer calls than this share are saved, every header is read: the second log request also costs
// bytes.
const callShareMax = 0.5
// Number of disputed blocks that suffices to decide which endpoint was wrong. None of its answer is
// used then.
const disputedMax = 4

/**
 * Finds the blocks of a final range that must be read. Without headers, a single answer says that
 * the other blocks are empty. So the logs are requested again, from another endpoint if there is
 * one, and a sample of the blocks is read. Null if all blocks should be read, because little would
 * be saved or the endpoint omitted logs before.
 */
export async function findSparseRange(
  context: RangeContext,
  logs: LogsByNumber,
  { from, to, unreadUpTo }: Range,
  { signal }: FetchOptions,
): Promise<SparseRange | null> {
  const numbers = numbersToRead(logs, { from, to, unreadUpTo })
  const calls = numbers.length + logs.answers.length
  if (calls > (to - from + 1) * callShareMax) return null
  const avoid = [...new Set(logs.answers.map(({ endpoint }) => endpoint))]
  if (avoid.some((endpoint) => context.distrusted.has(endpoint))) return null
  const others = await fetchRangeLogs(context, from, to, { signal, avoid }).catch(orNone)
  if (others === null) return null
  return { numbers, disputed: disputedBetween(logs, others) }
}

function numbersToRead({ of }: LogsByNumber, { from, to, unreadUpTo }: Range): number[] {
  const numbers: number[] = []
  for (let number = from; number <= to; number += 1) {
    const isEnd = number === from || number === to || number >= unreadUpTo
    // Every 32nd header is sampled: the last of each group of `headerSampleBlocks` numbers.
    if (isEnd || of.has(number) || (number + 1) % headerSampleBlocks === 0) numbers.push(number)
  }
  return numbers
}

/** No endpoint confirms the answer. */
function orNone(error: unknown): null {
  if (error instanceof RpcError && error.kind !== 'aborted') return null
  throw error
}

function disputedBetween(one: LogsByNumber, other: LogsByNumber): DisputedBlock[] {
  const disputed: DisputedBlock[] = []
  for (const number of new Set([...one.of.keys(), ...other.of.keys()])) {
    if (disputed.length === disputedMax) break
    const ours = one.of.get(number)?.logs
    // Blocks without usable logs are read anyway.
    if (ours === null) continue
    const theirs = other.of.get(number)
    if (!isSame(ours ?? [], theirs?.logs ?? []))
      disputed.push({ number, endpoint: theirs?.endpoint ?? endpointOf(other, number) })
  }
  return disputed
}

function isSame(one: readonly RawLog[], other: readonly RawLog[]): boolean {
  return one.length === other.length && one.every((log, at) => textOf(log) === textOf(other[at]!))
}

/** Serializes an unvalidated log for comparison. */
function textOf(log: RawLog): string {
  const { blockHash, logIndex, transactionHash, address, topics, data } = log ?? {}
  return JSON.stringify([blockHash, logIndex, transactionHash, address, topics, data]).toLowerCase()
}
