import type { BlockRef } from '../../model/block.ts'
import { isRpcTransaction } from '../../model/solana/isRpcTransaction.ts'
import type { RpcBlock } from '../../model/solana/rpcTransaction.ts'
import { InconsistentNodeError, RpcError } from '../errors.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { RpcRequestOptions } from '../rpc/rpcCall.ts'
import type { BlockFeed } from './grpc/blockFeed.ts'
import type { AskedCommitment, Fetched, FetchedBlock } from './solanaRpc.ts'

/** Where and how blocks are requested. */
export type FetchContext = {
  chain: string
  rpc: Rpc
  commitment: AskedCommitment
  nowMs(): number
  /** Streamed blocks, which need not be requested. @default none */
  feed?: BlockFeed | undefined
}

// Newest transaction version that can be decoded. Nodes refuse a block that contains a newer
// version than requested.
const versionMax = 1

/**
 * Fetches the block of a slot; null for a slot without a block. Throws if no node answers or the
 * answer is not a block.
 */
export async function fetchBlock(
  context: FetchContext,
  slot: number,
  request: RpcRequestOptions,
): Promise<FetchedBlock | null> {
  // A request for a second opinion must not be answered by the stream again.
  const streamed = request.avoid === undefined ? context.feed?.take(slot) : undefined
  if (streamed) return streamed
  const config = {
    encoding: 'json',
    transactionDetails: 'full',
    rewards: false,
    maxSupportedTransactionVersion: versionMax,
    commitment: context.commitment,
  }
  const found = await ask(context, slot, config, request)
  if (found === null) return null
  const { value, ...rest } = found
  const ref = refOf(slot, value)
  const { transactions } = value as RpcBlock
  if (ref === null || !Array.isArray(transactions) || !transactions.every(isRpcTransaction)) {
    context.rpc.penalise(found.endpoint, `What it says of slot ${slot} is no block`)
    const fault = 'It is no block'
    throw new InconsistentNodeError({ chain: context.chain, block: `${slot}`, fault })
  }
  return { value: { ref, transactions }, ...rest }
}

/** Fetches the header of a slot's block; null for a slot without a block. */
export async function fetchRef(
  context: FetchContext,
  slot: number,
  request: RpcRequestOptions & { commitment?: AskedCommitment | undefined },
): Promise<Fetched<BlockRef> | null> {
  const { commitment = context.commitment, ...options } = request
  const config = { transactionDetails: 'none', rewards: false, commitment }
  const found = await ask(context, slot, config, options)
  const ref = found && refOf(slot, found.value)
  return found && ref && { ...found, value: ref }
}

/** Fetches the slots with a block in a range, ascending, both ends inclusive. */
export async function fetchSlots(
  { rpc, commitment }: FetchContext,
  { from, to }: { from: number; to: number },
  request: RpcRequestOptions,
): Promise<number[]> {
  const slots = await rpc.request('getBlocks', [from, to, { commitment }], request)
  if (!Array.isArray(slots)) return []
  return slots.filter((slot) => Number.isSafeInteger(slot) && slot >= from && slot <= to)
}

async function ask(
  { rpc, nowMs }: FetchContext,
  slot: number,
  config: object,
  request: RpcRequestOptions,
): Promise<Fetched<unknown> | null> {
  const [result] = await rpc.requestBatch([{ method: 'getBlock', params: [slot, config] }], request)
  if (!result!.ok) {
    if (result!.error instanceof RpcError && result!.error.kind === 'skipped') return null
    throw result!.error
  }
  if (result!.value === null) return null
  return { value: result!.value, endpoint: result!.endpoint, receivedMs: nowMs() }
}

/** Parses an answer; null if it is not a block. */
function refOf(slot: number, answer: unknown): BlockRef | null {
  const block = answer as Partial<RpcBlock>
  const { blockhash: hash, previousBlockhash: parentHash, parentSlot: parentNumber } = block
  if (typeof hash !== 'string' || typeof parentHash !== 'string') return null
  if (!Number.isSafeInteger(parentNumber) || parentNumber! >= slot) return null
  const timeS = typeof block.blockTime === 'number' ? block.blockTime : 0
  return { number: slot, hash, parentNumber: parentNumber!, parentHash, timeS }
}
