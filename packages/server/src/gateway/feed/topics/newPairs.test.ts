import { expect, test } from 'vitest'
import {
  createFeedMarket,
  createFeedStore,
  type Message,
} from '../../../../../../test/support/feedMarket.ts'
import { createManualMarket, rest } from '../../../../../../test/support/manualMarket.ts'
import { pair, profile, sync, token } from '../../../../../../test/support/marketChain.ts'
import type { FinishedEvent } from '../../../model/finishedBlock.ts'
import { noFeedOptions } from '../params/feedOptions.ts'
import type { Push } from '../push.ts'

const shallow = { ...profile, reorgDepthMax: 1 }
const origin = { index: 0, txHash: 'tx', wallet: 'alice' }
const graduation: FinishedEvent = {
  ...origin,
  type: 'graduation',
  tokenId: 6,
  curvePairId: 2,
  pairId: 5,
}

/**
 * Commits six news in four blocks: a launch with another pair, one more pair, the graduation with
 * its pair, and a last pair.
 */
function commitNews({ commit }: Pick<ReturnType<typeof createManualMarket>, 'commit'>) {
  commit({
    tokens: [token(6)],
    pairs: [pair(2, 6, 0), pair(3, 6, 1)],
    events: [{ ...origin, type: 'launch', tokenId: 6, pairId: 2, creator: 'alice' }],
  })
  commit()
  commit({ pairs: [pair(4, 4, 1)], events: [sync(4, 1_000, 1_000)] })
  commit({ pairs: [pair(5, 6, 0)], events: [sync(5, 1_000, 1_000), graduation] })
  // A second graduation of the same launch is no news.
  commit({ events: [graduation] })
  commit({ pairs: [pair(6, 4, 3)] })
}

const news = [
  ['created', 'pair-2'],
  ['created', 'pair-3'],
  ['created', 'pair-4'],
  ['created', 'pair-5'],
  ['graduated', 'pair-5'],
  ['created', 'pair-6'],
]

const pushed = (messages: readonly Message[]) =>
  messages.map(({ result }) => [result.event, result.pair.pair])
const cursors = (messages: readonly Message[]) => messages.map(({ cursor }) => cursor)

/**
 * A reader that was always connected, and the same service after a restart with few blocks in
 * memory.
 */
function restart(replayPageMax: number) {
  const before = createManualMarket({ profile: shallow })
  const live = before.subscribe('new_pairs:local', 1, { revisions: true })
  commitNews(before)
  const { store, log, refs } = before
  store.persistedNumber = refs.at(-1)!.number
  const limits = { replayPageMax }
  return { live, refs, ...createFeedMarket({ profile: shallow, store, log, limits }) }
}

test.each([1, 2, 3, 500])(
  'default: after a restart missed pairs come from the store, in pages of %i',
  async (pageMax) => {
    const { live, refs, subscribe, apply, store } = restart(pageMax)
    expect(pushed(live.messages)).toEqual(news)
    const start = `1-${refs[0]!.hash.slice(2, 10)}-2147483647`
    const sinceAll = [start, ...cursors(live.messages)]
    const readers = sinceAll.map((since) => subscribe('new_pairs:local', 2, { since }))
    const reads = store.reads
    await rest()
    for (const [at, reader] of readers.entries()) {
      expect(pushed(reader.messages)).toEqual(news.slice(at))
      expect(cursors(reader.messages)).toEqual(cursors(live.messages).slice(at))
      // A slow reader gets the cursor from which it missed pushes.
      expect(reader.pushes).toEqual(live.pushes.slice(at))
    }
    expect(store.reads).toBeGreaterThan(reads)
    // The time of receipt is unknown for blocks read from the store.
    expect(readers[0]!.messages[0].received_time).toBe(null)
    const parent = refs.at(-1)!
    const next = { parentNumber: parent.number, parentHash: parent.hash }
    const ref = { ...parent, ...next, number: parent.number + 1, hash: '0xnext' }
    const parts = { tokens: [], pairs: [pair(7, 5, 0)], events: [], supplies: [], nativeUsd: null }
    apply({ type: 'commit', block: { ref, receivedMs: 0, ...parts } })
    for (const [at, { messages }] of readers.entries())
      expect(pushed(messages)).toEqual([...news, ['created', 'pair-7']].slice(at))
  },
)

