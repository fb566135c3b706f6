// Compares the incrementally updated order, over blocks, reverts and passing time, with an order
// computed at once from the windows and a plain list of all trades.
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { gatewayChainOf } from '../../../../../test/support/gatewayChain.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { createEngine, type Engine } from '../../engine/engine.ts'
import { windowNames } from '../../engine/marketReads.ts'
import { quoteAddresses } from '../../engine/search/catalog.ts'
import type { FinishedBlock } from '../../model/finishedBlock.ts'
import type { Scheduler } from '../ground/scheduler.ts'
import { createScreenerBoards } from './screenerBoards.ts'

const dayWindow = windowNames.indexOf('24h')
const quotes = quoteAddresses(generatorProfile)

type Traded = { pairId: number; wallet: string; timeS: number }

/** Returns the swaps of a block. */
function tradedIn({ ref, events }: FinishedBlock): Traded[] {
  return events.flatMap((event) =>
    event.type === 'swap' ? [{ pairId: event.pairId, wallet: event.wallet, timeS: ref.timeS }] : [],
  )
}

function plainOrder(engine: Engine, trades: readonly Traded[], nowS: number): number[] {
  const dayStartS = (Math.floor(nowS / 60) + 1) * 60 - 86_400
  const today = trades.filter(({ timeS }) => timeS >= dayStartS)
  const found = new Map<number, { usdE8: bigint; wallets: Set<string>; changePercent: number }>()
  for (let pairId = 0; pairId < engine.pairCount(); pairId += 1) {
    const { record, targetTokenId } = engine.pairState(pairId)
    const quoteId = targetTokenId === record.token0Id ? record.token1Id : record.token0Id
    if (!record.isTrusted || !quotes.includes(engine.tokenRecord(quoteId).address)) continue
    const ofPair = today.filter((trade) => trade.pairId === pairId)
    if (ofPair.length === 0) continue
    const day = engine.pairTrading(pairId, dayWindow, nowS)
    const facts = found.get(targetTokenId) ?? { usdE8: 0n, wallets: new Set(), changePercent: 0 }
    facts.usdE8 += day.organicVolumeUsdE8
    for (const { wallet } of ofPair) facts.wallets.add(wallet)
    facts.changePercent = engine.tokenTrading(targetTokenId, dayWindow, nowS).changePercent ?? 0
    found.set(targetTokenId, facts)
  }
  const scored = [...found].map(([tokenId, { usdE8, wallets, changePercent }]) => {
    const ageDays = (nowS - engine.tokenState(tokenId).launchedAtS) / 86_400
    const volume = Math.log(1 + Number(usdE8) / 1e8) / Math.LN2
    const makers = Math.log(1 + wallets.size) / Math.LN2
    const change = changePercent < -50 ? 0.75 : changePercent > 100 ? 1.5 : 1 + changePercent / 200
    const youth = 1 + 1 / (1 + ageDays)
    return { tokenId, score: volume * makers * change * youth }
  })
  return scored
    .sort((a, b) => b.score - a.score || a.tokenId - b.tokenId)
    .map(({ tokenId }) => tokenId)
}

const moves = fc.array(
  fc.record({
    isForward: fc.integer({ min: 0, max: 5 }).map((n) => n > 0),
    waitedS: fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 50_000 })),
  }),
  { minLength: 5, maxLength: 60 },
)

/** Calls `check` after each block or revert, at non-decreasing times. */
function play(
  seed: number,
  steps: readonly { isForward: boolean; waitedS: number }[],
  engine: Engine,
  check: (nowS: number, trades: readonly Traded[]) => void,
): void {
  const generator = new BlockGenerator({ seed, wallets: 6, stepSMax: 3_000 })
  const blocks: Traded[][] = []
  let nowS = 0
  for (const { isForward, waitedS } of steps) {
    if (isForward || blocks.length < 2) {
      const block = generator.next()
      engine.apply({ type: 'commit', block })
      blocks.push(tradedIn(block))
    } else {
      engine.apply({ type: 'revert', ref: generator.revert() })
      blocks.pop()
    }
    nowS = Math.max(nowS + waitedS, engine.head()!.timeS)
    check(nowS, blocks.flat())
  }
}

