import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEntryCredit } from './applyEntries.ts'

const limits = fc
  .record({ aheadMax: fc.integer({ min: 1, max: 8 }), room: fc.nat(20) })
  .map(({ aheadMax, room }) => ({ aheadMax, queueBlocksMax: aheadMax + room, queueBytesMax: 1e9 }))
// A positive number: that many entries arrive. A negative number: that many are stored.
const moves = fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 200 })

test('behavior: the queue never exceeds its limit, and storing lets the sender continue', () => {
  fc.assert(
    fc.property(limits, moves, (options, plan) => {
      const credit = createEntryCredit(options)
      let queuedBlocks = 0
      let aheadCount = 0
      const settle = () => {
        aheadCount -= credit.take({ queuedBlocks, queuedBytes: 0 })
        expect(aheadCount).toBeGreaterThanOrEqual(0)
      }
      for (const move of plan) {
        if (move > 0) {
          const count = Math.min(move, options.aheadMax - aheadCount)
          aheadCount += count
          queuedBlocks += count
          credit.applied(count)
        } else queuedBlocks = Math.max(0, queuedBlocks + move)
        expect(queuedBlocks).toBeLessThanOrEqual(options.queueBlocksMax)
        settle()
        if (queuedBlocks === options.queueBlocksMax) expect(aheadCount).toBe(options.aheadMax)
      }
      queuedBlocks = 0
      settle()
      expect(aheadCount).toBe(0)
    }),
  )
})

test('behavior: too many queued bytes withhold every acknowledgement', () => {
  const credit = createEntryCredit({ aheadMax: 4, queueBlocksMax: 100, queueBytesMax: 1_000 })
  credit.applied(3)
  expect(credit.take({ queuedBlocks: 3, queuedBytes: 1_000 })).toBe(0)
  expect(credit.take({ queuedBlocks: 2, queuedBytes: 999 })).toBe(3)
})
