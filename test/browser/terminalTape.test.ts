// Memory and elements that a page keeps while a tape of trades runs without end.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { measurePageUsage, type PageUsage } from '../support/browser.ts'
import {
  type MarketTerminal,
  rowCountOf,
  rowsOf,
  startMarketTerminal,
} from '../support/marketTerminal.ts'
import { repeatTrades } from '../support/repeatTrades.ts'

const patienceMs = 60_000

let terminal: MarketTerminal
let page: Page

beforeAll(async () => {
  terminal = await startMarketTerminal('terminalTape')
})

afterAll(() => terminal?.stop())

beforeEach(async () => {
  page = await terminal.browser.newPage({ viewport: { width: 1280, height: 900 } })
  page.setDefaultTimeout(patienceMs)
  await page.addInitScript(repeatTrades)
  await page.goto(terminal.addressOf(`/token/${terminal.tokenId}`))
  await rows().first().waitFor()
})

afterEach(() => page.close())

const rows = () => rowsOf(page)
const tapeLength = () => rowCountOf(page)

/**
 * Sends trades in portions, as blocks bring them, so that the page draws in between. Returns the
 * name of the last trade.
 */
async function sendTrades(count: number): Promise<string> {
  for (let at = 0; at < count; at += 500) await page.evaluate('repeatTrade(500)')
  return await page.evaluate<string>('repeatTrade(0)')
}

test('behavior: a tape keeps at most 10,000 rows and draws few of them', async () => {
  await sendTrades(10_000)
  await expect.poll(tapeLength, { timeout: patienceMs }).toBe(10_000)
  expect(await rows().count()).toBeLessThan(80)
  const last = await sendTrades(2_000)
  await rows().first().getByTitle(last).waitFor()
  expect(await tapeLength()).toBe(10_000)
  await page.locator('.scroller').evaluate((scroller) => {
    scroller.scrollTop = scroller.scrollHeight
  })
  await page.locator('tr[aria-rowindex="10001"]').waitFor()
  expect(await rows().count()).toBeLessThan(80)
})

// The long run (SOAK) detects a leak of a dozen bytes per trade, the short one about forty. The
// long run also detects leaks that grow with time only.
const isLong = process.env.SOAK !== undefined
const [looks, tradesPerLook, lookMs] = isLong ? [12, 20_000, 50_000] : [6, 10_000, 0]

/**
 * Returns what the page holds after each of many batches of trades, each time after a garbage
 * collection.
 */
async function heldWhileTrading(): Promise<PageUsage[]> {
  const held: PageUsage[] = []
  for (let look = 0; look < looks; look += 1) {
    const endMs = performance.now() + lookMs
    for (let sent = 0; sent < tradesPerLook || performance.now() < endMs; sent += 500) {
      await page.evaluate('repeatTrade(500)')
      // Gives the page time to draw.
      await page.waitForTimeout(50)
    }
    // Waits until the last trade is drawn: a trade that waits to be drawn is held twice.
    const last = await page.evaluate<string>('repeatTrade(1)')
    await rows().first().getByTitle(last).waitFor()
    held.push(await measurePageUsage(page))
  }
  return held
}

test(`behavior: a full tape uses no more memory after ${looks * tradesPerLook} more trades`, {
  timeout: (isLong ? 20 : 5) * 60_000,
}, async () => {
  await sendTrades(10_000)
  await expect.poll(tapeLength, { timeout: patienceMs }).toBe(10_000)
  const held = await heldWhileTrading()
  // Work in progress during a measurement can only add memory. The minimum of several measurements
  // is therefore what is held permanently.
  for (const name of ['heapBytes', 'elements', 'listeners'] as const) {
    const of = held.map((one) => one[name])
    const growth = Math.min(...of.slice(-looks / 3)) / Math.min(...of.slice(0, looks / 3))
    const figures = `${name} of the page: ${of.join(', ')}`
    expect(growth, figures).toBeLessThan(1.1)
  }
  expect(await tapeLength()).toBe(10_000)
  expect(await rows().count()).toBeLessThan(80)
})

test('behavior: new trades reuse the elements of rows that leave the view', async () => {
  const before = await page.evaluate<string>('repeatTrade(500)')
  await rows().first().getByTitle(before).waitFor()
  await page.evaluate(
    "window.elements = new Set(document.querySelectorAll('.scroller tbody tr:not(.gap)'))",
  )
  for (const count of [1, 500]) {
    const last = await page.evaluate<string>(`repeatTrade(${count})`)
    await rows().first().getByTitle(last).waitFor()
    // Newest first, each trade once, and all rows reuse elements that existed before.
    const shown = await rows()
      .locator('td:last-child [title]')
      .evaluateAll((all) => all.map((one) => Number(one.getAttribute('title')!.split(' ')[1])))
    expect(shown).toEqual(shown.map((_count, at) => Number(last.split(' ')[1]) - at))
    const others =
      "[...document.querySelectorAll('.scroller tbody tr:not(.gap)')].filter((row) => !elements.has(row)).length"
    expect(await page.evaluate(others)).toBe(0)
  }
})
