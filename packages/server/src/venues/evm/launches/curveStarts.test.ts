// The first price of a curve, if its launch event has it.
import { expect, test } from 'vitest'
import { decodeLogs } from '../../../../../../test/support/decodeLogs.ts'
import { encodeLog } from '../../../../../../test/support/encodeLog.ts'
import { venueAbi } from '../../../../../../test/support/venueAbi.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'

const address = (byte: string) => `0x${byte.repeat(20)}`
const [platform, creator, token, pool] = ['a1', 'b2', 'c3', 'd4'].map(address) as [
  ...[string, string, string, string],
]
const ref = { number: 1, hash: '1', parentNumber: 0, parentHash: '0', timeS: 1 }
const texts = { name: 'Coin', symbol: 'C', tokenURI: '' }

function createdWith(virtualMon: bigint, virtualToken: bigint) {
  const reserves = { virtualMon, virtualToken, targetTokenAmount: 1n }
  const args = { creator, token, pool, ...texts, ...reserves }
  const log = encodeLog(venueAbi.createNadFun, args, {
    address: platform,
    logIndex: 3,
    transactionHash: '0x1',
  })
  return decodeLogs({ ref, logs: [log], senders: new Map() }).events
}

test('default: nad.fun reports virtual reserves', () => {
  const [launch, start] = createdWith(90_000n, 1_073_000_000n)
  expect(launch).toMatchObject({ type: 'launch', token0: token })
  expect(start).toMatchObject({
    type: 'sync',
    index: 3,
    pool: launch!.type === 'launch' && launch!.pool,
    priceRaw: 90_000 / 1_073_000_000,
  })
})

test('behavior: flap reports virtual reserves beside a launch', () => {
  const place = { address: platform, transactionHash: '0x1' }
  const other = address('c4')
  const created = { ts: 1n, creator, nonce: 1n, token, name: 'Coin', symbol: 'C', meta: '' }
  const one = 10n ** 18n
  // The parameters of its curve in BNB.
  const [r, h, k] = [6_140n * 10n ** 15n, 107_036_752n * one, 6_797_205_657_280n * 10n ** 15n]
  const set = (of: string, at: number) =>
    encodeLog(venueAbi.curveSetFlap, { token: of, r, h, k }, { ...place, logIndex: at })
  const create = encodeLog(venueAbi.createFlap, created, { ...place, logIndex: 1 })
  const launchedWith = (...logs: EvmLog[]) => decodeLogs({ ref, logs, senders: new Map() }).events
  for (const logs of [
    [create, set(other, 2), set(token, 3)],
    [set(token, 0), create, set(other, 2)],
  ]) {
    const [launch, start, ...more] = launchedWith(...logs)
    expect(launch).toMatchObject({ type: 'launch', index: 1, token0: token })
    expect(start).toMatchObject({ type: 'sync', index: 1, reserve0: null, reserve1: null })
    expect(more).toEqual([])
    const { priceRaw } = start as { priceRaw: number }
    expect(priceRaw).toBe(6.14 / 1_107_036_752)
    // flap's published price formula at a supply of 0.
    expect(priceRaw).toBeCloseTo(Number(k / one) / 1_107_036_752 ** 2, 15)
  }
  expect(launchedWith(create)).toMatchObject([{ type: 'launch' }])
  expect(launchedWith(create, set(other, 2))).toHaveLength(1)
})

test('behavior: a launch without reserves has no price', () => {
  expect(createdWith(0n, 1n)).toMatchObject([{ type: 'launch' }])
  expect(createdWith(1n, 0n)).toHaveLength(1)
})
