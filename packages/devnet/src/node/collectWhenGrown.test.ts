import { expect, test } from 'vitest'
import { createCollectWhenGrown } from './collectWhenGrown.ts'

const megabyte = 2 ** 20

/** Grows with every execution; a collection gives it back some executions later, as finalizers and other threads do. */
function run(executions: number, grownBytes: number) {
  const startBytes = 100 * megabyte
  let bytes = startBytes
  let mostBytes = 0
  let collections = 0
  let freed = { at: Number.POSITIVE_INFINITY, bytes: 0 }
  let execution = 0
  const collectWhenGrown = createCollectWhenGrown(
    () => {
      collections += 1
      freed = { at: execution + 2, bytes: bytes - startBytes }
    },
    () => bytes,
  )
  for (; execution < executions; execution += 1) {
    if (execution === freed.at) bytes -= freed.bytes
    bytes += grownBytes
    mostBytes = Math.max(mostBytes, bytes)
    collectWhenGrown()
  }
  return { collections, mostBytes }
}

test('default: growth is bounded although memory is given back late', () => {
  expect(run(1_000, 6 * megabyte).mostBytes).toBeLessThan(220 * megabyte)
})

test('behavior: what grows little is collected now and then', () => {
  const { collections } = run(1_000, 1)
  expect(collections).toBeGreaterThan(8)
  expect(collections).toBeLessThan(15)
})
