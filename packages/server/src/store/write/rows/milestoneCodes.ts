import type { PairMilestone } from '../../../model/pairMilestones.ts'

/**
 * Encoding in the log's column: the id of a created pair, and a negative one for a graduated pair.
 */
export function milestoneCodesOf(news: readonly PairMilestone[]): number[] {
  return news.map(({ event, pairId }) => (event === 'created' ? pairId : -1 - pairId))
}

/** Decodes `milestoneCodesOf`. */
export function milestonesOfCodes(codes: readonly number[]): PairMilestone[] {
  return codes.map((code) =>
    code >= 0 ? { event: 'created', pairId: code } : { event: 'graduated', pairId: -1 - code },
  )
}
