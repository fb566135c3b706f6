import type { FetchContext, FetchedBlock } from '../fetch/fetchBlock.ts'
import type { RawLog } from '../fetch/rawBlock.ts'
import { hasSameLogs } from './secondOpinion.ts'
import { type BlockParts, validateBlock } from './validateBlock.ts'

/** A block whose filter promises wanted logs that were not told. */
export type Suspect = { told: FetchedBlock; parts: BlockParts }

/**
 * Numbers of those that nothing was left out of: with every few wanted topics more, a filter promises one by chance more
 * often. All logs of a block must make up its filter exactly, whoever gives them, so that they settle it; they are
 * asked for in one batch, where each block again by its number and its hash would be two requests.
 */
export async function findCleared(
  context: FetchContext,
  suspects: readonly Suspect[],
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const calls = suspects.map(({ told }) => ({
    method: 'eth_getLogs',
    params: [{ blockHash: told.block.ref.hash }],
  }))
  const answers = await context.rpc.requestBatch(calls, { signal, isNullMiss: true })
  const cleared = new Set<number>()
  for (const [at, { told, parts }] of suspects.entries()) {
    const answer = answers[at]!
    if (!answer.ok || !Array.isArray(answer.value)) continue
    const logs = answer.value as RawLog[]
    const whole = validateBlock({ ...parts, logs, isComplete: true }, context.validation)
    if (whole.fault === null && hasSameLogs(whole.block, told.block))
      cleared.add(told.block.ref.number)
  }
  return cleared
}
