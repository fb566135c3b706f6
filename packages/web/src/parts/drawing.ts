import {
  type AutoscaleInfo,
  CandlestickSeries,
  CrosshairMode,
  createChart,
  HistogramSeries,
  type UTCTimestamp,
} from 'lightweight-charts'
import { priceText, shortText } from '../lib/format.ts'
import { withRoom } from '../lib/priceRoom.ts'
import { theme } from '../lib/theme.ts'

export type ChartPoint = {
  /** Unix seconds. */
  time: number
  open: number
  high: number
  low: number
  close: number
  volume: number
}

/** A chart drawn into an element. */
export type Drawing = {
  /** Draws all points again. */
  show(points: readonly ChartPoint[]): void
  /** Updates the newest point or appends one. */
  update(point: ChartPoint): void
  /** Loads older points when the reader scrolls back. */
  onOlder(load: (firstS: number) => Promise<readonly ChartPoint[]>): void
  /** Reports the point under the pointer; null if none exists. */
  onPoint(look: (point: ChartPoint | null) => void): void
  last(): ChartPoint | null
  close(): void
}

/** The chart library draws on a canvas, which has no styles: colors are read from the page's. */
function paletteOf() {
  const styles = getComputedStyle(document.documentElement)
  const of = (name: string) => styles.getPropertyValue(name).trim()
  return {
    up: of('--up'),
    down: of('--down'),
    ink: of('--soft'),
    line: of('--line'),
    upSoft: of('--up-soft'),
    downSoft: of('--down-soft'),
    accent: of('--accent'),
  }
}

type Palette = ReturnType<typeof paletteOf>

// Remaining points on the left at which more are loaded.
const marginPoints = 20

function openChart(box: HTMLElement, hasSeconds: boolean) {
  const chart = createChart(box, {
    autoSize: true,
    // The page's footer names the library: its own mark needs inline styles, which are not allowed
    // here.
    layout: { attributionLogo: false, background: { color: 'transparent' }, fontSize: 11 },
    timeScale: {
      timeVisible: true,
      secondsVisible: hasSeconds,
      rightOffset: 4,
      borderVisible: false,
    },
    rightPriceScale: {
      borderVisible: false,
      entireTextOnly: true,
      scaleMargins: { top: 0.08, bottom: 0.24 },
    },
    crosshair: { mode: CrosshairMode.Normal },
  })
  const klines = chart.addSeries(CandlestickSeries, {
    // Tokens may be almost worthless. `base` is the same without a division's rounding error.
    priceFormat: { type: 'custom', formatter: priceText, minMove: 1e-18, base: 1e18 },
    borderVisible: false,
    autoscaleInfoProvider: (original: () => AutoscaleInfo | null) => withRoom(original()),
  })
  const volumes = chart.addSeries(HistogramSeries, {
    priceFormat: { type: 'custom', formatter: shortText, minMove: 0.01 },
    priceScaleId: '',
    lastValueVisible: false,
    priceLineVisible: false,
  })
  volumes.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } })
  return { chart, klines, volumes }
}

type Opened = ReturnType<typeof openChart>

function paint({ chart, klines }: Opened, { up, down, ink, line, accent }: Palette): void {
  const crosshairLine = { color: ink, labelBackgroundColor: accent }
  chart.applyOptions({
    layout: { textColor: ink },
    grid: { vertLines: { color: line }, horzLines: { color: line } },
    crosshair: { vertLine: crosshairLine, horzLine: crosshairLine },
  })
  klines.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down })
}

const klineOf = ({ volume: _volume, time, ...prices }: ChartPoint) => ({
  time: time as UTCTimestamp,
  ...prices,
})

const volumeOf = ({ time, open, close, volume }: ChartPoint, palette: Palette) => ({
  time: time as UTCTimestamp,
  value: volume,
  color: close >= open ? palette.upSoft : palette.downSoft,
})

export function openDrawing(box: HTMLElement, { hasSeconds }: { hasSeconds: boolean }): Drawing {
  const opened = openChart(box, hasSeconds)
  const { chart, klines, volumes } = opened
  let points: ChartPoint[] = []
  let palette = paletteOf()

  function draw(): void {
    klines.setData(points.map(klineOf))
    volumes.setData(points.map((point) => volumeOf(point, palette)))
  }

  function repaint(): void {
    palette = paletteOf()
    paint(opened, palette)
    draw()
  }
  repaint()
  const endTheme = theme.watch(() => requestAnimationFrame(repaint))

  return {
    show(all) {
      points = [...all]
      draw()
      const { length } = points
      chart.timeScale().setVisibleLogicalRange({ from: Math.max(-2, length - 120), to: length + 4 })
    },
    update(point) {
      const last = points.at(-1)
      if (last !== undefined && point.time < last.time) {
        const at = points.findLastIndex(({ time }) => time === point.time)
        if (at < 0) return
        points[at] = point
        draw()
        return
      }
      if (last?.time === point.time) points[points.length - 1] = point
      else points.push(point)
      klines.update(klineOf(point))
      volumes.update(volumeOf(point, palette))
    },
    onOlder(load) {
      let isLoading = false
      chart.timeScale().subscribeVisibleLogicalRangeChange(async (range) => {
        const first = points[0]
        if (isLoading || range === null || first === undefined || range.from > marginPoints) return
        isLoading = true
        const older = (await load(first.time)).filter(({ time }) => time < points[0]!.time)
        // There are none older: it stops asking.
        isLoading = older.length === 0
        if (older.length === 0) return
        points = [...older, ...points]
        draw()
      })
    },
    onPoint(look) {
      chart.subscribeCrosshairMove(({ time }) => {
        look(points.findLast((point) => point.time === time) ?? null)
      })
    },
    last: () => points.at(-1) ?? null,
    close() {
      endTheme()
      chart.remove()
    },
  }
}
