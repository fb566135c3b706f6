import type { TokenHolder } from '@chaintape/protocol'
import type { PairState, TokenFacts } from '../../../engine/marketReads.ts'
import { feePpmOf } from '../../../model/chainProfile.ts'
import { isTotalSupplyKnown } from '../../../model/token.ts'
import type { WalletFacts } from '../../../model/walletFacts.ts'
import type { RiskPool, RiskSubject } from '../../../risk/riskSubject.ts'
import type { Holder } from '../../../store/read/holders.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { awaitStore, type StoreReads } from '../../chain/storeReads.ts'

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

export type HolderKind = TokenHolder['kind']

/** The kind of an address in relation to a token, and its display name, empty without a name. */
type HolderRole = { kind: HolderKind; alias: string }

/**
 * Classifies a holder. Configured addresses are checked first: a burn address with code is still a
 * burn address.
 */
export function holderRole(
  chain: GatewayChain,
  token: Pick<TokenFacts, 'record' | 'launch'>,
  address: string,
  isContract: boolean | null,
): HolderRole {
  const { profile } = chain
  if (profile.burnAddresses.includes(address)) return { kind: 'burn', alias: 'Burn address' }
  if (profile.lockers.includes(address)) return { kind: 'lock', alias: 'Locker' }
  const pool = poolName(chain, address)
  if (pool !== null) return { kind: 'pool', alias: pool }
  if (address === creatorOf(chain, token)) return { kind: 'creator', alias: 'Creator' }
  if (address === token.record.address) return { kind: 'contract', alias: 'Token contract' }
  return { kind: isContract === true ? 'contract' : 'wallet', alias: '' }
}

/** Returns the creator named by the launch platform or found by a risk check; null when unknown. */
export function creatorOf(
  { risk }: GatewayChain,
  { launch, record }: Pick<TokenFacts, 'record' | 'launch'>,
): string | null {
  return launch?.creator || (risk.known(record.address)?.creator ?? null)
}

/**
 * Returns the name of the trusted pair at the address, or of the launch platform that holds its
 * curves' tokens; null for other addresses.
 */
function poolName({ reads, profile }: GatewayChain, address: string): string | null {
  const pairId = reads.findPair(address)
  if (pairId === undefined)
    return profile.launchPlatforms.find((each) => each.address === address)?.platform ?? null
  const record = reads.pairRecord(pairId)
  // Names only trusted pools: an untrusted contract may merely pretend to be a pool.
  if (!record.isTrusted) return null
  const symbolOf = (tokenId: number) => reads.tokenRecord(tokenId).symbol
  return `${record.amm}: ${symbolOf(record.token0Id)}/${symbolOf(record.token1Id)}`
}
