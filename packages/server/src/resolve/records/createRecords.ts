import type { BlockRef } from '../../model/block.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord } from '../../model/token.ts'
import type { PairPlan } from '../blockPlan.ts'
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