test('behavior: a pair discovered after its creation is not pushed, its graduation is', async () => {
  const { commit, subscribe, refs } = createManualMarket()
  const reader = subscribe('new_pairs:local')
  const late = { createdAtS: 0 }
  commit({
    tokens: [token(6)],
    pairs: [{ ...pair(2, 6, 0), ...late }, pair(3, 4, 1), { ...pair(4, 4, 3), ...late }],
    events: [{ ...origin, type: 'launch', tokenId: 6, pairId: 2, creator: '' }],
  })
  commit({ pairs: [{ ...pair(5, 6, 0), ...late }], events: [sync(5, 1_000, 1_000), graduation] })
  const expected = [
    ['created', 'pair-3'],
    ['graduated', 'pair-5'],
  ]
  expect(pushed(reader.messages)).toEqual(expected)
  const back = subscribe('new_pairs:local', 2, { since: `1-${refs[0]!.hash.slice(2, 10)}-9` })
  await rest()
  expect(pushed(back.messages)).toEqual(expected)
})

test('behavior: a replayed pair shows its current state', async () => {
  const { refs, subscribe } = restart(2)
  const reader = subscribe('new_pairs:local', 2, { since: `1-${refs[0]!.hash.slice(2, 10)}-9` })
  await rest()
  expect(reader.messages[3].result.pair).toMatchObject({ pair: 'pair-5', reserve0: '1000' })
})

test('behavior: pages of a replay wait for a slow reader, and stop when it leaves', async () => {
  const { refs, feed } = restart(1)
  const since = `1-${refs[0]!.hash.slice(2, 10)}-2147483647`
  const messages: string[] = []
  let makeRoom: () => void = () => undefined
  const reader = {
    id: 1,
    isDetailed: true,
    options: { ...noFeedOptions, since },
    socket: {},
    send: (push: { cursor: string }) => messages.push(push.cursor),
    drained: () =>
      new Promise<void>((resolve) => {
        makeRoom = resolve
      }),
  }
  const item = { key: 'new_pairs:local' }
  feed.add(item, reader)
  for (const count of [1, 2, 3]) {
    await rest()
    expect(messages).toHaveLength(count)
    if (count === 3) feed.remove(item, reader)
    makeRoom()
  }
  await rest()
  expect(messages).toHaveLength(3)
})

test('error: the log is deleted in the middle of a replay', async () => {
  const { refs, feed, store } = restart(1)
  const since = `1-${refs[0]!.hash.slice(2, 10)}-2147483647`
  const texts: string[] = []
  const reader = {
    id: 1,
    isDetailed: true,
    options: { ...noFeedOptions, since },
    socket: {},
    send: (push: { detailed(): Buffer }) => texts.push(push.detailed().toString()),
    drained: async () => {
      store.blocks = store.blocks.slice(3)
    },
  }
  feed.add({ key: 'new_pairs:local' }, reader)
  await rest()
  expect(texts).toHaveLength(2)
  expect(texts[1]).toContain('"code":"cursor_unknown"')
})

test('error: without a store only blocks in memory can be replayed', async () => {
  const before = createManualMarket({ profile: shallow })
  commitNews(before)
  const { log, refs } = before
  const { subscribe } = createFeedMarket({ profile: shallow, log, hasHistory: false })
  const reader = subscribe('new_pairs:local', 1, { since: `1-${refs[0]!.hash.slice(2, 10)}-9` })
  await rest()
  expect(reader.messages).toMatchObject([{ error: { data: { code: 'cursor_unknown' } } }])
})

