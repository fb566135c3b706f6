import { expect, test, vi } from 'vitest'
import { createLogger } from '../../lib/logger.ts'
import type { UnverifiedBlock } from '../../model/trust/doubt.ts'
import { createUnverifiedBlocks } from './verifyBlocks.ts'

const blockOf = (number: number, digest = 'digest'): UnverifiedBlock => ({
  number,
  hash: `h${number}`,
  digest,
  parent: { number: number - 1, hash: `h${number - 1}` },
})

type Answer = 'right' | 'wrong' | 'unknown'

function open(known: readonly UnverifiedBlock[], answer: (number: number) => Answer) {
  let nowMs = 0
  const review = vi.fn(async ({ number }: UnverifiedBlock) => answer(number))
  const digestOf = (block: string) => `digest of ${block}`
  const logger = createLogger('silent')
  const warn = vi.spyOn(logger, 'warn')
  const reviews = createUnverifiedBlocks<string>({
    chain: 'eth',
    known,
    reviews: { review, digestOf },
    everyMs: 100,
    logger,
    clock: { nowMs: () => nowMs },
  })
  /** Settles as the next block would. */
  async function next(settledNumber = 0) {
    const settled = reviews.takeVerdicts(settledNumber)
    await new Promise(setImmediate)
    return settled
  }
  return {
    reviews,
    warn,
    next,
    asked: () => review.mock.calls.map(([{ number }]) => number),
    wait: () => {
      nowMs += 100
    },
  }
}

const refOf = (number: number) => ({
  number,
  hash: `h${number}`,
  parentNumber: number - 1,
  parentHash: `h${number - 1}`,
  timeS: 0,
})

test('default: checks blocks one after another until a verdict is known', async () => {
  let isKnown = false
  const { reviews, asked, next, wait } = open([blockOf(3), blockOf(5)], () =>
    isKnown ? 'right' : 'unknown',
  )
  const doubt = reviews.add('block 9', refOf(9), 'it is odd')
  expect(doubt).toEqual({ reason: 'it is odd', digest: 'digest of block 9' })
  expect(reviews.add('block 10', refOf(10), null)).toBeNull()
  for (let left = 4; left > 0; left -= 1) {
    expect(await next()).toBeNull()
    wait()
  }
  expect(asked()).toEqual([3, 5, 9, 3])
  isKnown = true
  const right: number[] = []
  for (let left = 5; left > 0; left -= 1) {
    right.push(...((await next())?.right ?? []))
    wait()
  }
  expect(asked().slice(4)).toEqual([5, 9, 3])
  expect(right).toEqual([5, 9, 3])
})

test('args: everyMs', async () => {
  const { asked, next, wait } = open([blockOf(3), blockOf(5)], () => 'unknown')
  await next()
  await next()
  expect(asked()).toEqual([3])
  wait()
  await next()
  expect(asked()).toEqual([3, 5])
})

test('behavior: re-reads a wrong block that can be reverted', async () => {
  const { next } = open([blockOf(5)], () => 'wrong')
  await next(4)
  const since = { number: 5, hash: 'h5', parentNumber: 4, parentHash: 'h4' }
  await expect(next(4)).rejects.toMatchObject({ code: 'CHAIN_BLOCK_UNTRUE', since })
})

test.each<[string, UnverifiedBlock, number]>([
  ['is final', blockOf(5), 5],
  ['is no longer in the log', { ...blockOf(5), parent: null }, 0],
])(
  'behavior: keeps and logs the mark of a wrong block that %s',
  async (_, block, settledNumber) => {
    const { next, warn } = open([block], () => 'wrong')
    await next(settledNumber)
    const wrong = [{ number: 5, reason: expect.stringContaining('not true') }]
    expect(await next(settledNumber)).toEqual({ right: [], wrong })
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ number: 5 }))
    expect(await next(settledNumber)).toBeNull()
  },
)

test('behavior: drops the verdict on a block that was reverted meanwhile', async () => {
  const { reviews, asked, next, wait } = open([blockOf(3), blockOf(5)], () => 'wrong')
  reviews.revert(3)
  const isAsked = next()
  reviews.revert(5)
  reviews.add('another block', refOf(5), 'it is odd')
  await isAsked
  expect(await next(9)).toBeNull()
  expect(asked()).toEqual([5])
  wait()
  await next(9)
  reviews.revert(5)
  expect(await next(9)).toBeNull()
})
