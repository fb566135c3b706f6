import assert from 'node:assert/strict'
import type { BlockRef } from '../model/block.ts'

/** A block by its place alone. */
export type BlockPlace = { number: number; hash: string }

/** The newest blocks given out, linked, at most `depthMax`. Final ones may have numbers between them that were not read. */
export type ChainWindow = {
  tip(): BlockRef | null
  oldest(): BlockRef | null
  /** Hash at a number; also known for the parent of the oldest block held. Null: the block was not read. */
  hashAt(number: number): string | null | undefined
  /** The lowest block above a number whose hash is known. */
  firstAbove(number: number): BlockPlace | undefined
  /** How many blocks above a number are held. */
  countAbove(number: number): number
  /** The newest block held that is not above a number. */
  newestUpTo(number: number): BlockRef | undefined
  /** The block held that so many are above. */
  below(count: number): BlockRef | undefined
  /** The newest block held that is not after a time; times never go back. */
  newestBy(timeS: number): BlockRef | undefined
  push(ref: BlockRef): void
  pop(): BlockRef
}

export function createChainWindow(known: readonly BlockRef[], depthMax: number): ChainWindow {
  assert(depthMax >= 1)
  let refs = known.slice(-depthMax)
  for (const [at, ref] of refs.entries()) if (at > 0) assertLinked(refs[at - 1]!, ref)

  const firstAt = () => Math.max(0, refs.length - depthMax)

  /** Where the first block beyond a number or a time is, or would be. */
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
      // Cut rarely: shifting at every block would cost the depth each time.
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
