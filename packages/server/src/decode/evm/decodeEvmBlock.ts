import type { DecodedBlock } from '../../model/decodedBlock.ts'
import type { EvmBlock, EvmLog } from '../../model/evm/evmBlock.ts'
import { type AddressTexts, createAddressTexts } from '../../venues/evm/decoding/addressTexts.ts'
import { BlockScope, type DecodeCounts } from '../../venues/evm/decoding/blockScope.ts'
import { createPoolIds, type PoolIds } from '../../venues/evm/decoding/poolIds.ts'
import type { Route, VenueSet } from '../../venues/evm/venueSet.ts'
import { knownVenues } from '../../venues/evm/venues.ts'
import { erc20Decoders } from './erc20.ts'

/** Topic0 of every event that is decoded; logs with another are not needed. */
export function topics0Of(venues: VenueSet): string[] {
  return [...tokenDecoders.keys(), ...venues.routes.keys()]
}

const tokenDecoders = new Map(Object.entries(erc20Decoders))
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
  /** @default those of the product */
  venues?: VenueSet | undefined
  /** Contracts that keep many pools, with the venue of each: of managed venues only their logs are read. @default none */
  managers?: ReadonlyMap<string, string> | undefined
}

export function createDecodeCounts(): DecodeCounts {
  return { malformed: 0, unknownSenders: 0 }
}

/** A block's logs in the words of markets. Whatever a contract put into a log, this returns. */
export function decodeEvmBlock(block: EvmBlock, options: DecodeEvmOptions = {}): DecodedBlock {
  const {
    counts = createDecodeCounts(),
    poolIds = createPoolIds(),
    addresses = createAddressTexts(),
    wrappedTokens = null,
    venues: { routes } = knownVenues,
    managers = noManagers,
  } = options
  const scope = new BlockScope(block, { counts, poolIds, addresses, wrappedTokens })

  for (const log of block.logs) {
    const topic0 = log.topics[0]
    if (topic0 === undefined) continue
    const decodeToken = tokenDecoders.get(topic0)
    const found = decodeToken === undefined ? routes.get(topic0) : undefined
    if (decodeToken === undefined && found === undefined) continue
    scope.enter(log)
    try {
      const isAddress = addresses.isAddress(log.address)
      const isTaken = decodeToken
        ? isAddress && decodeToken(log, scope)
        : isAddress && decodePoolLog(log, scope, found!, managers)
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
function decodePoolLog(
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
