import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decodeLogs } from '../../../../../../test/support/decodeLogs.ts'
import type { DecodedSwap, DecodedTransfer } from '../../../model/decodedBlock.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import { poolQueryOf } from '../../../model/pool.ts'
import { encodeCall, selector } from '../asking/callWords.ts'
import { identifyPool } from '../asking/identifyPool.ts'
import type { Inquiry } from '../asking/inquiry.ts'
import { knownVenues } from '../venues.ts'

/** Logs of real transactions: those of the pool, and transfers to and from it. */
type RealTransaction = {
  chain: string
  transactionHash: string
  blockNumber: number
  from: string
  logs: Omit<EvmLog, 'transactionHash'>[]
}

const fixture = new URL('../../../../../../test/fixtures/pancakeV3.json', import.meta.url)
const transactions = JSON.parse(readFileSync(fixture, 'utf8')) as RealTransaction[]

test.each(transactions)(
  'default: a swap on $chain equals the transfers of its tokens',
  ({ logs, ...real }) => {
    const { transactionHash, blockNumber: number, from } = real
    const ref = { number, hash: '', parentNumber: number - 1, parentHash: '', timeS: 0 }
    const { events, counts } = decodeLogs({
      ref,
      logs: logs.map((log) => ({ ...log, transactionHash })),
      senders: new Map([[transactionHash, from]]),
    })
    expect(counts).toEqual({ malformed: 0, unknownSenders: 0, spoofed: 0 })
    const swap = events.find((event): event is DecodedSwap => event.type === 'swap')!
    const transfers = events.filter((event): event is DecodedTransfer => event.type === 'transfer')
    expect(swap).toMatchObject({ venues: ['pancakeV3'], wallet: from, txHash: transactionHash })
    // A pool orders its tokens by address.
    const [token0, token1] = [...new Set(transfers.map(({ token }) => token))].sort()
    const movedBy = (token: string | undefined) =>
      transfers
        .filter((transfer) => transfer.token === token)
        .reduce((sum, { to, amount }) => sum + (to === swap.pool ? amount : -amount), 0n)
    expect([swap.amount0, swap.amount1]).toEqual([movedBy(token0), movedBy(token1)])
    // The price after a small trade is near the paid one.
    const paid = Number(swap.amount1 < 0n ? -swap.amount1 : swap.amount1)
    const got = Number(swap.amount0 < 0n ? -swap.amount0 : swap.amount0)
    expect(Math.abs(swap.priceRaw! / (paid / got) - 1)).toBeLessThan(0.02)
  },
)

const address = (digit: string) => `0x${digit.repeat(40)}`
const [pool, factory] = [address('a'), address('f')]
const word = (value: string | number) => encodeCall('0x', value)

/** Result of an inquiry to a pool with these answers. */
function answerOf<answer>(inquiry: Inquiry<answer>, answers: Record<string, string>): answer {
  if ('answer' in inquiry) return inquiry.answer
  return answerOf(inquiry.next(inquiry.calls.map(({ data }) => answers[data] ?? null)), answers)
}

test('behavior: a pool is identified by its answers and confirmed with its fee', () => {
  const answers = {
    [selector.token0]: word(address('1')),
    [selector.token1]: word(address('2')),
    [selector.factory]: word(factory),
    [selector.fee]: word(2_500),
    [selector.slot0]: `${word(1)}${word(2).slice(2)}`,
    [encodeCall(selector.getPool, address('1'), address('2'), 2_500)]: word(pool),
  }
  const sources = [{ address: factory, venue: 'pancakeV3', amm: 'cakev3' }]
  // An event of both venues, which tells nothing apart.
  const query = { ...poolQueryOf(pool), venues: ['uniswapV3', 'pancakeV3'] }
  const ask = (told: Record<string, string>) =>
    answerOf(identifyPool(query, knownVenues, sources), told)
  const farmed = { ...answers, [selector.lmPool]: word(0) }
  expect(ask(farmed)).toMatchObject({ venue: 'pancakeV3', feePpm: 2_500, isConfirmed: true })
  // A Uniswap pool that names the factory is not confirmed by it: the factory belongs to another
  // venue.
  expect(ask(answers)).toMatchObject({ venue: 'uniswapV3', isConfirmed: false })
})
