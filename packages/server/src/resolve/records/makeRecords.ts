import type { BlockRef } from '../../model/block.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord } from '../../model/token.ts'
import type { PairPlan } from '../blockPlan.ts'
import type { RecordCache } from './recordCache.ts'

type MakeContext = {
  /** The block that they come with. */
  ref: BlockRef
  /** Pairs that it creates. */
  born: ReadonlySet<string>
  profile: ChainProfile
  tokens: RecordCache<TokenRecord>
  pairs: RecordCache<PairRecord>
}

/** Decimals of nearly every token: nothing is priced by them, and amounts are shown so until it has answered. */
const standIn = { symbol: '', name: '', decimals: 18 }

/** The record of a token before it answers. The native coin has no contract to ask: the config describes it. */
function newToken(
  id: number,
  address: string,
  seenAtS: number,
  { native: { coin, symbol, decimals } }: ChainProfile,
): TokenRecord {
  const terms = address === coin ? { symbol, name: symbol, decimals } : standIn
  return { id, address, ...terms, isUnreadable: false, seenAtS }
}

/** Pairs as they are planned, with the tokens that nobody knew; both are numbered in this order. */
export function makeRecords(
  plans: readonly PairPlan[],
  { ref, born, profile, tokens, pairs }: MakeContext,
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
    const createdAtS = born.has(plan.address) ? timeS : 0
    return pairs.create(number, (id) => {
      return { ...plan, id, token0Id, token1Id, createdAtS, params, otherIds }
    })
  })
  return { newTokens, pairs: made }
}
