import type { DecodedSwap } from '../../../model/decodedBlock.ts'
import type { SwapLine } from '../../../model/swapLine.ts'
import { decodeSolanaTransactions } from '../decodeSolanaBlock.ts'
import type { TransactionGroup } from './findTransactions.ts'
import { isParsed, unparse } from './unparse.ts'

/** The swaps in transactions, without a node: what each traded stands in it. */
export function describeSwaps(groups: readonly TransactionGroup[]): SwapLine[] {
  return groups.flatMap((group) =>
    decodeSolanaTransactions(group.map((one) => (isParsed(one) ? unparse(one) : one)))
      .filter((event) => event.type === 'swap')
      .map(toLine),
  )
}

function toLine(
  { txHash, venues, pool, tokens, amount0, amount1, wallet }: DecodedSwap,
  index: number,
): SwapLine {
  const side0 = { token: tokens?.[0] ?? null, amount: textOf(amount0) }
  const side1 = { token: tokens?.[1] ?? null, amount: textOf(amount1) }
  const [sold, bought] = amount0 > 0n ? [side0, side1] : [side1, side0]
  return { tx: txHash, index, venue: venues?.[0] ?? '', pool, sold, bought, wallet }
}

function textOf(amount: bigint): string {
  return `${amount < 0n ? -amount : amount}`
}
