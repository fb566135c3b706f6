import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createDevnetProgress } from './devnetProgress.ts'

function progressOf() {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => {
    const { level: _, time: __, ...fields } = JSON.parse(line)
    lines.push(fields)
  }
  return { ...createDevnetProgress(pino({ base: null }, { write })), lines }
}

test('default: a line when it begins, one for each quarter, one when it ends', () => {
  const { replayed, lines } = progressOf()
  for (let blocks = 0; blocks <= 1_000; blocks += 20) replayed(blocks, 1_000)
  const msg = 'Rebuilding the local chain from its journal'
  expect(lines).toEqual(
    [0, 260, 500, 760, 1_000].map((minedBlocks) => {
      return { msg, minedBlocks, totalBlocks: 1_000 }
    }),
  )
})

test('behavior: history whose end moves on while it is mined', () => {
  const { mined, lines } = progressOf()
  for (let minedS = 32; minedS < 1_800; minedS += 32) mined(minedS, 1_800 + minedS / 100)
  mined(1_800, 1_800)
  mined(1_800, 1_800)
  expect(lines.map(({ msg, minedS }) => [msg, minedS])).toEqual(
    [32, 480, 928, 1_376, 1_800].map((minedS) => ['Mining history of the local chain', minedS]),
  )
})

test('behavior: nothing to do is not reported', () => {
  const { replayed, mined, lines } = progressOf()
  mined(1_800, 1_800)
  mined(0, 0)
  replayed(0, 0)
  expect(lines).toEqual([])
})
