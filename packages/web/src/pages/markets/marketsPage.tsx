import type { PushedPrice } from '@chaintape/protocol'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useChains } from '../../data/chains.ts'
import { useStream } from '../../data/tape.ts'
import { useQuery } from '../../data/useQuery.ts'
import { countText } from '../../lib/format.ts'
import { setQuery, useRoute } from '../../lib/route.ts'
import { createPacedTask } from '../../lib/store.ts'
import { Tabs } from '../../parts/tabs.tsx'
import { VirtualTable } from '../../parts/virtualTable.tsx'
import { type MarketColumn, marketColumns, pairColumns } from './marketColumns.tsx'
import {
  type AskedList,
  loadMarkets,
  type MarketList,
  marketLists,
  type Sort,
} from './marketLists.ts'
import { type MarketRow, rowOfToken } from './marketRow.ts'
import { useMoreScreened } from './useMoreScreened.ts'
import { filterOf, ScreenedChain, type ScreenedKind, useScreened } from './useScreened.ts'

const everyMs = 20_000
// As many as the smallest plan may follow at once.
const idsMax = 200

/** The rows with the prices that came since they were asked for. */
function useLivePrices(rows: readonly MarketRow[]): readonly MarketRow[] {
  const ids = rows.slice(0, idsMax).map(({ id }) => id)
  const [pushed] = useState(() => new Map<string, PushedPrice>())
  const [count, setCount] = useState(0)
  const show = useMemo(() => createPacedTask(() => setCount((before) => before + 1), 100), [])
  // The answer is newer than what was pushed before it.
  useMemo(() => pushed.clear(), [rows])
  const name = ids.length === 0 ? null : ids.toSorted().join()
  useStream(
    name,
    (tape) => tape.prices(ids),
    (price) => {
      pushed.set(`${price.token}-${price.chain}`, price)
      show()
    },
  )
  return useMemo(
    () =>
      rows.map((row) => {
        const price = pushed.get(row.id)
        if (price === undefined) return row
        return { ...row, priceUsd: price.uprice, change24h: price.price_change_24h }
      }),
    [rows, count],
  )
}

type Filter = { text: string; liquidityMin: number; volumeMin: number }

