import type { PairState } from '../../../engine/marketReads.ts'
import { feePpmOf } from '../../../model/chainProfile.ts'
import { isTotalSupplyKnown } from '../../../model/token.ts'
import type { WalletFacts } from '../../../model/walletFacts.ts'
import type { RiskPool, RiskSubject } from '../../../risk/riskSubject.ts'
import type { Holder } from '../../../store/read/holders.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { awaitStore, type StoreReads } from '../../chain/storeReads.ts'
import { holderRole } from './holderRole.ts'

/**
 * Number of holders passed to a risk check. More than an answer shows, because the sell test skips
 * pools, the owner and the creator.
 */
export const riskHoldersMax = 30

/** A holder in the store. `isContract` is null until a node has reported its code. */
type KnownHolder = { wallet: string; balance: bigint; isContract: boolean | null }

export function knownHolders(
  holders: readonly Holder[],
  facts: ReadonlyMap<string, WalletFacts>,
): KnownHolder[] {
  return holders.slice(0, riskHoldersMax).map(({ wallet, balance }) => {
    return { wallet, balance, isContract: facts.get(wallet)?.isContract ?? null }
  })
}

/** Collects a token's facts and largest holders for a risk check. Null: unknown token. */
export async function readRiskSubject(
  chain: GatewayChain,
  address: string,
  store: Pick<StoreReads, 'topHolders'>,
): Promise<RiskSubject | null> {
  const tokenId = chain.reads.findToken(address)
  if (tokenId === undefined) return null
  const { holders } = await awaitStore(store.topHolders(chain.storeId, tokenId, riskHoldersMax))
  const facts = await chain.wallets.read(holders.map(({ wallet }) => wallet))
  // A reorg may have reverted the token while the store and the nodes were queried.
  if (chain.reads.findToken(address) !== tokenId) return null
  return riskSubjectOf(chain, tokenId, knownHolders(holders, facts))
}

/**
 * Collects a token's facts for a risk check at the newest applied block. Null before the first
 * block.
 */
export function riskSubjectOf(
  chain: GatewayChain,
  tokenId: number,
  holders: readonly KnownHolder[],
): RiskSubject | null {
  const { reads } = chain
  const head = reads.head()
  if (head === null) return null
  const token = reads.tokenState(tokenId)
  const { record, launch } = token
  return {
    address: record.address,
    symbol: record.symbol,
    name: record.name,
    decimals: record.decimals,
    supply: isTotalSupplyKnown(token.supply) ? token.supply : null,
    holders: holders.map(({ wallet, balance, isContract }) => ({
      address: wallet,
      amountRaw: balance,
      kind: holderRole(chain, token, wallet, isContract).kind,
    })),
    pools: token.pairIds.map((id) => poolOf(chain, tokenId, reads.pairState(id))),
    launch:
      launch === null
        ? null
        : { platform: launch.platform, state: launch.state, creator: launch.creator },
    nativeUsd: reads.nativeUsd(),
    block: { number: head.number, hash: head.hash, timeS: head.timeS },
  }
}

function poolOf(
  { reads, profile }: GatewayChain,
  tokenId: number,
  { record, tvlUsd, reserve0, reserve1 }: PairState,
): RiskPool {
  const isToken0 = record.token0Id === tokenId
  const quoteId = isToken0 ? record.token1Id : record.token0Id
  const { address, symbol, decimals } = reads.tokenRecord(quoteId)
  return {
    address: record.address,
    kind: record.kind,
    venue: record.venue,
    factory: record.factory,
    amm: record.amm,
    isTrusted: record.isTrusted,
    feePpm: feePpmOf(profile, record),
    quote: { address, symbol, decimals },
    quoteReserveRaw: isToken0 ? reserve1 : reserve0,
    params: record.params,
    liquidityUsd: tvlUsd,
  }
}
