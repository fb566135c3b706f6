import { findChain } from '../config/findChain.ts'
import type { Config } from '../config/schema/schema.ts'
import { describeSwaps } from '../decode/solana/offline/describeSwaps.ts'
import { findTransactions, hasInstructions } from '../decode/solana/offline/findTransactions.ts'
import { jsonValues } from '../lib/jsonValues.ts'
import type { SwapLine } from '../model/swapLine.ts'
import { DecodeEncodingError, DecodeInputError, NoTransactionsError } from './errors.ts'
import { decodeReceipts, fetchReceipt } from './evm/decodeReceipts.ts'
import { openSource } from './openSource.ts'

export type DecodeFileOptions = {
  /** Its name, its id, or another name that people use. */
  chain: string
  /** Chains that the config describes, beside those with a preset. @default none */
  chains?: Config['chains'] | undefined
  /** A file, `-` for what `readInput` gives, or with an RPC address a transaction's hash. */
  source: string
  rpcUrl?: string | undefined
  readInput(): Promise<Buffer>
  onSwap(line: SwapLine): void
  /** What whoever reads the swaps should know. */
  onNote(text: string): void
}

const solana = 'solana'

/** The swaps in what a node answered once, without that node. */
export async function decodeFile(options: DecodeFileOptions): Promise<void> {
  const { chain, source, rpcUrl, onSwap, onNote } = options
  const terms = findChain(chain, options.chains)?.terms ?? null
  if (terms?.kind === solana) {
    await decodeSolana(await valuesOf(options), options)
    return
  }
  if (terms === null)
    onNote(
      `Nothing is known of a chain named ${chain}: decoded as any EVM chain, without a preset.`,
    )
  const values =
    rpcUrl === undefined ? await valuesOf(options) : [await fetchReceipt(source, rpcUrl, terms)]
  await decodeReceipts(values, terms, { source, onSwap, onNote })
}

/** What stands in a file or comes in, value by value. */
async function valuesOf({ source, readInput }: DecodeFileOptions): Promise<AsyncIterable<unknown>> {
  const chunks = await openSource({ source, readInput })
  const fail = (reason: string) => new DecodeInputError({ source, reason, cause: undefined })
  return { [Symbol.asyncIterator]: () => jsonValues(chunks, { fail }) }
}

async function decodeSolana(
  values: AsyncIterable<unknown>,
  { source, onSwap }: DecodeFileOptions,
): Promise<void> {
  let isFound = false
  for await (const value of values) {
    const groups = findTransactions(value)
    if (groups === null) continue
    isFound = true
    if (!groups.every((group) => group.every(hasInstructions)))
      throw new DecodeEncodingError(source)
    for (const line of describeSwaps(groups)) onSwap(line)
  }
  if (!isFound) throw new NoTransactionsError(source)
}
