import type { BalanceChange } from '../model/balance.ts'
import type { TokenSupply } from '../model/token.ts'
import { UndoMalformedError } from './errors.ts'
import type { LastState } from './poolBook.ts'

/** What a block changed, with the values from before it: enough to take it back in another process. */
export type LedgerUndo = {
  changes: readonly BalanceChange[]
  /** `before` is null for a token that the block made known. */
  supplies: readonly { before: TokenSupply | null; after: TokenSupply }[]
  pools: readonly { pairId: number; before: LastState | null }[]
}

const version = 1

/** Small and quick to write: one block of backfill has thousands of changes. */
export function encodeUndo(undo: LedgerUndo): Uint8Array {
  const fields: string[] = [
    `${version}`,
    `${undo.changes.length}`,
    `${undo.supplies.length}`,
    `${undo.pools.length}`,
  ]
  for (const { tokenId, wallet, before, after } of undo.changes)
    fields.push(`${tokenId}`, wallet, before.toString(16), after.toString(16))
  for (const { before, after } of undo.supplies) {
    fields.push(before ? '1' : '0')
    if (before) pushSupply(fields, before)
    pushSupply(fields, after)
  }
  for (const { pairId, before } of undo.pools) {
    fields.push(`${pairId}`, before ? '1' : '0')
    if (before)
      fields.push(
        before.reserve0.toString(16),
        before.reserve1.toString(16),
        before.priceRaw === null ? '' : `${before.priceRaw}`,
      )
  }
  return new TextEncoder().encode(fields.join(' '))
}

export function decodeUndo(bytes: Uint8Array): LedgerUndo {
  const fields = new TextDecoder().decode(bytes).split(' ')
  let at = 0
  function text(): string {
    const field = fields[at++]
    if (field === undefined) throw new UndoMalformedError({ fault: 'It ends too early.' })
    return field
  }
  function integer(): number {
    const value = Number(text())
    if (!Number.isSafeInteger(value) || value < 0)
      throw new UndoMalformedError({ fault: `Field ${at - 1} is not a count.` })
    return value
  }
  function supply(): TokenSupply {
    return {
      tokenId: integer(),
      total: parseHex(text()),
      burnt: parseHex(text()),
      locked: parseHex(text()),
      other: parseHex(text()),
      holders: integer(),
      isComplete: text() === '1',
    }
  }
  if (integer() !== version) throw new UndoMalformedError({ fault: 'Another version wrote it.' })
  const [changeCount, supplyCount, poolCount] = [integer(), integer(), integer()]
  const changes = repeat(changeCount, () => ({
    tokenId: integer(),
    wallet: text(),
    before: parseHex(text()),
    after: parseHex(text()),
  }))
  const supplies = repeat(supplyCount, () => ({
    before: text() === '1' ? supply() : null,
    after: supply(),
  }))
  const pools = repeat(poolCount, () => ({
    pairId: integer(),
    before: text() === '1' ? lastState(text(), text(), text()) : null,
  }))
  if (at !== fields.length) throw new UndoMalformedError({ fault: 'Something follows its end.' })
  return { changes, supplies, pools }
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

function lastState(reserve0: string, reserve1: string, priceRaw: string): LastState {
  return {
    reserve0: parseHex(reserve0),
    reserve1: parseHex(reserve1),
    priceRaw: priceRaw === '' ? null : Number(priceRaw),
  }
}

function repeat<item>(count: number, read: () => item): item[] {
  const items: item[] = []
  for (let i = 0; i < count; i++) items.push(read())
  return items
}

function parseHex(text: string): bigint {
  if (!/^-?[0-9a-f]+$/.test(text)) throw new UndoMalformedError({ fault: 'Not an amount.' })
  return text.startsWith('-') ? -BigInt(`0x${text.slice(1)}`) : BigInt(`0x${text}`)
}
