import type { TokenHolder } from '@chaintape/protocol'
import type { TokenFacts } from '../../../engine/marketReads.ts'
import type { GatewayChain } from '../../gatewayChain.ts'

export type HolderKind = TokenHolder['kind']

/** What an address is to a token, and a name for it where there is one. */
type HolderRole = { kind: HolderKind; alias: string }

/** What is certain comes first: a burn address with code is still one. */
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

/** As the launch platform says, or a check of the contract found; null: not known. */
export function creatorOf(
  { risk }: GatewayChain,
  { launch, record }: Pick<TokenFacts, 'record' | 'launch'>,
): string | null {
  return launch?.creator || (risk.known(record.address)?.creator ?? null)
}

/** The trusted pair at the address, or the launch platform that holds the tokens of its curves. */
function poolName({ reads, profile }: GatewayChain, address: string): string | null {
  const pairId = reads.findPair(address)
  if (pairId === undefined)
    return profile.launchPlatforms.find((each) => each.address === address)?.platform ?? null
  const record = reads.pairRecord(pairId)
  // A contract is no pool because it says so.
  if (!record.isTrusted) return null
  const symbolOf = (tokenId: number) => reads.tokenRecord(tokenId).symbol
  return `${record.amm}: ${symbolOf(record.token0Id)}/${symbolOf(record.token1Id)}`
}
