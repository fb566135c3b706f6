// Scans of older token transfers, tested with the whole resolver: no block is delayed by them.
import { expect, test, vi } from 'vitest'
import {
  backfill,
  blockOf,
  emptySums,
  fakeReader,
  live,
  manualClock,
  moveEvent,
  openResolver,
  poolEvent,
  zero,
} from '../../../../../test/support/resolverFixture.ts'
import { pollOptions } from '../../../../../test/support/until.ts'
import { createLogger } from '../../lib/logger.ts'
import type { ChainReader } from '../chainReader.ts'
import { TransfersRefusedError } from '../errors.ts'
import { resolverLimitsDefault } from '../resolverOptions.ts'
import { TransferScans } from './transferScans.ts'

const token = (index: number) => `0x${'a'.repeat(index)}`
/** A block that discovers one token. */
const blockWith = (number: number) =>
  blockOf(number, [
    poolEvent(0, `0xpool${number}`, { token0: token(number) } as never),
    moveEvent(1, token(number), 2n),
  ])

const callsOf = (reader: ReturnType<typeof fakeReader>, address: string) =>
  reader.readHistory.mock.calls.filter(([query]) => query.token === address).length

test.each([
  ['catching up', backfill],
  ['live', live],
])('default: unanswered transfer scans do not stop blocks, %s', async (_, options) => {
  const reader = fakeReader()
  reader.readHistory.mockImplementation(() => new Promise(() => {}))
  const clock = manualClock()
  const resolver = openResolver({ reader, clock })
  const first = resolver.resolve(blockWith(1), options)
  await vi.waitFor(() => expect(reader.readHistory).toHaveBeenCalled(), pollOptions)
  clock.pass()
  expect((await first).histories).toEqual([])
  // The first block waited without success, so the second does not wait at all.
  expect((await resolver.resolve(blockWith(2), options)).histories).toEqual([])
  expect(callsOf(reader, token(1))).toBe(1)
  expect(resolver.stats()).toMatchObject({ openScanCount: 3, failedScanCount: 0 })
  resolver.close()
})

test('behavior: blocks pause waiting for longer after each timeout, until a scan is in time again', async () => {
  const reader = fakeReader()
  const clock = manualClock()
  const sleep = vi.spyOn(clock, 'sleep').mockImplementation(async () => {})
  const hang = () => new Promise<never>(() => {})
  reader.readHistory.mockImplementation(hang)
  const resolver = openResolver({ reader, clock, limits: { historyJobsMax: 100 } })
  const waitedAt: number[] = []
  const resolveOne = async (number: number) => {
    const before = sleep.mock.calls.length
    await resolver.resolve(blockWith(number), backfill)
    if (sleep.mock.calls.length > before) waitedAt.push(number)
  }
  for (let number = 1; number <= 16; number += 1) await resolveOne(number)
  expect(waitedAt).toEqual([1, 3, 6, 11])
  sleep.mockImplementation(hang)
  reader.readHistory.mockImplementation(async () => emptySums())
  for (let number = 17; number <= 22; number += 1) await resolveOne(number)
  expect(waitedAt).toEqual([1, 3, 6, 11, 20, 21, 22])
  resolver.close()
})

test('behavior: a refused scan is counted once and retried much later', async () => {
  const reader = fakeReader()
  let nowMs = 0
  const clock = { ...manualClock(), nowMs: () => nowMs }
  const resolver = openResolver({ reader, clock, limits: { transferScanRetryMs: 1_000 } })
  let isRefused = true
  reader.readHistory.mockImplementation(async ({ token: address }) => {
    if (isRefused && address === token(1))
      throw new TransfersRefusedError({ token: address, block: 1, cause: null })
    return emptySums()
  })
  const { histories } = await resolver.resolve(blockWith(1), backfill)
  expect(histories).toMatchObject([{ tokenId: 1 }])
  expect(resolver.stats()).toMatchObject({ openScanCount: 0, failedScanCount: 1 })
  nowMs = 999
  await resolver.resolve(blockOf(2, []), backfill)
  expect(callsOf(reader, token(1))).toBe(1)
  nowMs = 1_000
  await resolver.resolve(blockOf(3, []), backfill)
  expect(callsOf(reader, token(1))).toBe(2)
  // A token counts as failed once, however often its scan is refused.
  expect(resolver.stats()).toMatchObject({ openScanCount: 0, failedScanCount: 1 })
  nowMs = 2_000
  isRefused = false
  const given = await resolver.resolve(blockOf(4, [moveEvent(0, token(1), 5n)]), backfill)
  const later = await resolver.resolve(blockOf(5, []), backfill)
  expect([...given.histories, ...later.histories]).toMatchObject([{ tokenId: 0 }])
  expect(reader.readHistory.mock.lastCall![0].to).toMatchObject({ number: 3 })
})

test('behavior: reverting the block that created a token drops its refused scan', async () => {
  const reader = fakeReader()
  let nowMs = 0
  const clock = { ...manualClock(), nowMs: () => nowMs }
  const resolver = openResolver({ reader, clock, limits: { transferScanRetryMs: 1_000 } })
  reader.readHistory.mockImplementation(async ({ token: address }) => {
    throw new TransfersRefusedError({ token: address, block: 1, cause: null })
  })
  const { ref } = await resolver.resolve(blockWith(1), backfill)
  const asked = reader.readHistory.mock.calls.length
  resolver.revert(ref)
  nowMs = 5_000
  await resolver.resolve(blockOf(1, [], 'b'), backfill)
  expect(reader.readHistory).toHaveBeenCalledTimes(asked)
})

