// Readers leave and return at random moments, over reorgs, trimmed memory and restarts. Each must
// end with exactly what a reader that never left has: each trade, new pair and holder count once,
// in order, and nothing that was reverted.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../../test/support/blockGenerator.ts'
import {
  createFeedMarket,
  createFeedStore,
  type FeedMarket,
  type Message,
  refWithRealHashes,
  type TestSubscriber,
  withRealHashes,
} from '../../../../../../test/support/feedMarket.ts'
import { HoldersReader, withSupplies } from '../../../../../../test/support/holdersReader.ts'
import { propertyRuns } from '../../../../../../test/support/propertyRuns.ts'
import type { FinishedBlock } from '../../../model/finishedBlock.ts'
import type { LogEntry } from '../../../model/logEntry.ts'
import { pairMilestonesOf } from '../../../model/pairMilestones.ts'
import { formatCursor, parseCursor } from '../../chain/cursor.ts'

type Step =
  | 'commit'
  | 'again'
  | 'revert'
  | 'settle'
  | 'leave'
  | 'return'
  | 'restart'
  | 'beat'
  | 'breathe'

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.constant<Step>('commit'), weight: 12 },
  { arbitrary: fc.constant<Step>('revert'), weight: 3 },
  { arbitrary: fc.constant<Step>('again'), weight: 2 },
  { arbitrary: fc.constant<Step>('settle'), weight: 3 },
  { arbitrary: fc.constant<Step>('leave'), weight: 3 },
  { arbitrary: fc.constant<Step>('return'), weight: 4 },
  { arbitrary: fc.constant<Step>('beat'), weight: 2 },
  { arbitrary: fc.constant<Step>('breathe'), weight: 3 },
  { arbitrary: fc.constant<Step>('restart'), weight: 1 },
)

// Pair 2 is the first pair of token 3 with the native token, which is in most pairs.
const keys = [
  'tx:pair-2-1-local',
  'liq:pair-0-1-local',
  'multi_tx:token-0-local',
  'new_pairs:local',
]

// Token 4 is created by a later block, if at all.
const holdersKeys = [0, 3, 4].map((id) => `holders:token-${id}-local`)

/** What a push reports, without its block, and the reader's cursor after the push. */
type Report = { report: string; cursor: string }

const reportOf = ({ tx, event, pair }: Message): string =>
  tx?.transaction ?? `${event} ${pair.pair}`

/** A client without revisions, which learns of a reverted branch only when it resumes. */
class PlainReader {
  /** Cursor of each push, by what the push reports. */
  readonly had = new Map<string, string>()
  cursor: string | null = null
  #seen = 0
  /** Pushes received in this connection. */
  readonly #pushed = new Set<string>()

  read(subscriber: TestSubscriber): void {
    for (; this.#seen < subscriber.messages.length; this.#seen += 1)
      this.#take(subscriber.messages[this.#seen])
  }

  returned(): void {
    this.#seen = 0
    this.#pushed.clear()
  }

  #take({ error, result, cursor }: Message): void {
    if (error !== undefined) {
      expect(error.data.code).toBe('cursor_orphaned')
      this.cursor = error.data.cursor
      const { number } = parseCursor(this.cursor!)!
      for (const [report, place] of this.had)
        if (parseCursor(place)!.number > number) this.had.delete(report)
      return
    }
    // Heartbeats have no cursor while a replay runs.
    if (result.topic === 'heartbeat') {
      this.cursor = cursor ?? this.cursor
      return
    }
    const report = reportOf(result)
    if (result.retracted === true) {
      expect(this.had.delete(report)).toBe(true)
      this.#pushed.delete(report)
    } else {
      expect(this.#pushed.has(report)).toBe(false)
      this.#pushed.add(report)
      this.had.set(report, cursor)
    }
    this.cursor = cursor
  }
}

/** A client with revisions. */
class Reader {
  /** Pushes that were not retracted, each with its cursor. */
  readonly tape: Report[] = []
  cursor: string | null = null
  #seen = 0
  readonly #taken: Message[] = []

