// The terminal in a real browser on a separate chain: time to its first candle, responsiveness
// while trades arrive, and bytes loaded.
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../test/support/browser.ts'
import { startDevNode } from '../test/support/devNode.ts'
import { createDataDir, removeDataDir } from '../test/support/postgres.ts'
import { testApiKey, writeChainConfig } from '../test/support/program.ts'
import { repeatTrades } from '../test/support/repeatTrades.ts'
import { startService, untilStored } from '../test/support/service.ts'
import type { BenchTable } from './benchTable.ts'

const blocks = 60
const rounds = 9
const pushesPerS = 500
const pushingS = 10

/** Notes when the numbers of a candle are shown, which are rendered after the candle is drawn. */
const noteCandle = `
  const seen = new MutationObserver(() => {
    if (document.querySelector('.chart-legend') === null) return
    seen.disconnect()
    requestAnimationFrame(() => { window.candleMs = performance.now() })
  })
  seen.observe(document, { childList: true, subtree: true })`

/** A page that only requests the same klines and paints them. */
const barePage = (
  path: string,
) => `<!doctype html><canvas width="900" height="400"></canvas><script>
  fetch('${path}', { headers: { 'X-API-KEY': '${testApiKey}' } }).then((answer) => answer.json()).then(({ points }) => {
    const context = document.querySelector('canvas').getContext('2d')
    const top = Math.max(...points.map(({ high }) => Number(high)))
    points.forEach(({ open, close }, at) => context.fillRect(at * 6, 400 - (400 * Math.max(open, close)) / top, 5, 2))
    requestAnimationFrame(() => { window.candleMs = performance.now() })
  })
</script>`

type Place = { browser: Browser; address: string; token: string }

const medianOf = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** Runs in a browser with an empty cache. */
async function withPage<result>(
  browser: Browser,
  run: (page: Page) => Promise<result>,
): Promise<result> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  try {
    return await run(page)
  } finally {
    await context.close()
  }
}

async function candleMsOf(page: Page, address: string): Promise<number> {
  await page.goto(address)
  // Evaluated through the debugger: the page's policy forbids evaluating text as code.
  return await page.evaluate<number>(`new Promise((resolve) => {
    const look = () =>
      window.candleMs === undefined ? setTimeout(look, 10) : resolve(window.candleMs)
    look()
  })`)
}

async function measureFirstCandle({ browser, address, token }: Place) {
  const ours: number[] = []
  const bare: number[] = []
  const path = `/v2/klines/token/${token}?interval=k1&category=u&limit=500`
  // Alternates both pages, so that they run under the same conditions.
  for (let round = 0; round < rounds; round += 1) {
    await withPage(browser, async (page) => {
      await page.addInitScript(noteCandle)
      ours.push(await candleMsOf(page, `${address}/token/${token}`))
    })
    await withPage(browser, async (page) => {
      await page.route('**/bare', (route) =>
        route.fulfill({ contentType: 'text/html', body: barePage(path) }),
      )
      bare.push(await candleMsOf(page, `${address}/bare`))
    })
  }
  return { ours: medianOf(ours), bare: medianOf(bare) }
}

/** Transferred bytes of everything the page consists of. */
function measureBytes({ browser, address, token }: Place): Promise<number> {
  return withPage(browser, async (page) => {
    const parts: Promise<number>[] = []
    page.on('requestfinished', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/assets/') || request.isNavigationRequest())
        parts.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
    })
    await page.addInitScript(noteCandle)
    await candleMsOf(page, `${address}/token/${token}`)
    return (await Promise.all(parts)).reduce((sum, bytes) => sum + bytes, 0)
  })
}

type LongTasks = {
  count: number
  longestMs: number
  /** CPU time of the page's main thread, the most reliable figure on a machine with other load. */
  cpuMs: number
}

/**
 * Starts a measurement. The returned function gives the CPU time of the page's main thread since
 * then.
 */
async function watchCpu(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const usedMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1_000
  }
  const beforeMs = await usedMs()
  return async () => (await usedMs()) - beforeMs
}

/** Counts tasks longer than 50 ms in this many seconds, with or without trades. */
function measureLongTasks(
  { browser, address, token }: Place,
  perS: number,
  seconds: number,
): Promise<LongTasks> {
  return withPage(browser, async (page) => {
    await page.addInitScript(repeatTrades)
    await page.goto(`${address}/token/${token}`)
    await page.locator('.chart-legend').waitFor()
    await page.locator('.scroller tbody tr').first().waitFor()
    const usedMs = await watchCpu(page)
    const tasks = await page.evaluate<Omit<LongTasks, 'cpuMs'>>(`new Promise((resolve) => {
      const tasks = []
      const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
      observer.observe({ type: 'longtask' })
      const startMs = performance.now()
      let sent = 0
      const timer = setInterval(() => {
        const dueMs = Math.min(performance.now() - startMs, ${seconds * 1_000})
        const due = Math.floor(dueMs * ${perS / 1_000}) - sent
        sent += due
        if (due > 0) repeatTrade(due)
        if (dueMs < ${seconds * 1_000}) return
        clearInterval(timer)
        tasks.push(...observer.takeRecords().map(({ duration }) => duration))
        resolve({ count: tasks.length, longestMs: Math.max(0, ...tasks) })
      }, 10)
    })`)
    return { ...tasks, cpuMs: await usedMs() }
  })
}

const longText = ({ count, longestMs, cpuMs }: LongTasks) => {
  const tasks = count === 0 ? 'none' : `${count}, the longest ${Math.round(longestMs)} ms`
  return `${tasks}; ${Math.round(cpuMs / pushingS)} ms of CPU a second`
}

async function rowsOf(place: Place): Promise<BenchTable['rows']> {
  const { ours, bare } = await measureFirstCandle(place)
  const bytes = await measureBytes(place)
  const quiet = await measureLongTasks(place, 0, pushingS)
  const busy = await measureLongTasks(place, pushesPerS, pushingS)
  return [
    {
      metric: `first candle of a browser that has loaded nothing yet, median of ${rounds}`,
      value: `${Math.round(ours)} ms, ${(ours / bare).toFixed(1)}x of a bare page (${Math.round(bare)} ms)`,
    },
    {
      metric: `tasks of over 50 ms in ${pushingS} s, ${pushesPerS} trades/s`,
      value: longText(busy),
      goal: 'none',
    },
    { metric: 'the same without trades', value: longText(quiet) },
    {
      metric: 'document, scripts and styles as sent, for all pages',
      value: `${(bytes / 1_000).toFixed(1)} kB`,
      goal: 'under 150 kB',
    },
  ]
}

export async function runTerminalBench(): Promise<BenchTable> {
  const nowS = Math.floor(Date.now() / 1_000) - 600
  const node = await startDevNode({ market: true, seed: 'terminal', nowS })
  for (let block = 0; block < blocks; block += 1) await node.mineMarket()
  const dataDir = await createDataDir()
  const service = await startService(dataDir, await writeChainConfig(dataDir, node))
  const browser = await launchBrowser()
  try {
    await untilStored(dataDir, node)
    const token = `${node.profile.native.wrappedToken}-${node.profile.name}`
    const address = service.ready.address.replace('localhost', '127.0.0.1')
    return { name: 'terminal', rows: await rowsOf({ browser, address, token }) }
  } finally {
    await browser.close()
    await service.stop()
    await node.stop()
    await removeDataDir(dataDir)
  }
}
