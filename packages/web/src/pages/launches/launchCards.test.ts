import { expect, test } from 'vitest'
import { createLaunchCards, type LaunchCard, type LaunchNews } from './launchCards.ts'

const nowMs = 1_750_000_000_000
const nowS = nowMs / 1_000

const launchOf = (token: string, progress = '0') => ({
  amm: 'tapecurve',
  chain: 'local',
  token,
  name: token,
  symbol: token,
  decimal: 18,
  created_at: nowS,
  creator: '0x1',
  current_price_usd: '1',
  holders: 1,
  market_cap: '10',
  pair: '0xp',
  platform: 'tape',
  progress,
  total: '10',
})

const newsOf = (event: LaunchNews['event'], token: string, progress = '0'): LaunchNews => ({
  event,
  topic: 'launches',
  id: `${token}-local`,
  launch: launchOf(token, progress),
})

const cardOf = (token: string, changes: Partial<LaunchCard> = {}): LaunchCard => ({
  chain: 'local',
  token,
  symbol: token,
  name: token,
  issue_platform: 'tape',
  holders: 1,
  mcapUsd: '1',
  priceUsd: '1',
  progress: 0,
  isGraduated: false,
  atS: nowS - 60,
  change: '0',
  volumeUsd: '5',
  ...changes,
})

function tokensOf(cards: ReturnType<typeof createLaunchCards>) {
  const { new: created, almost, graduated } = cards.columns(nowMs)
  return [created, almost, graduated].map((column) => column.map(({ token }) => token).join())
}

test('default: a launch goes through the columns as it is pushed', () => {
  const cards = createLaunchCards()
  cards.answered([cardOf('old')], nowMs)
  cards.pushed(newsOf('created', 'a'), nowMs)
  expect(tokensOf(cards)).toEqual(['a,old', '', ''])
  cards.pushed(newsOf('progress', 'a', '0.81'), nowMs)
  expect(tokensOf(cards)).toEqual(['old', 'a', ''])
  cards.pushed(newsOf('graduated', 'a', '1'), nowMs)
  expect(tokensOf(cards)).toEqual(['old', '', 'a'])
})

test('behavior: an answer that is older than a push does not hide it, and one that is much later decides', () => {
  const cards = createLaunchCards()
  cards.pushed(newsOf('created', 'a'), nowMs)
  cards.answered([], nowMs + 1_000)
  expect(tokensOf(cards)).toEqual(['a', '', ''])
  cards.answered([], nowMs + 60_000)
  expect(tokensOf(cards)).toEqual(['', '', ''])
})

test('behavior: a launch that a reorg reverts is gone', () => {
  const cards = createLaunchCards()
  cards.pushed(newsOf('created', 'a'), nowMs)
  cards.pushed({ ...newsOf('created', 'a'), retracted: true }, nowMs)
  expect(tokensOf(cards)).toEqual(['', '', ''])
})

test('behavior: what only answers have stays beside what is pushed', () => {
  const cards = createLaunchCards()
  cards.answered([cardOf('a', { atS: nowS - 100 })], nowMs)
  cards.pushed(newsOf('progress', 'a', '0.3'), nowMs)
  expect(cards.columns(nowMs).new).toEqual([
    cardOf('a', { atS: nowS - 100, progress: 0.3, mcapUsd: '10' }),
  ])
})
