import {
  createSolanaDecodeCounts,
  decodeSolanaTransactions,
} from '../../decode/solana/decodeSolanaBlock.ts'
import type { UnclaimedCalls } from '../../decode/solana/unclaimedCalls.ts'
import type { DecodedSwap } from '../../model/decodedBlock.ts'
import type { RpcTransaction } from '../../model/solana/rpcTransaction.ts'
import type { SwapSummary } from '../../model/swapLine.ts'
import type { SolanaVenueSet } from '../../venues/solana/venue.ts'
import type { TransactionGroup } from './findTransactions.ts'
import { readTransaction } from './toJsonEncoding.ts'

/**
 * Describes the swaps in transactions without a node. `onSkip` counts transactions that cannot be
 * decoded, by kind.
 */
export function describeSwaps(
  group: TransactionGroup,
  venues: SolanaVenueSet,
  onSkip: (what: string, count: number) => void,
  unclaimed?: UnclaimedCalls,
): SwapSummary[] {
  const readable: RpcTransaction[] = []
  for (const given of group) {
    const read = readTransaction(given)
    if (typeof read === 'string') onSkip(read, 1)
    else readable.push(read)
  }
  const counts = createSolanaDecodeCounts()
  const events = decodeSolanaTransactions(readable, { counts, venues, unclaimed })
  onSkip('malformed instructions of known programs', counts.malformed)
  return events.filter((event) => event.type === 'swap').map(toLine)
}

function toLine(
  { txHash, venues, pool, tokens, amount0, amount1, wallet }: DecodedSwap,
  index: number,
): SwapSummary {
  const side0 = { token: tokens?.[0] ?? null, amount: textOf(amount0) }
  const side1 = { token: tokens?.[1] ?? null, amount: textOf(amount1) }
  const [sold, bought] = amount0 > 0n ? [side0, side1] : [side1, side0]
  return { tx: txHash, index, venue: venues?.[0] ?? '', pool, sold, bought, wallet }
}

function textOf(amount: bigint): string {
  return `${amount < 0n ? -amount : amount}`
}
