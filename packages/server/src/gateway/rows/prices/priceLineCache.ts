import { strict as assert } from 'node:assert'
import {
  type Clock,
  chainNowS,
  type GatewayChain,
  type GatewayChains,
} from '../../chain/gatewayChain.ts'
import type { EncodedJson } from '../../ground/encodedJson.ts'
import { priceIdText } from '../../ground/rowTexts.ts'
import { WindowInputs } from '../windowInputs.ts'
import { type BodyIds, idTextOf } from './bodyIds.ts'
import { IdTable, idBytesMax } from './idTable.ts'
import { type PriceTexts, priceTexts } from './priceTexts.ts'

/**
 * Columns of a line's numbers. Columns needed to check that a line is current come first: one cache
 * line holds eight.
 */
const column = {
  /** Market version that the price line was encoded from. */
  version: 0,
  /** Last batch that contained the line. An id repeated in a batch is answered once. */
  batch: 1,
  sizeBytes: 2,
  tvlUsd: 3,
  volumeUsd: 4,
  /** Age of the chain (see `BatchChain`) when the id was resolved. */
  age: 5,
  /** Index of the chain in `BatchChains`. */
  chain: 6,
  /** Unix seconds at which the passing of time changes the line's 24-hour members. */
  validUntilS: 7,
  tokenId: 8,
  /** Offsets in the line of its two parts after the id: 24-hour members, then current members. */
  dayAt: 9,
  worthAt: 10,
} as const

const lineColumns = 16

/** Minimum TVL and volume of a token to be included in the answer. */
export type PriceThresholds = { tvlMinUsd: number; volumeMinUsd: number }

/** A parsed request for prices of many tokens. */
export type PriceBatch = PriceThresholds & { ids: BodyIds }

/**
 * Resolves an id by its text and index in the batch. Null: the id is ignored. Throws for an invalid
 * id.
 */
type FindToken = (id: string, place: number) => { chain: GatewayChain; address: string } | null

// Room for one line. Lines have about 400 bytes; the few longer ones are stored separately.
const lineBytes = 512
// Total per line: its bytes, its numbers, its WindowSource and its share of the id table.
const bytesPerLine = lineBytes + lineColumns * Float64Array.BYTES_PER_ELEMENT + 64 + 33
// Minimum number of price lines, so that any batch fits whatever memory is configured.
const countMin = 1_000

const comma = 0x2c
const braceStart = 0x7b
const braceEnd = 0x7d

/**
 * Cache of encoded members of price batches, by token id as the client wrote it: resolving an id
 * costs more than reading its price. A cached line is rewritten only from the part that blocks
 * change.
 */
export class PriceLineCache {
  readonly #texts: PriceTexts
  readonly #capacity: number
  /**
   * All lines, each with a trailing comma, then room to assemble an answer. ASCII, because token
   * ids are ASCII.
   */
  readonly #bytes: Buffer
  readonly #answerAt: number
  /**
   * Lines too long for their slot, by line; `#longDays` has the 24-hour members of lines whose
   * first part alone is too long.
   */
  readonly #long = new Map<number, Buffer>()
  readonly #longDays = new Map<number, string>()
  readonly #table: IdTable
  readonly #numbers: Float64Array
  /** Inputs of each line's 24-hour members, to detect changes. */
  readonly #sources: WindowInputs[] = []
  readonly #chains: BatchChains
  /** Numbers of the price lines in the current batch. */
  #batchLines = new Int32Array(countMin)
  #batches = 0

