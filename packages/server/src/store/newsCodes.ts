import type { PairNews } from '../model/pairNews.ts'

/** News as the log's column has it: the id of a created pair as it is, that of a graduated one below zero. */
export function newsCodesOf(news: readonly PairNews[]): number[] {
  return news.map(({ event, pairId }) => (event === 'created' ? pairId : -1 - pairId))
}

export function newsOfCodes(codes: readonly number[]): PairNews[] {
  return codes.map((code) =>
    code >= 0 ? { event: 'created', pairId: code } : { event: 'graduated', pairId: -1 - code },
  )
}
