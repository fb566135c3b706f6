// Transactions of mainnet (three of test networks) as nodes returned them, named by signature. The
// outer instructions of AcrDzvio... were not kept: they are reconstructed from its inner
// instructions, its logs and the account order that pump.fun publishes.
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type {
  RpcMessage,
  RpcTransaction,
} from '../../../packages/server/src/model/solana/rpcTransaction.ts'

const folder = resolve(import.meta.dirname, '../../fixtures/solana')

/** All transactions were recorded with encoding json. */
export type RecordedTransaction = RpcTransaction & {
  transaction: { signatures: readonly string[]; message: RpcMessage }
}

export function recordedTransactions(): ReadonlyMap<string, RecordedTransaction> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json.gz'))
  return new Map(
    names.map((name) => {
      const text = gunzipSync(readFileSync(resolve(folder, name))).toString()
      return [name.slice(0, name.indexOf('.')), JSON.parse(text) as RecordedTransaction]
    }),
  )
}

/** An expected swap: venue, pool, sold and bought token with raw amounts, and the wallet. */
export type RecordedSwap = readonly [
  ...[venue: string, pool: string],
  ...[sold: string, soldAmount: string],
  ...[bought: string, boughtAmount: string],
  wallet: string,
]

/** Expected swaps of every recorded transaction, in chronological order. */
export function recordedSwaps(): Readonly<Record<string, readonly RecordedSwap[]>> {
  return JSON.parse(readFileSync(resolve(folder, 'swaps.json'), 'utf8'))
}

/** An instruction that ran on mainnet; `data` in hexadecimal. */
export type RecordedCall = {
  program: string
  accounts: readonly string[]
  data: string
}

/**
 * The pump.fun instructions of a transaction of which nothing else was recorded, in execution
 * order.
 */
export function recordedCalls(signature: string): readonly RecordedCall[] {
  const path = resolve(folder, `../solanaCalls/${signature}.json`)
  return (JSON.parse(readFileSync(path, 'utf8')) as { calls: RecordedCall[] }).calls
}

/** An account as a node returned it. */
export function recordedAccount(address: string): {
  owner: string
  lamports: number
  data: Buffer
} {
  const path = resolve(folder, `../solanaAccounts/${address}.json`)
  const { owner, data } = JSON.parse(readFileSync(path, 'utf8')) as { owner: string; data: string }
  return { owner, lamports: 1, data: Buffer.from(data, 'base64') }
}
