import fc from 'fast-check'
import { expect, test } from 'vitest'
import { disprovedBlockReason } from '../../packages/server/src/model/trust/doubt.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import {
  dumpChain,
  dumpMarket,
  dumpTables,
  silentLogger,
  type TestConnection,
  withClient,
} from '../support/postgres.ts'
import {
  createWriteSequence,
  klineEvent,
  liquidityEvent,
  pairRecord,
  randomHistory,
  startS,
  supplyEvent,
  swapEvent,
  tokenRecord,
} from '../support/storeWrites.ts'
import { useStore } from '../support/useStore.ts'

let connection: TestConnection
let store: Store
let chainId: number

const openWriter = useStore((opened) => {
  ;({ connection, store, chainId } = opened)
})

function fullEvents(index: number) {
  return [
    { type: 'token', token: tokenRecord(index) },
    { type: 'pair', pair: pairRecord(index) },
    supplyEvent(0, BigInt(index)),
    swapEvent(1, index),
    swapEvent(2, index),
    liquidityEvent(3, index),
    klineEvent(index, 0, startS),
    klineEvent(index, 1, startS),
    klineEvent(index, 5, startS),
    { type: 'launch', state: 'created', tokenId: index, pairId: index },
    { type: 'openKlines', pairId: index },
  ] as const
}

test('default: a block is stored with its log entry and cursor', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  writer.append(tape.commit({ events: fullEvents(0) }))
  await writer.flush()

  expect(await store.loadCursor(chainId)).toEqual({
    seq: 1,
    number: 0,
    hash: 'hash0',
    finalized: -1,
    firstNumber: 0,
    swapsFromS: null,
  })
  const counts = Object.fromEntries(
    Object.entries(await dumpMarket(connection)).map(([table, rows]) => [table, rows.length]),
  )
  expect(counts).toEqual({
    swaps: 2,
    liquidity: 1,
    klines_s1: 1,
    klines_k1: 1,
    klines: 1,
    tokens: 1,
    pairs: 1,
    supplies: 1,
    launches: 1,
    balances: 0,
    undo: 5,
  })
  expect(writer.status()).toMatchObject({
    queuedBlocks: 0,
    lastError: null,
    lastPersisted: { seq: 1, number: 0 },
    retentionHeld: null,
    writingSinceMs: null,
  })
})

test('behavior: a revert leaves every table as it was before the block', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  const balance = (wallet: string, before: bigint, after: bigint) => ({
    tokenId: 0,
    wallet,
    before,
    after,
  })
  writer.append(
    tape.commit({
      events: fullEvents(0),
      balances: [balance('a', 0n, 5n), balance('b', 0n, 10n ** 40n)],
    }),
  )
  await writer.flush()
  const before = await dumpMarket(connection)

  writer.append(
    tape.commit({
      events: [...fullEvents(1), { type: 'launch', state: 'almost', tokenId: 0, pairId: 0 }],
      balances: [balance('a', 5n, 0n), balance('b', 10n ** 40n, 1n), balance('c', 0n, 4n)],
    }),
  )
  await writer.flush()
  expect(await dumpMarket(connection)).not.toEqual(before)
  writer.append(tape.revert())
  await writer.flush()

  expect(await dumpMarket(connection)).toEqual(before)
  expect(await store.loadCursor(chainId)).toMatchObject({ seq: 3, number: 0, hash: 'hash0' })
  writer.append(tape.commit({ events: fullEvents(1), fork: 'b' }))
  await writer.flush()
  expect(await store.findPairs(chainId, ['pair0', 'pair1'])).toHaveLength(2)
})

