import type { Encoded } from '../encoded.ts'
import type { Clock, GatewayChain, GatewayChains } from '../gatewayChain.ts'
import { type IdsInBody, idTextOf } from '../idsInBody.ts'
import { IdTable } from './idTable.ts'
import { createLineChains, type LineChain, type LineChains } from './lineChains.ts'
import { lineColumn as L, lineColumns } from './lineColumns.ts'
import type { PriceEntry } from './priceEntry.ts'
import type { Made } from './rowCache.ts'

/** What a token must have at least to be shown. */
export type PriceThresholds = { tvlMinUsd: number; volumeMinUsd: number }

export type PriceBatch = PriceThresholds & {
  ids: IdsInBody
  chains: GatewayChains
  /** Says what an id names, and throws when it is none. */
  find(id: string): { chain: GatewayChain; address: string }
}

export type PriceLinesOptions = {
  clock: Clock
  /** Ids kept; when there are more, all are found again. */
  countMax: number
  make(chain: GatewayChain, tokenId: number, nowS: number): Made<PriceEntry>
}

// A batch must find room, whatever is configured.
const countMin = 1_000

/** Members of price batches by their id as it was written: reading an id costs more than the price behind it. */
export class PriceLines {
  readonly #make: PriceLinesOptions['make']
  readonly #capacity: number
  readonly #table: IdTable
  readonly #numbers: Float64Array
  readonly #chains: LineChains
  /** Each with a comma behind it. ASCII, as every id of a token is. */
  #texts: string[] = []
  /** What each line begins with, the same for every price. */
  #starts: string[] = []
  #batches = 0

  constructor({ clock, countMax, make }: PriceLinesOptions) {
    this.#make = make
    this.#capacity = Math.max(countMax, countMin)
    this.#table = new IdTable(this.#capacity)
    this.#numbers = new Float64Array(this.#capacity * lineColumns)
    this.#chains = createLineChains(clock)
  }

  /** JSON of the known tokens of a batch, each id once. */
  batch(batch: PriceBatch): Encoded {
    const { ids, tvlMinUsd, volumeMinUsd } = batch
    this.#batches += 1
    if (this.#table.count + ids.count > this.#capacity) {
      this.#table.clear()
      this.#texts = []
      this.#starts = []
    }
    const numbers = this.#numbers
    const shown: string[] = []
    for (let at = 0; at < ids.count; at += 1) {
      const line = this.#lineOf(batch, at)
      if (line < 0) continue
      const from = line * lineColumns
      if (numbers[from + L.tvlUsd]! >= tvlMinUsd && numbers[from + L.volumeUsd]! >= volumeMinUsd)
        shown.push(this.#texts[line]!)
    }
    return objectOf(shown)
  }

  /** The line of an id that this batch has not had yet, up to date; -1: there is none. */
  #lineOf(batch: PriceBatch, at: number): number {
    const { bytes, bounds, hashes } = batch.ids
    const numbers = this.#numbers
    let line = this.#table.find(hashes[at]!, bytes, bounds[at * 2]!, bounds[at * 2 + 1]!)
    let from = line * lineColumns
    if (line >= 0 && numbers[from + L.batch] === this.#batches) return -1
    if (line < 0 || this.#chainOf(from, batch).age !== numbers[from + L.age]) {
      line = this.#hold(line, batch, at)
      if (line < 0) return -1
      from = line * lineColumns
    }
    numbers[from + L.batch] = this.#batches
    const chain = this.#chainOf(from, batch)
    if (numbers[from + L.version] !== chain.version || chain.nowS >= numbers[from + L.validUntilS]!)
      this.#refresh(line, chain)
    return line
  }

  #chainOf(from: number, { chains }: PriceBatch): LineChain {
    return this.#chains.now(this.#numbers[from + L.chain]!, chains, this.#batches)
  }

  /** The line of an id that is new, or may mean another token than it did; -1: no such token is known. */
  #hold(line: number, batch: PriceBatch, at: number): number {
    const { ids, find } = batch
    const text = idTextOf(ids, at)
    const { chain, address } = find(text)
    const tokenId = chain.reads.findToken(address)
    if (tokenId === undefined) return -1
    const { bytes, bounds, hashes } = ids
    const held =
      line >= 0 ? line : this.#table.add(hashes[at]!, bytes, bounds[at * 2]!, bounds[at * 2 + 1]!)
    const key = JSON.stringify(text)
    this.#starts[held] = `${key}:{"token_id":${key},`
    const numbers = this.#numbers
    const from = held * lineColumns
    numbers[from + L.tokenId] = tokenId
    numbers[from + L.chain] = this.#chains.indexOf(chain)
    numbers[from + L.age] = this.#chainOf(from, batch).age
    numbers[from + L.version] = Number.NaN
    return held
  }

  #refresh(line: number, { chain, version, nowS }: LineChain): void {
    const numbers = this.#numbers
    const from = line * lineColumns
    const { value, validUntilS } = this.#make(chain!, numbers[from + L.tokenId]!, nowS)
    const text = `${this.#starts[line]}${value.members}},`
    // A text of many parts is put together again each time it is written, unless somebody has looked into it.
    text.charCodeAt(0)
    this.#texts[line] = text
    numbers[from + L.version] = version
    numbers[from + L.validUntilS] = validUntilS
    numbers[from + L.tvlUsd] = value.tvlUsd
    numbers[from + L.volumeUsd] = value.volume24hUsd
  }
}

const braceByte = 0x7b
const braceEndByte = 0x7d

/** Members with a comma behind each, between braces; the last comma makes room for the second one. */
function objectOf(members: readonly string[]): Encoded {
  if (members.length === 0) return '{}'
  let sizeBytes = 1
  for (const text of members) sizeBytes += text.length
  return {
    sizeBytes,
    write(to, from) {
      to[from] = braceByte
      let at = from + 1
      for (const text of members) at += to.write(text, at, text.length, 'latin1')
      to[at - 1] = braceEndByte
    },
  }
}
