import { createHash } from 'node:crypto'
import { encodeBase58 } from '../../lib/bytes/base58.ts'
import type {
  RpcInstruction,
  RpcTokenBalance,
  SolanaBlock,
} from '../../model/solana/rpcTransaction.ts'

/**
 * Equal for blocks that say the same of who did what, and what it left behind, whatever told of them. Transactions that failed,
 * and those that neither called anything nor touched a token, as votes, count for nothing.
 */
export function digestOf({ ref, transactions }: SolanaBlock): string {
  const hash = createHash('sha256').update(`${ref.hash} ${ref.parentHash}`)
  for (const { transaction, meta } of transactions) {
    const { err, innerInstructions, postTokenBalances, logMessages } = meta ?? {}
    if (err !== null && err !== undefined) continue
    const inner = (innerInstructions ?? [])
      .filter(({ instructions }) => instructions.length > 0)
      .map(({ index, instructions }) => [index, instructions.map(instructionFacts)])
    const balances = (postTokenBalances ?? []).map(balanceFacts)
    if (inner.length + balances.length === 0) continue
    const signed = 'message' in transaction ? transaction.signatures : transaction[0]
    hash.update(JSON.stringify([signed, inner, balances, logMessages ?? null]))
  }
  return hash.digest('base64')
}

function instructionFacts({ programIdIndex, accounts, data, stackHeight }: RpcInstruction) {
  const text = typeof data === 'string' ? data : encodeBase58(data)
  return [programIdIndex, accounts, text, stackHeight ?? null]
}

function balanceFacts({ accountIndex, mint, owner, uiTokenAmount }: RpcTokenBalance) {
  return [accountIndex, mint, owner ?? null, uiTokenAmount.amount]
}