test('behavior: late facts are reverted with their block, whether later ones follow or not', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  writer.append(tape.commit({ events: [supplyEvent(0, 1n)] }))
  await writer.flush()
  const before = await dumpMarket(connection)
  writer.append(tape.commit({ events: [{ type: 'token', token: tokenRecord(0) }] }))
  const block = tape.head()!
  await writer.flush()
  writer.append(tape.commit({ events: [supplyEvent(0, 3n)] }))
  const better = tokenRecord(0, { symbol: 'BETTER' })
  const late = [{ type: 'token', token: better }, supplyEvent(0, 2n)] as const
  writer.append(tape.late(late, block))
  writer.append(tape.revert())
  await writer.flush()

  expect(await store.findTokens(chainId, ['token0'])).toEqual([better])
  expect(await store.loadSupplies(chainId, [0])).toEqual([supplyEvent(0, 2n).supply])
  writer.append(tape.revert())
  await writer.flush()
  expect(await dumpMarket(connection)).toEqual(before)
})

const batches = fc.array(
  fc.record({ size: fc.integer({ min: 1, max: 25 }), isReopened: fc.boolean() }),
  { minLength: 1, maxLength: 8 },
)

test('behavior: any batching of the same blocks stores the same', async () => {
  let chains = 0
  const openChain = async () => {
    const chain = `chain${chains++}`
    return { chain, chainId: await store.ensureChain(chain) }
  }
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.nat(40),
      fc.constantFrom(1, 30, 5_000),
      batches,
      async (seed, finalBlocks, batchRowsMax, sizes) => {
        const historyOf = (id: number) => randomHistory(id, seed, 60, { finalBlocks, lateEvery: 9 })
        const single = await openChain()
        const slow = await store.openWriter({ ...single, limits: { batchBlocksMax: 1 } })
        for (const write of historyOf(single.chainId)) slow.append(write)
        await slow.flush()
        await slow.close()

        const batched = await openChain()
        const limits = { batchRowsMax }
        let writer = await store.openWriter({ ...batched, limits })
        const history = historyOf(batched.chainId)
        for (let turn = 0; history.length > 0; turn += 1) {
          const { size, isReopened } = sizes[turn % sizes.length]!
          for (const write of history.splice(0, size)) writer.append(write)
          await writer.flush()
          if (!isReopened) continue
          await writer.close()
          writer = await store.openWriter({ ...batched, limits })
        }
        await writer.close()
        const expected = await dumpChain(connection, single.chainId)
        expect(expected.log!.length).toBeGreaterThanOrEqual(60)
        expect(await dumpChain(connection, batched.chainId)).toEqual(expected)
      },
    ),
    { numRuns: 6 },
  )
})

test('behavior: reverting a whole random history ends in empty tables', async () => {
  const history = randomHistory(chainId, 11, 120).filter(
    ({ entries }) => entries[0]!.type !== 'finalize',
  )
  const writer = await openWriter()
  const stack: (typeof history)[number][] = []
  let seq = 0
  const renumber = (write: (typeof history)[number]) => {
    seq += 1
    return { ...write, expectedSeq: seq - 1 }
  }
  for (const write of history) {
    if (write.reverted === null) stack.push(write)
    else stack.pop()
    writer.append(renumber(write))
  }
  while (stack.length > 0) {
    const { entries, balances } = stack.pop()!
    const reverted = entries[0]!.ref
    const headAfter = stack.at(-1)?.headAfter ?? { number: -1, hash: '' }
    writer.append(
      renumber({
        ...history[0]!,
        entries: [{ type: 'revert', ref: reverted, bytes: Buffer.alloc(1), undo: null }],
        events: [{ type: 'reverted', ref: reverted }],
        headAfter,
        balances,
        reverted,
      }),
    )
  }
  await writer.flush()
  for (const [table, rows] of Object.entries(await dumpMarket(connection)))
    expect([table, rows]).toEqual([table, []])
})

test('behavior: finality deletes the undo records', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  writer.append(tape.commit({ events: fullEvents(0) }))
  writer.append(tape.commit({ events: fullEvents(1) }))
  writer.append(tape.finalize(0))
  await writer.flush()
  const { undo } = await dumpMarket(connection)
  expect(undo!.length).toBe(5)
  expect(undo!.every((row) => row.includes(',1,'))).toBe(true)
  expect(await store.loadCursor(chainId)).toMatchObject({ seq: 3, number: 1, finalized: 0 })
})

