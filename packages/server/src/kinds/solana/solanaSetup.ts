import { base58Ids } from '@chaintape/protocol'
import type { RpcEndpointOptions } from '../../chain/rpc/rpcCall.ts'
import type { GrpcEndpoint } from '../../chain/solana/grpc/grpcStream.ts'
import type { Commitment } from '../../chain/solana/solanaRpc.ts'
import { slotMs } from '../../lib/slotTime.ts'
import type { VenueProfile } from '../../model/chainProfile.ts'
import type { UriGateways } from '../../resolve/solana/tokenImages.ts'
import type { ConfiguredVenue } from '../../venues/solana/venues.ts'
import {
  type ChainSetup,
  commonProfileOf,
  finalityOf,
  type PipelineLimits,
  plausibilityOf,
} from '../chainSetup.ts'
import { endpointOptionsOf } from '../commonChainFields.ts'
import type { SolanaChainConfig } from './solanaChainSchema.ts'

/** Options of a Solana chain behind JSON-RPC nodes. */
export type SolanaChainSetup = ChainSetup & {
  kind: 'solana'
  endpoints: readonly RpcEndpointOptions[]
  /** gRPC nodes that stream blocks. */
  streams: readonly GrpcEndpoint[]
  /** Required answer of every endpoint to getGenesisHash. Undefined: any. */
  genesisHash: string | undefined
  commitment: Commitment
  pollMs: number
  parallelBlocksMax: number
  sharedOwners: readonly string[]
  /** Venues that the config adds. @default none */
  venues?: readonly ConfiguredVenue[] | undefined
  /** Ask nodes for the holders of tokens that existed before the first indexed block. */
  readsHolders: boolean
  gateways: UriGateways
}

export function setupOfSolanaChain(
  name: string,
  chain: SolanaChainConfig,
  limits: PipelineLimits,
): SolanaChainSetup {
  return {
    kind: chain.kind,
    profile: {
      ...commonProfileOf(name, chain, { ids: base58Ids, blockMs: slotMs }),
      venues: [...chain.programs, ...trustedVenuesOf(chain)],
      burnAddresses: chain.burn_addresses,
      hasImages: chain.uri_json,
    },
    storeName: name,
    endpoints: chain.rpc.map(endpointOptionsOf),
    streams: chain.grpc,
    genesisHash: chain.genesis_hash,
    commitment: chain.commitment,
    startBlock: chain.start_block,
    finality: finalityOf(chain),
    pollMs: chain.poll_ms,
    parallelBlocksMax: chain.parallel_blocks_max,
    sharedOwners: chain.shared_owners,
    venues: chain.venues,
    readsHolders: chain.holders_from_nodes,
    gateways: { ipfs: chain.ipfs_gateway, arweave: chain.arweave_gateway },
    plausibility: plausibilityOf(chain),
    limits,
  }
}

function trustedVenuesOf({ venues }: SolanaChainConfig): VenueProfile[] {
  return venues.flatMap(({ program: address, name: venue = address, amm }) =>
    amm === undefined ? [] : { address, venue, amm },
  )
}
