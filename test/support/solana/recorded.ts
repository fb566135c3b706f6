// Transactions of mainnet (three of test networks), as nodes returned them, named by signature.
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
