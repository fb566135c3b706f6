import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createGunzip } from 'node:zlib'
import { findChain, suggestChain } from '../config/findChain.ts'
import type { Config } from '../config/schema/schema.ts'
import { jsonValues, nestedTooDeeply } from '../lib/jsonValues.ts'
import type { SwapSummary } from '../model/swapLine.ts'
import type { OnSkip } from '../offline/evm/findReceipts.ts'
import { describeSwaps } from '../offline/solana/describeSwaps.ts'
import { findTransactions } from '../offline/solana/findTransactions.ts'
import { hasInstructions } from '../offline/solana/toJsonEncoding.ts'
import type { SolanaVenueSet } from '../venues/solana/venue.ts'
import { type ConfiguredVenue, venuesWith } from '../venues/solana/venues.ts'
import { DecodeEncodingError, DecodeInputError, NoTransactionsError } from './errors.ts'
import { decodeReceipts, fetchReceipt } from './evm/decodeReceipts.ts'

export type DecodeFileOptions = {
  /** Chain name, id, or common alias. */
  chain: string
  /** Chains from the config, besides the presets. @default none */
  chains?: Config['chains'] | undefined
  /** A file, `-` for standard input, or a transaction hash if an RPC URL is given. */
  source: string
  rpcUrl?: string | undefined
  readInput(): Promise<Buffer>
  onSwap(line: SwapSummary): void
  /** Receives remarks for the reader of the swaps, one line each. */
  onNote(text: string): void
}

const solana = 'solana'

/** A file of many days contains more swaps than memory can hold keys for. */
const recentKeysMax = 1_000_000

/**
 * Decodes swaps from saved node answers without asking a node, and prints each swap once. Notes
 * count the skipped input.
 */
export async function decodeFile(options: DecodeFileOptions): Promise<void> {
  const { chain, source, rpcUrl, onNote } = options
  const terms = findChain(chain, options.chains)?.terms ?? null
  const skipped = new Map<string, { count: number; first: string }>()
  const onSkip: OnSkip = (what, count, where = '') => {
    const known = skipped.get(what) ?? { count: 0, first: where }
    if (count > 0) skipped.set(what, { ...known, count: known.count + count })
  }
  try {
    if (terms?.kind === solana) {
      const { venues } = terms as { venues?: readonly ConfiguredVenue[] }
      const values = await valuesOf(options, onSkip)
      await decodeSolana(values, venuesWith(venues), { ...options, onSkip })
      return
    }
    if (terms === null) {
      const near = suggestChain(chain, options.chains)
      const hint = near === null ? '' : ` Did you mean ${near}?`
      onNote(
        `Nothing is known of a chain named ${chain}: decoded as any EVM chain, without a preset.${hint}`,
      )
    }
    const values =
      rpcUrl === undefined
        ? await valuesOf(options, onSkip)
        : [await fetchReceipt(source, rpcUrl, terms)]
    const isNew = createRecentKeys()
    const onSwap = (line: SwapSummary) => {
      if (isNew(`${line.tx} ${line.index}`)) options.onSwap(line)
    }
    await decodeReceipts(values, terms, { source, onSwap, onSkip })
  } finally {
    for (const [what, { count, first }] of skipped) onNote(`Skipped ${what}: ${count}${first}.`)
  }
}

/**
 * Iterates over the JSON values of a file or of standard input. The first iteration counts skipped
 * input.
 */
async function valuesOf(
  { source, readInput }: DecodeFileOptions,
  onSkip: OnSkip,
): Promise<AsyncIterable<unknown>> {
  const chunks = await openInput(source, readInput)
  const fail = (reason: string) => new DecodeInputError({ source, reason, cause: undefined })
  const countLine = (line: number) =>
    onSkip('values that are not JSON', 1, ` (the first in line ${line})`)
  let onLine: typeof countLine | undefined = countLine
  return {
    [Symbol.asyncIterator]() {
      const counted = jsonValues(chunks, { fail, onSkip: onLine })
      onLine = undefined
      return counted
    },
  }
}

async function decodeSolana(
  values: AsyncIterable<unknown>,
  venues: SolanaVenueSet,
  { source, onSwap, onSkip }: DecodeFileOptions & { onSkip: OnSkip },
): Promise<void> {
  let isFound = false
  let isWhole = false
  const isNew = createRecentKeys()
  const onDeep = () => onSkip(nestedTooDeeply, 1)
  for await (const value of values)
    for (const group of findTransactions(value, onDeep) ?? []) {
      isFound = true
      isWhole ||= group.some(hasInstructions)
      const lines = describeSwaps(group, venues, onSkip)
      const txs = new Set(lines.map(({ tx }) => tx).filter(isNew))
      for (const line of lines) if (txs.has(line.tx)) onSwap(line)
    }
  if (!isFound) throw new NoTransactionsError(source)
  if (!isWhole) throw new DecodeEncodingError(source)
}

/** Returns a function that is true for keys it has not seen recently. */
function createRecentKeys(): (key: string) => boolean {
  const keys = new Set<string>()
  return (key) => {
    if (keys.has(key)) return false
    keys.add(key)
    if (keys.size > recentKeysMax) keys.delete(keys.values().next().value!)
    return true
  }
}

const chunkBytes = 1 << 20

/**
 * Opens input that can be iterated several times without holding it in memory: a file may cover
 * many days. `source`: a file, or `-` for the result of `readInput`.
 */
async function openInput(source: string, readInput: () => Promise<Buffer>): Promise<Chunks> {
  const cannotRead = (cause: unknown) =>
    new DecodeInputError({ source, reason: 'The file cannot be read.', cause })
  const input = source === '-' ? await readInput() : null
  const open = () => (input ? [input] : createReadStream(source, { highWaterMark: chunkBytes }))
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* plainText(open())
      } catch (cause) {
        throw cannotRead(cause)
      }
    },
  }
}

type Chunks = AsyncIterable<Buffer>

/** Converts gzip, UTF-16 and UTF-8 with a byte order mark to plain UTF-8. */
async function* plainText(chunks: Iterable<Buffer> | Chunks): Chunks {
  let isFirst = true
  let wide: TextDecoder | null = null
  const iterator = Readable.from(chunks)[Symbol.asyncIterator]()
  for await (const chunk of { [Symbol.asyncIterator]: () => iterator } as Chunks) {
    if (!isFirst) {
      yield wide ? Buffer.from(wide.decode(chunk, { stream: true })) : chunk
      continue
    }
    isFirst = false
    if (chunk[0] === 0x1f && chunk[1] === 0x8b) {
      yield* plainText(unzip(chunk, iterator))
      return
    }
    // Some shells redirect output to a file as UTF-16.
    if (chunk[0] === 0xff && chunk[1] === 0xfe) {
      wide = new TextDecoder('utf-16le')
      yield Buffer.from(wide.decode(chunk, { stream: true }))
      continue
    }
    const hasMark = chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf
    yield hasMark ? chunk.subarray(3) : chunk
  }
}

function unzip(first: Buffer, rest: AsyncIterator<Buffer>): Chunks {
  async function* zipped() {
    yield first
    for (;;) {
      const { done, value } = await rest.next()
      if (done) return
      yield value
    }
  }
  const gunzip = createGunzip({ chunkSize: chunkBytes })
  // Ignore errors in this callback: the consumer of `gunzip` receives them.
  pipeline(Readable.from(zipped()), gunzip, () => undefined)
  return gunzip
}
