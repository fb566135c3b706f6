import type { Usage, UsageCount } from '../../../store/keys/usage.ts'
import { creditPeriodAt, dayAt, dayStartMs } from '../plan.ts'
import type { Account } from './account.ts'

/**
 * Usage of one key by one operation on one day, counted since this process first saw the key. Never
 * below zero.
 */
export type UsageCounter = {
  readonly keyId: number
  readonly account: Account
  readonly operation: string
  readonly day: number
  readonly dayEndMs: number
  readonly period: number
  /** Counter of the day before: a request that began before midnight may fail after midnight. */
  previous: UsageCounter | null
  requestCount: number
  failedCount: number
  cost: number
  /** The part of the counts that is already in batches to the store. */
  sent: { requestCount: number; failedCount: number; cost: number }
  isChanged: boolean
}

/** Counts on their way to the store. */
export type UsageInFlight = {
  counts: readonly UsageCount[]
  accounts: ReadonlyMap<number, Account>
}

export type UsageBook = {
  createCounter(
    key: { id: number },
    account: Account,
    operation: string,
    nowMs: number,
  ): UsageCounter
  /** Marks a counter as changed. Call it after each change. */
  markChanged(counter: UsageCounter): void
  /**
   * Returns what changed since the last call, or null. Counts stay `unwritten` until `written` is
   * called.
   */
  takeBatch(): UsageInFlight | null
  /** Records that a batch is in the store. */
  markWritten(sent: UsageInFlight): void
  /** Returns what this process counted for an account and has not written. */
  unwritten(accountId: number): Usage[]
}

/**
 * Collects the usage of keys. Its size is bounded by keys times operations, because written
 * counters are released.
 */
export function createUsageBook(): UsageBook {
  const changedCounters = new Set<UsageCounter>()
  const underWay = new Set<UsageInFlight>()

  return {
    createCounter(key, account, operation, nowMs) {
      const day = dayAt(nowMs)
      return {
        keyId: key.id,
        account,
        operation,
        day,
        dayEndMs: dayStartMs(day + 1),
        period: creditPeriodAt(nowMs).number,
        previous: null,
        requestCount: 0,
        failedCount: 0,
        cost: 0,
        sent: { requestCount: 0, failedCount: 0, cost: 0 },
        isChanged: false,
      }
    },
    markChanged(counter) {
      if (counter.isChanged) return
      counter.isChanged = true
      changedCounters.add(counter)
    },
    takeBatch() {
      if (changedCounters.size === 0) return null
      const counts: UsageCount[] = []
      const accounts = new Map<number, Account>()
      for (const counter of changedCounters) {
        counts.push(unsentOf(counter))
        accounts.set(counter.account.id, counter.account)
        const { requestCount, failedCount, cost } = counter
        counter.sent = { requestCount, failedCount, cost }
        counter.isChanged = false
      }
      changedCounters.clear()
      const sent = { counts, accounts }
      underWay.add(sent)
      return sent
    },
    markWritten(sent) {
      underWay.delete(sent)
      for (const count of sent.counts)
        sent.accounts.get(count.accountId)!.markWritten(count, count.period)
    },
    unwritten(accountId) {
      const counts = [...underWay].flatMap(({ counts }) => counts)
      return [...counts, ...[...changedCounters].map(unsentOf)].filter(
        (count) => count.accountId === accountId,
      )
    },
  }
}

function unsentOf(counter: UsageCounter): UsageCount {
  const { keyId, account, day, period, operation, sent } = counter
  return {
    keyId,
    accountId: account.id,
    day,
    period,
    operation,
    requestCount: counter.requestCount - sent.requestCount,
    failedCount: counter.failedCount - sent.failedCount,
    cost: counter.cost - sent.cost,
  }
}
