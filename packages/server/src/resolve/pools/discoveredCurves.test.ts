// Launch curves whose launch was missed, tested with the whole resolver.
import { expect, test } from 'vitest'
import {
  blockOf,
  live,
  openResolver,
  place,
  poolEvent,
  swapEvent,
} from '../../../../../test/support/resolverFixture.ts'
import type { DecodedEvent } from '../../model/decodedBlock.ts'
import { nativeToken } from '../../model/pool.ts'

const terms = { platform: '0xpad', token0: '0xaaa', token1: nativeToken }

const tradeEvents = (index: number, curve = terms): DecodedEvent[] => [
  { ...swapEvent(index, '0xcurve'), curve } as DecodedEvent,
  { type: 'curve', ...place(index), pool: '0xcurve', filledPpm: 10 },
]

const graduationEvents = (index: number): DecodedEvent[] => [
  { type: 'graduation', ...place(index), curve: '0xcurve', pool: '0xpool', terms },
  {
    type: 'sync',
    ...place(index),
    pool: '0xcurve',
    reserve0: 0n,
    reserve1: 0n,
    priceRaw: null,
  },
]

const curveTerms = {
  kind: 'curve',
  amm: 'tapecurve',
  platform: 'tape',
  factory: '0xpad',
  isTrusted: true,
  createdAtS: 0,
}

test("default: a curve's first trade creates its pair, preceded by a launch event", async () => {
  const resolver = openResolver()
  const block = blockOf(1, [...tradeEvents(3), ...tradeEvents(4)])
  const { tokens, pairs, events } = await resolver.resolve(block, live)
  expect(tokens).toMatchObject([{ address: '0xaaa' }, { address: '0xweth' }])
  expect(pairs).toMatchObject([{ address: '0xcurve', token0Id: 0, token1Id: 1, ...curveTerms }])
  expect(events).toMatchObject([
    { type: 'launch', ...place(3), creator: '', tokenId: 0, pair: { id: 0 } },
    { type: 'swap', index: 3, pair: { id: 0 } },
    { type: 'curve', index: 3, pairId: 0 },
    { type: 'swap', index: 4 },
    { type: 'curve', index: 4 },
  ])
  expect(events[1]).not.toHaveProperty('curve')
  const next = await resolver.resolve(blockOf(2, tradeEvents(0)), live)
  expect(next.pairs).toEqual([])
  expect(next.events.map(({ type }) => type)).toEqual(['swap', 'curve'])
  expect(resolver.stats()).toMatchObject({ droppedEventCount: 0, unconfiguredCount: 0 })
})

test('behavior: a graduation also creates the pair of an unknown curve', async () => {
  const block = blockOf(1, [poolEvent(0, '0xpool'), ...graduationEvents(1)])
  const { pairs, events } = await openResolver().resolve(block, live)
  expect(pairs).toMatchObject([curveTerms, { address: '0xpool', kind: 'constantProduct' }])
  expect(events).toMatchObject([
    { type: 'liquidity', index: 0, kind: 'create', pair: { id: 1 } },
    { type: 'launch', index: 1, creator: '', tokenId: 0 },
    { type: 'graduation', index: 1, tokenId: 0, curvePairId: 0, pairId: 1 },
    { type: 'sync', index: 1, pair: { id: 0 } },
  ])
  expect(events[2]).not.toHaveProperty('terms')
})

test('behavior: no second launch event is added after an observed launch', async () => {
  const launch = { pool: '0xcurve', token0: '0xaaa', token1: nativeToken, creator: '0xc' }
  const events: DecodedEvent[] = [
    { type: 'launch', ...place(0), platform: '0xpad', ...launch },
    ...tradeEvents(1),
  ]
  const { pairs, events: resolved } = await openResolver().resolve(blockOf(1, events), live)
  expect(pairs).toMatchObject([{ ...curveTerms, createdAtS: 101 }])
  expect(resolved).toMatchObject([{ type: 'launch', creator: '0xc' }, {}, {}])
})

test('behavior: a curve is discovered again after its block was reverted', async () => {
  const resolver = openResolver()
  await resolver.resolve(blockOf(1, tradeEvents(0)), live)
  resolver.revert(blockOf(1, []).ref)
  const { pairs, events } = await resolver.resolve(blockOf(1, tradeEvents(5), 'b'), live)
  expect(pairs).toMatchObject([{ id: 0, address: '0xcurve' }])
  expect(events[0]).toMatchObject({ type: 'launch', index: 5 })
})

test('behavior: curves of unconfigured platforms are ignored', async () => {
  const resolver = openResolver()
  const block = blockOf(1, tradeEvents(0, { ...terms, platform: '0xfake' }))
  const { pairs, events } = await resolver.resolve(block, live)
  expect([pairs, events]).toEqual([[], []])
  expect(resolver.stats()).toMatchObject({ droppedEventCount: 2 })
})
