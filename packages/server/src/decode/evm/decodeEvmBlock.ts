import type { DecodedBlock } from '../../model/decodedBlock.ts'
import type { EvmBlock, EvmLog } from '../../model/evm/evmBlock.ts'
import { type AddressTexts, createAddressTexts } from '../../venues/evm/decoding/addressTexts.ts'
import { BlockScope, type DecodeCounts } from '../../venues/evm/decoding/blockScope.ts'
import { createPoolIds, type PoolIds } from '../../venues/evm/decoding/poolIds.ts'
import type { EventRoute, VenueSet } from '../../venues/evm/venueSet.ts'
import { knownVenues } from '../../venues/evm/venues.ts'
import { erc20Decoders } from './erc20.ts'
import { orderOwnerDecoders } from './orderOwners.ts'

/** Topic0 of every decoded event; other logs are not needed. */
export function topics0Of(venues: VenueSet): string[] {
  return [...readersOf(venues).keys()]
}

/**
 * The decoder of a topic. Nearly every topic0 has one decoder for all contracts (`routes` is null);
 * some depend on the contract.
 */
type Reader = Pick<EventRoute, 'decode' | 'venues'> & { routes: readonly EventRoute[] | null }

const readersByVenues = new WeakMap<VenueSet, ReadonlyMap<string, Reader>>()

/** Indexed by topic0. Token and order events belong to no venue. */
function readersOf(venues: VenueSet): ReadonlyMap<string, Reader> {
  const known = readersByVenues.get(venues)
  if (known !== undefined) return known
  const readers = new Map<string, Reader>()
  for (const [topic0, routes] of venues.routes) {
    const { decode, venues, isManaged } = routes[0]!
    const isOne = routes.length === 1 && !isManaged
    readers.set(topic0, { decode, venues, routes: isOne ? null : routes })
  }
  for (const [topic0, decode] of Object.entries({ ...erc20Decoders, ...orderOwnerDecoders }))
    readers.set(topic0, { decode, venues: [], routes: null })
  readersByVenues.set(venues, readers)
  return readers
}

/** Few contracts emit logs without a topic. */
function plainReaderOf({ plainRoutes }: VenueSet, { address }: EvmLog): Reader | undefined {
  const route = plainRoutes.get(address)
  return route && { decode: route.decode, venues: route.venues, routes: [route] }
}

const noManagers: ReadonlyMap<string, string> = new Map()

export type DecodeEvmOptions = {
  /** Counters of decoded and malformed logs, to which this block adds. */
  counts?: DecodeCounts | undefined
  /** Cache of the ids of launch curves, shared by blocks. @default a new one */
  poolIds?: PoolIds | undefined
  /** Cache of the texts of addresses, shared by blocks. @default a new one */
  addresses?: AddressTexts | undefined
  /** Contracts whose Deposit and Withdrawal mint and burn, like WETH9. @default any contract */
  wrappedTokens?: ReadonlySet<string> | undefined
  /**
   * Accepts filled orders from any contract, if tokens of the owners moved. The creator of a token
   * and a pool could attribute trades to any wallet that way, so this must be false where wallets
   * are counted. @default false
   */
  isAnyReactor?: boolean | undefined
  /** @default all known venues */
  venues?: VenueSet | undefined
  /**
   * Contracts that keep many pools, with the venue of each. Managed venues only decode their logs.
   * @default none
   */
  managers?: ReadonlyMap<string, string> | undefined
}

export function createDecodeCounts(): DecodeCounts {
  return { malformed: 0, unknownSenders: 0, spoofed: 0 }
}

/** Decodes a block's logs to market events. Never throws, whatever a log contains. */
export function decodeEvmBlock(block: EvmBlock, options: DecodeEvmOptions = {}): DecodedBlock {
  const {
    counts = createDecodeCounts(),
    poolIds = createPoolIds(),
    addresses = createAddressTexts(),
    wrappedTokens = null,
    isAnyReactor = false,
    venues = knownVenues,
    managers = noManagers,
  } = options
  const readers = readersOf(venues)
  const scope = new BlockScope(block, { counts, poolIds, addresses, wrappedTokens, isAnyReactor })

  const { logs } = block
  for (let at = 0; at < logs.length; at++) {
    const log = logs[at]!
    const topic0 = log.topics[0]
    const reader = topic0 === undefined ? plainReaderOf(venues, log) : readers.get(topic0)
    if (reader === undefined) continue
    scope.enter(log, at)
    try {
      const isTaken = addresses.isAddress(log.address) && decodeLog(log, scope, reader, managers)
      if (!isTaken) counts.malformed++
    } catch (error) {
      // A word that is not hex: only a broken node sends it.
      if (!(error instanceof SyntaxError)) throw error
      counts.malformed++
    }
  }
  return { ref: block.ref, events: scope.events() }
}

/**
 * Runs every decoder of the topic. False if decoders apply to the contract but none accepts the
 * log.
 */
function decodeLog(
  log: EvmLog,
  scope: BlockScope,
  { decode, venues, routes }: Reader,
  managers: ReadonlyMap<string, string>,
): boolean {
  if (routes !== null) return decodeRoutes(log, scope, routes, managers)
  scope.venues = venues
  return decode(log, scope)
}

function decodeRoutes(
  log: EvmLog,
  scope: BlockScope,
  routes: readonly EventRoute[],
  managers: ReadonlyMap<string, string>,
): boolean {
  let isTaken = false
  let isRead = false
  for (const { decode, venues, isManaged } of routes) {
    if (isManaged && managers.get(log.address) !== venues[0]) continue
    isRead = true
    scope.venues = venues
    if (decode(log, scope)) isTaken = true
  }
  return isTaken || !isRead
}
