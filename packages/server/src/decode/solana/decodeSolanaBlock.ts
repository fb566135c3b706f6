import type { DecodedBlock, DecodedEvent } from '../../model/decodedBlock.ts'
import type { RpcTransaction, SolanaBlock } from '../../model/solana/rpcTransaction.ts'
import type { SolanaTransaction } from '../../model/solana/solanaTransaction.ts'
import { type Call, tagOf } from '../../venues/solana/decoding/call.ts'
import { isSelfCall, TransactionScope } from '../../venues/solana/decoding/transactionScope.ts'
import type { ProgramRoute, SolanaVenueSet } from '../../venues/solana/venueSet.ts'
import { knownSolanaVenues } from '../../venues/solana/venues.ts'
import { type HolderRule, pushBalances } from './readBalances.ts'
import { readRpcTransaction } from './readRpcTransaction.ts'
import { movingKeys, type UnclaimedCalls } from './unclaimedCalls.ts'

/** What decoding found and could not use as it was. Totals: the caller keeps one object for as long as it likes. */
export type SolanaDecodeCounts = {
  /** Instructions of a program we know, with a content that it cannot have run with. They are skipped. */
  malformed: number
}

export type DecodeSolanaOptions = {
  /** Counted up with what this block had. */
  counts?: SolanaDecodeCounts | undefined
  /** @default those of the product */
  venues?: SolanaVenueSet | undefined
  /** Whose balances are told too, before the events of their transaction. @default nobody's */
  holders?: HolderRule | undefined
  /** Counts calls that look like swaps and that no venue reads. @default they are not counted */
  unclaimed?: UnclaimedCalls | undefined
}

export function createSolanaDecodeCounts(): SolanaDecodeCounts {
  return { malformed: 0 }
}

/** A block in the words of markets. */
export function decodeSolanaBlock(
  { ref, transactions }: SolanaBlock,
  options: DecodeSolanaOptions = {},
): DecodedBlock {
  return { ref, events: decodeSolanaTransactions(transactions, options) }
}

/** Events of transactions in their order, numbered from 0. Whatever programs did, this returns. */
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
    ? movingKeys(venues)
    : { keys: venues.routes, bytes: venues.programBytes }
  const into = { events, counts, unclaimed }
  for (const told of transactions) {
    if (holders !== undefined) pushBalances(told, holders, events)
    const transaction = readRpcTransaction(told, wanted)
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

/** Each when it is done, so that a pool is made before the curve that made it says so. */
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
  const decode = route.decoders.get(tagOf(call, route.tagBytes)) ?? otherwise
  if (decode === undefined) return true
  scope.venues = route.venues
  return decode(call, scope)
}