test.each([true, false])(
  'behavior: a cursor in reverted blocks gets retractions first, revisions %s',
  async (revisions) => {
    const { subscribe, unsubscribe, commit, revert } = createManualMarket()
    const reader = subscribe('new_pairs:local', 1, { revisions: true })
    commit({ tokens: [token(6)], pairs: [pair(2, 6, 0), pair(3, 6, 1)] })
    commit()
    commit({ pairs: [pair(4, 4, 1), pair(5, 6, 0)] })
    unsubscribe(reader)
    const had = reader.messages.slice(0, 3)
    for (let left = 3; left > 0; left -= 1) revert()
    const address = 'pair-other'
    commit({ tokens: [token(6)], pairs: [{ ...pair(2, 6, 0), address }] })
    // The reader has the first news of the last block, not the second.
    const { cursor: since } = had.at(-1)
    const back = subscribe('new_pairs:local', 2, { since, revisions })
    await rest()
    const marks = back.messages.map(({ result }) => [
      result.retracted ?? false,
      ...pushed([{ result }])[0]!,
    ])
    expect(marks).toEqual([
      [true, 'created', 'pair-4'],
      [true, 'created', 'pair-3'],
      [true, 'created', 'pair-2'],
      [false, 'created', 'pair-other'],
    ])
    // The cursor of a retraction is before the retracted event, and can be resumed from as well.
    expect(back.messages[1].cursor).toBe(had[0].cursor)
    const again = subscribe('new_pairs:local', 3, { since: back.messages[1].cursor })
    await rest()
    expect(pushed(again.messages)).toEqual([
      ['created', 'pair-2'],
      ['created', 'pair-other'],
    ])
  },
)

test('behavior: a snapshot reads the store if memory has too few pairs', async () => {
  const before = createManualMarket({ profile: shallow })
  commitNews(before)
  const { log, refs, store } = before
  store.persistedNumber = refs.at(-1)!.number
  for (const max of [1, 4, 100]) {
    const limits = { snapshotEventsMax: max }
    const { subscribe } = createFeedMarket({ profile: shallow, store, log, limits })
    const reader = subscribe('new_pairs:local', 1, { snapshot: true })
    await rest()
    const all = [['created', 'pair-0'], ['created', 'pair-1'], ...news]
    expect(pushed(reader.messages)).toEqual(all.slice(-max))
    expect(reader.messages.every(({ result }) => result.snapshot === true)).toBe(true)
  }
})

test('behavior: a resume from the heartbeat of a block gets nothing of that block again', async () => {
  const store = createFeedStore()
  const { subscribe, commit, feed, clock } = createManualMarket({ store })
  const reader = subscribe('new_pairs:local', 1, { heartbeatS: 1 })
  commit({ pairs: [pair(2, 4, 1), pair(3, 5, 0), pair(4, 5, 1)] })
  feed.tick(clock.ms)
  const beat = reader.messages.at(-1)
  expect(beat.result.topic).toBe('heartbeat')
  commit({ pairs: [pair(5, 4, 3)] })
  const back = subscribe('new_pairs:local', 2, { since: beat.cursor })
  await rest()
  expect(pushed(back.messages)).toEqual([['created', 'pair-5']])
})

test('behavior: heartbeats have no cursor while a replay runs', async () => {
  const { refs, feed, clock } = restart(1)
  const since = `1-${refs[0]!.hash.slice(2, 10)}-2147483647`
  const messages: Message[] = []
  let makeRoom: () => void = () => undefined
  const reader = {
    id: 1,
    isDetailed: true,
    socket: {},
    options: { ...noFeedOptions, since, heartbeatS: 1 },
    send: (push: Push) => messages.push(JSON.parse(`{"id":1${push.detailed()}`)),
    drained: () =>
      new Promise<void>((resolve) => {
        makeRoom = resolve
      }),
  }
  feed.add({ key: 'new_pairs:local' }, reader)
  for (let second = 0; messages.at(-1)?.result.pair?.pair !== 'pair-6'; second += 1) {
    feed.tick(clock.ms + second * 1_000)
    makeRoom()
    await rest()
  }
  feed.tick(clock.ms + 1_000_000)
  const beats = messages.filter(({ result }) => result.topic === 'heartbeat')
  const head = refs.at(-1)!
  expect(beats.length).toBeGreaterThan(3)
  expect(beats.slice(0, -1).every(({ cursor }) => cursor === null)).toBe(true)
  expect(beats.at(-1).cursor).toBe(`${head.number}-${head.hash.slice(2, 10)}-0`)
})

test('behavior: a subscription that ended with an error gets no heartbeats', async () => {
  const { subscribe, feed, clock } = createManualMarket()
  const reader = subscribe('new_pairs:local', 1, { since: '900000-00000000-0', heartbeatS: 1 })
  await rest()
  feed.tick(clock.ms)
  expect(reader.messages).toMatchObject([{ error: { data: { code: 'cursor_unknown' } } }])
})
