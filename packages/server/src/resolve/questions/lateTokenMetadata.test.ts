// Tokens that answer late or never.
import { setImmediate as macrotask } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import {
  answerOf,
  backfill,
  blockOf,
  describedPool,
  fakeReader,
  live,
  manualClock,
  noRecords,
  openResolver,
  poolEvent,
  swapEvent,
} from '../../../../../test/support/resolverFixture.ts'
import { pollOptions } from '../../../../../test/support/until.ts'
import { hasPlaceholderMetadata } from '../../model/token.ts'
import type { RecordReader } from '../records/recordCache.ts'

test('behavior: late metadata does not delay a live block and is delivered afterwards', async () => {
  const reader = fakeReader()
  const clock = manualClock()
  const answers: (() => void)[] = []
  reader.readTokens.mockImplementation(
    (addresses) => new Promise((resolve) => answers.push(() => resolve(addresses.map(answerOf)))),
  )
  reader.readNatives.mockImplementation(() => new Promise(() => {}))
  const resolver = openResolver({ reader, clock })
  const block = blockOf(1, [poolEvent(0, '0xpool'), swapEvent(1, '0xpool')])
  const resolving = resolver.resolve(block, live)
  await vi.waitFor(() => expect(reader.readTokens).toHaveBeenCalled(), pollOptions)
  clock.pass()
  const { tokens, natives, totals } = await resolving
  expect(tokens.map(hasPlaceholderMetadata)).toEqual([true, true])
  expect(natives.size + totals.size).toBe(0)
  expect(resolver.takeLateFacts()).toEqual([])
  for (const answer of answers) answer()
  const late = await vi.waitFor(() => {
    const facts = resolver.takeLateFacts()
    expect(facts).toHaveLength(1)
    return facts[0]!
  }, pollOptions)
  expect(late).toMatchObject({
    ref: { number: 1, hash: '1a' },
    tokens: [
      { symbol: 'AAA', decimals: 6 },
      { symbol: 'WETH', decimals: 6 },
    ],
  })
  expect(late.tokens.map(hasPlaceholderMetadata)).toEqual([false, false])
  const next = await resolver.resolve(blockOf(2, []), backfill)
  expect(next.totals).toEqual(
    new Map([
      [0, 60n],
      [1, 60n],
    ]),
  )
})

/** A clock whose sleeps end once `pass` has advanced it far enough. */
function steppedClock() {
  let nowMs = 0
  let sleeping: { untilMs: number; wake(): void }[] = []
  return {
    nowMs: () => nowMs,
    sleep: (delayMs: number) =>
      new Promise<void>((wake) => sleeping.push({ untilMs: nowMs + delayMs, wake })),
    pass(ms: number) {
      nowMs += ms
      for (const { untilMs, wake } of sleeping) if (untilMs <= nowMs) wake()
      sleeping = sleeping.filter(({ untilMs }) => untilMs > nowMs)
    },
  }
}

test('behavior: a block that prices new tokens waits longer for their decimals', async () => {
  const reader = fakeReader()
  const clock = steppedClock()
  let answer = () => {}
  reader.readTokens.mockImplementation(
    (addresses) =>
      new Promise((resolve) => {
        answer = () => resolve(addresses.map(answerOf))
      }),
  )
  const resolver = openResolver({ reader, clock, limits: { budgetMs: 300 } })
  const block = blockOf(1, [poolEvent(0, '0xpool'), swapEvent(1, '0xpool')])
  const resolving = resolver.resolve(block, live)
  await vi.waitFor(() => expect(reader.readTokens).toHaveBeenCalled(), pollOptions)
  clock.pass(2_900)
  await macrotask()
  answer()
  expect((await resolving).tokens.map(hasPlaceholderMetadata)).toEqual([false, false])
})

test('edge: after a token that never answered, blocks do not wait for a while', async () => {
  const reader = fakeReader()
  const clock = steppedClock()
  reader.readTokens.mockImplementation(() => new Promise(() => {}))
  const resolver = openResolver({ reader, clock, limits: { budgetMs: 300 } })
  const resolveAfter = async (number: number, ms: number) => {
    const token0 = `0xtoken${number}`
    const events = [poolEvent(0, `0xpool${number}`, { token0 })]
    const calls = reader.readTokens.mock.calls.length
    let isResolved = false
    const resolving = resolver.resolve(blockOf(number, events), live).then(() => {
      isResolved = true
    })
    await vi.waitFor(
      () => expect(reader.readTokens.mock.calls.length).toBeGreaterThan(calls),
      pollOptions,
    )
    clock.pass(ms - 1)
    await macrotask()
    expect(isResolved).toBe(false)
    clock.pass(1)
    await resolving
  }
  await resolveAfter(1, 3_000)
  await resolveAfter(2, 300)
  await resolveAfter(3, 300)
  clock.pass(60_000)
  await resolveAfter(4, 3_000)
})

