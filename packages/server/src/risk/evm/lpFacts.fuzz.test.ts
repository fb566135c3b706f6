// Balances summed from the events of a share token equal those of a ledger that was never told of
// events.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import type { FoundLog } from './boundedLogs.ts'
import { sumTransfers } from './lpFacts.ts'

const zero = `0x${'0'.repeat(40)}`
const wallets = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`)
const topic = (address: string) => `0x${'0'.repeat(24)}${address.slice(2)}`
const logOf = (from: string, to: string, amount: bigint): FoundLog => ({
  topics: ['0xddf2', topic(from), topic(to)],
  data: `0x${amount.toString(16).padStart(64, '0')}`,
  transactionHash: '0x',
  blockNumber: '0x1',
})

const act = fc.record({
  kind: fc.constantFrom('mint', 'burn', 'move'),
  from: fc.constantFrom(...wallets),
  to: fc.constantFrom(...wallets),
  amount: fc.bigInt(0n, 1n << 112n),
})

test('behavior: mints, burns and transfers', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      const ledger = new Map(wallets.map((wallet) => [wallet, 0n]))
      // The first mint of a pair gives a little to nobody.
      const logs = [logOf(zero, zero, 1_000n)]
      let supply = 1_000n
      for (const { kind, from, to, amount } of acts) {
        const held = ledger.get(from)!
        const most = amount < held ? amount : held
        if (kind === 'mint') {
          ledger.set(to, ledger.get(to)! + amount)
          supply += amount
          logs.push(logOf(zero, to, amount))
        } else if (kind === 'burn') {
          ledger.set(from, held - most)
          supply -= most
          logs.push(logOf(from, zero, most))
        } else {
          ledger.set(from, ledger.get(from)! - most)
          ledger.set(to, ledger.get(to)! + most)
          logs.push(logOf(from, to, most))
        }
      }
      const sums = sumTransfers(logs, zero)
      expect(sums.get(zero)).toBe(1_000n)
      for (const [wallet, amount] of ledger) expect(sums.get(wallet) ?? 0n).toBe(amount)
      expect([...sums.values()].reduce((sum, amount) => sum + amount, 0n)).toBe(supply)
    }),
    { numRuns: propertyRuns(500, { isCheap: true }) },
  )
})
