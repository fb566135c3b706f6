import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import type { BlockRef } from '../../model/block.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import { RecentBlocks } from './recentBlocks.ts'

type Step = 'commit' | 'revert' | 'store' | 'open' | 'read'

/**
 * A chain, a store that follows it entry by entry, and views that are opened and read at any
 * moment.
 */
function createWorld() {
  // With a limit of 0 only unstored blocks and those of open views stay in memory.
  const limits = { recentBlocksMax: 0 }
  const recent = new RecentBlocks({ seq: 0, number: -1, reorgDepthMax: 1, limits })
  const chain: BlockRef[] = []
  const stored: BlockRef[] = []
  const queue: LogEntry[] = []
  const views: ReturnType<typeof recent.openView>[] = []
  let made = 0
  let seq = 0
  let storedSeq = 0

  function apply(entry: LogEntry): void {
    queue.push(entry)
    seq += 1
    recent.applied({ seq, entry, events: [] })
  }

  return {
    commit() {
      const number = (chain.at(-1)?.number ?? 0) + 1
      made += 1
      const parent = { parentNumber: number - 1, parentHash: chain.at(-1)?.hash ?? '' }
      const ref = { number, hash: `${made}`, ...parent, timeS: number }
      chain.push(ref)
      const lists = { tokens: [], pairs: [], events: [], supplies: [] }
      apply({ type: 'commit', block: { ref, receivedMs: 0, nativeUsd: null, ...lists } })
    },
    revert() {
      const ref = chain.pop()
      if (ref !== undefined) apply({ type: 'revert', ref })
    },
    store() {
      const entry = queue.shift()
      if (entry === undefined) return
      if (entry.type === 'commit') stored.push(entry.block.ref)
      else stored.pop()
      storedSeq += 1
      recent.persisted(storedSeq)
    },
    open: () => void views.push(recent.openView()),
    read() {
      const view = views.shift()
      if (view === undefined) return
      const blocks = view.blocks()
      if (blocks !== null) {
        const below = stored.filter(({ number }) => number <= view.cutNumber)
        const hashes = [...below, ...blocks.map(({ ref }) => ref)].map(({ hash }) => hash)
        expect(hashes).toEqual(chain.map(({ hash }) => hash))
      }
      view.close()
    },
  } satisfies Record<Step, () => void>
}

test('behavior: store up to the cut and blocks above it are the chain, each block once', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step>('commit') },
    { weight: 2, arbitrary: fc.constant<Step>('revert') },
    { weight: 5, arbitrary: fc.constant<Step>('store') },
    { weight: 3, arbitrary: fc.constant<Step>('open') },
    { weight: 3, arbitrary: fc.constant<Step>('read') },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const world = createWorld()
      for (const name of steps) world[name]()
    }),
    { numRuns: propertyRuns(2_000) },
  )
})
