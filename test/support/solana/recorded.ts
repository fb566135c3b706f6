// Transactions of mainnet (three of test networks), as nodes returned them, named by signature. Of AcrDzvio... the outer
// instructions were not kept: they follow from its inner ones, its logs and the account order that pump.fun publishes.
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type {
  RpcMessage,
  RpcTransaction,
} from '../../../packages/server/src/model/solana/rpcTransaction.ts'

const folder = resolve(import.meta.dirname, '../../fixtures/solana')

/** With the encoding json, which all of them were written with. */
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

/** What is told of a swap: venue, pool, what was sold and bought with raw amounts, and the wallet. */
export type RecordedSwap = readonly [
  ...[venue: string, pool: string],
  ...[sold: string, soldAmount: string],
  ...[bought: string, boughtAmount: string],
  wallet: string,
]

/** Of every recorded transaction, in the order in which they happened. */
export function recordedSwaps(): Readonly<Record<string, readonly RecordedSwap[]>> {
  return JSON.parse(readFileSync(resolve(folder, 'swaps.json'), 'utf8'))
}

/** An instruction that ran on mainnet; `data` in hexadecimal. */
export type RecordedCall = {
  program: string
  accounts: readonly string[]
  data: string
}

/** Those of pump.fun in a transaction of which nothing else was kept, in the order in which they ran. */
export function recordedCalls(signature: string): readonly RecordedCall[] {
  const path = resolve(folder, `../solanaCalls/${signature}.json`)
  return (JSON.parse(readFileSync(path, 'utf8')) as { calls: RecordedCall[] }).calls
}

/** An account as a node once told it. */
export function recordedAccount(address: string): {
  owner: string
  lamports: number
  data: Buffer
} {
  const path = resolve(folder, `../solanaAccounts/${address}.json`)
  const { owner, data } = JSON.parse(readFileSync(path, 'utf8')) as { owner: string; data: string }
  return { owner, lamports: 1, data: Buffer.from(data, 'base64') }
}
