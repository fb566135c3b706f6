import type { Interval } from '@chaintape/protocol'

/** In USD or in the chain's native coin. */
export type Unit = 'u' | 'm'

/** Klines of one request. */
export const pointsAtOnce = 500

/** The klines that a page's query selects. */
export const chosenKlines = (query: URLSearchParams): { interval: Interval; unit: Unit } => ({
  interval: (query.get('interval') ?? 'k1') as Interval,
  unit: query.get('unit') === 'native' ? 'm' : 'u',
})

/** Address of a page's first klines; null if it has none. */
export function firstKlines(pathname: string, query: URLSearchParams): string | null {
  const [, kind, id] = /^\/(token|pair)\/([^/]+)$/.exec(pathname) ?? []
  if (kind === undefined || id === undefined) return null
  const { interval, unit } = chosenKlines(query)
  const asked = new URLSearchParams({ interval, category: unit, limit: String(pointsAtOnce) })
  return `/v2/klines/${kind}/${id}?${asked}`
}