function shownOf(
  rows: readonly MarketRow[],
  filter: Filter,
  sort: Sort | null,
): readonly MarketRow[] {
  const text = filter.text.trim().toLowerCase()
  const kept = rows.filter(
    (row) =>
      Number(row.liquidityUsd ?? 0) >= filter.liquidityMin &&
      Number(row.volumeUsd) >= filter.volumeMin &&
      (text === '' || `${row.symbol} ${row.name} ${row.id}`.toLowerCase().includes(text)),
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

type ListProps = { chain: string | null; filter: Filter; sort: Sort | null }

type TableProps = {
  rows: readonly MarketRow[]
  columns: readonly MarketColumn[]
  filter: Filter
  sort: Sort | null
  note: string
  /** Asks for more rows; none: these are all. */
  onEnd?: (() => void) | undefined
}

/** The rows that the filter lets through, in order. */
function MarketTable({ rows, columns, filter, sort, note, onEnd }: TableProps) {
  const shown = shownOf(rows, filter, sort)
  const onSort = (name: string) => {
    const isAgain = sort?.name === name && sort.isDescending
    const isCleared = sort?.name === name && !sort.isDescending
    setQuery({ sort: isCleared ? null : isAgain ? name : `-${name}` })
  }
  return (
    <>
      <VirtualTable
        label="Markets"
        columns={columns}
        rows={shown}
        onSort={onSort}
        onEnd={onEnd}
        sort={sort ?? undefined}
        rowKey={({ id }) => id}
        rowHref={({ href }) => href}
        empty={note}
      />
      {rows.length > 0 && (
        <p class="list-foot soft">
          {countText(shown.length)}
          {onEnd === undefined ? ' in all' : ' so far; more as you scroll'}
          {shown.length < rows.length && `, of ${countText(rows.length)} in this list`}
        </p>
      )}
    </>
  )
}

/** A list that is asked for; its prices are pushed. */
function AskedMarkets({ list, chain, filter, sort }: ListProps & { list: AskedList }) {
  const { served } = useChains()
  const { data, error } = useQuery(
    // Which list it is depends on the chains there are.
    served.length === 0 ? null : `${list} ${chain}`,
    async (signal) => (await loadMarkets(list, chain, signal)).map(rowOfToken),
    { everyMs },
  )
  const none: readonly MarketRow[] = useMemo(() => [], [])
  const rows = useLivePrices(data ?? none)
  const note = error ?? (data === undefined ? 'Loading…' : 'This list is empty now.')
  return <MarketTable rows={rows} columns={marketColumns} filter={filter} sort={sort} note={note} />
}

const byVolume: Sort = { name: 'volume', isDescending: true }
const byAge: Sort = { name: 'age', isDescending: true }

type ScreenedProps = Omit<ListProps, 'sort'> & { of: ScreenedKind; sort: Sort }

/** What the screener selects of all tokens or pairs, as it is pushed. */
function ScreenedMarkets({ of, chain, filter, sort: by }: ScreenedProps) {
  const { served } = useChains()
  const wanted = filterOf({ of, sort: by, ...filter })
  const { name, rows: pushed, isThere, onNews } = useScreened(wanted)
  const { rows: asked, isMore, more } = useMoreScreened(wanted, chain)
  const further = useLivePrices(asked)
  const rows = useMemo(() => {
    const known = new Set(pushed.map(({ id }) => id))
    return [...pushed, ...further.filter(({ id }) => !known.has(id))]
  }, [pushed, further])
  const chains = chain === null ? served.map((one) => one.chain) : [chain]
  const columns = of === 'pairs' ? pairColumns : marketColumns
  const note = isThere ? 'No matches for this filter now.' : 'Loading…'
  return (
    <>
      {chains.map((one) => (
        <ScreenedChain key={`${one} ${name}`} chain={one} filter={wanted} onNews={onNews} />
      ))}
      <MarketTable
        rows={rows}
        columns={columns}
        filter={filter}
        sort={by}
        note={note}
        onEnd={isMore ? more : undefined}
      />
    </>
  )
}

const KindSwitch = ({ of }: { of: ScreenedKind }) => (
  <fieldset class="segments">
    <legend class="hidden">Filter</legend>
    {(['tokens', 'pairs'] as const).map((kind) => (
      <button
        key={kind}
        type="button"
        aria-pressed={kind === of}
        onClick={() => setQuery({ of: kind === 'pairs' ? kind : null })}
      >
        {kind === 'pairs' ? 'Pairs' : 'Tokens'}
      </button>
    ))}
  </fieldset>
)

/** All markets of a list, live. */
export function MarketsPage() {
  const query = useRoute()?.query
  const list = (query?.get('list') ?? 'hot') as MarketList
  const of: ScreenedKind = query?.get('of') === 'pairs' ? 'pairs' : 'tokens'
  const { served } = useChains()
  const chosen = query?.get('chain') ?? null
  const chain = chosen ?? (served.length === 1 ? served[0]!.chain : null)
  const [text, setText] = useState('')
  const liquidity = query?.get('liquidity') ?? '0'
  const volume = query?.get('volume') ?? '0'
  const sort = sortOf(query)
  const filter = { text, liquidityMin: Number(liquidity), volumeMin: Number(volume) }
  useEffect(() => {
    document.title = 'Markets · Chaintape'
  }, [])

  return (
    <main class="page fill">
      <h1 class="hidden">Markets</h1>
      <Tabs
        label="Lists of markets"
        tabs={marketLists}
        chosen={list}
        onChoose={(name) => setQuery({ list: name === 'hot' ? null : name, sort: null, of: null })}
      >
        <div class="toolbar filters">
          {list === 'all' && <KindSwitch of={of} />}
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
        </div>
        {list === 'all' && (
          <ScreenedMarkets of={of} chain={chain} filter={filter} sort={sort ?? byVolume} />
        )}
        {list === 'new' && (
          <ScreenedMarkets of="tokens" chain={chain} filter={filter} sort={sort ?? byAge} />
        )}
        {list !== 'all' && list !== 'new' && (
          <AskedMarkets list={list} chain={chain} filter={filter} sort={sort} />
        )}
      </Tabs>
    </main>
  )
}
