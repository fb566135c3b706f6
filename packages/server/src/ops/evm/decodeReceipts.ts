import { createEvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import { createDecodeCounts } from '../../decode/evm/decodeEvmBlock.ts'
import type { EvmChainConfig } from '../../kinds/evm/evmChainSchema.ts'
import { createLogger } from '../../lib/logger.ts'
import type { SwapSummary } from '../../model/swapLine.ts'
import { createSwapDescriber } from '../../offline/evm/describeSwaps.ts'
import { type OnSkip, receiptsIn, Senders } from '../../offline/evm/findReceipts.ts'
import { knownVenues } from '../../venues/evm/venues.ts'
import { NoLogsError, TransactionMissingError } from '../errors.ts'

// Short, because a user waits at a terminal.
const rpcMsMax = 10_000

/** The fields of a chain's config that decoding needs. */
export type ChainDescription = Pick<
  EvmChainConfig,
  'factories' | 'quotes' | 'stables' | 'native' | 'chain_id'
> &
  Partial<Pick<EvmChainConfig, 'launch_platforms'>>

const noTerms = { native: {}, stables: [], quotes: [], factories: [] }

export type DecodeReceiptsOptions = {
  source: string
  onSwap(line: SwapSummary): void
  onSkip: OnSkip
}

/**
 * Decodes the swaps in receipts. `described` is the chain's config or preset; null: unknown chain.
 * Reads all receipts twice, since a later receipt may reveal a pool or a sender that an earlier one
 * needs.
 */
export async function decodeReceipts(
  values: Iterable<unknown> | AsyncIterable<unknown>,
  described: unknown,
  { source, onSwap, onSkip }: DecodeReceiptsOptions,
): Promise<void> {
  const counts = createDecodeCounts()
  const { learn, describe } = createReceiptDecoder(described as ChainDescription | null, counts)
  const senders = new Senders()
  let isFound = false
  for await (const receipts of receiptsIn(values, { senders, onSkip })) {
    isFound = true
    learn(receipts)
  }
  onSkip('logs of known events with malformed data', counts.malformed)
  onSkip(
    'spoofed events of Uniswap V2, without a Sync and a transfer of their pair',
    counts.spoofed,
  )
  if (!isFound) throw new NoLogsError(source)
  for await (const receipts of receiptsIn(values, { senders }))
    for (const line of describe(receipts)) onSwap(line)
}

/** Creates the decoder of a chain's receipts; null: nothing is known about the chain. */
export function createReceiptDecoder(
  terms: ChainDescription | null,
  counts = createDecodeCounts(),
) {
  const {
    native,
    stables,
    quotes,
    factories,
    launch_platforms = [],
  } = (terms ?? noTerms) as ChainDescription
  const managed = factories.filter(({ venue }) => knownVenues.find(venue)?.isManaged)
  const makers = new Map<string, string[]>()
  for (const { venue, address } of factories)
    makers.set(venue, [...(makers.get(venue) ?? []), address.toLowerCase()])
  const platforms = launch_platforms.map(({ address }) => address.toLowerCase())
  const { wrapped_token: wrapped = '' } = native
  const quoted = [wrapped, ...stables, ...quotes].map((token) => token.toLowerCase())
  return createSwapDescriber({
    counts,
    venues: knownVenues,
    managers: new Map(managed.map(({ address, venue }) => [address.toLowerCase(), venue])),
    makers,
    platforms: terms === null ? null : new Set(platforms),
    wrapped: wrapped.toLowerCase(),
    // An empty address would parse as zero, which is the address of the native coin.
    quotes: quoted.filter((token) => token !== ''),
  })
}

/** Fetches a transaction's receipt from a node. */
export async function fetchReceipt(
  hash: string,
  httpUrl: string,
  described: unknown,
): Promise<unknown> {
  const rpc = createEvmRpc({
    endpoints: [{ httpUrl }],
    chainId: (described as ChainDescription | null)?.chain_id,
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
