import { expect, test } from 'vitest'
import { decodeLogs } from '../../../../../../test/support/decodeLogs.ts'
import { encodeLog } from '../../../../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../../../../test/support/eventAbi.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'

const pool = `0x${'a1'.repeat(20)}`
const owner = `0x${'b1'.repeat(20)}`
const trader = `0x${'c1'.repeat(20)}`
const tx1 = `0x${'01'.repeat(32)}`
const tx2 = `0x${'02'.repeat(32)}`
const ticks = { tickLower: -887_220, tickUpper: 887_220 }

const ref = { number: 7, hash: tx1, parentNumber: 6, parentHash: tx2, timeS: 1_700_000_000 }
const senders = new Map([
  [tx1, trader],
  [tx2, trader],
])

function decode(logs: readonly EvmLog[]) {
  return decodeLogs({ ref, logs, senders })
}

function logAt(logIndex: number, event: string, args: Record<string, unknown>, tx = tx1): EvmLog {
  return encodeLog(event, args, { address: pool, logIndex, transactionHash: tx })
}

function burn(logIndex: number, amount0: bigint, amount1: bigint, over = {}): EvmLog {
  return logAt(logIndex, eventAbi.burnV3, {
    owner,
    ...ticks,
    amount: 1n,
    amount0,
    amount1,
    ...over,
  })
}

function collect(logIndex: number, amount0: bigint, amount1: bigint, tx = tx1): EvmLog {
  const args = { owner, recipient: trader, ...ticks, amount0, amount1 }
  return logAt(logIndex, eventAbi.collect, args, tx)
}

test('default: a swap is decoded with its price', () => {
  const swap = { sender: owner, recipient: trader, amount0: -5n, amount1: 21n }
  const state = { sqrtPriceX96: 2n ** 97n, liquidity: 9n, tick: -13_863 }
  expect(decode([logAt(2, eventAbi.swapV3, { ...swap, ...state })]).events).toEqual([
    {
      type: 'swap',
      index: 2,
      txHash: tx1,
      wallet: trader,
      pool,
      sender: owner,
      to: trader,
      amount0: -5n,
      amount1: 21n,
      reserve0: null,
      reserve1: null,
      priceRaw: 4,
      venues: ['uniswapV3', 'slipstream', 'algebra'],
    },
  ])
})

test('behavior: the first price is a sync', () => {
  const { events } = decode([logAt(0, eventAbi.initialize, { sqrtPriceX96: 2n ** 95n, tick: -1 })])
  expect(events).toMatchObject([{ type: 'sync', pool, reserve0: null, priceRaw: 0.25 }])
})

test('behavior: a created pool has its fee in millionths', () => {
  const args = { token0: owner, token1: trader, fee: 3_000, tickSpacing: -60, pool }
  const { events } = decode([logAt(0, eventAbi.poolCreated, args)])
  expect(events).toMatchObject([
    { type: 'pool', kind: 'concentrated', factory: pool, pool, feePpm: 3_000, token0: owner },
  ])
})

test('behavior: mint adds, burn removes, a burn of nothing is silent', () => {
  const mint = { sender: trader, owner, ...ticks, amount: 1n, amount0: 7n, amount1: 0n }
  const { events, counts } = decode([
    logAt(0, eventAbi.mintV3, mint),
    burn(1, 0n, 0n),
    burn(2, 0n, 4n),
  ])
  expect(events).toMatchObject([
    { type: 'liquidity', kind: 'add', index: 0, sender: trader, amount0: 7n, amount1: 0n },
    { type: 'liquidity', kind: 'remove', index: 2, sender: owner, amount0: 0n, amount1: 4n },
  ])
  expect(counts.malformed).toBe(0)
})

test('behavior: a collect reports only what was not burnt before', () => {
  const { events } = decode([burn(0, 100n, 50n), burn(1, 10n, 0n), collect(2, 115n, 50n)])
  expect(events[2]).toMatchObject({ type: 'liquidity', kind: 'collect', amount0: 5n, amount1: 0n })
})

test('behavior: a burnt amount is paid once', () => {
  const { events } = decode([burn(0, 100n, 50n), collect(1, 60n, 50n), collect(2, 60n, 3n)])
  expect(events.slice(1)).toMatchObject([
    { type: 'sync', index: 1, reserve0: null, reserve1: null, priceRaw: null },
    { type: 'liquidity', kind: 'collect', index: 2, amount0: 20n, amount1: 3n },
  ])
})

test('behavior: other positions and other transactions do not pay for a collect', () => {
  const { events } = decode([
    burn(0, 9n, 9n, { tickLower: -60 }),
    burn(1, 9n, 9n, { owner: trader }),
    collect(2, 3n, 4n),
    burn(3, 9n, 9n),
    collect(4, 3n, 4n, tx2),
  ])
  const collected = events.filter((event) => event.type === 'liquidity' && event.kind === 'collect')
  expect(collected).toMatchObject([
    { index: 2, amount0: 3n, amount1: 4n },
    { index: 4, amount0: 3n, amount1: 4n },
  ])
})

test('behavior: flash and protocol fees ask for fresh reserves', () => {
  const two = { sender: owner, recipient: trader, amount0: 1n, amount1: 2n }
  const { events } = decode([
    logAt(0, eventAbi.flash, { ...two, paid0: 1n, paid1: 1n }),
    logAt(1, eventAbi.collectProtocol, two),
  ])
  expect(events).toMatchObject([
    { type: 'sync', index: 0, reserve0: null, reserve1: null, priceRaw: null },
    { type: 'sync', index: 1, reserve0: null, reserve1: null, priceRaw: null },
  ])
})

test('behavior: malformed logs are skipped and counted', () => {
  const swap = { sender: owner, recipient: trader, amount0: -5n, amount1: 21n }
  const good = logAt(0, eventAbi.swapV3, { ...swap, sqrtPriceX96: 1n, liquidity: 9n, tick: 0 })
  const withWord = (word: number, digits: string) =>
    good.data.slice(0, 2 + word * 64) + digits.padStart(64, '0') + good.data.slice(66 + word * 64)
  const created = logAt(0, eventAbi.poolCreated, {
    token0: owner,
    token1: trader,
    fee: 1,
    tickSpacing: 1,
    pool,
  })
  const malformed: EvmLog[] = [
    { ...good, data: withWord(2, '0') },
    { ...good, data: withWord(2, '1'.repeat(41)) },
    { ...good, data: good.data.slice(0, 2 + 4 * 64) },
    { ...good, topics: [good.topics[0]!] },
    { ...created, topics: [...created.topics.slice(0, 3), `0x${'f'.repeat(64)}`] },
    { ...created, data: `${created.data.slice(0, 66)}${'f'.repeat(64)}` },
    { ...collect(0, 1n, 1n), data: `0x${'0'.repeat(64)}${'f'.repeat(128)}` },
    { ...burn(0, 1n, 1n), topics: burn(0, 1n, 1n).topics.slice(0, 3) },
  ]
  const { events, counts } = decode(malformed)
  expect(events).toEqual([])
  expect(counts.malformed).toBe(malformed.length)
})
