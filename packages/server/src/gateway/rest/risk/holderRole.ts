import type { TokenHolder } from '@chaintape/protocol'
import type { TokenFacts } from '../../../engine/marketReads.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'

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
