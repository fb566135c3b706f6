import { expect, test } from 'vitest'
import { RpcError } from '../../errors.ts'
import type { RpcCall } from '../../rpc/rpcCall.ts'
import { createLogRange, endpointOf, fetchRangeLogs, type RangeContext } from './rangeLogs.ts'

test('default: shrinks at once and grows back', () => {
  const range = createLogRange({ blocks: 500, blocksMax: 500 })
  range.onTooLarge(500, undefined)
  expect(range.blocks()).toBe(250)
  range.onAnswer(250)
  expect(range.blocks()).toBe(275)
  for (let answer = 0; answer < 20; answer += 1) range.onAnswer(range.blocks())
  expect(range.blocks()).toBe(500)
})

test('args: suggested', () => {
  const range = createLogRange({ blocks: 500, blocksMax: 500 })
  range.onTooLarge(500, 37)
  expect(range.blocks()).toBe(37)
})

test('behavior: a suggestion that is no smaller is not believed', () => {
  const range = createLogRange({ blocks: 100, blocksMax: 100 })
  range.onTooLarge(100, 100)
  expect(range.blocks()).toBe(50)
})

test('behavior: requests already under way shrink it once', () => {
  const range = createLogRange({ blocks: 400, blocksMax: 400 })
  for (let lane = 0; lane < 4; lane += 1) range.onTooLarge(400, undefined)
  expect(range.blocks()).toBe(200)
})

test('behavior: never under one block, and grows from there', () => {
  const range = createLogRange({ blocks: 3, blocksMax: 10 })
  for (let again = 0; again < 9; again += 1) range.onTooLarge(range.blocks(), undefined)
  expect(range.blocks()).toBe(1)
  range.onAnswer(1)
  expect(range.blocks()).toBe(2)
})

test('behavior: a short last request does not make it grow', () => {
  const range = createLogRange({ blocks: 100, blocksMax: 1_000 })
  range.onAnswer(7)
  expect(range.blocks()).toBe(100)
})

test('behavior: full answers let a size of a few blocks grow by one, up to the maximum', () => {
  const range = createLogRange({ blocks: 4, blocksMax: 6 })
  const sizes = Array.from({ length: 4 }, () => {
    range.onAnswer(range.blocks())
    return range.blocks()
  })
  expect(sizes).toEqual([5, 6, 6, 6])
  expect(createLogRange({ blocks: 50, blocksMax: 6 }).blocks()).toBe(6)
})

test('behavior: a suggestion that is larger than the current size does not raise it', () => {
  const range = createLogRange({ blocks: 100, blocksMax: 100 })
  range.onTooLarge(100, 10)
  range.onTooLarge(100, 60)
  expect(range.blocks()).toBe(10)
})

/** A node with a log in every block, which gives the logs of at most `blocksMax` blocks. */
function openLimited(blocksMax: number, blocks: number, kind: 'failed' | 'rateLimited' = 'failed') {
  const asked: string[] = []
  const rpc = {
    requestBatch: async (calls: readonly RpcCall[]) => {
      const { method, params } = calls[0]!
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
      const [first, last] = [Number(fromBlock), Number(toBlock)]
      asked.push(`${first}-${last}`)
      if (last - first + 1 > blocksMax) {
        const facts = { kind, method, endpoint: null, detail: '' }
        return [{ ok: false, error: new RpcError(facts), endpoint: 1 }]
      }
      const numbers = Array.from({ length: last - first + 1 }, (_, at) => first + at)
      const value = numbers.map((number) => ({ blockNumber: `0x${number.toString(16)}` }))
      return [{ ok: true, value, endpoint: 1 }]
    },
  }
  const context = {
    chain: 'test',
    rpc,
    topics0: ['0x1'],
    isComplete: { block: false, range: false },
    logRange: createLogRange({ blocks, blocksMax: blocks }),
  } as unknown as RangeContext
  const read = (from: number, to: number) =>
    fetchRangeLogs(context, from, to, { signal: new AbortController().signal })
  return { asked, read }
}

test('behavior: two refused blocks are asked for one by one, and none counts as without logs', async () => {
  const { asked, read } = openLimited(1, 2)
  const { of, answers } = await read(5, 6)
  expect(asked).toEqual(['5-6', '5-5', '6-6'])
  expect([...of].map(([number, { logs }]) => [number, logs?.length])).toEqual([
    [5, 1],
    [6, 1],
  ])
  expect(answers).toEqual([
    { first: 5, last: 5, endpoint: 1 },
    { first: 6, last: 6, endpoint: 1 },
  ])
})

test('behavior: a single block that is refused has unknown logs, and the range goes on', async () => {
  const { asked, read } = openLimited(0, 2)
  const logs = await read(5, 6)
  expect(asked).toEqual(['5-6', '5-5', '6-6'])
  expect([...logs.of]).toEqual([
    [5, { logs: null, endpoint: 1 }],
    [6, { logs: null, endpoint: 1 }],
  ])
  expect(endpointOf(logs, 6)).toBe(1)
})

test('error: a rate limit says nothing about the size and ends the reading', async () => {
  const { asked, read } = openLimited(1, 2, 'rateLimited')
  await expect(read(5, 6)).rejects.toMatchObject({ code: 'RPC_RATE_LIMITED' })
  expect(asked).toEqual(['5-6'])
})
