import assert from 'node:assert/strict'
import type { BlockRef } from '../model/block.ts'

/** A block by number and hash. */
export type BlockId = { number: number; hash: string }

/**
 * The newest delivered blocks, linked by parent hash, at most `depthMax`. Numbers between final
 * blocks may be missing, because their blocks were not read.
 */
export type ChainWindow = {
  tip(): BlockRef | null
  oldest(): BlockRef | null
  /**
   * Returns the hash at a number, also of the oldest held block's parent. Null if the block was not
   * read.
   */
  hashAt(number: number): string | null | undefined
  /** Returns the lowest block above a number whose hash is known. */
  firstAbove(number: number): BlockId | undefined
  /** Returns how many held blocks are above a number. */
  countAbove(number: number): number
  /** Returns the newest held block at or below a number. */
  newestUpTo(number: number): BlockRef | undefined
  /** Returns the held block with `count` held blocks above it. */
  below(count: number): BlockRef | undefined
  /** Returns the newest held block at or before a time. Block times never decrease. */
  newestBy(timeS: number): BlockRef | undefined
  push(ref: BlockRef): void
  pop(): BlockRef
}

export function createChainWindow(known: readonly BlockRef[], depthMax: number): ChainWindow {
  assert(depthMax >= 1)
  let refs = known.slice(-depthMax)
  for (const [at, ref] of refs.entries()) if (at > 0) assertLinked(refs[at - 1]!, ref)

  const firstAt = () => Math.max(0, refs.length - depthMax)

  /** Returns the index of the first held block above a number or time. */
  function placeAbove(limit: number, by: 'number' | 'timeS' = 'number'): number {
    let [low, high] = [firstAt(), refs.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (refs[middle]![by] > limit) high = middle
      else low = middle + 1
    }
    return low
  }

  function newestUpTo(limit: number, by?: 'timeS'): BlockRef | undefined {
    const above = placeAbove(limit, by)
    return above > firstAt() ? refs[above - 1] : undefined
  }

  return {
    tip: () => refs.at(-1) ?? null,
    oldest: () => refs[firstAt()] ?? null,
    hashAt(number) {
      const first = refs[firstAt()]
      if (first === undefined || number < first.parentNumber || number > refs.at(-1)!.number)
        return undefined
      if (number === first.parentNumber) return first.parentHash
      const ref = newestUpTo(number)
      return ref?.number === number ? ref.hash : null
    },
    firstAbove(number) {
      const first = refs[firstAt()]
      if (first !== undefined && number < first.parentNumber)
        return { number: first.parentNumber, hash: first.parentHash }
      return refs[placeAbove(number)]
    },
    countAbove: (number) => refs.length - placeAbove(number),
    newestUpTo: (number) => newestUpTo(number),
    newestBy: (timeS) => newestUpTo(timeS, 'timeS'),
    below(count) {
      const place = refs.length - 1 - count
      return place < firstAt() ? undefined : refs[place]
    },
    push(ref) {
      const tip = refs.at(-1)
      if (tip !== undefined) assertLinked(tip, ref)
      refs.push(ref)
      // Trimmed at twice the depth: shifting the array at every block would cost its length each
      // time.
      if (refs.length >= 2 * depthMax) refs = refs.slice(-depthMax)
    },
    pop() {
      const ref = refs.pop()
      assert(ref !== undefined, 'Nothing left to revert')
      return ref
    },
  }
}

function assertLinked(parent: BlockRef, child: BlockRef): void {
  assert.equal(child.parentNumber, parent.number)
  assert.equal(child.parentHash, parent.hash)
}
