// Whatever nodes answer and however blocks commit and revert, the market shows a pool's true
// balances or none.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  firstReportedPools,
  type MemoryRows,
  recordsOf,
  revertRows,
  writeRows,
} from '../../../../../test/support/memoryPipeline.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { describedPool, fakeReader, profile } from '../../../../../test/support/resolverFixture.ts'
import { createEngine } from '../../engine/engine.ts'
import { createLedger, type LedgerResult } from '../../ledger/ledger.ts'
import { decodeUndo, encodeUndo } from '../../ledger/undo.ts'
import { createLogger } from '../../lib/logger.ts'
import type { DecodedEvent } from '../../model/decodedBlock.ts'
import type { ChainReader } from '../../resolve/chainReader.ts'
import { Resolver } from '../../resolve/resolver.ts'
import { createEngineSeedSource } from './engineSeed.ts'

const logger = createLogger('silent')
const pools = ['0xpool0', '0xpool1', '0xpool2']

type Mode = 'answers' | 'late' | 'fails'
type Move = { pool: number; amount0: number; amount1: number; isSwap: boolean }
type Step =
  | { type: 'block'; isLive: boolean; mode: Mode; moves: Move[] }
  | { type: 'revert' }
  /** `asked`: how many of the pools with unknown balances the restart passes on for a query. */
  | { type: 'restart'; asked: number }

const move = fc.record({
  pool: fc.nat(2),
  amount0: fc.integer({ min: -50, max: 50 }),
  amount1: fc.integer({ min: -50, max: 50 }),
  isSwap: fc.boolean(),
})
const block = fc.record({
  type: fc.constant('block' as const),
  isLive: fc.boolean(),
  mode: fc.constantFrom<Mode>('answers', 'late', 'fails', 'fails'),
  moves: fc.array(move, { maxLength: 3 }),
})
const step = fc.oneof(
  { weight: 6, arbitrary: block },
  { weight: 2, arbitrary: fc.constant({ type: 'revert' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('restart' as const), asked: fc.nat(pools.length) }),
  },
)

/** One swap in each pool, all with zero amounts. */
const trades = pools.map((_, pool) => ({ pool, amount0: 0, amount1: 0, isSwap: true }))

/** Balances of each pool: token0 and token1 of one pool after another. */
type Truth = bigint[]

function eventsOf(moves: readonly Move[], truth: Truth): DecodedEvent[] {
  const events: DecodedEvent[] = []
  for (const { pool, amount0, amount1, isSwap } of moves) {
    const address = pools[pool]!
    for (const [side, wanted] of [amount0, amount1].entries()) {
      const held = truth[2 * pool + side]!
      const amount = BigInt(wanted) < -held ? -held : BigInt(wanted)
      truth[2 * pool + side] = held + amount
      const ends = amount < 0n ? { from: address, to: '0xw' } : { from: '0xw', to: address }
      const token = side === 0 ? '0xaaa' : '0xweth'
      const size = amount < 0n ? -amount : amount
      events.push({
        type: 'transfer',
        index: events.length,
        txHash: 'tx',
        token,
        ...ends,
        amount: size,
      })
    }
    const place = { index: events.length, txHash: `tx${events.length}`, wallet: '0xw' }
    const state = { reserve0: null, reserve1: null, priceRaw: 2 }
    const ends = { sender: '0xw', to: '0xw', amount0: BigInt(amount0), amount1: BigInt(amount1) }
    if (isSwap) events.push({ type: 'swap', ...place, pool: address, ...ends, ...state })
  }
  return events
}

