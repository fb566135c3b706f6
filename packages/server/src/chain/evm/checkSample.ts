import { RpcError } from '../errors.ts'
import { type FetchedBlock, type FetchOptions, fetchBlockByNumber } from './fetchBlock.ts'
import type { LogsByNumber, RangeAnswer, RangeContext } from './rangeLogs.ts'

/**
 * Reads some blocks of a range whole and holds what the range said of them against that. A node that left out a log of
 * one may have left out others: none of its answer is believed then. Gives the blocks that were read.
 */
export async function checkSample(
  context: RangeContext,
  logs: LogsByNumber,
  { signal }: FetchOptions,
): Promise<ReadonlyMap<number, FetchedBlock>> {
  const wholes = new Map<number, FetchedBlock>()
  await Promise.all(
    logs.answers.map(async (answer) => {
      const sample = sampleOf(answer, logs, context.sampleEveryBlocks)
      const blocks = await Promise.all(sample.map((number) => readWhole(context, number, signal)))
      for (const [i, whole] of blocks.entries()) if (whole !== null) wholes.set(sample[i]!, whole)
      const lacking = sample.find((number) => isLogMissing(logs, number, wholes.get(number)))
      if (lacking === undefined) return
      context.rpc.penalise(answer.endpoint, `Logs of block ${lacking} were left out`)
      for (let number = answer.first; number <= answer.last; number += 1)
        logs.of.set(number, { logs: null, endpoint: answer.endpoint })
    }),
  )
  return wholes
}

/** The last of every so many blocks, and the last that has logs: an answer that was cut short was cut there. */
function sampleOf({ first, last }: RangeAnswer, { of }: LogsByNumber, every: number): number[] {
  if (every === 0) return []
  const sample = new Set<number>()
  const next = Math.ceil((first + 1) / every) * every - 1
  for (let number = next; number <= last; number += every) sample.add(number)
  let end = last
  while (end >= first && !of.has(end)) end -= 1
  if (end >= first) sample.add(end)
  return [...sample].filter((number) => of.get(number)?.logs !== null)
}

/** Null: no node gives it whole, so that there is nothing to compare. */
async function readWhole(context: RangeContext, number: number, signal: AbortSignal) {
  try {
    return await fetchBlockByNumber(context, number, { signal, isComplete: true })
  } catch (error) {
    if (error instanceof RpcError && error.kind !== 'aborted') return null
    throw error
  }
}

function isLogMissing(
  { of }: LogsByNumber,
  number: number,
  whole: FetchedBlock | undefined,
): boolean {
  if (whole === undefined) return false
  const { ref, logs } = whole.block
  const told = of.get(number)?.logs ?? []
  // Another block has come in its place meanwhile.
  if (told.length > 0 && told[0]?.blockHash?.toLowerCase() !== ref.hash) return false
  const indexes = new Set(told.map((log) => Number(log?.logIndex)))
  return logs.some(({ logIndex }) => !indexes.has(logIndex))
}