  read(subscriber: TestSubscriber): void {
    for (; this.#seen < subscriber.messages.length; this.#seen += 1)
      this.#take(subscriber.messages[this.#seen])
  }

  returned(): void {
    this.#seen = 0
  }

  #take(message: Message): void {
    this.#taken.push(message)
    if (message.error !== undefined) {
      this.#fall(message)
      return
    }
    const { result, cursor } = message
    // Heartbeats have no cursor while a replay runs.
    if (result.topic === 'heartbeat') {
      this.cursor = cursor ?? this.cursor
      return
    }
    const report = reportOf(result)
    if (result.retracted === true) expect(this.tape.pop()?.report).toBe(report)
    else {
      const before = this.tape.at(-1)
      if (before !== undefined) expect(placeOf(cursor)).toBeGreaterThan(placeOf(before.cursor))
      this.tape.push({ report, cursor })
    }
    this.cursor = cursor
  }

  /**
   * Drops everything after the last common cursor, because the server no longer knows what it
   * reverted.
   */
  #fall({ error }: Message): void {
    expect(error.data.code).toBe('cursor_orphaned')
    this.cursor = error.data.cursor
    const { number } = parseCursor(this.cursor!)!
    while (this.tape.length > 0 && parseCursor(this.tape.at(-1)!.cursor)!.number > number)
      this.tape.pop()
  }
}

function placeOf(cursor: string): number {
  const { number, index } = parseCursor(cursor)!
  return number * 10_000 + index
}

const breathe = () => new Promise<void>((resolve) => setImmediate(resolve))

async function rest(): Promise<void> {
  for (let left = 20; left > 0; left -= 1) await breathe()
}

type World = { market: FeedMarket; log: LogEntry[]; finalNumber: number }

async function run(seed: number, steps: readonly Step[]): Promise<void> {
  const generator = new BlockGenerator({ seed, numberStepMax: seed % 2 === 0 ? 1 : 7 })
  const store = createFeedStore()
  store.topHolders.set(0, [{ wallet: 'alice', balance: 1n }])
  const kept = { limits: { replayPageMax: 3 }, recentLimits: { recentBlocksMax: 4 } }
  const world: World = { market: createFeedMarket({ store, ...kept }), log: [], finalNumber: 0 }
  const apply = (entry: LogEntry) => {
    world.log.push(entry)
    world.market.apply(entry)
  }
  const add = (block: FinishedBlock) =>
    apply({ type: 'commit', block: withSupplies(withRealHashes(block)) })
  const commit = () => add(generator.next())
  commit()
  const first = world.market.engine.head()!
  apply({ type: 'finalize', ref: first })
  world.finalNumber = first.number
  const revised = keys.map((key) => ({ key, reader: new Reader(), revisions: true }))
  const plain = keys.map((key) => ({ key, reader: new PlainReader(), revisions: false }))
  const ofHolders = [true, false].flatMap((revisions) =>
    holdersKeys.map((key) => ({ key, reader: new HoldersReader(key, revisions), revisions })),
  )
  const readers = [...revised, ...plain, ...ofHolders]
  const connect = ({ key, revisions }: { key: string; revisions: boolean }, since: string | null) =>
    world.market.subscribe(key, 1, { revisions, since, heartbeatS: 1 })
  let here: (TestSubscriber | null)[] = readers.map((reader) => connect(reader, null))
  const listen = () =>
    here.forEach((subscriber, at) => {
      if (subscriber !== null) readers[at]!.reader.read(subscriber)
    })
  const comeBack = () => {
    listen()
    here = here.map((subscriber, at) => {
      const { reader } = readers[at]!
      const hasFallen = subscriber?.messages.some(({ error }) => error !== undefined)
      if (subscriber !== null && !hasFallen) return subscriber
      reader.returned()
      return connect(readers[at]!, reader.cursor)
    })
  }
  for (const move of steps) {
    const head = world.market.engine.head()!
    if (move === 'commit') commit()
    else if (move === 'breathe') await breathe()
    else if (move === 'beat') {
      const { clock, feed } = world.market
      clock.ms += 1_000
      feed.tick(clock.ms)
    } else if (move === 'revert' && head.parentNumber > world.finalNumber)
      apply({ type: 'revert', ref: refWithRealHashes(generator.revert()) })
    else if (move === 'again') {
      const block = generator.again()
      if (block !== null) add(block)
    } else if (move === 'settle') settle(world)
    else if (move === 'leave') {
      listen()
      here = here.map((subscriber, at) => {
        // A reader without a cursor cannot resume, so it stays.
        if (subscriber === null || readers[at]!.reader.cursor === null) return subscriber
        world.market.unsubscribe(subscriber)
        return null
      })
    } else if (move === 'return') comeBack()
    else if (move === 'restart' && readers.every(({ reader }) => reader.cursor !== null)) {
      listen()
      here = here.map(() => null)
      store.persistedNumber = head.number
      world.market = createFeedMarket({ store, ...kept, log: world.log })
      comeBack()
    }
  }
  for (let round = 0; round < 3; round += 1) {
    await rest()
    // A reader waits a while for a missing block before the server answers with an older cursor.
    world.market.feed.tick(Number.MAX_SAFE_INTEGER)
    await rest()
    comeBack()
  }
  await rest()
  listen()
  for (const { key, reader } of revised) expect(reader.tape).toEqual(tapeOf(world, key))
  for (const { key, reader } of plain) {
    const missing = tapeOf(world, key).filter(({ report }) => !reader.had.has(report))
    expect({ key, missing }).toEqual({ key, missing: [] })
  }
  for (const { reader } of ofHolders) reader.check(world.market)
}

