import { RpcError } from '../../errors.ts'
import {
  type FetchContext,
  type FetchedBlock,
  type FetchOptions,
  fetchBlockByNumber,
} from '../fetch/fetchBlock.ts'
import type { DisputedBlock, LogsByNumber, RangeAnswer, RangeContext } from '../fetch/rangeLogs.ts'
import type { RawLog } from '../fetch/rawBlock.ts'
import { secondOpinion } from './secondOpinion.ts'

/**
 * Reads a sample of a range's blocks whole, from another endpoint if there is one, and compares
 * them with the range. Returns the blocks that were read. A node that omitted or changed a log of
 * one block may have done so in others, so its whole answer is rejected. `disputed` blocks are
 * always read; if the range was right, the endpoint that disagreed is penalized.
 */
export async function checkSample(
  context: RangeContext,
  logs: LogsByNumber,
  { signal }: FetchOptions,
  disputed: readonly DisputedBlock[] = [],
): Promise<ReadonlyMap<number, FetchedBlock>> {
  const wholes = new Map<number, FetchedBlock>()
  await Promise.all(
    logs.answers.map(async (answer) => {
      const isInAnswer = ({ number }: DisputedBlock) =>
        number >= answer.first && number <= answer.last
      const others = new Map(disputed.filter(isInAnswer).map((one) => [one.number, one.endpoint]))
      const sample = new Set([
        ...sampleOf(answer, logs, context.sampleEveryBlocks),
        ...others.keys(),
      ])
      const avoid = [answer.endpoint]
      const faults = await Promise.all(
        [...sample].map(async (number) => {
          const whole = await readWhole(context, number, { signal, avoid })
          if (whole === null) return null
          const reported = logs.of.get(number)?.logs ?? []
          const isUntrue = faultOf(reported, whole)?.isUntrue ?? false
          const settled = isUntrue ? await settle(context, whole, signal) : whole
          wholes.set(number, settled)
          const fault = faultOf(reported, settled)?.text ?? null
          const other = others.get(number)
          if (fault === null && other !== undefined)
            context.rpc.penalise(other, `Logs of block ${number} were told otherwise`)
          return fault
        }),
      )
      const fault = faults.find((one) => one !== null)
      if (fault === undefined) return
      context.rpc.penalise(answer.endpoint, fault!)
      context.distrusted.add(answer.endpoint)
      for (let number = answer.first; number <= answer.last; number += 1)
        logs.of.set(number, { logs: null, endpoint: answer.endpoint })
    }),
  )
  return wholes
}

/** Compares one live block out of many with another endpoint's report. */
export async function checkLive(
  context: FetchContext,
  fetched: FetchedBlock,
  signal: AbortSignal,
): Promise<FetchedBlock> {
  const { sampleEveryBlocks: every, rpc } = context
  const isSampled = every > 0 && (fetched.block.ref.number + 1) % every === 0
  return isSampled && rpc.endpointCount() > 1 ? settle(context, fetched, signal) : fetched
}

/**
 * Returns the block that its receipts or most endpoints confirm, or the reported one marked as
 * unverified.
 */
async function settle(
  context: FetchContext,
  fetched: FetchedBlock,
  signal: AbortSignal,
): Promise<FetchedBlock> {
  if (fetched.hasProvenLogs) return fetched
  const report = { block: fetched.block, endpoint: fetched.logsEndpoint }
  const opinion = await secondOpinion(context, report, signal)
  if (opinion.type === 'wrong') return { ...fetched, block: opinion.block }
  return opinion.type === 'split' ? { ...fetched, doubt: 'endpoints disagree' } : fetched
}

/**
 * Samples the last block of each group, and the last block with logs: truncated answers are cut
 * there.
 */
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

/** Reads a block whole; null if no node returns it, so that nothing can be compared. */
async function readWhole(context: RangeContext, number: number, options: FetchOptions) {
  try {
    return await fetchBlockByNumber(context, number, { ...options, isComplete: true })
  } catch (error) {
    if (error instanceof RpcError && error.kind !== 'aborted') return null
    throw error
  }
}

type LogFault = { text: string; isUntrue: boolean }

/** Returns how the logs of a range contradict the whole block, or null. */
function faultOf(
  reported: readonly RawLog[],
  { block: { ref, logs } }: FetchedBlock,
): LogFault | null {
  // A reorg replaced the block in the meantime.
  if (reported.length > 0 && lower(reported[0]?.blockHash) !== ref.hash) return null
  const byIndex = new Map(reported.map((log) => [Number(log?.logIndex), log]))
  for (const { logIndex, address, data } of logs) {
    const log = byIndex.get(logIndex)
    if (log === undefined)
      return { text: `Logs of block ${ref.number} were left out`, isUntrue: false }
    if (lower(log?.data) !== data.toLowerCase() || lower(log?.address) !== address)
      return { text: `Logs of block ${ref.number} are not true`, isUntrue: true }
  }
  return null
}

/** Lowercases an unvalidated value of an answer. */
function lower(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : ''
}
