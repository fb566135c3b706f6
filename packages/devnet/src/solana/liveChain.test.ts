import { expect, test } from 'vitest'
import { LiveChain } from './liveChain.ts'

const startMs = 1_790_000_000_000
const historyS = 60

function open(nowMs = startMs, blocksMax = 1_000): LiveChain {
  return new LiveChain({ seed: 3, historyS, blocksMax, transactions: 1, nowMs })
}

function run(live: LiveChain, seconds: number): void {
  for (let s = 1; s <= seconds; s++) live.advance(startMs + s * 1_000)
}

test('default: history at once, then a slot a second, some skipped, and branches that are left', () => {
  const live = open()
  const { chain } = live
  expect(chain.blocks.length).toBeGreaterThan(historyS / 2)
  const seen = new Map<string, number>()
  for (let s = 1; s <= 120; s++) {
    live.advance(startMs + s * 1_000)
    seen.set(chain.head.blockhash, chain.head.slot)
    expect(chain.head.blockTime * 1_000).toBeLessThanOrEqual(startMs + s * 1_000)
  }
  const kept = new Set(chain.blocks.map(({ blockhash }) => blockhash))
  const left = [...seen].filter(([blockhash]) => !kept.has(blockhash))
  expect(left.length).toBeGreaterThan(2)
  for (const [at, { slot, parentSlot, previousBlockhash }] of chain.blocks.entries())
    if (at > 0)
      expect([parentSlot, previousBlockhash]).toEqual([
        chain.blocks[at - 1]!.slot,
        chain.blocks[at - 1]!.blockhash,
      ])
    else expect(slot).toBe(1)
  expect(chain.blocks.some(({ slot, parentSlot }) => slot > parentSlot + 1)).toBe(true)
})

test('behavior: a chain at its limit is full, and the next one is another', () => {
  const live = open(startMs, 80)
  run(live, 40)
  expect(live.isFull).toBe(true)
  const next = open(startMs + 40_000, 80)
  expect(next.isFull).toBe(false)
  expect(next.genesisHash).not.toBe(live.genesisHash)
})
