// The programs of examples/ and the charts, run as users run them: against a whole service with its
// own market.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type ChartBar, createDatafeed } from '../../packages/client/src/charts/tradingview.ts'
import { createTape, type Tape } from '../../packages/client/src/index.ts'
import { launchBrowser } from '../support/browser.ts'
import { createDataDir } from '../support/postgres.ts'
import { type Program, startPatientProgram } from '../support/program.ts'
import { until } from '../support/until.ts'

const root = resolve(import.meta.dirname, '../..')
let dataDir = ''
let program: Program & Awaited<ReturnType<typeof startPatientProgram>>
let tape: Tape
let pairId = ''
let tokenId = ''
const examples = new Set<ChildProcess>()
let browser: Browser | undefined

beforeAll(async () => {
  dataDir = await createDataDir()
  program = await startPatientProgram(dataDir)
  const { address: url, api_key: key } = program.ready
  tape = createTape({ url, key, WebSocket })
  pairId = program.ready.example_pair_id
  const pair = await tape.rest.pairDetail(pairId)
  tokenId = `${pair.target_token}-local`
})

afterEach(async () => {
  for (const child of examples) child.kill('SIGKILL')
  examples.clear()
  await browser?.close()
  browser = undefined
})

afterAll(async () => {
  await tape?.close()
  program?.child.kill('SIGINT')
  await program?.ended
  await rm(dataDir, { recursive: true, force: true })
})

function run(name: string, ...args: string[]) {
  const child = spawn(process.execPath, [join(root, 'examples', name), ...args], {
    env: { ...process.env, URL_OF_SERVICE: program.ready.address, KEY: program.ready.api_key },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  examples.add(child)
  const output = { out: '', err: '' }
  child.stdout.on('data', (text) => {
    output.out += text
  })
  child.stderr.on('data', (text) => {
    output.err += text
  })
  return { child, output }
}

test('default: priceAlert prints an alert when a price leaves its range', async () => {
  const price = await tape.rest.price(tokenId)
  const { output } = run('priceAlert.js', tokenId, '0', '0')
  await until('it prints a line', () => output.out.includes('\n'))
  expect(output.out).toMatch(/^\S+Z [\d.]+ USD is above 0 to 0\n/)
  expect(price).not.toBeNull()
  expect(output.err).toBe('')
})

test('default: copyTrade prints the trades of a wallet', async () => {
  const { txs } = await tape.rest.swapTxs(pairId, { limit: 100, sort: 'desc' })
  const { output } = run('copyTrade.js', tokenId, txs[0]!.wallet_address)
  await until('it prints a line', () => output.out.includes('\n'))
  expect(output.out).toMatch(/^(earlier: )?(buy|sell) [\d.]+ for [\d.]+ USD, in all -?[\d.]+ \(0x/)
})

test('default: the recorder’s file contains all swaps, across a kill and a stop', async () => {
  const file = join(dataDir, 'swaps.csv')
  const rows = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(1, -1)
  const idsNow = async () => (await rows()).map((row) => row.split(',')[1]!)
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const before = (await rows()).length
    const { child } = run('recordCsv.js', pairId, file)
    await until('swaps came', async () => (await rows()).length > before + 2)
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
    // Trades that happen while no recorder runs; the next recorder run has to catch up on them.
    const head = (await tape.rest.swapTxs(pairId, { limit: 1, sort: 'desc' })).txs[0]!
    await until('the market goes on', async () => {
      const [newest] = (await tape.rest.swapTxs(pairId, { limit: 1, sort: 'desc' })).txs
      return newest!.block_number > head.block_number
    })
  }
  const last = run('recordCsv.js', pairId, file)
  await until('it goes on', () => last.output.out.includes('Goes on behind'))
  const before = (await rows()).length
  await until('swaps came', async () => (await rows()).length > before + 2)
  const ids = await idsNow()
  const from_time = Number((await rows())[0]!.split(',')[2])
  const { txs } = await tape.rest.swapTxs(pairId, { limit: 300, from_time })
  const all = txs.map(({ id }) => id)
  const start = all.indexOf(ids[0]!)
  expect(ids).toEqual(all.slice(start, start + ids.length))
})

test('default: the chart page moves with the market, drawn by the real library', async () => {
  const { output } = run('chartPage.js', pairId, '0')
  await until('it serves', () => output.out.includes('http://'))
  browser = await launchBrowser()
  const page = await browser.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  await page.goto(output.out.trim())
  const bars = () =>
    page.evaluate(() => {
      const { series, volume } = globalThis as never as Record<string, { data(): object[] }>
      return { bars: series?.data() ?? [], columns: volume?.data() ?? [] }
    }) as Promise<{ bars: { time: number; close: number }[]; columns: { time: number }[] }>
  await until('it is drawn', async () => (await bars()).bars.length > 0)
  const before = (await bars()).bars.at(-1)!
  await until('it moves', async () => (await bars()).bars.at(-1)!.time > before.time)
  const drawn = await bars()
  expect(drawn.columns.map(({ time }) => time)).toEqual(drawn.bars.map(({ time }) => time))
  // The newest kline is left out: it may have changed between the two reads.
  const { points } = await tape.rest.pairKlines(pairId, { interval: 's1', limit: 1_000 })
  const closes = new Map(points.map(({ time, close }) => [time, Number(close)]))
  for (const { time, close } of drawn.bars.slice(-20, -1)) expect(closes.get(time)).toBe(close)
  expect(faults).toEqual([])
})

test('default: the datafeed serves the charting library', async () => {
  const datafeed = createDatafeed(tape)
  const ready = await new Promise<object>((done) => datafeed.onReady(done))
  expect(ready).toMatchObject({ supported_resolutions: expect.arrayContaining(['1S', '1', '1D']) })
  const symbol = await new Promise<{ ticker: string; intraday_multipliers: readonly string[] }>(
    (done, failed) => datafeed.resolveSymbol(pairId, done, failed),
  )
  expect(symbol).toMatchObject({ ticker: pairId })
  expect(symbol.intraday_multipliers).toEqual(['1', '5', '15', '30', '60', '120', '240'])
  expect(await new Promise<number>((done) => datafeed.getServerTime(done))).toBeGreaterThan(0)
  const { points } = await tape.rest.pairKlines(pairId, { interval: 's1', limit: 1 })
  const to = points[0]!.time + 1
  const [bars] = await new Promise<[ChartBar[], object]>((done, failed) =>
    datafeed.getBars(symbol, '1S', { from: to - 600, to }, (...given) => done(given), failed),
  )
  expect(bars.length).toBeGreaterThan(0)
  const ticks: ChartBar[] = []
  datafeed.subscribeBars(
    symbol,
    '1S',
    (bar) => ticks.push(bar),
    'one',
    () => undefined,
  )
  await until('bars come', () => ticks.length > 1)
  datafeed.unsubscribeBars('one')
  expect(ticks[0]!.time).toBeGreaterThanOrEqual(bars.at(-1)!.time)
  const reason = await new Promise<string>((done) =>
    datafeed.resolveSymbol('nobody/NOTHING', () => undefined, done),
  )
  expect(reason).toBe('unknown_symbol')
})
