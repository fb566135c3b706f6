import { expect, test } from 'vitest'
import { decodeLogs } from '../../../../../../test/support/decodeLogs.ts'
import { encodeLog } from '../../../../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../../../../test/support/eventAbi.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'

const pair = `0x${'a1'.repeat(20)}`
const otherPair = `0x${'a2'.repeat(20)}`
const router = `0x${'b1'.repeat(20)}`
const trader = `0x${'c1'.repeat(20)}`
const tx1 = `0x${'01'.repeat(32)}`
const tx2 = `0x${'02'.repeat(32)}`

const ref = { number: 7, hash: tx1, parentNumber: 6, parentHash: tx2, timeS: 1_700_000_000 }
const senders = new Map([
  [tx1, trader],
  [tx2, trader],
])

function decode(logs: readonly EvmLog[]) {
  return decodeLogs({ ref, logs, senders })
}

function syncLog(logIndex: number, reserves: [bigint, bigint], address = pair, tx = tx1): EvmLog {
  const args = { reserve0: reserves[0], reserve1: reserves[1] }
  return encodeLog(eventAbi.sync, args, { address, logIndex, transactionHash: tx })
}

function swapLog(logIndex: number, amounts: bigint[], address = pair, tx = tx1): EvmLog {
  const [amount0In, amount1In, amount0Out, amount1Out] = amounts
  const args = { sender: router, to: trader, amount0In, amount1In, amount0Out, amount1Out }
  return encodeLog(eventAbi.swapV2, args, { address, logIndex, transactionHash: tx })
}

test('default: a swap is decoded with the reserves of its sync', () => {
  const { events, counts } = decode([syncLog(3, [1_000n, 4_000n]), swapLog(4, [10n, 0n, 0n, 39n])])
  expect(events).toEqual([
    {
      type: 'swap',
      index: 4,
      txHash: tx1,
      wallet: trader,
      pool: pair,
      sender: router,
      to: trader,
      amount0: 10n,
      amount1: -39n,
      reserve0: 1_000n,
      reserve1: 4_000n,
      priceRaw: 4,
      venues: ['uniswapV2'],
    },
  ])
  expect(counts).toEqual({ malformed: 0, unknownSenders: 0, spoofed: 0 })
})

test('behavior: both amounts of a side may be non-zero', () => {
  const [swap] = decode([swapLog(0, [100n, 7n, 30n, 50n])]).events
  expect(swap).toMatchObject({ amount0: 70n, amount1: -43n })
})

test('behavior: a swap takes the sync just before it and leaves the older one', () => {
  const { events } = decode([
    syncLog(0, [1n, 2n]),
    syncLog(1, [10n, 20n]),
    swapLog(2, [1n, 0n, 0n, 1n]),
  ])
  expect(events).toMatchObject([
    { type: 'sync', index: 0, reserve0: 1n },
    { type: 'swap', index: 2, reserve0: 10n, reserve1: 20n },
  ])
})

test('behavior: an older sync is not the state after a second swap', () => {
  const { events } = decode([
    syncLog(0, [1n, 2n]),
    syncLog(1, [10n, 20n]),
    swapLog(2, [1n, 0n, 0n, 1n]),
    swapLog(3, [1n, 0n, 0n, 1n]),
  ])
  expect(events.map(({ type, index }) => [type, index])).toEqual([
    ['sync', 0],
    ['swap', 2],
    ['swap', 3],
  ])
  expect(events[2]).toMatchObject({ reserve0: null, reserve1: null, priceRaw: null })
})

test('behavior: syncs of several pools in a transaction find their own swaps', () => {
  const { events } = decode([
    syncLog(0, [1n, 2n], pair),
    syncLog(1, [3n, 9n], otherPair),
    swapLog(2, [1n, 0n, 0n, 1n], pair),
    swapLog(3, [1n, 0n, 0n, 1n], otherPair),
  ])
  expect(events).toMatchObject([
    { type: 'swap', index: 2, pool: pair, reserve0: 1n, priceRaw: 2 },
    { type: 'swap', index: 3, pool: otherPair, reserve0: 3n, priceRaw: 3 },
  ])
})

