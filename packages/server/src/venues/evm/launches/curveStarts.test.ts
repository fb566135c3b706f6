// The first price of a curve, if its launch event has it.
import { expect, test } from 'vitest'
import { decodeLogs } from '../../../../../../test/support/decodeLogs.ts'
import { encodeLog } from '../../../../../../test/support/encodeLog.ts'
import { venueAbi } from '../../../../../../test/support/venueAbi.ts'

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

test('behavior: a launch without reserves has no price', () => {
  expect(createdWith(0n, 1n)).toMatchObject([{ type: 'launch' }])
  expect(createdWith(1n, 0n)).toHaveLength(1)
})
