import type { PushedPrice } from '@chaintape/protocol'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useChains } from '../../data/chains.ts'
import { useStream } from '../../data/tape.ts'
import { useQuery } from '../../data/useQuery.ts'
import { countText } from '../../lib/format.ts'
import { createFrameTask, createPacedTask } from '../../lib/store.ts'
import { Ago, Percent, Price, Usd } from '../../parts/values.tsx'
import { platformTokens } from '../markets/marketLists.ts'
import {
  cardOfRow,
  createLaunchCards,
  idOf,
  type LaunchCard,
  type LaunchNews,
} from './launchCards.ts'

// Volumes alone are asked for; launches, curves and prices are pushed.
const everyMs = 60_000
const paceMs = 2_000
const cardsMax = 60

const columns = [
  { name: 'new', label: 'New', hint: 'On their curve for less than a day, less than 80 % full' },
  { name: 'almost', label: 'Almost', hint: 'Curves that are at least 80 % full' },
  { name: 'graduated', label: 'Graduated', hint: 'In a pool for less than a day' },
] as const

const percentText = (fraction: number) => `${(fraction * 100).toFixed(1)} %`

const Card = ({ card, price }: { card: LaunchCard; price: PushedPrice | undefined }) => (
  <li>
    <a class="card" href={`/token/${idOf(card)}`}>
      <span class="token-cell">
        <strong>{card.symbol || '?'}</strong>
        <span class="soft name">{card.name}</span>
        <span class="grow" />
        <Ago timeS={card.atS} />
      </span>
      <span class="card-figures">
        <span>
          <span class="soft">Price</span> <Price value={price?.uprice ?? card.priceUsd} />
        </span>
        <span>
          <span class="soft">Cap</span> <Usd value={card.mcapUsd} />
        </span>
        <Percent value={price?.price_change_24h ?? card.change} />
        <span>
          <span class="soft">Vol</span> <Usd value={card.volumeUsd} />
        </span>
        <span>
          <span class="soft">Held by</span> {countText(card.holders)}
        </span>
        <span class="badge">{card.issue_platform}</span>
      </span>
      {!card.isGraduated && (
        <progress
          max={1}
          value={card.progress}
          title={`Curve ${percentText(card.progress)} full`}
          aria-label={`Curve of ${card.symbol}`}
        >
          {percentText(card.progress)}
        </progress>
      )}
    </a>
  </li>
)

type ColumnProps = {
  column: (typeof columns)[number]
  prices: ReadonlyMap<string, PushedPrice>
  cards: readonly LaunchCard[]
  note: string
}

const LaunchColumn = ({ column, prices, cards, note }: ColumnProps) => (
  <section class="panel launch-column" aria-label={column.label}>
    <h2 title={column.hint}>
      {column.label} <span class="soft number">{cards.length}</span>
    </h2>
    {cards.length === 0 ? (
      <p class="empty">{note}</p>
    ) : (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      <ul tabIndex={0} aria-label={`${column.label} launches`}>
        {cards.map((card) => (
          <Card key={idOf(card)} card={card} price={prices.get(idOf(card))} />
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

type FollowedProps = { chain: string; onNews(news: LaunchNews): void }

/** Follows the launches of one chain. */
function Followed({ chain, onNews }: FollowedProps) {
  useStream(
    chain,
    (tape) => tape.launches(chain, { revisions: true }),
    (news) => onNews(news),
  )
  return null
}

/** Every launch that is new, almost full or graduated. */
async function loadCards(signal: AbortSignal): Promise<LaunchCard[]> {
  const [created, almost, graduated] = await Promise.all(
    ['in_new', 'in_almost', 'out_new'].map((part) => platformTokens(part, signal)),
  )
  const onCurve = [...created!, ...almost!].map((row) => cardOfRow(row, false))
  return [...onCurve, ...graduated!.map((row) => cardOfRow(row, true))]
}

/** Launches of every platform: just made, almost full, and graduated. */
export function LaunchesPage() {
  const held = useMemo(createLaunchCards, [])
  const [, setCount] = useState(0)
  const show = useMemo(() => createFrameTask(() => setCount((count) => count + 1)), [])
  const { data, error, again } = useQuery(
    'launches',
    async (signal) => {
      held.answered(await loadCards(signal), Date.now())
      return true
    },
    { everyMs },
  )
  const askAgain = useMemo(() => createPacedTask(again, paceMs), [])
  const onNews = (news: LaunchNews) => {
    held.pushed(news, Date.now())
    show()
    if (news.retracted) askAgain()
  }
  const { served } = useChains()
  const shown = held.columns(Date.now())
  const cardsOf = (name: (typeof columns)[number]['name']) => shown[name].slice(0, cardsMax)
  const ids = [...new Set(columns.flatMap(({ name }) => cardsOf(name).map(idOf)))].sort()
  const prices = usePrices(ids)
  useEffect(() => {
    document.title = 'Launches · Chaintape'
  }, [])
  return (
    <main class="page fill launches">
      <h1 class="hidden">Launches</h1>
      {served.map(({ chain }) => (
        <Followed key={chain} chain={chain} onNews={onNews} />
      ))}
      {columns.map((column) => (
        <LaunchColumn
          key={column.name}
          column={column}
          prices={prices}
          cards={cardsOf(column.name)}
          note={error ?? (data === undefined ? 'Loading…' : 'No launches now.')}
        />
      ))}
    </main>
  )
}
