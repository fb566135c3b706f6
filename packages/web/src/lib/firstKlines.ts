import type { Interval } from '@chaintape/protocol'

/** In USD, or in the chain's own coin. */
export type Unit = 'u' | 'm'

/** Klines that are asked for at once. */
export const pointsAtOnce = 500

/** Which klines the query of a page asks for. */
export const chosenKlines = (query: URLSearchParams): { interval: Interval; unit: Unit } => ({
  interval: (query.get('interval') ?? 'k1') as Interval,
  unit: query.get('unit') === 'native' ? 'm' : 'u',
})

/** Where the first klines of a page are asked for; null: it has none. */
export function firstKlines(pathname: string, query: URLSearchParams): string | null {
  const [, kind, id] = /^\/(token|pair)\/([^/]+)$/.exec(pathname) ?? []
  if (kind === undefined || id === undefined) return null
  const { interval, unit } = chosenKlines(query)
  const asked = new URLSearchParams({ interval, category: unit, limit: String(pointsAtOnce) })
  return `/v2/klines/${kind}/${id}?${asked}`
}
