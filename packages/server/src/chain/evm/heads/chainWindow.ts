import assert from 'node:assert/strict'
import type { BlockRef } from '../../../model/block.ts'

/** The newest blocks given out, linked, at most `depthMax`. */
export type ChainWindow = {
  tip(): BlockRef | null
  oldest(): BlockRef | null
  /** Hash at a number; also known for the parent of the oldest block held. */
  hashAt(number: number): string | undefined
  push(ref: BlockRef): void
  pop(): BlockRef
}

export function createChainWindow(known: readonly BlockRef[], depthMax: number): ChainWindow {
  assert(depthMax >= 1)
  let refs = known.slice(-depthMax)
  for (const [at, ref] of refs.entries()) if (at > 0) assertLinked(refs[at - 1]!, ref)

  return {
    tip: () => refs.at(-1) ?? null,
    oldest: () => refs[Math.max(0, refs.length - depthMax)] ?? null,
    hashAt(number) {
      const first = refs[Math.max(0, refs.length - depthMax)]
      if (first === undefined || number < first.number - 1) return undefined
      return number === first.number - 1 ? first.parentHash : refs[number - refs[0]!.number]?.hash
    },
    push(ref) {
      const tip = refs.at(-1)
      if (tip !== undefined) assertLinked(tip, ref)
      refs.push(ref)
      // Cut rarely: shifting at every block would cost the depth each time.
      if (refs.length >= 2 * depthMax) refs = refs.slice(-depthMax)
    },
    pop() {
      const ref = refs.pop()
      assert(ref !== undefined, 'Nothing left to take back')
      return ref
    },
  }
}

function assertLinked(parent: BlockRef, child: BlockRef): void {
  assert.equal(child.number, parent.number + 1)
  assert.equal(child.parentHash, parent.hash)
}
