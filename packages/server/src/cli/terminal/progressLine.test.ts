import { expect, test } from 'vitest'
import { createProgressLine, progressBar, progressText } from './progressLine.ts'

const half = {
  chain: 'eth',
  fromBlock: 1_000,
  nextBlock: 3_500,
  toBlock: 5_999,
  eventCount: 12_345_678,
  blockCount: 2_000,
}

function lineOf({ isTTY }: { isTTY: boolean }) {
  const written: string[] = []
  const clock = { ms: 0 }
  const sink = { write: (text: string) => void written.push(text), isTTY, columns: 60 }
  return { line: createProgressLine(sink, () => clock.ms), written, clock }
}

test('default: progress shows blocks, events per second and time left', () => {
  expect(progressText(half, 10_000)).toBe(
    'eth  2,500/5,000 blocks  50.0 %  1,234,568 events/s  ETA 00:00:13',
  )
})

test('behavior: progress before the first figures and at the end', () => {
  expect(progressText({ ...half, nextBlock: 1_000, blockCount: 0, eventCount: 0 }, 0)).toBe(
    'eth  0/5,000 blocks  0.0 %  0 events/s  ETA -',
  )
  expect(progressText({ ...half, nextBlock: 5_999 }, 10_000)).toContain('99.9 %')
  expect(progressText({ ...half, nextBlock: 6_000 }, 10_000)).toContain('100.0 %')
})

test('behavior: the bar is full only at the end', () => {
  const at = (nextBlock: number) => progressBar({ ...half, nextBlock })
  expect(at(1_000)).toBe(`[${' '.repeat(20)}]`)
  expect(at(3_500)).toBe(`[${'='.repeat(10)}${' '.repeat(10)}]`)
  expect(at(5_999)).toBe(`[${'='.repeat(19)} ]`)
  expect(at(6_000)).toBe(`[${'='.repeat(20)}]`)
  expect(progressBar({ ...half, fromBlock: 6_000, nextBlock: 6_000 })).toBe(`[${'='.repeat(20)}]`)
})

test('behavior: a terminal line rewrites itself, within its width', () => {
  const { line, written, clock } = lineOf({ isTTY: true })
  line.update(half)
  clock.ms = 100
  line.update(half)
  expect(written).toHaveLength(1)
  clock.ms = 200
  line.update(half)
  expect(written).toHaveLength(2)
  line.end()
  expect(written).toHaveLength(3)
  for (const text of written.slice(0, 2)) {
    expect(text.startsWith('\r\x1b[2K[==========          ] eth  ')).toBe(true)
    expect(text.length - '\r\x1b[2K'.length).toBeLessThan(60)
  }
  expect(written[2]).toBe('\n')
})

test('behavior: without a terminal there are few plain lines, and the last state', () => {
  const { line, written, clock } = lineOf({ isTTY: false })
  line.update(half)
  clock.ms = 9_999
  line.update(half)
  expect(written).toHaveLength(1)
  line.update({ ...half, nextBlock: 6_000 })
  line.end()
  expect(written).toHaveLength(2)
  expect(written[1]).toMatch(/^eth .*100\.0 %.*\n$/)
})

test('behavior: later blocks do not raise progress above 100 %', () => {
  expect(progressText({ ...half, nextBlock: 6_115, blockCount: 5_115 }, 10_000)).toBe(
    'eth  5,000/5,000 blocks  100.0 %  1,234,568 events/s  ETA 00:00:00',
  )
})

test('behavior: progress names what it waits for', () => {
  const waitsFor = 'requests_per_second_max of 0:node.example'
  expect(progressText({ ...half, waitsFor }, 10_000)).toMatch(/ETA 00:00:13 {2}waits for requests_/)
  expect(progressText({ ...half, waitsFor, nextBlock: 6_000 }, 10_000)).not.toContain('waits')
})