/** Creates the order of a market whose clock the test controls. */
function createOrder(engine: Engine) {
  const clock = { s: 0, nowMs: () => clock.s * 1_000 }
  const chain = gatewayChainOf({ profile: generatorProfile, reads: engine })
  return { clock, order: createScreenerBoards(clock).trending(chain) }
}

/** Creates a scheduler with slots of one step. `between` is called before each slot. */
function shortTurns(between: () => void = () => {}): Scheduler {
  return {
    run: (work) => work(),
    runAnonymous: (work) => work(),
    isFree: () => true,
    isSlotOver: () => true,
    newPosition: () => 0,
    async nextSlot() {
      between()
    },
  }
}

test('behavior: the order equals the order computed from the windows', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), moves, (seed, steps) => {
      const engine = createEngine({ profile: generatorProfile })
      const { clock, order } = createOrder(engine)
      let laterS = 0
      play(seed, steps, engine, (headS, trades) => {
        for (const id of order.ids()) expect(id).toBeLessThan(engine.tokenCount())
        laterS = Math.max(laterS + 10, headS)
        clock.s = laterS
        expect(order.ids()).toEqual(plainOrder(engine, trades, laterS))
      })
    }),
    { numRuns: propertyRuns(60) },
  )
})

test('behavior: an order computed in many slots, with blocks in between, is the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.nat({ max: 30 }),
      async (seed, at) => {
        const engine = createEngine({ profile: generatorProfile })
        const { clock, order } = createOrder(engine)
        const generator = new BlockGenerator({ seed, wallets: 6, stepSMax: 3_000 })
        const blocks: FinishedBlock[] = []
        const next = () => {
          blocks.push(generator.next())
          engine.apply({ type: 'commit', block: blocks.at(-1)! })
        }
        for (let left = 20; left > 0; left -= 1) next()
        clock.s = engine.head()!.timeS
        let scheduler = 0
        await order.refresh(
          shortTurns(() => {
            scheduler += 1
            if (scheduler === at) next()
            if (scheduler === at + 5) {
              blocks.pop()
              engine.apply({ type: 'revert', ref: generator.revert() })
            }
          }),
        )
        expect(scheduler).toBeGreaterThan(1)
        clock.s = Math.max(clock.s, engine.head()!.timeS) + 1
        await order.refresh(shortTurns())
        expect(order.ids()).toEqual(plainOrder(engine, blocks.flatMap(tradedIn), clock.s))
      },
    ),
    { numRuns: propertyRuns(40) },
  )
})

test('behavior: an order is served for ten seconds and recomputed after one', async () => {
  const engine = createEngine({ profile: generatorProfile })
  const { clock, order } = createOrder(engine)
  const generator = new BlockGenerator({ seed: 3, wallets: 6, stepSMax: 3 })
  const blocks: FinishedBlock[] = []
  const grow = (count: number) => {
    for (let left = count; left > 0; left -= 1) {
      blocks.push(generator.next())
      engine.apply({ type: 'commit', block: blocks.at(-1)! })
    }
  }
  const plain = () => plainOrder(engine, blocks.flatMap(tradedIn), clock.s)
  const keep = async () => {
    const between = vi.fn()
    await order.refresh(shortTurns(between))
    return between.mock.calls.length > 0
  }
  grow(20)
  clock.s = engine.head()!.timeS
  const first = order.ids()
  expect(first).toEqual(plain())
  expect(await keep()).toBe(false)
  clock.s += 9
  expect(order.ids()).toBe(first)
  expect(await keep()).toBe(true)
  expect(order.ids()).toEqual(plain())
  expect(await keep()).toBe(false)
  blocks.pop()
  engine.apply({ type: 'revert', ref: generator.revert() })
  expect(await keep()).toBe(true)
  expect(order.ids()).toEqual(plain())
  clock.s += 10
  expect(order.ids()).toEqual(plain())
  // An order is not served once the market has outgrown it, however recent it is.
  const count = engine.activePairCount()
  for (let left = 200; left > 0 && engine.activePairCount() <= 2 * count; left -= 1) grow(1)
  clock.s = Math.max(clock.s, engine.head()!.timeS)
  expect(order.ids()).toEqual(plain())
})

test('behavior: a chain without a block takes no scheduler slot', async () => {
  const { order } = createOrder(createEngine({ profile: generatorProfile }))
  await order.refresh(shortTurns(() => expect.unreachable('no turn')))
  expect(order.ids()).toEqual([])
})
