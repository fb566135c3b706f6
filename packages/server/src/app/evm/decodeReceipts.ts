import { createEvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import { createSwapDescriber } from '../../decode/evm/offline/describeSwaps.ts'
import { findReceipts } from '../../decode/evm/offline/findReceipts.ts'
import type { EvmChainConfig } from '../../kinds/evm/evmChainSchema.ts'
import { createLogger } from '../../lib/logger.ts'
import type { SwapLine } from '../../model/swapLine.ts'
import { knownVenues } from '../../venues/evm/venues.ts'
import { NoLogsError, TransactionMissingError } from '../errors.ts'

// Somebody waits at a terminal.
const rpcMsMax = 10_000

/** What of a chain's description decoding takes. */
export type ChainTerms = Pick<
  EvmChainConfig,
  'factories' | 'quotes' | 'stables' | 'native' | 'chain_id'
> &
  Partial<Pick<EvmChainConfig, 'launch_platforms'>>

const noTerms = { native: { wrapped_token: '' }, stables: [], quotes: [], factories: [] }

export type DecodeReceiptsOptions = { source: string; onSwap(line: SwapLine): void }

/** The swaps in receipts. `described` is the chain in the config, or its preset; null: it has none. */
export function decodeReceipts(
  values: Iterable<unknown>,
  described: unknown,
  { source, onSwap }: DecodeReceiptsOptions,
): void {
  const describe = describerOf(described as ChainTerms | null)
  let isFound = false
  for (const value of values) {
    const receipts = findReceipts(value)
    if (receipts === null) continue
    isFound = true
    for (const line of describe(receipts)) onSwap(line)
  }
  if (!isFound) throw new NoLogsError(source)
}

/** What reads receipts of a chain; null: nothing is known of it. */
export function describerOf(terms: ChainTerms | null) {
  const {
    native,
    stables,
    quotes,
    factories,
    launch_platforms = [],
  } = (terms ?? noTerms) as ChainTerms
  const managed = factories.filter(({ venue }) => knownVenues.find(venue)?.isManaged)
  const platforms = launch_platforms.map(({ address }) => address.toLowerCase())
  return createSwapDescriber({
    venues: knownVenues,
    managers: new Map(managed.map(({ address, venue }) => [address.toLowerCase(), venue])),
    platforms: terms === null ? null : new Set(platforms),
    quotes: [native.wrapped_token, ...stables, ...quotes].map((token) => token.toLowerCase()),
  })
}

/** A transaction's receipt, of a node of that chain. */
export async function fetchReceipt(
  hash: string,
  httpUrl: string,
  described: unknown,
): Promise<unknown> {
  const rpc = createEvmRpc({
    endpoints: [{ httpUrl }],
    chainId: (described as ChainTerms | null)?.chain_id,
    timeoutMs: rpcMsMax,
    hedgeAfterMs: rpcMsMax,
    batchSizeMax: 1,
    logger: createLogger('silent'),
  })
  try {
    const receipt = await rpc.request('eth_getTransactionReceipt', [hash], { isNullMiss: true })
    if (receipt === null) throw new TransactionMissingError(hash)
    return receipt
  } finally {
    rpc.close()
  }
}
