import type { BlockRef } from '../../model/block.ts'
import type { BlockPlan, PairPlan } from '../blockPlan.ts'
import { type ChainReader, parentOf } from '../chainReader.ts'
import { type Clock, createBudget } from '../clock.ts'
import type { ResolverLimits } from '../resolverLimits.ts'

export type BornQuery = {
  /** Pairs that the block makes known. */
  plans: readonly PairPlan[]
  /** Those of them that its venues and platforms say they made. */
  made: BlockPlan['made']
  ref: BlockRef
  isLive: boolean
}

/**
 * Which pairs a block has made: those that it says so of, and at the head, where nodes have the state, those that were not
 * there before it. All others were discovered late. Never throws, and takes no longer than a block's budget.
 */
export async function findBorn(
  {
    reader,
    clock,
    limits,
  }: {
    reader: Pick<ChainReader, 'readPresence'>
    clock: Clock
    limits: Pick<ResolverLimits, 'budgetMs'>
  },
  { plans, made, ref, isLive }: BornQuery,
): Promise<ReadonlySet<string>> {
  const born = new Set(made.keys())
  // A curve is no contract of its own.
  const others = plans.filter(({ address, kind }) => !born.has(address) && kind !== 'curve')
  if (!isLive || others.length === 0) return born
  const addresses = others.map(({ address }) => address)
  const parent = parentOf(ref)
  const budget = createBudget(limits.budgetMs, clock)
  const asked = reader.readPresence(addresses, parent)
  const wasThere = (await budget.take(asked).catch(() => undefined)) ?? []
  for (const [i, address] of addresses.entries()) if (wasThere[i] === false) born.add(address)
  return born
}
