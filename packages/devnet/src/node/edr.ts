import './allocator.ts'
import { createRequire } from 'node:module'

/** The part of EDR that the local chain uses. */
export type Edr = {
  EdrContext: new () => EdrContext
  ContractDecoder: new () => object
  MineOrdering: { Fifo: string }
  GENERIC_CHAIN_TYPE: string
  PRAGUE: string
  genericChainProviderFactory(): object
  l1HardforkFromString(name: string): number
  l1GenesisState(hardfork: number): readonly GenesisAccount[]
}

export type EdrContext = {
  registerProviderFactory(chainType: string, factory: object): Promise<void>
  createProvider(
    chainType: string,
    config: object,
    logger: object,
    subscriptions: { subscriptionCallback: (event: SubscriptionEvent) => void },
    decoder: object,
  ): Promise<EdrProvider>
}

export type EdrProvider = { handleRequest(request: string): Promise<{ data: unknown }> }

export type GenesisAccount = { address: Uint8Array; balance?: bigint }

export type SubscriptionEvent = { filterId: bigint; result: unknown }

// Loads EDR's package for this platform directly. `@nomicfoundation/edr` adds only types and the
// choice of a platform, but up to version 0.16 it depends on seven platforms (190 MB), and later
// versions need Node 22.
const { platform, arch } = process
const libc = platform === 'linux' ? '-gnu' : ''
export const edr: Edr = createRequire(import.meta.url)(
  `@nomicfoundation/edr-${platform}-${arch}${libc}`,
)
