import type { BlockId } from '../model/block.ts'
import type { BalanceChange } from '../model/finishedBlock.ts'
import type { TokenSupply } from '../model/token.ts'
import type { LedgerPoolState } from './caches.ts'
import { UndoMalformedError, UndoTooNewError } from './errors.ts'

/**
 * What a block changed, with the values before it. Enough for another process to revert the block.
 */
export type LedgerUndo = {
  changes: readonly BalanceChange[]
  /** `before` is null for a token that the block discovered. */
  supplies: readonly { before: TokenSupply | null; after: TokenSupply }[]
  /**
   * `wasUnknown`: this block was the first to report the pool's reserves, or only transfers had
   * shown them so far.
   */
  pools: readonly { pairId: number; before: LedgerPoolState | null; wasUnknown: boolean }[]
  /**
   * The block before the first one with unreported changes: those made before the store answered
   * for a balance. Only this process knows them, until a later block reports them. Another process
   * must apply all blocks after this one again. Null: everything is reported.
   */
  unreportedAfter: BlockId | null
}

/**
 * First field of every undo record. A change of format takes the next number and still reads older
 * ones.
 */
export const undoVersion = 1
// Encoder and decoder are created once, because every block has an undo record.
const textEncoder = new TextEncoder()
const textDecoder = new TextDecoder()

/**
 * Encodes only the balance changes, for a block that is never reverted. `decodeChanges` reads them.
 */
export function encodeChanges(changes: readonly BalanceChange[]): Uint8Array {
  return encodeUndo({ changes, supplies: [], pools: [], unreportedAfter: null })
}

/**
 * Encodes an undo record. Small and fast, because one block of a backfill has thousands of changes.
 */
export function encodeUndo(undo: LedgerUndo): Uint8Array {
  const { unreportedAfter } = undo
  const fields: string[] = [
    `${undoVersion}`,
    `${undo.changes.length}`,
    `${undo.supplies.length}`,
    `${undo.pools.length}`,
  ]
  if (unreportedAfter === null) fields.push('0')
  else fields.push('1', `${unreportedAfter.number}`, unreportedAfter.hash)
  for (const { tokenId, wallet, before, after } of undo.changes)
    fields.push(`${tokenId}`, wallet, before.toString(16), after.toString(16))
  for (const { before, after } of undo.supplies) {
    fields.push(before ? '1' : '0')
    if (before) pushSupply(fields, before)
    pushSupply(fields, after)
  }
  for (const { pairId, before, wasUnknown } of undo.pools) {
    fields.push(`${pairId}`, `${(before ? 1 : 0) + (wasUnknown ? 2 : 0)}`)
    if (before)
      fields.push(
        before.reserve0.toString(16),
        before.reserve1.toString(16),
        before.priceRaw === null ? '' : `${before.priceRaw}`,
        before.venueState?.map((value) => value.toString(16)).join(',') ?? '',
      )
  }
  return textEncoder.encode(fields.join(' '))
}

export function decodeUndo(bytes: Uint8Array): LedgerUndo {
  const fields = new Fields(bytes)
  const counts = readCounts(fields)
  const changes = readChanges(fields, counts.changes)
  const supplies = readMany(counts.supplies, () => ({
    before: fields.text() === '1' ? readSupply(fields) : null,
    after: readSupply(fields),
  }))
  const pools = readMany(counts.pools, () => {
    const [pairId, bits] = [fields.integer(), fields.integer()]
    const before = bits & 1 ? readLastState(fields) : null
    return { pairId, before, wasUnknown: (bits & 2) !== 0 }
  })
  fields.end()
  return { changes, supplies, pools, unreportedAfter: counts.unreportedAfter }
}

/** Reads the balance changes of an undo record and skips the rest. */
export function decodeChanges(bytes: Uint8Array): BalanceChange[] {
  const fields = new Fields(bytes)
  return readChanges(fields, readCounts(fields).changes)
}

/** Reads after which block changes are unreported, and skips the rest of the undo record. */
export function decodeUnreportedAfter(bytes: Uint8Array): BlockId | null {
  return readCounts(new Fields(bytes)).unreportedAfter
}

/** Reads the fields of an undo record one after another. */
class Fields {
  readonly #fields: readonly string[]
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#fields = textDecoder.decode(bytes).split(' ')
    const version = this.integer()
    if (version > undoVersion) throw new UndoTooNewError({ found: version, known: undoVersion })
    if (version < 1) throw new UndoMalformedError({ fault: `Version ${version} does not exist.` })
  }

  text(): string {
    const field = this.#fields[this.#at++]
    if (field === undefined) throw new UndoMalformedError({ fault: 'The record ends too early.' })
    return field
  }

  integer(): number {
    const value = Number(this.text())
    if (!Number.isSafeInteger(value) || value < 0)
      throw new UndoMalformedError({ fault: `Field ${this.#at - 1} is not a count.` })
    return value
  }

  amount(): bigint {
    return this.parse(this.text())
  }

  parse(text: string): bigint {
    try {
      return text.startsWith('-') ? -BigInt(`0x${text.slice(1)}`) : BigInt(`0x${text}`)
    } catch {
      throw new UndoMalformedError({ fault: `Field ${this.#at - 1} is not an amount.` })
    }
  }

  end(): void {
    if (this.#at !== this.#fields.length)
      throw new UndoMalformedError({ fault: 'Unexpected data follows the record.' })
  }
}

type Counts = {
  changes: number
  supplies: number
  pools: number
  unreportedAfter: BlockId | null
}

function readCounts(fields: Fields): Counts {
  const [changes, supplies, pools] = [fields.integer(), fields.integer(), fields.integer()]
  const unreportedAfter =
    fields.text() === '0' ? null : { number: fields.integer(), hash: fields.text() }
  return { changes, supplies, pools, unreportedAfter }
}

function readChanges(fields: Fields, count: number): BalanceChange[] {
  return readMany(count, () => ({
    tokenId: fields.integer(),
    wallet: fields.text(),
    before: fields.amount(),
    after: fields.amount(),
  }))
}

function readSupply(fields: Fields): TokenSupply {
  return {
    tokenId: fields.integer(),
    total: fields.amount(),
    burnt: fields.amount(),
    locked: fields.amount(),
    other: fields.amount(),
    holders: fields.integer(),
    isComplete: fields.text() === '1',
  }
}

function readLastState(fields: Fields): LedgerPoolState {
  const [reserve0, reserve1] = [fields.amount(), fields.amount()]
  const priceText = fields.text()
  const priceRaw = priceText === '' ? null : Number(priceText)
  const list = fields.text()
  if (list === '') return { reserve0, reserve1, priceRaw }
  return {
    reserve0,
    reserve1,
    priceRaw,
    venueState: list.split(',').map((text) => fields.parse(text)),
  }
}

function pushSupply(fields: string[], supply: TokenSupply): void {
  fields.push(
    `${supply.tokenId}`,
    supply.total.toString(16),
    supply.burnt.toString(16),
    supply.locked.toString(16),
    supply.other.toString(16),
    `${supply.holders}`,
    supply.isComplete ? '1' : '0',
  )
}

function readMany<item>(count: number, read: () => item): item[] {
  const items: item[] = []
  for (let i = 0; i < count; i++) items.push(read())
  return items
}
