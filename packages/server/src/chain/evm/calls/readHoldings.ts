import type { Holdings, HoldingsQuery } from '../../../model/walletFacts.ts'
import { RpcError } from '../../errors.ts'
import type { Multicall } from './multicall.ts'

// balanceOf(address)
const selector = '0x70a08231'
// Tokens that count shares, or ask others for a rate, take more than the few thousand of most.
const gasPerCallMax = 200_000
const word = /^0x[0-9a-f]{64}/i

/** What a token itself says that wallets have after a block; who is not in it was not told. */
export async function readHoldings(
  multicall: Multicall,
  { token, wallets, number }: HoldingsQuery,
  signal: AbortSignal,
): Promise<Holdings> {
  const calls = wallets.map((wallet) => ({ to: token, data: callOf(wallet) }))
  const answers = await multicall
    .call(calls, { number }, { gasPerCallMax, signal })
    .catch((error: unknown) => {
      if (error instanceof RpcError) return []
      throw error
    })
  const holdings = new Map<string, bigint>()
  for (const [at, answer] of answers.entries()) {
    const [amount] = (answer.ok && word.exec(answer.data)) || []
    if (amount !== undefined) holdings.set(wallets[at]!, BigInt(amount))
  }
  return holdings
}

function callOf(wallet: string): string {
  return selector + wallet.slice(2).padStart(64, '0')
}
