import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { journalFormat } from './journal.ts'
import { LiveChain } from './liveChain.ts'

const startMs = 1_790_000_000_000
const historyS = 60

let dir = ''

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'live-chain-'))
})

afterEach(() => rmSync(dir, { recursive: true }))

function open(nowMs = startMs, blocksMax = 1_000): LiveChain {
  return new LiveChain({ dir, seed: 3, historyS, blocksMax, transactions: 1, nowMs })
}

function run(live: LiveChain, seconds: number, fromMs = startMs): void {
  for (let s = 1; s <= seconds; s++) live.advance(fromMs + s * 1_000)
}

test('default: history at once, then a slot a second, some skipped, and branches that are left', () => {
  const live = open()
  const { chain } = live
  expect(live.isResumed).toBe(false)
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

test('behavior: a chain that was stopped goes on where it was, from its saved state or from the begin', () => {
  const live = open()
  run(live, 240)
  const { blocks } = live.chain
  const endMs = startMs + 240_000
  const resumed = open(endMs)
  expect([resumed.isResumed, resumed.genesisHash]).toEqual([true, live.genesisHash])
  const { length } = resumed.chain.blocks
  // Whoever reads it asks for the blocks behind its own, and not for all of them.
  expect(length).toBeGreaterThan(100)
  expect(length).toBeLessThan(blocks.length)
  expect(resumed.chain.blocks.map(({ blockhash }) => blockhash)).toEqual(
    blocks.slice(-length).map(({ blockhash }) => blockhash),
  )
  rmSync(join(dir, 'state'))
  const again = open(endMs)
  expect(again.chain.head).toEqual(live.chain.head)
  // Nobody ran it for an hour: those slots have no blocks.
  again.advance(endMs + 3_600_000)
  expect(again.chain.head.slot - again.chain.head.parentSlot).toBeGreaterThan(3_000)
})

test('behavior: the end of a journal that was cut short, and a journal that is none', () => {
  const live = open()
  run(live, 10)
  appendFileSync(join(dir, 'journal'), '{"mine":9')
  const resumed = open(startMs + 10_000)
  expect(resumed.chain.head).toEqual(live.chain.head)
  run(resumed, 3, startMs + 10_000)
  expect(open(startMs + 13_000).chain.head).toEqual(resumed.chain.head)
  const older = { format: journalFormat - 1, seed: 3, startTimeS: startMs / 1_000 }
  for (const text of [JSON.stringify(older), 'nothing']) {
    writeFileSync(join(dir, 'journal'), `${text}\n`)
    expect(open(startMs + 14_000).isResumed).toBe(false)
  }
})

test('behavior: a chain at its limit is full, and the next one is another', () => {
  const live = open(startMs, 80)
  run(live, 40)
  expect(live.isFull).toBe(true)
  const next = open(startMs + 40_000, 80)
  expect([next.isResumed, next.isFull]).toEqual([false, false])
  expect(next.genesisHash).not.toBe(live.genesisHash)
})
