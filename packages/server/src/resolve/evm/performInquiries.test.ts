import { expect, test } from 'vitest'
import type { MulticallResult } from '../../chain/evm/calls/multicall.ts'
import type { VenueProfile } from '../../model/chainProfile.ts'
import { poolQueryOf } from '../../model/pool.ts'
import { encodeCall, selector } from '../../venues/evm/asking/callWords.ts'
import { identifyPool } from '../../venues/evm/asking/identifyPool.ts'
import { knownVenues } from '../../venues/evm/venues.ts'
import { performInquiries } from './performInquiries.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const [pool, token0, token1, factory, other] = ['a', '1', '2', 'f', 'e'].map(address) as [
  string,
  string,
  string,
  string,
  string,
]
const word = (value: string | number) => encodeCall('0x', value)

const venues: VenueProfile[] = [
  { address: factory, venue: 'uniswapV2', amm: 'uniswapv2' },
  { address: other, venue: 'uniswapV3', amm: 'uniswapv3' },
]

/** Identifies pools. `contracts`: answers by contract address and call data. */
async function identify(contracts: Record<string, Record<string, string>>, ids = [pool]) {
  const asked: string[] = []
  const inquiries = ids.map((id) => identifyPool(poolQueryOf(id), knownVenues, venues))
  const answers = await performInquiries(inquiries, async (calls) =>
    calls.map(({ to, data }): MulticallResult => {
      asked.push(to)
      const answer = contracts[to]?.[data]
      return answer === undefined ? { ok: false } : { ok: true, data: answer }
    }),
  )
  return { answers, asked }
}

const pairAnswers = {
  [selector.token0]: word(token0),
  [selector.token1]: word(token1),
  [selector.factory]: word(factory),
  [selector.getReserves]: `${word(1)}${word(2).slice(2)}${word(3).slice(2)}`,
}
const getPair = encodeCall(selector.getPair, token0, token1)

test('default: a pool of a configured factory is identified and confirmed', async () => {
  const contracts = { [pool]: pairAnswers, [factory]: { [getPair]: word(pool) } }
  const { answers } = await identify(contracts)
  const tokens = { token0, token1, others: [], factory, feePpm: null, params: [] }
  const venue = { venue: 'uniswapV2', kind: 'constantProduct' }
  expect(answers).toEqual([{ ...venue, ...tokens, isConfirmed: true }])
})

test('behavior: a pool whose claimed factory denies it is not confirmed', async () => {
  const contracts = { [pool]: pairAnswers, [factory]: { [getPair]: word(other) } }
  const { answers } = await identify(contracts)
  expect(answers[0]).toMatchObject({ isConfirmed: false })
})

test('behavior: a pool of an unconfigured factory is identified', async () => {
  const answersOfPool = { ...pairAnswers, [selector.factory]: word(address('9')) }
  const { answers } = await identify({ [pool]: answersOfPool })
  expect(answers[0]).toMatchObject({ factory: address('9'), isConfirmed: false })
})

test('behavior: a concentrated pool is confirmed together with its fee', async () => {
  const { [selector.getReserves]: _, ...ends } = pairAnswers
  const answersOfPool = {
    ...ends,
    [selector.factory]: word(other),
    [selector.fee]: word(500),
    [selector.slot0]: `${word(1)}${word(2).slice(2)}`,
  }
  const getPool = encodeCall(selector.getPool, token0, token1, 500)
  const contracts = { [pool]: answersOfPool, [other]: { [getPool]: word(pool) } }
  const { answers } = await identify(contracts)
  expect(answers[0]).toMatchObject({ kind: 'concentrated', feePpm: 500, isConfirmed: true })
})

test.each([
  ['no token', { [selector.token1]: '0x' }],
  ['the zero address as token', { [selector.token0]: word(0) }],
  ['the same token twice', { [selector.token1]: word(token0) }],
  ['a word that is not an address', { [selector.token0]: `0x${'f'.repeat(64)}` }],
  ['no factory', { [selector.factory]: '0x' }],
  ['no reserves', { [selector.getReserves]: word(1) }],
])('behavior: a contract with %s is not a pool', async (_, answersOfPool) => {
  const { answers } = await identify({ [pool]: { ...pairAnswers, ...answersOfPool } })
  expect(answers).toEqual([null])
})

test('behavior: an id that is not an address causes no call', async () => {
  const { answers, asked } = await identify({}, [`0x${'a'.repeat(64)}`])
  expect(answers).toEqual([null])
  expect(asked).toEqual([])
})