test('behavior: balances reported during a scan override the scanned ones', async () => {
  const reader = fakeReader()
  const clock = manualClock()
  let answer = (_: ReturnType<typeof emptySums>) => {}
  reader.readHistory.mockImplementation(
    ({ token: address }) =>
      new Promise((resolve) => {
        if (address === token(1)) answer = resolve
        else resolve(emptySums())
      }),
  )
  const resolver = openResolver({ reader, clock })
  const first = resolver.resolve(blockWith(1), backfill)
  await vi.waitFor(() => expect(reader.readHistory).toHaveBeenCalled(), pollOptions)
  clock.pass()
  await first
  const balance = { type: 'balance', index: 0, txHash: 'tx', token: token(1) } as const
  const part = { ...balance, owner: '0xmany', before: 10n, amount: 4n }
  await resolver.resolve(
    blockOf(2, [{ ...balance, owner: '0xtrader', amount: 5n }, part]),
    backfill,
  )
  answer({
    ...emptySums(),
    balances: new Map([
      ['0xold', 3n],
      ['0xtrader', 80n],
      ['0xmany', 30n],
    ]),
  })
  await vi.waitFor(async () => expect(resolver.stats().openScanCount).toBe(0), pollOptions)
  const { histories } = await resolver.resolve(blockOf(3, []), backfill)
  expect(histories.map(({ balances }) => Object.fromEntries(balances))).toContainEqual({
    '0xold': 3n,
    '0xtrader': 5n,
    // Amounts outside the reported accounts are kept.
    '0xmany': 24n,
  })
  resolver.close()
})

test('behavior: holders as of a later block come one block after it, and not at all if it is reverted', async () => {
  const reader = fakeReader()
  const balances = new Map([
    ['0xold', 3n],
    ['0xtrader', 7n],
  ])
  const resolver = openResolver({ reader, clock: manualClock() })
  reader.readHistory.mockImplementation(async ({ token: address }) =>
    address === token(1) ? { ...emptySums(), balances, asOf: 2 } : emptySums(),
  )
  const told = (owner: string, amount: bigint) => {
    return { type: 'balance', index: 0, txHash: 'tx', token: token(1), owner, amount } as const
  }
  const ofToken = ({
    histories,
  }: {
    histories: readonly { balances: ReadonlyMap<string, bigint> }[]
  }) => histories.map((one) => Object.fromEntries(one.balances)).filter((one) => '0xold' in one)
  expect(ofToken(await resolver.resolve(blockWith(1), backfill))).toEqual([])
  const second = blockOf(2, [told('0xtrader', 9n), { ...told('0xgone', 5n), index: 1 }])
  const { ref } = await resolver.resolve(second, backfill)
  // The scan as of block 2 includes all of it: an owner missing from the scan has a balance of 0.
  const given = { '0xold': 3n, '0xtrader': 7n, '0xgone': 0n }
  const third = await resolver.resolve(blockOf(3, [told('0xtrader', 1n)]), backfill)
  expect(ofToken(third)).toEqual([given])
  resolver.revert(third.ref)
  const other = await resolver.resolve(blockOf(3, [], 'c'), backfill)
  expect(ofToken(other)).toEqual([given])
  resolver.revert(other.ref)
  resolver.revert(ref)
  await resolver.resolve(blockOf(2, [], 'd'), backfill)
  expect(ofToken(await resolver.resolve(blockOf(3, [], 'e'), backfill))).toEqual([])
  resolver.close()
})

test.each([
  ['confirms the balances', [60n, 40n], false],
  ['reports another balance', [61n, 40n], true],
  ['reports no balance', [null, null], false],
])(
  'behavior: a token that %s of its largest holders is marked accordingly',
  async (_, told, isContradicted) => {
    const reader = {
      ...fakeReader(),
      readBalances: vi.fn<NonNullable<ChainReader['readBalances']>>(async () => told),
    }
    const balances = new Map([
      ['0xsmall', 40n],
      ['0xlarge', 60n],
      ['0xgone', 0n],
    ])
    reader.readHistory.mockImplementation(async () => ({ ...emptySums(), balances }))
    const resolver = openResolver({ reader })
    const { histories } = await resolver.resolve(blockWith(1), backfill)
    const ofToken = reader.readBalances.mock.calls.filter(([asked]) => asked[0]?.token === token(1))
    expect(ofToken.map(([asked]) => asked.map(({ wallet }) => wallet))).toEqual([
      ['0xlarge', '0xsmall'],
    ])
    expect(new Set(histories.map((history) => history.isContradicted))).toEqual(
      new Set([isContradicted]),
    )
    resolver.close()
  },
)

test.each([
  ['was created in it', true, 0],
  ['was there before and whose transfers are not answered', false, 500],
])('behavior: a block waits for a token that %s for %s ms', async (_, isNewborn, waitedMs) => {
  let passedMs = 0
  const reader = fakeReader()
  reader.readHistory.mockImplementation(() => new Promise(() => {}))
  const jobs = new TransferScans({
    reader,
    clock: {
      nowMs: () => passedMs,
      // Time passes only for sleeps that nothing has ended meanwhile.
      async sleep(ms, signal) {
        await new Promise(setImmediate)
        if (!signal?.aborted) passedMs += ms
      },
    },
    limits: { ...resolverLimitsDefault, transferScanWaitMs: 500 },
    zeroAddress: zero,
    logger: createLogger('silent'),
  })
  const { ref } = blockOf(7, [])
  jobs.start({ id: 1, address: token(1) }, ref, isNewborn)
  await jobs.waitBriefly(ref)
  expect(passedMs).toBe(waitedMs)
  expect(jobs.openCount).toBe(isNewborn ? 0 : 1)
  jobs.close()
})
