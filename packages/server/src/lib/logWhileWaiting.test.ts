import { pino } from 'pino'
import { expect, test } from 'vitest'
import { logWhileWaiting } from './logWhileWaiting.ts'

test('behavior: says again and again what it waits for, as that changes', async () => {
  const lines: { waitsFor: string }[] = []
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  let waitsFor = 'the database'
  const untilTold = (count: number) =>
    new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (lines.length < count) return
        clearInterval(timer)
        resolve()
      }, 1)
    })
  const work = async () => {
    await untilTold(1)
    waitsFor = 'another process to let go of the chain "eth"'
    await untilTold(lines.length + 1)
    return 7
  }
  expect(await logWhileWaiting(work(), { logger, waitsFor: () => waitsFor, everyMs: 1 })).toBe(7)
  expect(lines[0]).toMatchObject({ msg: 'Still waiting', waitsFor: 'the database' })
  expect(lines.at(-1)).toMatchObject({ waitsFor: 'another process to let go of the chain "eth"' })
})
