import { createHash } from 'node:crypto'

/** Numbers that only depend on the seed. */
export type Random = {
  /** From 0, below 1. */
  next(): number
  /** An integer from 0, below the bound. */
  below(bound: number): number
  pick<T>(items: readonly T[]): T
  isTrue(probability: number): boolean
}

/** sfc32 over a hashed seed: small, fast, and the same on every machine. */
export function createRandom(seed: string): Random {
  const hash = createHash('sha256').update(seed).digest()
  let a = hash.readInt32LE(0)
  let b = hash.readInt32LE(4)
  let c = hash.readInt32LE(8)
  let counter = 1

  function next(): number {
    const t = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + t) | 0
    return (t >>> 0) / 2 ** 32
  }

  const below = (bound: number) => Math.floor(next() * bound)
  return {
    next,
    below,
    pick: (items) => items[below(items.length)]!,
    isTrue: (probability) => next() < probability,
  }
}
