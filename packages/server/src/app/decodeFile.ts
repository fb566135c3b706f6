import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { presets } from '../config/presets.ts'
import type { Config } from '../config/schema.ts'
import { describeSwaps } from '../decode/solana/offline/describeSwaps.ts'
import { findTransactions, hasInstructions } from '../decode/solana/offline/findTransactions.ts'
import type { SwapLine } from '../model/swapLine.ts'
import { DecodeEncodingError, DecodeInputError, NoTransactionsError } from './errors.ts'
import { decodeReceipts, fetchReceipt } from './evm/decodeReceipts.ts'

export type DecodeFileOptions = {
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
  if (chain === solana) {
    decodeSolana(valuesOf(await readSource(options), source), options)
    return
  }
  const described = new Map(Object.entries({ ...presets, ...options.chains }))
  const terms = described.get(chain) ?? null
  if (terms === null)
    onNote(
      `Nothing is known of a chain named ${chain}: decoded as any EVM chain, without a preset.`,
    )
  const values =
    rpcUrl === undefined
      ? valuesOf(await readSource(options), source)
      : [await fetchReceipt(source, rpcUrl, terms)]
  decodeReceipts(values, terms, { source, onSwap })
}

function decodeSolana(values: Iterable<unknown>, { source, onSwap }: DecodeFileOptions): void {
  let isFound = false
  for (const value of values) {
    const groups = findTransactions(value)
    if (groups === null) continue
    isFound = true
    if (!groups.every((group) => group.every(hasInstructions)))
      throw new DecodeEncodingError(source)
    for (const line of describeSwaps(groups)) onSwap(line)
  }
  if (!isFound) throw new NoTransactionsError(source)
}

async function readSource({ source, readInput }: DecodeFileOptions): Promise<Buffer> {
  try {
    const bytes = source === '-' ? await readInput() : await readFile(source)
    return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes
  } catch (cause) {
    throw new DecodeInputError({ source, reason: 'It cannot be read.', cause })
  }
}

/** One JSON value, or one on each line. */
function* valuesOf(bytes: Buffer, source: string): Generator<unknown> {
  const text = bytes.toString()
  const whole = parse(text)
  if (whole.isJson) {
    yield whole.value
    return
  }
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const { isJson, value } = parse(line)
    const reason = at === 0 ? 'It is not JSON.' : `Line ${at + 1} is not JSON.`
    if (!isJson) throw new DecodeInputError({ source, reason, cause: undefined })
    yield value
  }
}

function parse(text: string): { isJson: boolean; value: unknown } {
  try {
    return { isJson: true, value: JSON.parse(text) }
  } catch {
    return { isJson: false, value: null }
  }
}
