import type { PushedPrice, TokenRow } from '@chaintape/protocol'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useChains } from '../data/chains.ts'
import { useStream } from '../data/tape.ts'
import { useQuery } from '../data/useQuery.ts'
import { setQuery, useRoute } from '../lib/route.ts'
import { createFrameTask } from '../lib/store.ts'
import { Tabs } from '../parts/tabs.tsx'
import { VirtualTable } from '../parts/virtualTable.tsx'
import { marketColumns } from './marketColumns.tsx'
import { loadMarkets, type MarketList, marketLists, type Sort } from './marketLists.ts'

const everyMs = 20_000
// As many as the smallest plan may follow at once.
const idsMax = 200

const idOf = ({ token, chain }: { token: string; chain: string }) => `${token}-${chain}`

/** The rows with the prices that came since they were asked for. */
function useLivePrices(rows: readonly TokenRow[]): readonly TokenRow[] {
  const ids = rows.slice(0, idsMax).map(idOf)
  const [pushed] = useState(() => new Map<string, PushedPrice>())
  const [count, setCount] = useState(0)
  const show = useMemo(() => createFrameTask(() => setCount((before) => before + 1)), [])
  // The answer is newer than what was pushed before it.
  useMemo(() => pushed.clear(), [rows])
  const name = ids.length === 0 ? null : ids.toSorted().join()
  useStream(
    name,
    (tape) => tape.prices(ids),
    (price) => {
      pushed.set(idOf(price), price)
      show()
    },
  )
  return useMemo(
    () =>
      rows.map((row) => {
        const price = pushed.get(idOf(row))
        if (price === undefined) return row
        const { uprice, price_change_24h } = price
        return { ...row, current_price_usd: uprice, price_change_24h }
      }),
    [rows, count],
  )
}

type Filter = { text: string; liquidityMin: number; volumeMin: number }

function shownOf(
  rows: readonly TokenRow[],
  filter: Filter,
  sort: Sort | null,
): readonly TokenRow[] {
  const text = filter.text.trim().toLowerCase()
  const kept = rows.filter(
    (row) =>
      Number(row.tvl) >= filter.liquidityMin &&
      Number(row.tx_volume_u_24h) >= filter.volumeMin &&
      (text === '' || `${row.symbol} ${row.name} ${row.token}`.toLowerCase().includes(text)),
  )
  const by = marketColumns.find(({ name }) => name === sort?.name)?.by
  if (sort === null || by === undefined) return kept
  return kept.sort((a, b) => (by(a) - by(b)) * (sort.isDescending ? -1 : 1))
}

function sortOf(query: URLSearchParams | undefined): Sort | null {
  const text = query?.get('sort')
  if (!text) return null
  return { name: text.replace(/^-/, ''), isDescending: text.startsWith('-') }
}

const leasts = [
  ['0', 'any'],
  ['1000', '$1K'],
  ['10000', '$10K'],
  ['100000', '$100K'],
  ['1000000', '$1M'],
] as const

type LeastProps = { label: string; name: string; value: string }

const Least = ({ label, name, value }: LeastProps) => (
  <label class="field">
    {label}
    <select
      value={value}
      onChange={({ currentTarget }) =>
        setQuery({ [name]: currentTarget.value === '0' ? null : currentTarget.value })
      }
    >
      {leasts.map(([least, text]) => (
        <option key={least} value={least}>
          {text}
        </option>
      ))}
    </select>
  </label>
)

/** All markets of a list, live. */
export function MarketsPage() {
  const query = useRoute()?.query
  const list = (query?.get('list') ?? 'hot') as MarketList
  const { served } = useChains()
  const chosen = query?.get('chain') ?? null
  const chain = chosen ?? (served.length === 1 ? served[0]!.chain : null)
  const [text, setText] = useState('')
  const liquidity = query?.get('liquidity') ?? '0'
  const volume = query?.get('volume') ?? '0'
  const sort = sortOf(query)
  const filter = { text, liquidityMin: Number(liquidity), volumeMin: Number(volume) }
  const screened = list === 'all' ? `${query?.get('sort')} ${liquidity} ${volume}` : ''
  const { data, error } = useQuery(
    // Which list it is depends on the chains there are.
    served.length === 0 ? null : `${list} ${chain} ${screened}`,
    (signal) => loadMarkets(list, chain, { ...filter, sort }, signal),
    { everyMs },
  )
  const none: readonly TokenRow[] = useMemo(() => [], [])
  const live = useLivePrices(data ?? none)
  const rows = shownOf(live, filter, sort)
  useEffect(() => {
    document.title = 'Markets · Chaintape'
  }, [])

  const onSort = (name: string) => {
    const isAgain = sort?.name === name && sort.isDescending
    const isCleared = sort?.name === name && !sort.isDescending
    setQuery({ sort: isCleared ? null : isAgain ? name : `-${name}` })
  }

  return (
    <main class="page fill">
      <h1 class="hidden">Markets</h1>
      <Tabs
        label="Lists of markets"
        tabs={marketLists}
        chosen={list}
        onChoose={(name) => setQuery({ list: name === 'hot' ? null : name, sort: null })}
      >
        <div class="toolbar filters">
          <label class="field grow">
            <span class="hidden">Filter</span>
            <input
              type="search"
              placeholder="Filter this list"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
          {served.length > 1 && (
            <label class="field">
              Chain
              <select
                value={chosen ?? ''}
                onChange={({ currentTarget }) => setQuery({ chain: currentTarget.value || null })}
              >
                <option value="">all</option>
                {served.map(({ chain: name }) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          )}
          <Least label="Liquidity" name="liquidity" value={liquidity} />
          <Least label="Volume" name="volume" value={volume} />
          <span class="soft count">{rows.length} tokens</span>
        </div>
        <VirtualTable
          {...{ label: 'Markets', columns: marketColumns, rows, onSort }}
          sort={sort ?? undefined}
          rowKey={idOf}
          rowHref={(row) => `/token/${idOf(row)}`}
          empty={error ?? (data === undefined ? 'Loading…' : 'Nothing is in this list now.')}
        />
      </Tabs>
    </main>
  )
}
