import { expect, test, vi } from 'vitest'
import { createStepLines } from './stepLines.ts'

function linesOf({ hasColors = false, columns = 60 } = {}) {
  const written: string[] = []
  const clock = { ms: 0 }
  const sink = { write: (text: string) => void written.push(text), isTTY: true, hasColors, columns }
  return { lines: createStepLines(sink, () => clock.ms), written, clock }
}

test('default: the current step is redrawn, completed ones stay', () => {
  vi.useFakeTimers()
  const { lines, written, clock } = linesOf()
  lines.show({ title: 'Starting PostgreSQL' })
  vi.advanceTimersByTime(160)
  clock.ms = 2_500
  lines.show({ title: 'Mining history', done: 1, total: 4 })
  lines.end(true)
  vi.advanceTimersByTime(1_000)
  vi.useRealTimers()
  expect(written).toEqual([
    '\r\x1b[2K⠙ Starting PostgreSQL 0.0 s',
    '\r\x1b[2K⠹ Starting PostgreSQL 0.0 s',
    '\r\x1b[2K⠸ Starting PostgreSQL 0.0 s',
    '\r\x1b[2K✔ Starting PostgreSQL 2.5 s\n',
    `\r\x1b[2K⠼ Mining history ${'█'.repeat(6)}${'░'.repeat(18)} 25 %`,
    '\r\x1b[2K✔ Mining history 0.0 s\n',
  ])
})

test('behavior: the reason of a wait is cut to the line', () => {
  const { lines, written } = linesOf({ columns: 30 })
  lines.show({ title: 'Catching up', note: 'eth: ECONNREFUSED 127.0.0.1:8545' })
  lines.end(false)
  expect(written[0]).toBe('\r\x1b[2K⠙ Catching up eth: ECONNREFUS')
  expect(written[1]).toBe('\r\x1b[2K✖ Catching up 0.0 s\n')
})

test('behavior: steps are colored on a terminal with colors', () => {
  const { lines, written } = linesOf({ hasColors: true })
  lines.show({ title: 'Stopping' })
  lines.end(true)
  expect(written.at(-1)).toBe('\r\x1b[2K\x1b[32m✔\x1b[0m Stopping \x1b[2m0.0 s\x1b[0m\n')
})
