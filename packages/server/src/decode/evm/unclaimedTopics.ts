import type { UnclaimedLogs } from '../../model/evm/unclaimedLogs.ts'

// Bounds the memory, whatever contracts emit.
const topicsMax = 1_000

/**
 * Counts topic0 values of known contracts that no venue decodes: a new version of an event shows
 * here first.
 */
type UnclaimedTopics = {
  add(address: string, topic: string): void
  /** Most logs first. */
  rows(): UnclaimedLogs[]
  total(): number
}

export function createUnclaimedTopics(rowsMax = 20): UnclaimedTopics {
  const rows = new Map<string, UnclaimedLogs>()
  let total = 0
  return {
    add(address, topic) {
      total += 1
      const key = `${address} ${topic}`
      const row = rows.get(key)
      if (row !== undefined) row.logs += 1
      else if (rows.size < topicsMax) rows.set(key, { address, topic, logs: 1 })
    },
    rows: () =>
      [...rows.values()]
        .sort((one, other) => other.logs - one.logs)
        .slice(0, rowsMax)
        .map((row) => ({ ...row })),
    total: () => total,
  }
}