  /** `bytesMax`: memory for price lines. When it is full, all lines are discarded. */
  constructor(clock: Clock, bytesMax: number, texts: PriceTexts = priceTexts) {
    this.#texts = texts
    this.#capacity = Math.max(Math.floor(bytesMax / bytesPerLine), countMin)
    this.#answerAt = this.#capacity * lineBytes
    this.#bytes = Buffer.allocUnsafeSlow(this.#answerAt + countMin * lineBytes)
    this.#numbers = new Float64Array(this.#capacity * lineColumns)
    this.#table = new IdTable({
      countMax: this.#capacity,
      bytes: this.#bytes,
      // In a price line, the id follows the opening quote.
      firstAt: 1,
      strideBytes: lineBytes,
    })
    this.#chains = createBatchChains(clock)
  }

  /**
   * Returns the JSON of the known tokens in a batch, each id once. Must be written before the next
   * call.
   */
  encodeBatch(
    { ids, tvlMinUsd, volumeMinUsd }: PriceBatch,
    chains: GatewayChains,
    find: FindToken,
  ): EncodedJson {
    this.#batches += 1
    if (this.#table.count + ids.count > this.#capacity) {
      this.#table.clear()
      this.#long.clear()
      this.#longDays.clear()
      this.#sources.length = 0
    }
    if (ids.count > this.#batchLines.length) this.#batchLines = new Int32Array(ids.count)
    const numbers = this.#numbers
    let count = 0
    let sizeBytes = 1
    for (let at = 0; at < ids.count; at += 1) {
      const line = this.#lineOf(ids, at, chains, find)
      if (line < 0) continue
      const from = line * lineColumns
      if (
        numbers[from + column.tvlUsd]! < tvlMinUsd ||
        numbers[from + column.volumeUsd]! < volumeMinUsd
      )
        continue
      this.#batchLines[count++] = line
      sizeBytes += numbers[from + column.sizeBytes]!
    }
    if (count === 0) return '{}'
    const number = this.#batches
    return {
      sizeBytes,
      write: (to, at) => {
        assert(number === this.#batches, 'a batch is written before the next one')
        this.#write(count, to, at, sizeBytes)
      },
    }
  }

  /** Writes the current batch between braces. The closing brace overwrites the last comma. */
  #write(count: number, to: Buffer, start: number, sizeBytes: number): void {
    to[start] = braceStart
    if (this.#long.size === 0 && count <= countMin) {
      // Many small copies within one buffer plus one large copy take half the time of many small
      // copies between buffers.
      this.#gather(count)
      this.#bytes.copy(to, start + 1, this.#answerAt, this.#answerAt + sizeBytes - 1)
    } else this.#writeEach(count, to, start + 1)
    to[start + sizeBytes - 1] = braceEnd
  }

  #gather(count: number): void {
    const numbers = this.#numbers
    const bytes = this.#bytes
    let at = this.#answerAt
    for (let index = 0; index < count; index += 1) {
      const line = this.#batchLines[index]!
      const from = line * lineBytes
      const sizeBytes = numbers[line * lineColumns + column.sizeBytes]!
      bytes.copyWithin(at, from, from + sizeBytes)
      at += sizeBytes
    }
  }

  #writeEach(count: number, to: Buffer, start: number): void {
    let at = start
    for (let index = 0; index < count; index += 1) {
      const line = this.#batchLines[index]!
      const sizeBytes = this.#numbers[line * lineColumns + column.sizeBytes]!
      const from = line * lineBytes
      if (sizeBytes <= lineBytes) this.#bytes.copy(to, at, from, from + sizeBytes)
      else this.#long.get(line)!.copy(to, at)
      at += sizeBytes
    }
  }

  /**
   * Returns the current line of an id that this batch has not contained yet; -1 for a repeated,
   * ignored or unknown id.
   */
  #lineOf(ids: BodyIds, at: number, chains: GatewayChains, find: FindToken): number {
    const { view, bounds, hashes } = ids
    const numbers = this.#numbers
    let line = this.#table.find(hashes[at]!, view, bounds[at * 2]!, bounds[at * 2 + 1]!)
    if (line >= 0 && numbers[line * lineColumns + column.batch] === this.#batches) return -1
    if (line < 0 || this.#chainOf(line, chains).age !== numbers[line * lineColumns + column.age])
      line = this.#resolve(line, ids, at, chains, find)
    if (line < 0) return -1
    const from = line * lineColumns
    numbers[from + column.batch] = this.#batches
    const chain = this.#chainOf(line, chains)
    if (
      numbers[from + column.version] !== chain.version ||
      chain.nowS >= numbers[from + column.validUntilS]!
    )
      this.#refresh(line, chain)
    return line
  }

  #chainOf(line: number, chains: GatewayChains): BatchChain {
    const index = this.#numbers[line * lineColumns + column.chain]!
    return this.#chains.now(index, chains, this.#batches)
  }

  /** Returns the line of an id that is new, or whose token may have changed; -1: unknown token. */
  #resolve(line: number, ids: BodyIds, at: number, chains: GatewayChains, find: FindToken): number {
    const text = idTextOf(ids, at)
    const found = find(text, at)
    if (found === null) return -1
    const { chain, address } = found
    const tokenId = chain.reads.findToken(address)
    if (tokenId === undefined) return -1
    assert(text.length <= idBytesMax, 'every id of a token is shorter')
    const held = line >= 0 ? line : this.#table.add(ids.hashes[at]!, text.length)
    const key = JSON.stringify(text)
    const numbers = this.#numbers
    const from = held * lineColumns
    const start = `${key}:${priceIdText({ token_id: key })}`
    numbers[from + column.dayAt] = this.#bytes.write(start, held * lineBytes, 'latin1')
    numbers[from + column.tokenId] = tokenId
    numbers[from + column.chain] = this.#chains.indexOf(chain)
    numbers[from + column.age] = this.#chainOf(held, chains).age
    numbers[from + column.version] = Number.NaN
    // The line gets a new WindowSource, because its previous source may describe another token.
    this.#sources[held] = new WindowInputs()
    return held
  }

  #refresh(line: number, { chain, version, nowS }: BatchChain): void {
    const numbers = this.#numbers
    const from = line * lineColumns
    const id = numbers[from + column.tokenId]!
    const { reads } = chain!
    if (!this.#sources[line]!.isCurrent(reads, 'token', id, nowS))
      this.#writeDay(line, chain!, nowS)
    const { text, tvlUsd } = this.#texts.worth(chain!, id, nowS)
    const worthAt = numbers[from + column.worthAt]!
    const sizeBytes = worthAt + text.length + 1
    if (sizeBytes <= lineBytes) {
      if (this.#long.size > 0) this.#long.delete(line)
      const lineAt = line * lineBytes
      this.#bytes.write(text, lineAt + worthAt, text.length, 'latin1')
      this.#bytes[lineAt + sizeBytes - 1] = comma
    } else this.#long.set(line, Buffer.from(`${this.#startOf(line)}${text},`, 'latin1'))
    numbers[from + column.sizeBytes] = sizeBytes
    numbers[from + column.version] = version
    numbers[from + column.tvlUsd] = tvlUsd
  }

  #writeDay(line: number, chain: GatewayChain, nowS: number): void {
    const numbers = this.#numbers
    const from = line * lineColumns
    const { value, validUntilS } = this.#texts.day(chain, numbers[from + column.tokenId]!, nowS)
    const dayAt = numbers[from + column.dayAt]!
    const worthAt = dayAt + value.text.length
    if (worthAt <= lineBytes) this.#bytes.write(value.text, line * lineBytes + dayAt, 'latin1')
    else this.#longDays.set(line, value.text)
    numbers[from + column.worthAt] = worthAt
    numbers[from + column.volumeUsd] = value.volumeUsd
    this.#sources[line]!.validUntilS = validUntilS
    numbers[from + column.validUntilS] = validUntilS
  }

  /** Returns the first part of a price line, up to the members that every block may change. */
  #startOf(line: number): string {
    const from = line * lineColumns
    const lineAt = line * lineBytes
    const textTo = (end: number) => this.#bytes.toString('latin1', lineAt, lineAt + end)
    const worthAt = this.#numbers[from + column.worthAt]!
    if (worthAt <= lineBytes) return textTo(worthAt)
    return `${textTo(this.#numbers[from + column.dayAt]!)}${this.#longDays.get(line)}`
  }
}

