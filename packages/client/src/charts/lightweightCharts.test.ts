import { expect, test } from 'vitest'
import type { Tape } from '../stream/createTape.ts'
import type { TapeEvent } from '../stream/tapeEvent.ts'
import { drawKlines } from './lightweightCharts.ts'

const point = (time: number, close: number) => {
  const text = `${close}`
  return { time, open: text, high: text, low: text, close: text, volume: '7' }
}

type Push = { kline: { usd: unknown; eth: unknown }; retracted?: true }

/** A tape with klines at these times, one minute each, whose pushes and events the test gives. */
function openTape(times: number[]) {
  const asked: unknown[] = []
  const opened: unknown[] = []
  let onPush: (push: Push) => void = () => undefined
  let onEvent: (event: TapeEvent) => void = () => undefined
  let isEnded = false
  const tape = {
    rest: {
      async pairKlines(pairId: string, params: { limit: number; to_time?: number }) {
        asked.push({ pairId, ...params })
        const { limit, to_time: to = Number.POSITIVE_INFINITY } = params
        return {
          points: times
            .filter((time) => time <= to)
            .slice(-limit)
            .map((time) => point(time, time)),
        }
      },
    },
    klines(...args: unknown[]) {
      opened.push(args)
      return {
        name: 'klines',
        each(callback: typeof onPush) {
          onPush = callback
          return new Promise(() => undefined)
        },
        end: () => {
          isEnded = true
        },
      }
    },
    on(listener: typeof onEvent) {
      onEvent = listener
      return () => {
        onEvent = () => undefined
      }
    },
  } as unknown as Tape
  return {
    tape,
    asked,
    opened,
    push: (time: number, close: number) =>
      onPush({ kline: { usd: point(time, close), eth: point(time, close / 2) } }),
    retract: () => onPush({ kline: { usd: point(0, 0), eth: point(0, 0) }, retracted: true }),
    event: (event: TapeEvent) => onEvent(event),
    isEnded: () => isEnded,
  }
}

/** A series as the chart library keeps it: `update` corrects or appends its last point. */
function openSeries() {
  const drawn: { time: number; close?: number }[][] = []
  const updates: [time: number, isOlder: boolean | undefined][] = []
  return {
    drawn,
    updates,
    setData: (points: { time: number; close?: number }[]) => void drawn.push(points),
    update: (given: { time: number }, isOlder?: boolean) =>
      void updates.push([given.time, isOlder]),
  }
}

test('default: 500 klines in USD, followed with revisions', async () => {
  const { tape, asked, opened } = openTape([60, 120])
  const series = openSeries()
  await drawKlines(tape, { pairId: 'p', interval: 'k1', series })
  expect(asked).toEqual([
    { pairId: 'p', interval: 'k1', limit: 500, category: 'u', to_time: undefined },
  ])
  expect(opened).toEqual([['p', 'k1', { revisions: true }]])
  expect(series.drawn.map((points) => points.map(({ time }) => time))).toEqual([[60, 120]])
})

test('behavior: a push corrects the last bar or an older one, and appends a newer one once', async () => {
  const { tape, push } = openTape([60, 180])
  const series = openSeries()
  const volume = openSeries()
  await drawKlines(tape, { pairId: 'p', interval: 'k1', series, volume })
  push(180, 5)
  push(240, 6)
  push(180, 7)
  // Before the first bar, and between two.
  push(0, 8)
  push(120, 9)
  expect(series.updates).toEqual([
    [180, false],
    [240, false],
    [180, true],
  ])
  expect(volume.updates).toEqual(series.updates)
})

test('behavior: older klines come before the first one and are drawn with the others', async () => {
  const { tape, push } = openTape([60, 120, 180, 240])
  const series = openSeries()
  const drawn = await drawKlines(tape, { pairId: 'p', interval: 'k1', series, limit: 2 })
  push(240, 9)
  push(300, 10)
  expect(await drawn.loadOlder()).toBe(2)
  expect(series.drawn.at(-1)!.map(({ time, close }) => [time, close])).toEqual([
    [60, 60],
    [120, 120],
    [180, 180],
    [240, 9],
    [300, 10],
  ])
  expect(await drawn.loadOlder()).toBe(0)
})

test('behavior: a reverted kline, a gap and a rewind draw everything again', async () => {
  const { tape, retract, event } = openTape([60])
  const series = openSeries()
  await drawKlines(tape, { pairId: 'p', interval: 'k1', series, unit: 'native' })
  const redrawn = async (count: number) => {
    // The read of the fake service takes a few microtasks.
    await new Promise(setImmediate)
    expect(series.drawn).toHaveLength(count)
  }
  retract()
  await redrawn(2)
  event({ type: 'gap', stream: 'klines', cursor: null, reason: 'restart' })
  await redrawn(3)
  event({ type: 'rewound', stream: 'another', cursor: 'c' })
  await redrawn(3)
  event({ type: 'rewound', stream: 'klines', cursor: 'c' })
  await redrawn(4)
})

test('behavior: a closed drawing ends its stream and draws nothing', async () => {
  const { tape, event, isEnded } = openTape([60])
  const series = openSeries()
  const drawn = await drawKlines(tape, { pairId: 'p', interval: 'k1', series })
  drawn.close()
  event({ type: 'gap', stream: 'klines', cursor: null, reason: 'restart' })
  await new Promise(setImmediate)
  expect([isEnded(), series.drawn.length]).toEqual([true, 1])
})

test('error: a service that does not answer fails the drawing and ends its stream', async () => {
  const { tape, isEnded } = openTape([])
  tape.rest.pairKlines = () => Promise.reject(new Error('away'))
  const drawing = drawKlines(tape, { pairId: 'p', interval: 'k1', series: openSeries() })
  await expect(drawing).rejects.toThrow('away')
  expect(isEnded()).toBe(true)
})
