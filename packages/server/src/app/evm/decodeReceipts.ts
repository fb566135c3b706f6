import { createEvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import { createSwapDescriber } from '../../decode/evm/offline/describeSwaps.ts'
import {
  findReceipts,
  isLog,
  isOfOne,
  type OfflineReceipt,
} from '../../decode/evm/offline/findReceipts.ts'
import type { EvmChainConfig } from '../../kinds/evm/evmChainSchema.ts'
import { createLogger } from '../../lib/logger.ts'
import type { SwapLine } from '../../model/swapLine.ts'
import { knownVenues } from '../../venues/evm/venues.ts'
import { NoLogsError, TransactionMissingError } from '../errors.ts'

// Somebody waits at a terminal.
const rpcMsMax = 10_000

// Of a day there are millions.
const logsHeldMax = 100_000

/** What of a chain's description decoding takes. */
export type ChainTerms = Pick<
  EvmChainConfig,
  'factories' | 'quotes' | 'stables' | 'native' | 'chain_id'
> &
  Partial<Pick<EvmChainConfig, 'launch_platforms'>>

const noTerms = { native: { wrapped_token: '' }, stables: [], quotes: [], factories: [] }

export type DecodeReceiptsOptions = { source: string; onSwap(line: SwapLine): void }

/**
 * The swaps in receipts. `described` is the chain in the config, or its preset; null: it has none. All are gone through twice:
 * what a later one tells of a pool holds for those before it.
 */
export async function decodeReceipts(
  values: Iterable<unknown> | AsyncIterable<unknown>,
  described: unknown,
  { source, onSwap }: DecodeReceiptsOptions,
): Promise<void> {
  const { learn, describe } = describerOf(described as ChainTerms | null)
  let isFound = false
  for await (const receipts of receiptsIn(values)) {
    isFound = true
    learn(receipts)
  }
  if (!isFound) throw new NoLogsError(source)
  for await (const receipts of receiptsIn(values))
    for (const line of describe(receipts)) onSwap(line)
}

/** Logs that stand alone one after the other are of the same transactions. */
async function* receiptsIn(
  values: Iterable<unknown> | AsyncIterable<unknown>,
): AsyncGenerator<OfflineReceipt[]> {
  let logs: unknown[] = []
  for await (const value of values) {
    if (isLog(value)) {
      if (logs.length > logsHeldMax && !isOfOne(value, logs.at(-1))) {
        yield* receiptsOf(logs)
        logs = []
      }
      logs.push(value)
      continue
    }
    yield* receiptsOf(logs)
    logs = []
    yield* receiptsOf(value)
  }
  yield* receiptsOf(logs)
}

function receiptsOf(value: unknown): OfflineReceipt[][] {
  const receipts = findReceipts(value)
  return receipts === null ? [] : [receipts]
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
  const makers = new Map<string, string[]>()
  for (const { venue, address } of factories)
    makers.set(venue, [...(makers.get(venue) ?? []), address.toLowerCase()])
  const platforms = launch_platforms.map(({ address }) => address.toLowerCase())
  const quoted = [native.wrapped_token, ...stables, ...quotes].map((token) => token.toLowerCase())
  return createSwapDescriber({
    venues: knownVenues,
    managers: new Map(managed.map(({ address, venue }) => [address.toLowerCase(), venue])),
    makers,
    platforms: terms === null ? null : new Set(platforms),
    wrapped: native.wrapped_token.toLowerCase(),
    // A number of no digits would pass for the zero address, which is the native coin.
    quotes: quoted.filter((token) => token !== ''),
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