/** Stores all blocks and finalizes old ones, so that memory may drop them. */
function settle(world: World): void {
  const { market } = world
  const head = market.engine.head()!
  const ref = market.store.blocks.at(-3)?.ref
  market.store.persistedNumber = head.number
  if (ref === undefined || ref.number <= world.finalNumber) return
  world.finalNumber = ref.number
  const entry: LogEntry = { type: 'finalize', ref }
  world.log.push(entry)
  market.apply(entry)
}

/** The pushes that the canonical chain amounts to. */
function tapeOf({ market }: World, key: string): Report[] {
  const { store, engine } = market
  const blocks = store.blocks.filter(({ ref }) => !isBeforeStart(ref.number))
  const [topic, id] = key.split(':') as [string, string]
  if (topic === 'new_pairs')
    return blocks.flatMap(({ ref, events }) =>
      pairMilestonesOf(events).map(({ event, pairId }, index) => ({
        report: `${event} ${engine.pairRecord(pairId).address}`,
        cursor: formatCursor(ref, index),
      })),
    )
  const address = id.slice(0, id.lastIndexOf('-'))
  return blocks.flatMap(({ ref, events }) =>
    events.flatMap((event) => {
      if (event.type !== 'swap' && event.type !== 'liquidity') return []
      if ((event.type === 'liquidity') !== (topic === 'liq')) return []
      const { pairId, index, txHash } = event.type === 'swap' ? event.swap : event.liquidity
      const { record } = engine.pairState(pairId)
      const isOf =
        topic === 'multi_tx'
          ? [record.token0Id, record.token1Id].includes(engine.findToken(address)!)
          : record.address === address
      return isOf ? [{ report: txHash, cursor: formatCursor(ref, index) }] : []
    }),
  )
}

/** Whether a block is older than the readers' subscriptions. */
const isBeforeStart = (number: number) => number === 1

// A reader of a reverted block stays away until a block that replaced an older one is final.
const forkBelowFinality =
  'commit commit commit revert revert return commit revert restart commit commit commit settle leave commit ' +
  'restart revert commit return commit commit commit'

// A reader is away while a block is committed and reverted, and is back when its events repeat.
const againAfterReturn =
  'commit beat leave commit commit commit revert revert revert return breathe again again again'

// A reader leaves in the middle of its replay, right after a heartbeat.
const beatWhileBehind =
  'commit beat leave commit commit commit commit return beat leave commit return breathe'

const stepsOf = (text: string) => text.split(' ') as Step[]

test('behavior: readers that leave and return miss nothing and get nothing twice', async () => {
  expect(generatorProfile.name).toBe('local')
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.array(step, { minLength: 10, maxLength: 90 }),
      run,
    ),
    {
      numRuns: propertyRuns(150),
      examples: [
        [2_130_575_043, stepsOf(forkBelowFinality)],
        [1, stepsOf(againAfterReturn)],
        [1, stepsOf(beatWhileBehind)],
      ],
    },
  )
})