async function createWorld(first: Truth) {
  const rows: MemoryRows = {
    tokens: new Map(),
    pairs: new Map(),
    balances: new Map(),
    supplies: new Map(),
  }
  const engine = createEngine({ profile })
  const results: LedgerResult[] = []
  /** True balances by block hash. */
  const truths = new Map<string, Truth>([['start', first]])
  let mode: Mode = 'answers'
  let blockCount = 0

  const readStates: ChainReader['readStates'] = async (pairs, { hash }) => {
    if (mode === 'fails') throw new Error('missing trie node')
    if (mode === 'late') for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate)
    const truth = truths.get(hash)!
    return pairs.map(({ address }) => {
      const at = 2 * pools.indexOf(address)
      return { reserve0: truth[at]!, reserve1: truth[at + 1]!, priceRaw: 1 }
    })
  }
  const known = Object.fromEntries(pools.map((pool) => [pool, describedPool]))
  // Transfer scans always fail: transfers after discovery do not give a pool's balances.
  const reader = { ...fakeReader(known), readStates, readHistory: async () => null }
  const clock = {
    nowMs: () => 0,
    sleep: async () => {
      for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate)
    },
  }

  const unknownOf = async (asked: number) => {
    const { unknownPoolIds, unknownPools } = (await createEngineSeedSource(engine).start()).open
    return { unknownPoolIds, unknownPools: unknownPools.slice(0, asked) }
  }
  const open = async (asked: number) => ({
    resolver: new Resolver({
      profile,
      reader,
      clock,
      logger,
      records: recordsOf(rows),
      nextTokenId: rows.tokens.size,
      nextPairId: rows.pairs.size,
      openQuestions: await unknownOf(asked),
    }),
    ledger: createLedger({
      profile,
      logger,
      balances: {
        loadBalances: async (keys) =>
          keys.map(({ tokenId, wallet }) => rows.balances.get(`${tokenId} ${wallet}`) ?? 0n),
        loadSupplies: async (ids) => ids.flatMap((id) => rows.supplies.get(id) ?? []),
      },
    }),
  })
  let { resolver, ledger } = await open(pools.length)
  const head = () => results.at(-1)?.block.ref ?? { number: 0, hash: 'start' }

  return {
    engine,
    truth: () => truths.get(head().hash)!,
    async block({ isLive, mode: nextMode, moves }: Extract<Step, { type: 'block' }>) {
      mode = nextMode
      const { number, hash: parentHash } = head()
      const truth = [...truths.get(parentHash)!]
      const hash = `${++blockCount}`
      const parent = { parentNumber: number, parentHash }
      const ref = { number: number + 1, hash, ...parent, timeS: 1_700_000_000 + number }
      const events = eventsOf(moves, truth)
      truths.set(hash, truth)
      const resolved = await resolver.resolve({ ref, events }, { receivedMs: 0, isLive })
      const result = await ledger.apply(resolved)
      results.push(result)
      writeRows(rows, result)
      engine.apply({ type: 'commit', block: result.block })
      resolver.onPersisted(ref.number)
      ledger.persisted(ref.number)
    },
    revert() {
      const result = results.pop()
      if (!result) return
      const { ref } = result.block
      ledger.revert(ref, decodeUndo(encodeUndo(result.undo)))
      const answeredQuestions = { unknownPools: firstReportedPools(rows, result) }
      resolver.revert(ref, { ...result.block, answeredQuestions })
      revertRows(rows, result)
      engine.apply({ type: 'revert', ref })
    },
    async restart({ asked }: Extract<Step, { type: 'restart' }>) {
      resolver.close()
      const opened = await open(asked)
      resolver = opened.resolver
      ledger = opened.ledger
    },
    close: () => resolver.close(),
  }
}

type World = Awaited<ReturnType<typeof createWorld>>

/** Counts pools whose balances in the market are true; all others must be 0. */
function countTrue({ engine, truth }: World): number {
  let count = 0
  for (let id = 0; id < engine.pairCount(); id++) {
    const { record, reserve0, reserve1 } = engine.pairState(id)
    const at = 2 * pools.indexOf(record.address)
    const expected = truth().slice(at, at + 2)
    const isTrue = reserve0 === expected[0] && reserve1 === expected[1]
    if (!isTrue) expect([reserve0, reserve1]).toEqual([0n, 0n])
    else count++
  }
  return count
}

test('behavior: balances are true or unknown after every step, and true once a node answers', async () => {
  const balances = fc.array(fc.bigInt({ min: 1n, max: 1_000n }), { minLength: 6, maxLength: 6 })
  const steps = fc.array(step, { minLength: 1, maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(balances, steps, async (first, all) => {
      const world = await createWorld(first)
      let revertsLeft = 0
      for (const item of all) {
        if (item.type === 'block') {
          await world.block(item)
          revertsLeft = Math.min(revertsLeft + 1, profile.reorgDepthMax)
        } else if (item.type === 'restart') await world.restart(item)
        else if (revertsLeft-- > 0) world.revert()
        else revertsLeft = 0
        countTrue(world)
      }
      // Pools the restart did not pass on are queried when they trade. The second block retries
      // queries that failed before.
      for (const moves of [trades, []])
        await world.block({ type: 'block', isLive: true, mode: 'answers', moves })
      expect(countTrue(world)).toBe(world.engine.pairCount())
      world.close()
    }),
    { numRuns: propertyRuns(60) },
  )
})
