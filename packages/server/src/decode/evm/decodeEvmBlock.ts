import type { DecodedBlock } from '../../model/decodedBlock.ts'
import type { EvmBlock, EvmLog } from '../../model/evm/evmBlock.ts'
import { type AddressTexts, createAddressTexts } from '../../venues/evm/decoding/addressTexts.ts'
import { BlockScope, type DecodeCounts } from '../../venues/evm/decoding/blockScope.ts'
import { createPoolIds, type PoolIds } from '../../venues/evm/decoding/poolIds.ts'
import type { Route, VenueSet } from '../../venues/evm/venueSet.ts'
import { knownVenues } from '../../venues/evm/venues.ts'
import { erc20Decoders } from './erc20.ts'
import { orderOwnerDecoders } from './orderOwners.ts'

/** Topic0 of every event that is decoded; logs with another are not needed. */
export function topics0Of(venues: VenueSet): string[] {
  return [...readersOf(venues).keys()]
}

/** Who reads a log. Nearly every topic0 has one reading, whoever wrote it; `routes` are the others, null: none. */
type Reader = Pick<Route, 'decode' | 'venues'> & { routes: readonly Route[] | null }

const readersByVenues = new WeakMap<VenueSet, ReadonlyMap<string, Reader>>()

/** By topic0. What moves a token's balances, or says whose trades these are, is of no venue. */
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

/** Few contracts write logs without a topic. */
function plainReaderOf({ plainRoutes }: VenueSet, { address }: EvmLog): Reader | undefined {
  const route = plainRoutes.get(address)
  return route && { decode: route.decode, venues: route.venues, routes: [route] }
}

const noManagers: ReadonlyMap<string, string> = new Map()

export type DecodeEvmOptions = {
  /** Counted up with what this block had. */
  counts?: DecodeCounts | undefined
  /** Keeps the ids of launch curves from block to block; without it they are hashed again in each. */
  poolIds?: PoolIds | undefined
  /** Keeps the texts of addresses from block to block; without it they are made again in each. */
  addresses?: AddressTexts | undefined
  /** Contracts whose Deposit and Withdrawal mint and burn, as WETH9's do. @default any contract */
  wrappedTokens?: ReadonlySet<string> | undefined
  /**
   * Are orders believed that any contract says it filled, where tokens of their owners moved? Whoever makes a token and a pool can
   * put its trades down to anybody that way, so not where wallets are counted. @default false
   */
  isAnyReactor?: boolean | undefined
  /** @default those of the product */
  venues?: VenueSet | undefined
  /** Contracts that keep many pools, with the venue of each: of managed venues only their logs are read. @default none */
  managers?: ReadonlyMap<string, string> | undefined
}

export function createDecodeCounts(): DecodeCounts {
  return { malformed: 0, unknownSenders: 0, spoofed: 0 }
}

/** A block's logs in the words of markets. Whatever a contract put into a log, this returns. */
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
      // A word that is not hex; only a broken node sends it.
      if (!(error instanceof SyntaxError)) throw error
      counts.malformed++
    }
  }
  return { ref: block.ref, events: scope.events() }
}

/** Every reading of the log that some venue has. False: there are such venues, and to none it says anything. */
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
  routes: readonly Route[],
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
