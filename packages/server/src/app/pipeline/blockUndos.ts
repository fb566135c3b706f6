import { strict as assert } from 'node:assert'
import { BoundedMap } from '../../lib/boundedMap.ts'
import type { BlockRef } from '../../model/block.ts'

/** What reverts the newest blocks, of this run and of earlier ones. */
type BlockUndos = {
  add(ref: BlockRef, undo: Uint8Array): void
  take(ref: BlockRef): Uint8Array
  forgetUpTo(number: number): void
}

export function createBlockUndos(
  known: readonly { ref: BlockRef; undo: Uint8Array | null }[],
  countMax: number,
): BlockUndos {
  /** By hash, oldest first. */
  const undos = new BoundedMap<string, { number: number; undo: Uint8Array }>(countMax)
  for (const { ref, undo } of known)
    if (undo !== null) undos.set(ref.hash, { number: ref.number, undo })

  return {
    add({ hash, number }, undo) {
      undos.set(hash, { number, undo })
    },
    take({ hash }) {
      const entry = undos.get(hash)
      assert(entry !== undefined, 'a block that is reverted was kept')
      undos.delete(hash)
      return entry.undo
    },
    forgetUpTo(number) {
      for (const [hash, entry] of undos) {
        if (entry.number > number) return
        undos.delete(hash)
      }
    },
  }
}