test('behavior: blocks that are final when stored keep no undo', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  for (let block = 0; block < 5; block++)
    writer.append(tape.commit({ events: fullEvents(block), isFinal: true }))
  await writer.flush()
  const { undo, swaps, supplies } = await dumpMarket(connection)
  expect([undo!.length, swaps!.length, supplies!.length]).toEqual([0, 10, 1])
  expect(await store.loadSupplies(chainId, [0])).toEqual([supplyEvent(0, 4n).supply])
})

test('behavior: a reverted first block does not count as the first, and the next block does', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId, { number: 5 })
  writer.append(tape.commit())
  writer.append(tape.commit())
  await writer.flush()
  writer.append(tape.revert())
  writer.append(tape.revert())
  await writer.flush()
  expect(writer.status().history.firstNumber).toBe(null)
  writer.append(tape.commit({ fork: 'b' }))
  await writer.flush()
  expect(writer.status().history.firstNumber).toBe(5)
})

test('error: a write that does not begin at the stored cursor', async () => {
  const errors: unknown[] = []
  const writer = await openWriter({ onFatal: (error) => errors.push(error) })
  const tape = createWriteSequence(chainId, { seq: 5 })
  const moved = expect.objectContaining({ code: 'LOG_MOVED' })
  expect(() => writer.append(tape.commit({ events: fullEvents(0) }))).toThrow(moved)
  // The database also refuses the write: another process moved the cursor.
  await withClient(connection, (client) => client.query('UPDATE cursors SET seq = 7'))
  writer.append(createWriteSequence(chainId).commit({ events: fullEvents(0) }))
  await expect(writer.flush()).rejects.toMatchObject({ code: 'STORE_CURSOR_MISMATCH' })
  expect(errors).toHaveLength(1)
  expect(() => writer.append(tape.commit())).toThrow('not where this write begins')
  await withClient(connection, (client) => client.query('UPDATE cursors SET seq = 0'))
  for (const rows of Object.values(await dumpMarket(connection))) expect(rows).toEqual([])
  expect(await store.loadCursor(chainId)).toMatchObject({ seq: 0, number: -1 })
})

test('error: a revert of a final block, or of one that is not the newest', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  writer.append(tape.commit({ events: fullEvents(0), isFinal: true }))
  await writer.flush()
  const before = await dumpMarket(connection)
  writer.append(tape.revert())
  await expect(writer.flush()).rejects.toMatchObject({ code: 'STORE_NOT_REVERSIBLE' })
  expect(await dumpMarket(connection)).toEqual(before)
  expect(await store.loadCursor(chainId)).toMatchObject({ seq: 1, number: 0 })
})

test('error: a duplicate row ends the writer and stores nothing of the block', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  writer.append(tape.commit({ events: [swapEvent(1, 0), swapEvent(1, 0)] }))
  await expect(writer.flush()).rejects.toMatchObject({
    code: 'STORE_WRITE_FAILED',
    message: expect.stringContaining('23505'),
  })
  expect(await dumpTables(connection, ['log', 'swaps'])).toEqual({ log: [], swaps: [] })
})

test('error: a block that cannot be converted to rows ends the writer at once and stores nothing of it', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  writer.append(tape.commit({ events: [swapEvent(1, 0)] }))
  await writer.flush()
  // Only a bug can produce a fractional raw amount.
  const broken = swapEvent(2, 0, { amount0: '1.5' as unknown as bigint })
  writer.append(tape.commit({ events: [swapEvent(1, 0), broken] }))
  await expect(writer.flush()).rejects.toMatchObject({ code: 'STORE_INTERNAL', retryable: false })
  expect(await store.loadCursor(chainId)).toMatchObject({ seq: 1 })
})

test('error: a second writer of the same chain', async () => {
  const writer = await openWriter()
  const other = await openStore({ connection, logger: silentLogger })
  const second = other.openWriter({ chainId, chain: 'local' })
  await expect(second).rejects.toMatchObject({ code: 'STORE_WRITER_LOCKED', retryable: false })
  const bscId = await other.ensureChain('bsc')
  const bsc = await other.openWriter({ chainId: bscId, chain: 'bsc' })
  bsc.append(createWriteSequence(bscId).commit({ events: fullEvents(0) }))
  await bsc.flush()
  await writer.close()
  const third = await other.openWriter({ chainId, chain: 'local' })
  third.append(createWriteSequence(chainId).commit({ events: fullEvents(0) }))
  await third.flush()
  await other.close()
})

