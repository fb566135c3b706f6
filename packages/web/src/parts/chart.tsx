import type { Interval } from '@chaintape/protocol'
import { useRef } from 'preact/hooks'
import { chosenKlines, type Unit } from '../lib/firstKlines.ts'
import { exactText, priceText, shortText, timeText } from '../lib/format.ts'
import { setQuery, useRoute } from '../lib/route.ts'
import type { ChartPoint } from './drawing.ts'
import { type LoadKlines, useLiveDrawing } from './useLiveDrawing.ts'

const intervals = [
  ['s1', '1s'],
  ['k1', '1m'],
  ['k5', '5m'],
  ['k15', '15m'],
  ['k30', '30m'],
  ['k60', '1h'],
  ['k240', '4h'],
  ['k1440', '1D'],
  ['k10080', '1W'],
] as const satisfies readonly (readonly [interval: Interval, label: string])[]

type ChartProps = {
  label: string
  /** Symbol of the native coin. */
  native: string
  load: LoadKlines
  /** Whether klines of its pair are what is drawn; undefined: not known yet. */
  isOfPair: boolean | undefined
}

const legendParts = [
  ['open', 'O', priceText],
  ['high', 'H', priceText],
  ['low', 'L', priceText],
  ['close', 'C', priceText],
  ['volume', 'V', shortText],
] as const

/** One point in numbers. */
const Legend = ({ point }: { point: ChartPoint }) => (
  <p class="chart-legend">
    <time class="soft" dateTime={new Date(point.time * 1_000).toISOString()}>
      {timeText(point.time)}
    </time>
    {legendParts.map(([name, letter, textOf]) => (
      <span key={name}>
        <abbr class="soft" title={name}>
          {letter}
        </abbr>{' '}
        <span
          class={point.close >= point.open ? 'number up' : 'number down'}
          title={exactText(point[name])}
        >
          {textOf(point[name])}
        </span>
      </span>
    ))}
  </p>
)

type ChartBarProps = { interval: Interval; unit: Unit; native: string; note: string }

/** What is drawn, and what is said of it. */
const ChartBar = ({ interval, unit, native, note }: ChartBarProps) => (
  <div class="toolbar">
    <fieldset class="segments">
      <legend class="hidden">Interval</legend>
      {intervals.map(([value, text]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === interval}
          onClick={() => setQuery({ interval: value === 'k1' ? null : value })}
        >
          {text}
        </button>
      ))}
    </fieldset>
    <output class="soft chart-note">{note}</output>
    <fieldset class="segments">
      <legend class="hidden">Unit</legend>
      {[['u', 'USD'] as const, ['m', native] as const].map(([value, text]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === unit}
          onClick={() => setQuery({ unit: value === 'u' ? null : 'native' })}
        >
          {text}
        </button>
      ))}
    </fieldset>
  </div>
)

/** Klines with volume, live. */
export function Chart({ label, native, load, isOfPair }: ChartProps) {
  const route = useRoute()
  const { interval, unit } = chosenKlines(route?.query ?? new URLSearchParams())
  const box = useRef<HTMLDivElement>(null)
  const { note, last, pointed } = useLiveDrawing(box, { interval, unit, load, isOfPair })

  return (
    <section class="chart panel" aria-label={label}>
      <ChartBar interval={interval} unit={unit} native={native} note={note} />
      {last !== null && <Legend point={pointed ?? last} />}
      <div
        class="drawing"
        ref={box}
        role="img"
        aria-label={`${label}, ${priceText(last?.close)}`}
      />
    </section>
  )
}
