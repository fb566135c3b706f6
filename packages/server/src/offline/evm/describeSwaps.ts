import { decodeEvmBlock } from '../../decode/evm/decodeEvmBlock.ts'
import type { DecodedPool, DecodedSwap, DecodedTransfer } from '../../model/decodedBlock.ts'
import type { EvmLog } from '../../model/evm/evmBlock.ts'
import type { SwapSummary } from '../../model/swapLine.ts'
import { createAddressTexts } from '../../venues/evm/decoding/addressTexts.ts'
import type { DecodeCounts } from '../../venues/evm/decoding/blockScope.ts'
import { createPoolIds } from '../../venues/evm/decoding/poolIds.ts'
import type { VenueSet } from '../../venues/evm/venueSet.ts'
import type { OfflineReceipt } from './findReceipts.ts'
import { createPoolTokens } from './poolTokens.ts'
import type { PoolTracesOptions } from './poolTraces.ts'
import type { SwapTokens } from './tokenTraces.ts'

type DescribeOptions = PoolTracesOptions & {
  venues: VenueSet
  /**
   * Contracts known to keep many pools, with the venue of each. Other contracts are recognized by
   * their events.
   */
  managers: ReadonlyMap<string, string>
  /** Contracts that sell tokens on curves. Null accepts any contract that emits such an event. */
  platforms: ReadonlySet<string> | null
  /** Incremented by each call. */
  counts?: DecodeCounts | undefined
}

type Receipt = { events: ReturnType<typeof decodeEvmBlock>['events']; isSigned: boolean }

const anyRef = { number: 0, hash: '', parentNumber: -1, parentHash: '', timeS: 0 }

/** Reads receipts. Calls share what earlier calls learned about pools. */
type SwapDescriber = {
  /** Records the pools that the receipts create or trade in. */
  learn(receipts: readonly OfflineReceipt[]): void
  describe(receipts: readonly OfflineReceipt[]): SwapSummary[]
}

/** Describes the swaps in receipts without a node. */
export function createSwapDescriber(options: DescribeOptions): SwapDescriber {
  const { venues, managers, platforms } = options
  const poolIds = createPoolIds()
  const addresses = createAddressTexts()
  const pools = createPoolTokens(options)
  const poolVenues = createPoolVenues(venues)

  function decode({ txHash, from, logs }: OfflineReceipt): Receipt {
    const { events } = decodeEvmBlock(
      // An empty sender: the signer is unknown.
      { ref: anyRef, logs, senders: new Map([[txHash, from ?? '']]) },
      {
        counts: options.counts,
        venues,
        managers: managersOf(logs, venues, managers),
        poolIds,
        addresses,
        isAnyReactor: true,
      },
    )
    return { events, isSigned: from !== null }
  }

  /** Events of launch platforms are so generic that other contracts emit them, too. */
  function isMeant({ curve }: DecodedSwap): boolean {
    return !curve || platforms === null || platforms.has(curve.platform)
  }

  function learnPool(pool: DecodedPool): void {
    pools.learn(pool)
    poolVenues.learnFromCreation(pool)
  }

  function part(receipts: readonly OfflineReceipt[]) {
    for (const { logs } of receipts) poolVenues.learnFromLogs(logs)
    const decoded = receipts.map(decode)
    for (const { events } of decoded)
      for (const event of events) if (event.type === 'pool') learnPool(event)
    const parted = decoded.map(({ events }) => ({
      swaps: events
        .filter((event): event is DecodedSwap => event.type === 'swap' && isMeant(event))
        .map(poolVenues.narrow),
      transfers: events.filter((event): event is DecodedTransfer => event.type === 'transfer'),
    }))
    // Facts about a pool from one transaction hold in all of them.
    for (const one of parted) pools.trace(one)
    return parted
  }

  return {
    learn(receipts) {
      part(receipts)
    },
    describe: (receipts) =>
      part(receipts).flatMap((parted) => {
        const tokens = pools.tokensIn(parted)
        return parted.swaps.flatMap((swap) => lineOf(swap, tokens.get(swap)!) ?? [])
      }),
  }
}

/** Null if nothing was traded. */
function lineOf(swap: DecodedSwap, [token0, token1]: SwapTokens): SwapSummary | null {
  const { txHash: tx, index, pool, amount0, amount1, wallet, gross } = swap
  if (amount0 === 0n && amount1 === 0n) return null
  const side0 = { token: token0, amount: absolute(amount0) }
  const side1 = { token: token1, amount: absolute(amount1) }
  // The sold side is the one that came in. If both came in, the second is not counted as bought.
  const bySigns = amount0 > 0n && amount1 <= 0n ? true : amount1 > 0n ? false : amount0 >= 0n
  const isSold0 = gross?.isFirstSold ?? bySigns
  const [sold, bought] = isSold0 ? [side0, side1] : [side1, side0]
  if (gross) {
    sold.amount = String(gross.sold)
    bought.amount = String(gross.bought)
  }
  const venue = swap.venues?.[0] ?? ''
  return { tx, index, venue, pool, sold, bought, wallet: wallet === '' ? null : wallet }
}

function absolute(amount: bigint): string {
  return String(amount < 0n ? -amount : amount)
}

/**
 * Any contract that emits a venue's events counts as its manager, unless it is known to be another
 * venue's.
 */
function managersOf(
  logs: OfflineReceipt['logs'],
  { routes, plainRoutes }: VenueSet,
  known: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const all = new Map(known)
  for (const { address, topics } of logs) {
    const plain = topics.length === 0 ? plainRoutes.get(address) : undefined
    const read = plain ? [plain] : (routes.get(topics[0] ?? '') ?? [])
    const keepers = read.filter(({ isManaged }) => isManaged)
    const [venue] = keepers.length === 1 ? keepers[0]!.venues : []
    if (venue !== undefined && !all.has(address)) all.set(address, venue)
  }
  return all
}

/** Tells venues with equal swap events apart by other logs, without a node. */
type PoolVenues = {
  /** Learns from an event that only one venue's factory emits. */
  learnFromCreation(pool: DecodedPool): void
  /** Learns from events that only one venue's pools emit. */
  learnFromLogs(logs: readonly EvmLog[]): void
  narrow(swap: DecodedSwap): DecodedSwap
}

function createPoolVenues({ names, find }: VenueSet): PoolVenues {
  const writers = new Map(
    names.flatMap((name) => (find(name)?.ownTopics ?? []).map((topic) => [topic, name] as const)),
  )
  const made = new Map<string, string>()
  const emitted = new Map<string, string>()
  return {
    learnFromCreation({ pool, venues = [] }) {
      const [venue, ...others] = venues
      if (venue !== undefined && others.length === 0) made.set(pool, venue)
    },
    learnFromLogs(logs) {
      for (const { address, topics } of logs) {
        const venue = writers.get(topics[0] ?? '')
        if (venue !== undefined) emitted.set(address, venue)
      }
    },
    narrow(swap) {
      const venue = emitted.get(swap.pool) ?? made.get(swap.pool)
      const isNew = venue !== undefined && venue !== swap.venues?.[0]
      return isNew && swap.venues?.includes(venue) ? { ...swap, venues: [venue] } : swap
    },
  }
}