test('error: entries that are not consecutive', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  writer.append(tape.commit())
  tape.commit()
  expect(() => writer.append(tape.commit())).toThrow('does not end where this entry is to go')
})

test('behavior: omissions of blocks are known to the next run and deleted with their block', async () => {
  const none = { missed: [], cleared: [], forgotten: [], leftOut: [] }
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  const leave = (leftOut: object) =>
    writer.append({ ...tape.commit({ events: [] }), leftOut: { ...none, ...leftOut } })
  leave({ leftOut: ['0xa', '0xb', '0xc', '0xd'] })
  leave({ leftOut: ['0xa'] })
  leave({ missed: ['0xa'], cleared: ['0xb'] })
  leave({ forgotten: [{ address: '0xc', isSettled: false }] })
  leave({ forgotten: [{ address: '0xd', isSettled: true }], leftOut: ['0xe'] })
  await writer.flush()
  const missedPools = {
    count: 1,
    fromNumber: 0,
    toNumber: 1,
    pools: [{ address: '0xa', fromNumber: 0, toNumber: 1 }],
  }
  const forgottenContracts = { count: 1, fromNumber: 0, toNumber: 0 }
  expect(writer.status().leftOut).toEqual({ missedPools, forgottenContracts })
  await writer.close()
  const again = await openWriter()
  expect(again.status().leftOut).toEqual({ missedPools, forgottenContracts })
  const [open] = await store.loadLeftOut(chainId)
  expect(open).toMatchObject({ address: '0xe', since: { number: 4 } })
  again.append(tape.revert())
  await again.flush()
  expect(await store.loadLeftOut(chainId)).toEqual([])
  expect(again.status().leftOut).toEqual({ missedPools, forgottenContracts })
  await again.close()
})

test('behavior: unverified blocks are marked, counted, resolved, and deleted with their block', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  writer.append(tape.commit({ events: [] }))
  const marked = tape.commit({ events: [] })
  writer.append({ ...marked, doubt: { reason: 'a reserve jumps', digest: 'd1' } })
  const last = tape.commit({ events: [] })
  writer.append({ ...last, doubt: { reason: 'endpoints disagree', digest: 'd2' } })
  await writer.flush()
  expect(writer.status().doubtful).toEqual({ count: 2, newestNumber: 2, untrueCount: 0 })
  await writer.close()
  const again = await openWriter()
  expect(again.status().doubtful).toEqual({ count: 2, newestNumber: 2, untrueCount: 0 })
  const { hash, parentNumber, parentHash } = marked.entries[0]!.ref
  const parent = { number: parentNumber, hash: parentHash }
  const first = { number: 1, hash, digest: 'd1', parent }
  expect(await store.loadDoubtfulBlocks(chainId, 10)).toMatchObject([first, { number: 2 }])
  expect(await store.loadDoubtfulBlocks(chainId, 1)).toMatchObject([{ number: 2 }])
  again.append(tape.revert())
  await again.flush()
  expect(again.status().doubtful).toEqual({ count: 1, newestNumber: 1, untrueCount: 0 })
  const wrong = [{ number: 1, reason: disprovedBlockReason }]
  again.append({ ...tape.commit({ events: [] }), settledDoubts: { right: [], wrong } })
  await again.flush()
  // The block stays marked and is not verified again.
  expect(again.status().doubtful).toEqual({ count: 1, newestNumber: 1, untrueCount: 1 })
  expect(await store.loadDoubtfulBlocks(chainId, 10)).toEqual([])
  again.append({ ...tape.commit({ events: [] }), settledDoubts: { right: [1], wrong: [] } })
  await again.flush()
  expect(again.status().doubtful).toEqual({ count: 0, newestNumber: null, untrueCount: 0 })
  await again.close()
})
