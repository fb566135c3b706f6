import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testPlans } from '../../../../../test/support/memoryKeyStore.ts'
import { ActiveKey } from './activeKey.ts'
import { creditPeriodAt } from './plan.ts'
import { Account } from './usage/account.ts'
import { createUsageBook, type UsageInFlight } from './usage/usageBook.ts'

const operation = fc.constantFrom('a', 'b')
const step = fc.oneof(
  fc.record({
    kind: fc.constantFrom('admit' as const),
    cost: fc.integer({ min: 0, max: 40 }),
    operation,
  }),
  fc.record({ kind: fc.constantFrom('fail' as const), pick: fc.integer({ min: 0, max: 1_000 }) }),
  fc.record({
    kind: fc.constantFrom('pass' as const),
    ms: fc.integer({ min: 0, max: 3 * 86_400_000 }),
  }),
  fc.record({ kind: fc.constantFrom('take' as const) }),
  fc.record({ kind: fc.constantFrom('written' as const) }),
)

test('behavior: credits stay between zero and the plan, and written usage equals charged usage', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const clock = { ms: Date.UTC(2026, 0, 20), nowMs: () => clock.ms }
      const book = createUsageBook()
      const account = new Account(1, { storedCost: 0, nowMs: clock.ms })
      const plan = testPlans.get('credits')!
      const key = { id: 1, accountId: 1, name: '', plan: 'credits', createdAtS: 1 }
      const options = { plan, account, book, clock, onRefused: () => undefined }
      const holder = new ActiveKey({
        key: { ...key, expiresAtS: null, revokedAtS: null },
        ...options,
      })
      /** Requests that were admitted and did not fail, with their period. */
      const charged: { cost: number; operation: string; period: number; day: number }[] = []
      let failedCount = 0
      let requestCount = 0
      const stored = new Map<string, number>()
      let sent: UsageInFlight | null = null
      const totals = { requestCount: 0, failedCount: 0 }

      function write(): void {
        for (const count of sent?.counts ?? []) {
          const row = `${count.day} ${count.operation}`
          stored.set(row, (stored.get(row) ?? 0) + count.cost)
          expect(stored.get(row)).toBeGreaterThanOrEqual(0)
          totals.requestCount += count.requestCount
          totals.failedCount += count.failedCount
        }
        if (sent !== null) book.markWritten(sent)
        sent = null
      }
      const usedNow = () => {
        const period = creditPeriodAt(clock.ms).number
        return charged.reduce((sum, each) => sum + (each.period === period ? each.cost : 0), 0)
      }

      for (const each of steps) {
        if (each.kind === 'admit') {
          const isOver = usedNow() + each.cost > 100
          if (isOver) expect(() => holder.admit(each.cost, each.operation)).toThrow()
          else {
            void holder.admit(each.cost, each.operation)
            requestCount += 1
            const day = Math.floor(clock.ms / 86_400_000)
            charged.push({ ...each, period: creditPeriodAt(clock.ms).number, day })
          }
        } else if (each.kind === 'fail') {
          // Requests fail soon after they began, so only requests of today can fail.
          const day = Math.floor(clock.ms / 86_400_000)
          const recent = charged.filter((one) => one.day === day)
          const failing = recent[each.pick % Math.max(1, recent.length)]
          if (failing === undefined) continue
          holder.refund(failing.cost, failing.operation)
          charged.splice(charged.indexOf(failing), 1)
          failedCount += 1
        } else if (each.kind === 'pass') clock.ms += each.ms
        else if (each.kind === 'take') sent ??= book.takeBatch()
        else write()
        expect(holder.creditsLeft()).toBe(100 - usedNow())
        expect(holder.creditsLeft()).toBeGreaterThanOrEqual(0)
      }
      write()
      sent = book.takeBatch()
      write()
      const sum = charged.reduce((total, { cost }) => total + cost, 0)
      expect([...stored.values()].reduce((total, cost) => total + cost, 0)).toBe(sum)
      expect(totals).toEqual({ requestCount, failedCount })
    }),
  )
})
