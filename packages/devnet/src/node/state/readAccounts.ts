import type { Request } from '../provider.ts'
import type { AccountState, Touched } from './touched.ts'

// So many questions are under way at a time: each is a few microseconds of work, and a turn of the event loop.
const questionsMax = 256

/** Reads what is now in every place that was ever written. An account with nothing in it does not exist. */
export async function readAccounts(request: Request, touched: Touched): Promise<AccountState[]> {
  const accounts: AccountState[] = []
  for (const [address, slots] of touched.places()) {
    const ask = (method: string) => request(method, [address, 'latest']) as Promise<string>
    const [balance, nonce, code] = await Promise.all([
      ask('eth_getBalance'),
      ask('eth_getTransactionCount'),
      ask('eth_getCode'),
    ])
    const storage = await readStorage(request, address, [...slots])
    if (BigInt(balance) === 0n && BigInt(nonce) === 0n && code === '0x') continue
    accounts.push({ address, balance, nonce, code, storage })
  }
  return accounts
}

async function readStorage(request: Request, address: string, slots: readonly string[]) {
  const storage: [string, string][] = []
  for (let at = 0; at < slots.length; at += questionsMax) {
    const asked = slots.slice(at, at + questionsMax)
    const values = await Promise.all(
      asked.map((slot) => request('eth_getStorageAt', [address, slot, 'latest'])),
    )
    for (const [index, value] of (values as string[]).entries())
      if (BigInt(value) !== 0n) storage.push([asked[index]!, value])
  }
  return storage
}
