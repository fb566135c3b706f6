import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createDevnetProgress } from './devnetProcess.ts'

function progressOf() {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => {
    const { level: _, time: __, ...fields } = JSON.parse(line)
    lines.push(fields)
  }
  return { mined: createDevnetProgress(pino({ base: null }, { write })), lines }
}

test('default: logs the start, each quarter, and a moving end', () => {
  const { mined, lines } = progressOf()
  for (let minedS = 32; minedS < 1_800; minedS += 32) mined(minedS, 1_800 + minedS / 100)
  mined(1_800, 1_800)
  mined(1_800, 1_800)
  expect(lines.map(({ msg, minedS }) => [msg, minedS])).toEqual(
    [32, 480, 928, 1_376, 1_800].map((minedS) => ['Mining history of the local chain', minedS]),
  )
})

test('behavior: logs nothing if no history is mined', () => {
  const { mined, lines } = progressOf()
  mined(1_800, 1_800)
  mined(0, 0)
  expect(lines).toEqual([])
})
