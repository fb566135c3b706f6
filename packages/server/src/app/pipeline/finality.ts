import { strict as assert } from 'node:assert'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import { BalancesUnreportedError } from '../../ledger/errors.ts'
import { decodeUnreportedAfter } from '../../ledger/undo.ts'
import { BoundedMap } from '../../lib/boundedMap.ts'
import type { BlockId, BlockRef } from '../../model/block.ts'

/**
 * Holds back the finality of blocks whose balances are still pending, so that they can be reverted
 * after a crash.
 */
export type FinalityGate = {
  /**
   * Throws if an earlier process ended with pending balances of the newest block, since these are
   * lost.
   */
  assertComplete(headHash: string | undefined): void
  /**
   * Reports that changes of blocks after `pendingAfter` exist only in this process; null: nothing
   * is pending.
   */
  applied(pendingAfter: BlockId | null): void
  /** Reports that the chain finalized this block. */
  finalize(ref: BlockId): void
  /** Returns the newest block to hand over as final, each block once; null: nothing new. */
  takeFinal(startNumber: number): BlockId | null
}

export type FinalityGateOptions = {
  setup: Pick<ChainSetup, 'profile'>
  /** Newest canonical blocks of an earlier process, with their undo records. */
  known: readonly { ref: BlockId; undo: Uint8Array | null }[]
  finalizedNumber: number
}

export function createFinalityGate(options: FinalityGateOptions): FinalityGate {
  const { setup, known, finalizedNumber } = options
  const knownUndos = new Map(known.map(({ ref, undo }) => [ref.hash, undo]))
  let pendingAfter: BlockId | null = null
  let finalRef: BlockId | null = null
  let takenNumber = finalizedNumber

  return {
    assertComplete(headHash) {
      const undo = knownUndos.get(headHash ?? '')
      const after = undo ? decodeUnreportedAfter(undo) : null
      if (after !== null) throw new BalancesUnreportedError({ chain: setup.profile.name, after })
    },
    applied(after) {
      pendingAfter = after
    },
    finalize(ref) {
      finalRef = ref
    },
    takeFinal(startNumber) {
      if (finalRef === null) return null
      const isHeld = pendingAfter !== null && pendingAfter.number < finalRef.number
      const ref = isHeld ? pendingAfter! : finalRef
      if (!isHeld) finalRef = null
      else if (ref.number <= takenNumber || ref.number < startNumber) return null
      takenNumber = ref.number
      return ref
    },
  }
}

/** Undo records of the newest blocks, including blocks of earlier runs. */
type BlockUndos = {
  add(ref: BlockRef, undo: Uint8Array): void
  take(ref: BlockRef): Uint8Array
  forgetUpTo(number: number): void
}

export function createBlockUndos(
  known: readonly { ref: BlockRef; undo: Uint8Array | null }[],
  countMax: number,
): BlockUndos {
  /** Undo records by block hash, oldest first. */
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
