import type { LogPlace } from '../../store/read/log.ts'

/**
 * The entries that leave no trace: blocks that were reverted, what came late for them, and the reverts that did it.
 * Takes, in log order, all entries about blocks that a revert names.
 */
export function revertedEntries(
  places: readonly Pick<LogPlace, 'seq' | 'type' | 'hash'>[],
): Set<number> {
  const passed = new Set<number>()
  /** By hash, the commit that stands and what came late for it. */
  const standing = new Map<string, number[]>()
  for (const { seq, type, hash } of places) {
    const entries = standing.get(hash)
    if (type === 'commit') standing.set(hash, [seq])
    else if (type === 'late' && entries !== undefined) entries.push(seq)
    else {
      for (const taken of entries ?? []) passed.add(taken)
      passed.add(seq)
      standing.delete(hash)
    }
  }
  return passed
}
