import type { BlockRef } from '../../model/block.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord } from '../../model/token.ts'
import type { BlockPlan, PairPlan } from '../blockPlan.ts'
import { type ChainReader, parentPointOf } from '../chainReader.ts'
import { type Clock, createTimeBudget } from '../clock.ts'
import type { ResolverLimits } from '../resolverOptions.ts'
import type { RecordCache } from './recordCache.ts'

type MakeContext = {
  /** The block in which the records first appear. */
  ref: BlockRef
  /** Addresses of pairs that the block itself creates, as opposed to older pools it discovers. */
  createdPairs: ReadonlySet<string>
  profile: ChainProfile
  tokens: RecordCache<TokenRecord>
  pairs: RecordCache<PairRecord>
}

/**
 * Metadata of a token before its contract answers. 18 are the decimals of nearly every token; they
 * serve to display amounts only, never to price.
 */
const placeholderMetadata = { symbol: '', name: '', decimals: 18 }

/**
 * Creates a token record before the contract answers. The native coin has no contract; the config
 * describes it.
 */
function newToken(
  id: number,
  address: string,
  seenAtS: number,
  { native: { coin, symbol, decimals } }: ChainProfile,
): TokenRecord {
  const terms = address === coin ? { symbol, name: symbol, decimals } : placeholderMetadata
  return { id, address, ...terms, isUnreadable: false, seenAtS }
}

/**
 * Creates records of the planned pairs and of their unknown tokens. Ids are assigned in this order.
 */
export function createRecords(
  plans: readonly PairPlan[],
  { ref, createdPairs, profile, tokens, pairs }: MakeContext,
): { newTokens: TokenRecord[]; pairs: PairRecord[] } {
  const { number, timeS } = ref
  const newTokens: TokenRecord[] = []

  function idOf(address: string): number {
    const known = tokens.get(address)
    if (known) return known.id
    const token = tokens.create(number, (id) => newToken(id, address, timeS, profile))
    newTokens.push(token)
    return token.id
  }

  const made = plans.map(({ token0, token1, others, ...plan }) => {
    const [token0Id, token1Id] = [idOf(token0), idOf(token1)]
    const otherIds = others.map(idOf)
    const params = plan.params ?? []
    const createdAtS = createdPairs.has(plan.address) ? timeS : 0
    return pairs.create(number, (id) => {
      return { ...plan, id, token0Id, token1Id, createdAtS, params, otherIds }
    })
  })
  return { newTokens, pairs: made }
}

type CreatedPairsQuery = {
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