test('behavior: without a sync before it, a swap takes the next one', () => {
  const { events } = decode([
    swapLog(0, [1n, 0n, 0n, 1n]),
    syncLog(1, [5n, 10n]),
    swapLog(2, [1n, 0n, 0n, 1n]),
    syncLog(3, [6n, 18n]),
    syncLog(4, [7n, 7n]),
  ])
  expect(events).toMatchObject([
    { type: 'swap', index: 0, reserve0: 5n, priceRaw: 2 },
    { type: 'swap', index: 2, reserve0: 6n, priceRaw: 3 },
    { type: 'sync', index: 4, reserve0: 7n, priceRaw: 1 },
  ])
})

test('behavior: a sync of another transaction is not taken', () => {
  const { events } = decode([
    syncLog(0, [1n, 2n], pair, tx1),
    swapLog(1, [1n, 0n, 0n, 1n], pair, tx2),
    syncLog(2, [1n, 2n], pair, tx1),
  ])
  expect(events).toMatchObject([
    { type: 'sync', index: 0 },
    { type: 'swap', index: 1, reserve0: null, priceRaw: null },
    { type: 'sync', index: 2 },
  ])
})

test('behavior: an event between a sync and its swap is kept', () => {
  const value = { from: router, to: trader, value: 5n }
  const { events } = decode([
    syncLog(0, [1n, 2n]),
    encodeLog(eventAbi.transfer, value, { logIndex: 1, transactionHash: tx1 }),
    swapLog(2, [1n, 0n, 0n, 1n]),
  ])
  expect(events.map(({ type, index }) => [type, index])).toEqual([
    ['transfer', 1],
    ['swap', 2],
  ])
})

test('behavior: the order of sync and swap identifies the venue of a wide sync', () => {
  const wide = 'event Sync(uint256 reserve0, uint256 reserve1)'
  const args = { reserve0: 1n << 200n, reserve1: 1n << 201n }
  const place = { address: pair, logIndex: 1, transactionHash: tx1 }
  const { events, counts } = decode([swapLog(0, [1n, 0n, 0n, 1n]), encodeLog(wide, args, place)])
  const swap = { type: 'swap', ...args, priceRaw: null }
  expect(events).toMatchObject([{ ...swap, venues: ['syncSwap', 'solidly'] }])
  expect(counts.malformed).toBe(0)
  const before = decode([encodeLog(wide, args, place), swapLog(2, [1n, 0n, 0n, 1n])])
  expect(before.events).toMatchObject([{ ...swap, venues: ['solidly'] }])
})

test('behavior: mint adds and burn removes, with the state of their sync', () => {
  const place = (logIndex: number) => ({ address: pair, logIndex, transactionHash: tx1 })
  const { events } = decode([
    syncLog(0, [10n, 10n]),
    encodeLog(eventAbi.mintV2, { sender: router, amount0: 3n, amount1: 4n }, place(1)),
    syncLog(2, [5n, 5n]),
    encodeLog(eventAbi.burnV2, { sender: router, amount0: 1n, amount1: 2n, to: trader }, place(3)),
  ])
  expect(events).toMatchObject([
    { type: 'liquidity', kind: 'add', index: 1, sender: router, amount0: 3n, reserve0: 10n },
    { type: 'liquidity', kind: 'remove', index: 3, amount1: 2n, reserve0: 5n, wallet: trader },
  ])
})

test('behavior: a pair created is a pool of its emitter', () => {
  const factory = `0x${'f1'.repeat(20)}`
  const args = { token0: router, token1: trader, pair, count: 12n }
  const place = { address: factory, logIndex: 9, transactionHash: tx1 }
  expect(decode([encodeLog(eventAbi.pairCreated, args, place)]).events).toEqual([
    {
      type: 'pool',
      index: 9,
      txHash: tx1,
      wallet: trader,
      kind: 'constantProduct',
      factory,
      pool: pair,
      token0: router,
      token1: trader,
      feePpm: null,
      venues: ['uniswapV2'],
    },
  ])
})

