import type { PushedPrice, TokenRow } from '@chaintape/protocol'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useChains } from '../data/chains.ts'
import { useStream } from '../data/tape.ts'
import { useQuery } from '../data/useQuery.ts'
import { countText } from '../lib/format.ts'
import { createFrameTask } from '../lib/store.ts'
import { Ago, Percent, Price, Usd } from '../parts/values.tsx'
import { platformTokens } from './marketLists.ts'

const everyMs = 15_000
const cardsMax = 60

const columns = [
  { name: 'new', part: 'in_new', label: 'New', hint: 'On their curve for less than a day' },
  {
    name: 'almost',
    part: 'in_almost',
    label: 'Almost',
    hint: 'Curves that are at least 80 % full',
  },
  { name: 'graduated', part: 'out_new', label: 'Graduated', hint: 'In a pool for less than a day' },
] as const

const idOf = ({ token, chain }: { token: string; chain: string }) => `${token}-${chain}`

const percentText = (fraction: string) => `${(Number(fraction) * 100).toFixed(1)} %`

const Card = ({ row, price }: { row: TokenRow; price: PushedPrice | undefined }) => (
  <li>
    <a class="card" href={`/token/${idOf(row)}`}>
      <span class="token-cell">
        <strong>{row.symbol || '?'}</strong>
        <span class="soft name">{row.name}</span>
        <span class="grow" />
        <Ago timeS={row.launch_at || row.created_at} />
      </span>
      <span class="card-figures">
        <span>
          <span class="soft">Price</span> <Price value={price?.uprice ?? row.current_price_usd} />
        </span>
        <span>
          <span class="soft">Cap</span> <Usd value={row.market_cap} />
        </span>
        <Percent value={price?.price_change_24h ?? row.price_change_24h} />
        <span>
          <span class="soft">Vol</span> <Usd value={row.tx_volume_u_24h} />
        </span>
        <span>
          <span class="soft">Held by</span> {countText(row.holders)}
        </span>
        <span class="badge">{row.issue_platform}</span>
      </span>
      {row.progress !== undefined && Number(row.progress) < 1 && (
        <progress
          max={1}
          value={Number(row.progress)}
          title={`Curve ${percentText(row.progress)} full`}
        >
          {percentText(row.progress)}
        </progress>
      )}
    </a>
  </li>
)

type ColumnProps = {
  column: (typeof columns)[number]
  prices: ReadonlyMap<string, PushedPrice>
  rows: readonly TokenRow[]
  note: string
}

const LaunchColumn = ({ column, prices, rows, note }: ColumnProps) => (
  <section class="panel launch-column" aria-label={column.label}>
    <h2 title={column.hint}>
      {column.label} <span class="soft number">{rows.length}</span>
    </h2>
    {rows.length === 0 ? (
      <p class="empty">{note}</p>
    ) : (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      <ul tabIndex={0} aria-label={`${column.label} launches`}>
        {rows.map((row) => (
          <Card key={idOf(row)} row={row} price={prices.get(idOf(row))} />
        ))}
      </ul>
    )}
  </section>
)

/** Prices of all cards, as they are pushed. */
function usePrices(ids: readonly string[]): ReadonlyMap<string, PushedPrice> {
  const [prices] = useState(() => new Map<string, PushedPrice>())
  const [, setCount] = useState(0)
  const show = useMemo(() => createFrameTask(() => setCount((count) => count + 1)), [])
  useStream(
    ids.length === 0 ? null : ids.join(),
    (tape) => tape.prices(ids),
    (price) => {
      prices.set(idOf(price), price)
      show()
    },
  )
  return prices
}

const byLaunch = (a: TokenRow, b: TokenRow) => b.launch_at - a.launch_at

/** Launches of every platform: just made, almost full, and graduated. */
export function LaunchesPage() {
  const { data, error, again } = useQuery(
    'launches',
    async (signal) => {
      const lists = await Promise.all(columns.map(({ part }) => platformTokens(part, signal)))
      return lists.map((rows) => rows.sort(byLaunch).slice(0, cardsMax))
    },
    { everyMs },
  )
  const { served } = useChains()
  const ids = [...new Set((data ?? []).flat().map(idOf))].sort()
  const prices = usePrices(ids)
  // One chain is followed at once: its news bring the lists up to date before their turn.
  const chain = served[0]?.chain
  useStream(chain ?? null, (tape) => tape.newPairs(chain!), again)
  useEffect(() => {
    document.title = 'Launches · Chaintape'
  }, [])
  return (
    <main class="page fill launches">
      <h1 class="hidden">Launches</h1>
      {columns.map((column, index) => (
        <LaunchColumn
          key={column.name}
          {...{ column, prices, rows: data?.[index] ?? [] }}
          note={error ?? (data === undefined ? 'Loading…' : 'None now.')}
        />
      ))}
    </main>
  )
}
