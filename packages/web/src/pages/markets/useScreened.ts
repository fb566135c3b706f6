import type { ScreenerSelection } from '@chaintape/client'
import type { ScreenedRow, ScreenerPush } from '@chaintape/protocol'
import { useMemo, useState } from 'preact/hooks'
import { useStream } from '../../data/tape.ts'
import { createPacedTask } from '../../lib/store.ts'
import type { Sort } from './marketLists.ts'
import { type MarketRow, rowOfScreened } from './marketRow.ts'

/** The screener's sort key of pairs for each sorted column. */
const pairMeasures = {
  price: 'price',
  change5m: 'change_5m',
  change1h: 'change_1h',
  change24h: 'change_24h',
  volume: 'volume_24h',
  trades: 'trades_24h',
  makers: 'makers_24h',
  liquidity: 'liquidity',
  age: 'created_at',
} as const
const tokenMeasures = { ...pairMeasures, mcap: 'market_cap', holders: 'holders' } as const

export type ScreenedKind = 'tokens' | 'pairs'

/** A filter for every chain. */
export type ChainFilter = ScreenerSelection & { of: ScreenedKind }

type Wanted = { of: ScreenedKind; sort: Sort; liquidityMin: number; volumeMin: number }

// Rows that the service keeps up to date for one filter.
const rowsMax = 100

/** The filter sent to the service, which has far more rows than are shown. */
export function filterOf({ of, sort, liquidityMin, volumeMin }: Wanted): ChainFilter {
  const shared = {
    limit: rowsMax,
    order: sort.isDescending ? 'desc' : 'asc',
    ...(liquidityMin > 0 ? { min_liquidity: liquidityMin } : {}),
    ...(volumeMin > 0 ? { min_volume_24h: volumeMin } : {}),
  } as const
  return of === 'pairs'
    ? { of, sort: measureOf(pairMeasures, sort), ...shared }
    : { of, sort: measureOf(tokenMeasures, sort), ...shared }
}

function measureOf<measure>(
  measures: Readonly<Record<string, measure>> & { volume: measure },
  { name }: Sort,
): measure {
  return measures[name] ?? measures.volume
}

export type ScreenerNews = ScreenerPush['result']

/** Pushed rows of every chain; a `ScreenedChain` follows each chain. */
export function useScreened(filter: ChainFilter) {
  const name = JSON.stringify(filter)
  const byChain = useMemo(() => new Map<string, Map<string, ScreenedRow>>(), [name])
  const [count, setCount] = useState(0)
  const show = useMemo(() => createPacedTask(() => setCount((before) => before + 1), 100), [])
  const onNews = (chain: string, { snapshot, entered, updated, left }: ScreenerNews) => {
    const rows = snapshot ? new Map<string, ScreenedRow>() : (byChain.get(chain) ?? new Map())
    for (const row of [...entered, ...updated]) rows.set(row.id, row)
    for (const id of left) rows.delete(id)
    byChain.set(chain, rows)
    show()
  }
  const rows = useMemo<readonly MarketRow[]>(
    () =>
      [...byChain.values()].flatMap((ofChain) =>
        Array.from(ofChain.values(), (row) => rowOfScreened(row, filter.of)),
      ),
    [byChain, count],
  )
  return { name, rows, isThere: byChain.size > 0, onNews }
}

type ScreenedChainProps = {
  chain: string
  filter: ChainFilter
  onNews(chain: string, news: ScreenerNews): void
}

/** Follows the rows of a filter on one chain. */
export function ScreenedChain({ chain, filter, onNews }: ScreenedChainProps) {
  useStream(
    `${chain} ${JSON.stringify(filter)}`,
    (tape) => tape.screener({ chain, ...filter }),
    (news) => onNews(chain, news),
  )
  return null
}
