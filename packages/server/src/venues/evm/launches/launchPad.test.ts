import { keccak256 } from 'viem'
import { expect, test } from 'vitest'
import { decodeLogs } from '../../../../../../test/support/decodeLogs.ts'
import { encodeLog } from '../../../../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../../../../test/support/eventAbi.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import { createPoolIds } from '../decoding/poolIds.ts'

const platform = `0x${'a1'.repeat(20)}`
const token = `0x${'b1'.repeat(20)}`
const trader = `0x${'c1'.repeat(20)}`
const pair = `0x${'d1'.repeat(20)}`
const tx = `0x${'01'.repeat(32)}`
const ref = { number: 7, hash: tx, parentNumber: 6, parentHash: tx, timeS: 1_700_000_000 }
const pool = keccak256(`0x${'a1'.repeat(20)}${'b1'.repeat(20)}${'00'.repeat(20)}`)

const supply = 10n ** 27n
const curveSupply = 793_100_000n * 10n ** 18n
const virtualTokenStart = 1_073_000_000n * 10n ** 18n
const virtualEthStart = 30n * 10n ** 18n
const left = virtualTokenStart - curveSupply
const targetEth = (virtualEthStart * curveSupply + left - 1n) / left

function decode(logs: readonly EvmLog[]) {
  const block = { ref, logs, senders: new Map([[tx, trader]]) }
  const { events, counts } = decodeLogs(block)
  return { events, counts }
}

function logAt(logIndex: number, event: string, args: Record<string, unknown>): EvmLog {
  return encodeLog(event, args, { address: platform, logIndex, transactionHash: tx })
}

/**
 * Arguments of a trade after the curve took this much native from its start, by the contract's own
 * arithmetic.
 */
function tradeArgs(ethIn: bigint, over: Record<string, unknown> = {}) {
  const sold =
    ethIn >= targetEth ? curveSupply : (virtualTokenStart * ethIn) / (virtualEthStart + ethIn)
  return {
    token,
    trader,
    isBuy: true,
    tokenAmount: sold,
    ethAmount: ethIn,
    virtualToken: virtualTokenStart - sold,
    virtualEth: virtualEthStart + ethIn,
    realToken: curveSupply - sold,
    realEth: ethIn,
    ...over,
  }
}

test('default: a created token is a launch', () => {
  const created = { token, creator: trader, supply, targetEth }
  const { events, counts } = decode([logAt(5, eventAbi.tokenCreated, created)])
  expect(events).toEqual([
    {
      type: 'launch',
      index: 5,
      txHash: tx,
      wallet: trader,
      platform,
      pool,
      token0: token,
      token1: 'native',
      creator: trader,
      venues: ['launchPad'],
    },
    {
      type: 'sync',
      index: 5,
      txHash: tx,
      wallet: trader,
      pool,
      reserve0: curveSupply,
      reserve1: 0n,
      priceRaw: expect.closeTo(Number(virtualEthStart) / Number(virtualTokenStart), 20),
      venues: ['launchPad'],
    },
  ])
  expect(counts.malformed).toBe(0)
})

test('behavior: a trade is a swap at the virtual price with real reserves, and a curve', () => {
  const args = tradeArgs(10n ** 18n)
  expect(decode([logAt(6, eventAbi.trade, args)]).events).toEqual([
    {
      type: 'swap',
      index: 6,
      txHash: tx,
      wallet: trader,
      pool,
      curve: { platform, token0: token, token1: 'native', venue: 'launchPad' },
      sender: trader,
      to: trader,
      amount0: -args.tokenAmount,
      amount1: args.ethAmount,
      reserve0: args.realToken,
      reserve1: args.realEth,
      priceRaw: Number(args.virtualEth) / Number(args.virtualToken),
      venues: ['launchPad'],
    },
    {
      type: 'curve',
      index: 6,
      txHash: tx,
      wallet: trader,
      pool,
      filledPpm: Number((10n ** 18n * 1_000_000n) / targetEth),
    },
  ])
})

test('behavior: a sale has the opposite signs', () => {
  const args = tradeArgs(10n ** 18n, { isBuy: false, tokenAmount: 3n, ethAmount: 2n })
  expect(decode([logAt(0, eventAbi.trade, args)]).events[0]).toMatchObject({
    amount0: 3n,
    amount1: -2n,
  })
})

test.each([0n, 1n, targetEth / 2n, (targetEth * 999n) / 1_000n, targetEth])(
  'behavior: progress after %s wei equals the contract’s',
  (ethIn) => {
    const curve = decode([logAt(0, eventAbi.trade, tradeArgs(ethIn))]).events[1]
    const told = curve?.type === 'curve' ? curve.filledPpm : Number.NaN
    // The target is known within a few wei, which may change one millionth.
    expect(Math.abs(told - Number((ethIn * 1_000_000n) / targetEth))).toBeLessThanOrEqual(1)
    expect(told === 1_000_000).toBe(ethIn === targetEth)
  },
)

test('behavior: graduation names the pair and empties the curve', () => {
  const args = { token, pair, tokenAmount: 5n, ethAmount: 6n }
  expect(decode([logAt(8, eventAbi.graduated, args)]).events).toMatchObject([
    {
      type: 'graduation',
      index: 8,
      curve: pool,
      pool: pair,
      terms: { platform, token0: token, token1: 'native', venue: 'launchPad' },
    },
    { type: 'sync', index: 8, pool, reserve0: 0n, reserve1: 0n, priceRaw: null },
  ])
})

test('behavior: malformed logs are skipped and counted', () => {
  const good = logAt(0, eventAbi.trade, tradeArgs(1n))
  const side = (digits: string) => `0x${digits.padStart(64, '0')}${good.data.slice(66)}`
  const malformed: EvmLog[] = [
    { ...good, data: side('2') },
    { ...good, data: good.data.slice(0, -64) },
    { ...good, address: 'no address' },
    logAt(0, eventAbi.trade, tradeArgs(1n, { virtualToken: 5n, realToken: 5n })),
    logAt(0, eventAbi.trade, tradeArgs(1n, { virtualEth: 5n, realEth: 6n })),
    logAt(0, eventAbi.trade, tradeArgs(1n, { virtualEth: 0n, realEth: 0n })),
  ]
  const { events, counts } = decode(malformed)
  expect(events).toEqual([])
  expect(counts.malformed).toBe(malformed.length)
})

test('args: entriesMax', () => {
  const ids = createPoolIds({ entriesMax: 2 })
  const tokens = [token, trader, pair, token]
  const fresh = tokens.map((each) => createPoolIds().curveOf(platform, each, 'native'))
  expect(tokens.map((each) => ids.curveOf(platform, each, 'native'))).toEqual(fresh)
  expect(new Set(fresh).size).toBe(3)
})
