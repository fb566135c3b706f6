import type { ChainSetup } from '../../kinds/chainSetup.ts'
import { BalancesUntoldError } from '../../ledger/errors.ts'
import { decodeUntoldAfter } from '../../ledger/undo.ts'
import type { BlockPlace } from '../../model/block.ts'

/** Blocks of which something is still to be told: until it is, whoever goes on after a crash has to revert them. */
export type UntoldBlocks = {
  /** Throws if the newest block is of an earlier process: what that was still to tell after it went with the process. */
  assertTold(headHash: string | undefined): void
  /** Of blocks behind this place, changes are in this process alone. Null: all is told. */
  applied(untoldAfter: BlockPlace | null): void
  /** What the chain says is final. */
  finalize(ref: BlockPlace): void
  /** What may be handed over as final, each once; null: nothing that was not. */
  takeFinal(startNumber: number): BlockPlace | null
}

export type UntoldBlocksOptions = {
  setup: Pick<ChainSetup, 'profile'>
  /** Newest canonical blocks of an earlier process, with what reverts them. */
  known: readonly { ref: BlockPlace; undo: Uint8Array | null }[]
  finalizedNumber: number
}

export function createUntoldBlocks(options: UntoldBlocksOptions): UntoldBlocks {
  const { setup, known, finalizedNumber } = options
  const knownUndos = new Map(known.map(({ ref, undo }) => [ref.hash, undo]))
  let untoldAfter: BlockPlace | null = null
  let finalRef: BlockPlace | null = null
  let takenNumber = finalizedNumber

  return {
    assertTold(headHash) {
      const undo = knownUndos.get(headHash ?? '')
      const after = undo ? decodeUntoldAfter(undo) : null
      if (after !== null) throw new BalancesUntoldError({ chain: setup.profile.name, after })
    },
    applied(after) {
      untoldAfter = after
    },
    finalize(ref) {
      finalRef = ref
    },
    takeFinal(startNumber) {
      if (finalRef === null) return null
      const isHeld = untoldAfter !== null && untoldAfter.number < finalRef.number
      const ref = isHeld ? untoldAfter! : finalRef
      if (!isHeld) finalRef = null
      else if (ref.number <= takenNumber || ref.number < startNumber) return null
      takenNumber = ref.number
      return ref
    },
  }
}
