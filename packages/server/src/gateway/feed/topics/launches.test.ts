import { expect, test } from 'vitest'
import { createFeedMarket, type Message } from '../../../../../../test/support/feedMarket.ts'
import { createManualMarket, rest } from '../../../../../../test/support/manualMarket.ts'
import { pair, profile, sync, token } from '../../../../../../test/support/marketChain.ts'
import type { FinishedEvent } from '../../../model/finishedBlock.ts'

const shallow = { ...profile, reorgDepthMax: 1 }
const key = 'launches:local'
const origin = { index: 0, txHash: 'tx', wallet: 'alice' }
const curve = { ...pair(2, 6, 0), platform: 'launchpad' }
const launch: FinishedEvent = {
  ...origin,
  type: 'launch',
  tokenId: 6,
  pairId: 2,
  creator: 'alice',
}
const fill = (filledPpm: number): FinishedEvent => ({
  type: 'curve',
  index: 0,
  pairId: 2,
  filledPpm,
})
const graduation: FinishedEvent = {
  ...origin,
  type: 'graduation',
  tokenId: 6,
  curvePairId: 2,
  pairId: 4,
}

/** Commits a launch and another pair, curve steps up and down, and the graduation. */
function commitLaunch({ commit }: Pick<ReturnType<typeof createManualMarket>, 'commit'>) {
  commit({ tokens: [token(6)], pairs: [curve, pair(3, 4, 1)], events: [launch, fill(50_000)] })
  commit({ events: [fill(99_999)] })
  commit({ events: [fill(120_000), fill(340_000)] })
  commit({ events: [fill(280_000)] })
  commit({
    pairs: [pair(4, 6, 0)],
    events: [fill(1_000_000), sync(4, 1_000, 1_000), graduation],
  })
}

const all = ['created 0.05', 'progress 0.12', 'progress 0.34', 'progress 0.28', 'graduated 1']
const pushed = (messages: readonly Message[]) =>
  messages.map(
    ({ result: { event, launch: of, retracted = false } }) =>
      `${retracted ? '-' : ''}${event} ${of.progress}`,
  )

test('default: a launch is pushed from its creation to its graduation', () => {
  const market = createManualMarket()
  const reader = market.subscribe(key, 1, { heartbeatS: 1 })
  commitLaunch(market)
  expect(pushed(reader.messages)).toEqual(all)
  const [first] = reader.messages
  expect(first.result).toMatchObject({ id: 'token-6-local', topic: 'launches', event: 'created' })
  expect(first.result.launch).toMatchObject({
    token: 'token-6',
    pair: 'pair-2',
    platform: 'launchpad',
    creator: 'alice',
    chain: 'local',
    symbol: 'T6',
    created_at: market.refs[1]!.timeS,
  })
  expect(reader.messages.at(-1).result.launch).toMatchObject({
    pair: 'pair-4',
    platform: 'launchpad',
  })
})

test('behavior: memory replays every curve step, the store only creations and graduations', async () => {
  const before = createManualMarket({ profile: shallow })
  const live = before.subscribe(key, 1, { revisions: true })
  commitLaunch(before)
  const { store, log, refs } = before
  store.persistedNumber = refs.at(-1)!.number
  const start = `1-${refs[0]!.hash.slice(2, 10)}-2147483647`
  const since = [start, ...live.messages.map(({ cursor }) => cursor)]
  const inMemory = since.map((cursor) => before.subscribe(key, 2, { since: cursor }))
  const snapshot = before.subscribe(key, 3, { snapshot: true })
  const after = createFeedMarket({ profile: shallow, store, log, limits: { replayPageMax: 1 } })
  const stored = since.map((cursor) => after.subscribe(key, 2, { since: cursor }))
  const storedSnapshot = after.subscribe(key, 3, { snapshot: true })
  await rest()
  // Pushes of an older launch show its current curve, so compare only their event names.
  const events = (messages: readonly Message[]) =>
    pushed(messages).map((text) => text.split(' ')[0])
  const names = all.map((text) => text.split(' ')[0])
  for (const [at, reader] of inMemory.entries()) {
    expect(events(reader.messages)).toEqual(names.slice(at))
    expect(reader.pushes).toEqual(live.pushes.slice(at))
  }
  expect(events(snapshot.messages)).toEqual(names)
  for (const [at, reader] of stored.entries())
    expect(events(reader.messages)).toEqual(names.slice(at).filter((name) => name !== 'progress'))
  expect(events(storedSnapshot.messages)).toEqual(['created', 'graduated'])
})

test('behavior: reverted news are retracted, repeated news pushed again', async () => {
  const market = createManualMarket()
  const { commit, revert, subscribe } = market
  const reader = subscribe(key, 1, { revisions: true })
  const plain = subscribe(key, 2)
  commitLaunch(market)
  const since = reader.messages.at(-1).cursor
  for (let left = 5; left > 0; left -= 1) revert()
  const retracted = ['-graduated 1', '-progress 0.28', '-progress 0.34', '-progress 0.12']
  expect(pushed(reader.messages).slice(5, 9)).toEqual(retracted)
  expect(reader.messages[9].result.launch).not.toHaveProperty('creator')
  commit({ tokens: [token(6)], pairs: [curve], events: [launch, fill(50_000)] })
  commit({ events: [fill(120_000)] })
  commit({ events: [fill(560_000)] })
  expect(pushed(reader.messages).slice(10)).toEqual([
    'created 0.05',
    'progress 0.12',
    'progress 0.56',
  ])
  expect(pushed(plain.messages)).toEqual([...all, 'progress 0.56'])
  const resumed = subscribe(key, 3, { since })
  await rest()
  expect(resumed.messages.map(({ result }) => result.retracted ?? false)).toEqual([
    ...Array(5).fill(true),
    ...Array(3).fill(false),
  ])
})
