import type { BlockRef } from '../../model/block.ts'
import type { DecodedBlock, DecodedEvent } from '../../model/decodedBlock.ts'
import type { SolanaTransaction } from '../../model/solana/solanaTransaction.ts'
import { type Call, tagOf } from '../../venues/solana/decoding/call.ts'
import { isSelfCall, TransactionScope } from '../../venues/solana/decoding/transactionScope.ts'
import type { ProgramRoute, SolanaVenueSet } from '../../venues/solana/venueSet.ts'
import { knownSolanaVenues } from '../../venues/solana/venues.ts'
import { readRpcTransaction } from './readRpcTransaction.ts'
import type { RpcBlock, RpcTransaction } from './rpcTransaction.ts'

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
}

export function createSolanaDecodeCounts(): SolanaDecodeCounts {
  return { malformed: 0 }
}

/** A block in the words of markets. The node's answer does not name the slot it was asked for. */
export function decodeSolanaBlock(
  slot: number,
  block: RpcBlock,
  options: DecodeSolanaOptions = {},
): DecodedBlock {
  const ref: BlockRef = {
    ...{ number: slot, hash: block.blockhash },
    ...{ parentNumber: block.parentSlot, parentHash: block.previousBlockhash },
    timeS: block.blockTime ?? 0,
  }
  return { ref, events: decodeSolanaTransactions(block.transactions, options) }
}

/** Events of transactions in their order, numbered from 0. Whatever programs did, this returns. */
export function decodeSolanaTransactions(
  transactions: readonly RpcTransaction[],
  { counts = createSolanaDecodeCounts(), venues = knownSolanaVenues }: DecodeSolanaOptions = {},
): readonly DecodedEvent[] {
  const events: DecodedEvent[] = []
  const isWanted = (key: string) => venues.routes.has(key)
  for (const told of transactions) {
    const transaction = readRpcTransaction(told, isWanted)
    if (transaction !== null) decodeTransaction(transaction, venues.routes, events, counts)
  }
  return events
}

function decodeTransaction(
  transaction: SolanaTransaction,
  routes: ReadonlyMap<string, ProgramRoute>,
  events: DecodedEvent[],
  counts: SolanaDecodeCounts,
): void {
  const scope = new TransactionScope(transaction, events)
  // Each when it is done, so that a pool is made before the curve that made it says so.
  const running: Call[] = []
  const finish = (call: Call) => {
    const route = routes.get(call.program)
    if (route !== undefined && !decodeCall(call, scope, route)) counts.malformed++
  }
  for (const call of scope.calls) {
    while (running.length > 0 && running.at(-1)!.end <= call.index) finish(running.pop()!)
    running.push(call)
  }
  while (running.length > 0) finish(running.pop()!)
}

function decodeCall(call: Call, scope: TransactionScope, route: ProgramRoute): boolean {
  if (isSelfCall(call) || call.data.length < route.tagBytes) return true
  const { otherwise } = route.venue
  const decode = route.decoders.get(tagOf(call, route.tagBytes)) ?? otherwise
  if (decode === undefined) return true
  scope.venues = route.venues
  return decode(call, scope)
}
