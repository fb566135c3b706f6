import type { EvmHeader } from '../fetch/rawBlock.ts'

type ForkSearch = {
  /** A block of the other branch, at most one above our tip. */
  header: EvmHeader
  /** Our hash at a number; undefined below the blocks we hold, null where we did not read the block. */
  hashAt: (number: number) => string | null | undefined
  fetchHeader: (hash: string) => Promise<EvmHeader | null>
}

/**
 * fork: the branches share this block and nothing above it. tooDeep: they part below the blocks we
 * hold, or have nothing in common. unknown: the branch cannot be followed, so it may be a lie, or already gone.
 */
type Fork = { type: 'fork'; ancestorNumber: number } | { type: 'tooDeep' } | { type: 'unknown' }

/** Follows the other branch down by parent hash until it meets ours. */
export async function findFork({ header, hashAt, fetchHeader }: ForkSearch): Promise<Fork> {
  let remote = header
  for (;;) {
    if (remote.number === 0) return { type: 'tooDeep' }
    const ancestorNumber = remote.number - 1
    const ours = hashAt(ancestorNumber)
    if (ours === remote.parentHash) return { type: 'fork', ancestorNumber }
    // Followed by hash before it is believed to be too deep: an invented parent does not exist.
    const parent = await fetchHeader(remote.parentHash)
    if (parent === null || parent.hash !== remote.parentHash) return { type: 'unknown' }
    if (parent.number !== ancestorNumber) return { type: 'unknown' }
    if (ours === undefined) return { type: 'tooDeep' }
    remote = parent
  }
}