/** State of a chain during one batch. Constant while the batch is assembled. */
type BatchChain = {
  name: string
  /** Null when the chain is not served now. */
  chain: GatewayChain | null
  /** Changes whenever ids may mean other tokens: after a revert, or when the chain was reopened. */
  age: number
  version: number
  nowS: number
  /** Number of the batch for which this state was read. */
  batch: number
  generation: number
}

/**
 * The chains of all lines. References are refreshed per batch, so a closed chain is not kept in
 * memory.
 */
type BatchChains = {
  indexOf(chain: GatewayChain): number
  now(index: number, chains: GatewayChains, batch: number): BatchChain
}

// More blocks than a process ever reverts, so that `generation` and revert count share one number.
const revertsMax = 2 ** 40

function createBatchChains(clock: Clock): BatchChains {
  const known: BatchChain[] = []

  function read(of: BatchChain, chains: GatewayChains): void {
    const chain = chains.get(of.name) ?? null
    // A chain that was reopened is a new object, whose ids may mean other tokens.
    if (chain !== of.chain) of.generation += 1
    of.chain = chain
    if (chain === null) {
      of.age = -1
      return
    }
    of.age = of.generation * revertsMax + chain.reads.revertCount()
    of.version = chain.version()
    of.nowS = chainNowS(chain, clock)
  }

  return {
    indexOf({ profile: { name } }) {
      const at = known.findIndex((of) => of.name === name)
      if (at >= 0) return at
      known.push({ name, chain: null, age: -1, version: 0, nowS: 0, batch: 0, generation: 0 })
      return known.length - 1
    },
    now(index, chains, batch) {
      const of = known[index]!
      if (of.batch !== batch) {
        of.batch = batch
        read(of, chains)
      }
      return of
    },
  }
}