test('behavior: a token that goes both ways counts by its net amount, with gross amounts beside it', () => {
  // The pair pays 100, of which 3 return to it.
  expect(decode([swapLog(0, [3n, 50n, 100n, 0n])]).events[0]).toMatchObject({
    amount0: -97n,
    amount1: 50n,
    gross: { isFirstSold: false, sold: 50n, bought: 100n },
  })
  expect(decode([swapLog(0, [0n, 50n, 100n, 0n])]).events[0]).not.toHaveProperty('gross')
})

test('behavior: an empty side has no price', () => {
  expect(decode([syncLog(0, [0n, 5n])]).events[0]).toMatchObject({ reserve1: 5n, priceRaw: null })
  expect(decode([syncLog(0, [5n, 0n])]).events[0]).toMatchObject({ reserve0: 5n, priceRaw: null })
})

test('behavior: an unknown signer is counted and replaced by the sender', () => {
  const block = { ref, logs: [swapLog(0, [1n, 0n, 0n, 1n])], senders: new Map() }
  const { events, counts } = decodeLogs(block)
  expect(events[0]).toMatchObject({ wallet: router })
  expect(counts.unknownSenders).toBe(1)
})

test('behavior: malformed logs are skipped and counted', () => {
  const swap = swapLog(0, [1n, 0n, 0n, 1n])
  const sync = syncLog(0, [1n, 1n])
  const malformed: EvmLog[] = [
    { ...swap, topics: swap.topics.slice(0, 2) },
    { ...swap, topics: [...swap.topics, swap.topics[1]!] },
    { ...swap, data: swap.data.slice(0, -2) },
    { ...swap, data: `${swap.data.slice(0, -1)}z` },
    { ...swap, data: `${swap.data.slice(0, -1)} ` },
    { ...swap, topics: [swap.topics[0]!, `0x01${swap.topics[1]!.slice(4)}`, swap.topics[2]!] },
    { ...swap, topics: [swap.topics[0]!, `${swap.topics[1]!.slice(0, -1)}g`, swap.topics[2]!] },
    { ...swap, address: '0x1234' },
    { ...sync, data: `0x${'f'.repeat(128)}` },
    { ...sync, data: `0b${'0'.repeat(63)}1${'0'.repeat(63)}1` },
    { ...sync, data: '0x' },
  ]
  const { events, counts } = decode(malformed)
  expect(events).toEqual([])
  expect(counts).toEqual({ malformed: malformed.length, unknownSenders: 0, spoofed: 0 })
})

function transferLog(logIndex: number, token: string, from: string, to: string): EvmLog {
  const place = { address: token, logIndex, transactionHash: tx1 }
  return encodeLog(eventAbi.transfer, { from, to, value: 10n }, place)
}

test('behavior: a swap without a sync whose pair moved no tokens is dropped and counted', () => {
  const token = `0x${'d1'.repeat(20)}`
  const swap = swapLog(3, [10n, 0n, 0n, 39n])
  const elsewhere = transferLog(1, token, trader, router)
  const dropped = (...logs: EvmLog[]) => {
    const { events, counts } = decode(logs)
    return [counts.spoofed, events.filter(({ type }) => type === 'swap').length]
  }
  expect(dropped(elsewhere, swap)).toEqual([1, 0])
  expect(dropped(elsewhere, swap, swapLog(4, [1n, 0n, 0n, 1n]))).toEqual([2, 0])
  // A transfer of the pair's own share token does not count.
  expect(dropped(elsewhere, transferLog(2, pair, trader, pair), swap)).toEqual([1, 0])
  expect(dropped(elsewhere, transferLog(2, token, trader, pair), swap)).toEqual([0, 1])
  expect(dropped(elsewhere, swap, transferLog(4, token, pair, trader))).toEqual([0, 1])
  expect(dropped(elsewhere, syncLog(2, [5n, 6n]), swap)).toEqual([0, 1])
  expect(dropped(elsewhere, swap, syncLog(4, [5n, 6n]))).toEqual([0, 1])
  // Logs that were read without transfers prove nothing.
  expect(dropped(swap)).toEqual([0, 1])
  // Each transaction is judged by its own logs.
  expect(dropped(elsewhere, swap, swapLog(0, [1n, 0n, 0n, 1n], pair, tx2))).toEqual([1, 1])
})