test('behavior: a token stored without an answer is asked again, whatever event loads it', async () => {
  const standIn = { symbol: '', name: '', decimals: 18, isUnreadable: false, seenAtS: 1 }
  const stored = ['0xaaa', '0xweth'].map((address, id) => ({ id, address, ...standIn }))
  const records: RecordReader = {
    ...noRecords,
    findTokens: async (addresses) => stored.filter(({ address }) => addresses.includes(address)),
  }
  const reader = fakeReader({ '0xpool': { ...describedPool, kind: 'constantProduct' } })
  const resolver = openResolver({ reader, records, nextTokenId: 2 })
  await resolver.resolve(blockOf(1, [swapEvent(0, '0xpool')]), backfill)
  await vi.waitFor(
    () =>
      expect(resolver.takeLateFacts()).toMatchObject([
        { ref: { number: 1 }, tokens: [{ symbol: 'AAA' }, { symbol: 'WETH' }] },
      ]),
    pollOptions,
  )
})

test('behavior: late facts of a reverted block are dropped', async () => {
  const reader = fakeReader()
  const clock = manualClock()
  let answer = () => {}
  reader.readTokens.mockImplementationOnce(
    (addresses) =>
      new Promise((resolve) => {
        answer = () => resolve(addresses.map(answerOf))
      }),
  )
  const resolver = openResolver({ reader, clock })
  const resolving = resolver.resolve(blockOf(1, [poolEvent(0, '0xpool')]), live)
  await vi.waitFor(() => expect(reader.readTokens).toHaveBeenCalled(), pollOptions)
  clock.pass()
  await resolving
  resolver.revert(blockOf(1, []).ref)
  answer()
  await resolver.resolve(blockOf(1, [], 'b'), backfill)
  expect(resolver.takeLateFacts()).toEqual([])
})

test('behavior: an unreadable token does not keep the tokens read with it nameless', async () => {
  const reader = fakeReader()
  reader.readTokens.mockImplementation(async (addresses) => {
    if (addresses.includes('0xbad')) throw new Error('never')
    return addresses.map(answerOf)
  })
  const resolver = openResolver({ reader })
  const pools = [poolEvent(0, '0xpool'), poolEvent(1, '0xother', { token0: '0xbad' })]
  await resolver.resolve(blockOf(1, pools), live)
  await vi.waitFor(() => expect(resolver.stats().lateTokenCount).toBe(1), pollOptions)
  const [facts] = resolver.takeLateFacts()
  expect(facts?.ref).toEqual({ number: 1, hash: '1a' })
  expect(facts?.tokens.map(({ symbol }) => symbol)).toEqual(['AAA', 'WETH'])
})

test('behavior: an answer that arrives after its block was reverted is dropped', async () => {
  const reader = fakeReader()
  reader.readTokens.mockRejectedValue(new Error('away'))
  const resolver = openResolver({ reader })
  await resolver.resolve(blockOf(1, [poolEvent(0, '0xpool')]), live)
  await vi.waitFor(() => expect(resolver.stats().lateTokenCount).toBe(2), pollOptions)
  let answer = () => {}
  reader.readTokens.mockImplementationOnce(
    (addresses) =>
      new Promise((resolve) => {
        answer = () => resolve(addresses.map(answerOf))
      }),
  )
  await resolver.resolve(blockOf(2, []), live)
  resolver.revert(blockOf(2, []).ref)
  answer()
  await vi.waitFor(() => expect(resolver.stats().lateTokenCount).toBe(2), pollOptions)
  expect(resolver.takeLateFacts()).toEqual([])
  reader.readTokens.mockImplementation(async (addresses) => addresses.map(answerOf))
  await resolver.resolve(blockOf(2, [], 'b'), live)
  await vi.waitFor(
    () =>
      expect(resolver.takeLateFacts()).toMatchObject([{ ref: { hash: '2b' }, tokens: [{}, {}] }]),
    pollOptions,
  )
})
