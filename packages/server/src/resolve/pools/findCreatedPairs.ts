import type { BlockRef } from '../../model/block.ts'
import type { BlockPlan, PairPlan } from '../blockPlan.ts'
import { type ChainReader, parentPointOf } from '../chainReader.ts'
import { type Clock, createTimeBudget } from '../clock.ts'
import type { ResolverLimits } from '../resolverLimits.ts'

export type CreatedPairsQuery = {
  /** Pairs that appear first in this block. */
  plans: readonly PairPlan[]
  /** The pairs that configured venues and platforms report as created in this block. */
  made: BlockPlan['created']
  ref: BlockRef
  isLive: boolean
}

/**
 * Returns addresses of pairs created in this block: those reported as created, and on live blocks,
 * where nodes have the state, those absent before the block. All other pairs were discovered late.
 * Never throws and takes no longer than the block's budget.
 */
export async function findCreatedPairs(
  {
    reader,
    clock,
    limits,
  }: {
    reader: Pick<ChainReader, 'readPresence'>
    clock: Clock
    limits: Pick<ResolverLimits, 'budgetMs'>
  },
  { plans, made, ref, isLive }: CreatedPairsQuery,
): Promise<ReadonlySet<string>> {
  const born = new Set(made.keys())
  // A curve has no contract of its own, so its presence cannot be checked.
  const others = plans.filter(({ address, kind }) => !born.has(address) && kind !== 'curve')
  if (!isLive || others.length === 0) return born
  const addresses = others.map(({ address }) => address)
  const parent = parentPointOf(ref)
  const budget = createTimeBudget(limits.budgetMs, clock)
  const asked = reader.readPresence(addresses, parent)
  const wasThere = (await budget.waitFor(asked).catch(() => undefined)) ?? []
  for (const [i, address] of addresses.entries()) if (wasThere[i] === false) born.add(address)
  return born
}
