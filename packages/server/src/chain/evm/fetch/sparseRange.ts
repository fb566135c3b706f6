import { RpcError } from '../../errors.ts'
import type { FetchOptions } from './fetchBlock.ts'
import { endpointOf, fetchRangeLogs, type LogsByNumber, type RangeContext } from './rangeLogs.ts'
import type { RawLog } from './rawBlock.ts'

/** The blocks of a final range that are read; the others were reported without wanted logs. */
export type SparseRange = {
  /** In order. The first and the last of the range are among them. */
  numbers: readonly number[]
  /** Where two answers did not say the same; if there are any, all of the range is to be read. */
  disputed: readonly DisputedBlock[]
}

/** `endpoint`: the one that reported otherwise. */
export type DisputedBlock = { number: number; endpoint: number }

/** `unreadUpTo`: above it every block is read. */
type Range = { from: number; to: number; unreadUpTo: number }

// One header in so many blocks reported without relevant logs is read and checked.
export const headerSampleBlocks = 32
// Where fewer calls than this share are saved, every header is read: the second question for logs has a price in bytes too.
const callShareMax = 0.5
// Enough to decide which endpoint was wrong; then nothing of its answer is believed anyway.
const disputedMax = 4

/**
 * Finds the blocks of a final range that need to be read. Without headers, only one answer says that the others are
 * empty: so the logs are asked for once more, of another endpoint where there is one, and a sample of the blocks is read.
 * Null: all blocks are read, since little would be saved, or the endpoint of the range has left out logs before.
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
    // The last of each, as in the sample of whole blocks.
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
    // It is read by itself in any case.
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

/** Nothing is looked at yet: an answer may be anything. */
function textOf(log: RawLog): string {
  const { blockHash, logIndex, transactionHash, address, topics, data } = log ?? {}
  return JSON.stringify([blockHash, logIndex, transactionHash, address, topics, data]).toLowerCase()
}
