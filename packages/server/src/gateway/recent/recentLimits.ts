/** What is kept of a chain's newest blocks beyond those that are not stored yet or can be reverted. */
export type RecentLimits = {
  /** Blocks kept in memory for resuming. */
  recentBlocksMax: number
  /** Market events in those blocks. */
  recentEventsMax: number
  /** Age of a block that is kept only for resuming. */
  recentAgeMaxS: number
  /** Blocks that were reverted and can still be answered by retractions. */
  orphanBlocksMax: number
}

export const defaultRecentLimits: RecentLimits = {
  // A quarter of an hour of the fastest chains.
  recentBlocksMax: 2_048,
  // About 600 bytes each: 120 MB a chain at most.
  recentEventsMax: 200_000,
  recentAgeMaxS: 900,
  orphanBlocksMax: 256,
}
