import type { DecodedBlock, DecodedEvent } from '../../model/decodedBlock.ts'
import type { RpcTransaction, SolanaBlock } from '../../model/solana/rpcTransaction.ts'
import type { SolanaTransaction } from '../../model/solana/solanaTransaction.ts'
import { type Call, dataTagOf } from '../../venues/solana/decoding/call.ts'
import { isSelfCall, TransactionScope } from '../../venues/solana/decoding/transactionScope.ts'
import type { ProgramRoute, SolanaVenueSet } from '../../venues/solana/venue.ts'
import { knownSolanaVenues } from '../../venues/solana/venues.ts'
import { type HolderRule, pushBalanceEvents } from './readBalances.ts'
import { readRpcTransaction } from './readRpcTransaction.ts'
import { tokenMovingKeys, type UnclaimedCalls } from './unclaimedCalls.ts'

/** Input that decoding skipped. Totals: the caller keeps one object as long as it likes. */
type SolanaDecodeCounts = {
  /** Instructions of a known program with content that it would have rejected. */
  malformed: number
}

type DecodeSolanaOptions = {
  /** Incremented by this block. */
  counts?: SolanaDecodeCounts | undefined
  /** @default all known venues */
  venues?: SolanaVenueSet | undefined
  /**
   * Reports the balances of these holders, before the events of their transaction. @default no
   * balances
   */
  holders?: HolderRule | undefined
  /** Counts calls that look like swaps and that no venue decodes. @default not counted */
  unclaimed?: UnclaimedCalls | undefined
}

export function createSolanaDecodeCounts(): SolanaDecodeCounts {
  return { malformed: 0 }
}

/** Decodes a block to market events. */
export function decodeSolanaBlock(
  { ref, transactions }: SolanaBlock,
  options: DecodeSolanaOptions = {},
): DecodedBlock {
  return { ref, events: decodeSolanaTransactions(transactions, options) }
}

/**
 * Decodes transactions in their order, with events numbered from 0. Never throws, whatever programs
 * did.
 */
export function decodeSolanaTransactions(
  transactions: readonly RpcTransaction[],
  {
    counts = createSolanaDecodeCounts(),
    venues = knownSolanaVenues,
    holders,
    unclaimed,
  }: DecodeSolanaOptions = {},
): readonly DecodedEvent[] {
  const events: DecodedEvent[] = []
  const wanted = unclaimed
    ? tokenMovingKeys(venues)
    : { keys: venues.routes, bytes: venues.programBytes }
  const into = { events, counts, unclaimed }
  for (const raw of transactions) {
    if (holders !== undefined) pushBalanceEvents(raw, holders, events)
    const transaction = readRpcTransaction(raw, wanted)
    if (transaction !== null) decodeTransaction(transaction, venues.routes, into)
  }
  return events
}

type DecodedInto = {
  events: DecodedEvent[]
  counts: SolanaDecodeCounts
  unclaimed: UnclaimedCalls | undefined
}

function decodeTransaction(
  transaction: SolanaTransaction,
  routes: ReadonlyMap<string, ProgramRoute>,
  { events, counts, unclaimed }: DecodedInto,
): void {
  const scope = new TransactionScope(transaction, events)
  for (const call of inOrderOfEnds(scope.calls)) {
    const route = routes.get(call.program)
    const first = events.length
    if (route !== undefined && !decodeCall(call, scope, route)) counts.malformed++
    unclaimed?.add(call, scope, isSwapIn(events, first))
  }
}

function isSwapIn(events: readonly DecodedEvent[], first: number): boolean {
  for (let at = first; at < events.length; at++) if (events[at]!.type === 'swap') return true
  return false
}

/**
 * Ordered by the end of each call, so that a pool is created before the curve that created it
 * reports it.
 */
function inOrderOfEnds(calls: readonly Call[]): Call[] {
  const ended: Call[] = []
  const running: Call[] = []
  for (const call of calls) {
    while (running.length > 0 && running.at(-1)!.end <= call.index) ended.push(running.pop()!)
    running.push(call)
  }
  while (running.length > 0) ended.push(running.pop()!)
  return ended
}

function decodeCall(call: Call, scope: TransactionScope, route: ProgramRoute): boolean {
  if (isSelfCall(call) || call.data.length < route.tagBytes) return true
  const { otherwise } = route.venue
  const decode = route.decoders.get(dataTagOf(call, route.tagBytes)) ?? otherwise
  if (decode === undefined) return true
  scope.venues = route.venues
  return decode(call, scope)
}
