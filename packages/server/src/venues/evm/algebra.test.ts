// Events of Algebra Integral 1.2, which append fees to the words of Uniswap V3.
import { expect, test } from 'vitest'
import { decodeLogs } from '../../../../../test/support/decodeLogs.ts'
import { encodeLog } from '../../../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../../../test/support/eventAbi.ts'
import { venueAbi } from '../../../../../test/support/venueAbi.ts'

const address = (byte: string) => `0x${byte.repeat(20)}`
const [pool, owner] = [address('aa'), address('77')]
const hash = `0x${'07'.repeat(32)}`
const ref = { number: 1, hash, parentNumber: 0, parentHash: hash, timeS: 0 }
const amounts = { amount0: 10n, amount1: 7n }

const eventsOf = (...written: [abi: string, args: object][]) => {
  const logs = written.map(([abi, args], logIndex) =>
    encodeLog(abi, args as never, { address: pool, logIndex, transactionHash: hash }),
  )
  return decodeLogs({ ref, logs, senders: new Map() }).events
}

test('default: a burn counts as removed, and its collect adds nothing', () => {
  const burn = {
    ...{ owner, bottomTick: -60, topTick: 60, liquidityAmount: 5n, pluginFee: 100 },
    ...amounts,
  }
  const collect = { owner, recipient: owner, tickLower: -60, tickUpper: 60, ...amounts }
  expect(eventsOf([venueAbi.burnAlgebraIntegral, burn], [eventAbi.collect, collect])).toMatchObject(
    [
      { type: 'liquidity', kind: 'remove', pool, sender: owner, venues: ['algebra'], ...amounts },
      { type: 'sync', pool },
    ],
  )
})
