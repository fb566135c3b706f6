import { expect, test, vi } from 'vitest'
import type { ChainReader, TokenAnswer } from './chainReader.ts'
import { createForesight } from './foresight.ts'

const at = { number: 7, hash: '0x7' }

function answerOf(symbol: string): TokenAnswer {
  return { symbol, name: symbol, decimals: 6, isUnreadable: false, totalSupply: 1n }
}

function createReader() {
  const readTokens = vi.fn<ChainReader['readTokens']>(async (all) => all.map(answerOf))
  const readPools = vi.fn<ChainReader['readPools']>(async (all) => all.map(() => null))
  return { readTokens, readPools } as unknown as ChainReader & {
    readTokens: typeof readTokens
    readPools: typeof readPools
  }
}

test('default: what was foreseen is asked once, together, and given in order', async () => {
  const reader = createReader()
  const foresight = createForesight(reader, 100)
  foresight.foresee({ tokens: ['a', 'b'], pools: ['p'], at })
  foresight.foresee({ tokens: ['b'], pools: ['p'], at })
  const answers = await foresight.readTokens(['b', 'c', 'a'], at, false)
  expect(answers.map(({ symbol }) => symbol)).toEqual(['b', 'c', 'a'])
  expect(await foresight.readPools(['p'], at)).toEqual([null])
  expect(reader.readTokens.mock.calls.map(([all]) => all)).toEqual([['a', 'b'], ['c']])
  expect(reader.readPools).toHaveBeenCalledTimes(1)
})

test('behavior: an answer is of its block', async () => {
  const reader = createReader()
  const foresight = createForesight(reader, 100)
  foresight.foresee({ tokens: ['a'], pools: [], at })
  await foresight.readTokens(['a'], { number: 8, hash: '0x8' }, false)
  expect(reader.readTokens).toHaveBeenCalledTimes(2)
})

test('behavior: a failure that was foreseen is asked again', async () => {
  const reader = createReader()
  reader.readTokens.mockRejectedValueOnce(new Error('down'))
  const foresight = createForesight(reader, 100)
  foresight.foresee({ tokens: ['a'], pools: [], at })
  expect(await foresight.readTokens(['a'], at, false)).toMatchObject([{ symbol: 'a' }])
})

test('behavior: keeps at most so many answers', async () => {
  const reader = createReader()
  const foresight = createForesight(reader, 1)
  foresight.foresee({ tokens: ['a', 'b'], pools: [], at })
  await foresight.readTokens(['a'], at, false)
  expect(reader.readTokens).toHaveBeenCalledTimes(2)
})
