import type { Rpc } from '../../../chain/rpc/rpc.ts'
import { readAccounts } from '../../../chain/solana/readAccounts.ts'

/** A holder and the largest of its accounts of the token. */
export type Seller = { owner: string; account: string; amount: bigint; lamports: number }

const amountAt = 64
const accountBytesMin = 165

/** Those of the owners who have something of the token; none where nodes do not tell. */
export async function readSellers(
  rpc: Pick<Rpc, 'requestBatch'>,
  mint: string,
  owners: readonly string[],
  signal: AbortSignal,
): Promise<Seller[]> {
  const config = { encoding: 'base64', commitment: 'confirmed' }
  const calls = owners.map((owner) => ({
    method: 'getTokenAccountsByOwner',
    params: [owner, { mint }, config],
  }))
  const answers = await rpc.requestBatch(calls, { signal })
  const wallets = await readAccounts(rpc, owners, { signal })
  return owners.flatMap((owner, at) => {
    const answer = answers[at]!
    const largest = answer.ok ? largestOf(answer.value) : null
    return largest === null ? [] : [{ owner, ...largest, lamports: wallets[at]?.lamports ?? 0 }]
  })
}

function largestOf(answer: unknown): { account: string; amount: bigint } | null {
  const { value } = (answer ?? {}) as { value?: unknown }
  let largest: { account: string; amount: bigint } | null = null
  for (const told of Array.isArray(value) ? value : []) {
    const { pubkey, account } = (told ?? {}) as { pubkey?: unknown; account?: { data?: unknown } }
    const bytes = Array.isArray(account?.data) ? String(account.data[0]) : ''
    const data = Buffer.from(bytes, 'base64')
    if (typeof pubkey !== 'string' || data.length < accountBytesMin) continue
    const amount = data.readBigUInt64LE(amountAt)
    if (amount > (largest?.amount ?? 0n)) largest = { account: pubkey, amount }
  }
  return largest
}
