import { RpcError } from '../../errors.ts'
import type { FetchOptions } from './fetchBlock.ts'
import { endpointOf, fetchRangeLogs, type LogsByNumber, type RangeContext } from './rangeLogs.ts'
import type { RawLog } from './rawBlock.ts'

/** Blocks of a final range to read; the others were reported without relevant logs. */
export type SparseRange = {
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
export const headerSampleBlocks = 32
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
