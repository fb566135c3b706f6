// The documentation site of a running service in a real browser: in both themes and on a phone,
// with its search, and with the forms of the API reference used.
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { accessibilityFaults, collectPageErrors } from '../support/browser.ts'
import { type MarketTerminal, startMarketTerminal } from '../support/marketTerminal.ts'
import { testApiKey } from '../support/program.ts'

// Generous timeout for every wait: a busy machine is slow, not broken.
const patienceMs = 60_000

let terminal: MarketTerminal
let context: BrowserContext
let page: Page
let complaints: readonly string[]
/** Addresses that the page asked for, of other hosts than the service. */
let foreign: string[]

beforeAll(async () => {
  terminal = await startMarketTerminal('1')
})

afterAll(() => terminal?.stop())

beforeEach(async () => {
  context = await terminal.browser.newContext({ viewport: { width: 1280, height: 900 } })
  page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  complaints = collectPageErrors(page)
  foreign = []
  const { host } = new URL(terminal.service.ready.address)
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (/^(https?|wss?):$/.test(url.protocol) && url.host !== host) foreign.push(url.href)
  })
})

afterEach(async () => {
  await context.close()
  expect([complaints, foreign]).toEqual([[], []])
})

const open = (path: string) => page.goto(`${terminal.service.ready.address}${path}`)

/** Waits until the scripts of the page have taken over what the server sent. */
async function untilAlive(): Promise<void> {
  const isAlive = () => page.evaluate("document.querySelector('#app')?.__vue_app__ !== undefined")
  await expect.poll(isAlive, { timeout: patienceMs }).toBe(true)
  await page.locator('.VPContent h1').first().waitFor()
}

const paths = ['', 'guides/terminal', 'reference/rest', 'reference/fields', 'reference/api']

test.each([...paths, ...['operate/operating', 'inside/architecture', 'inside/decisions/']])(
  'default: /docs/%s can be read in both themes and on a phone',
  async (path) => {
    await open(`/docs/${path}`)
    await untilAlive()
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor()
      expect([colorScheme, await accessibilityFaults(page)]).toEqual([colorScheme, []])
    }
    await page.setViewportSize({ width: 375, height: 740 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
  },
)

test('default: the search finds a page without any other server', async () => {
  await open('/docs/')
  await untilAlive()
  await page.getByRole('button', { name: 'Search' }).click()
  await page.locator('#localsearch-input').fill('market_memory')
  await page.locator('.VPLocalSearchBox .result').first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/(reference|inside|operate)\//)
  await page.locator('.VPContent h1').first().waitFor()
})

test('behavior: links lead through the site, to the service and back to the terminal', async () => {
  await open('/docs/')
  await untilAlive()
  await page.locator('.vp-doc').getByRole('link', { name: 'every field' }).click()
  await page.waitForURL(/\/docs\/reference\/fields$/)
  await page.locator('.VPContent h1', { hasText: 'Fields' }).waitFor()
  await page.getByRole('link', { name: 'Terminal', exact: true }).first().click()
  await page.waitForURL((url) => url.pathname === '/')
})

test('behavior: the chosen theme is kept', async () => {
  await page.emulateMedia({ colorScheme: 'light' })
  await open('/docs/')
  await untilAlive()
  await page.locator('.VPNavBarAppearance button').click()
  await page.locator('html.dark').waitFor()
  await page.reload()
  await page.locator('html.dark').waitFor()
})

test('default: the API reference can be searched, and an operation and a topic tried', async () => {
  await open('/docs/reference/api')
  const topic = page.locator('#topic-trades')
  await topic.waitFor()
  const sections = page.locator('.api section:visible')
  const all = await sections.count()
  await page.keyboard.press('/')
  await page.keyboard.type('trades tx_swap_type')
  await expect.poll(() => sections.count(), { timeout: patienceMs }).toBeLessThan(all / 2)
  expect(await topic.isVisible()).toBe(true)
  await page.keyboard.press('Escape')
  await expect.poll(() => sections.count(), { timeout: patienceMs }).toBe(all)

  const subscribe = topic.getByRole('button', { name: 'Subscribe' })
  const stop = topic.getByRole('button', { name: 'Stop' })
  await subscribe.click()
  await topic.locator('.status.failed').waitFor()
  const operation = page.locator('#mainTokens')
  await operation.getByRole('button', { name: 'Send' }).click()
  await operation.locator('.status.failed', { hasText: /^401 / }).waitFor()
  await page.getByLabel('API key').fill(testApiKey)
  await operation.getByRole('button', { name: 'Send' }).click()
  await operation.locator('.status', { hasText: /^200 in \d+ ms, cost \d+ CU$/ }).waitFor()
  await operation.locator('.answer').waitFor()
  // An input changes the request, here and in the command for a shell.
  await operation.getByLabel('chain').fill('none')
  expect(await operation.locator('.curl').textContent()).toContain('chain=none')
  await operation.getByRole('button', { name: 'Send' }).click()
  await operation.locator('.status.failed', { hasText: /^4\d\d / }).waitFor()

  // The shown example can be sent as it is: its pair exists in this market.
  const example = JSON.parse(await page.locator('#topic-tx textarea').inputValue())
  const [, pair, chain] = example.params
  expect((await terminal.service.get(`/v2/pairs/${pair}-${chain}`)).status).toBe(200)
  // The example wallet must have traded in this market.
  const ofWallet = JSON.parse(await page.locator('#topic-wallet textarea').inputValue())
  const [, [walletId]] = ofWallet.params
  const wallet = walletId.slice(0, walletId.lastIndexOf('-'))
  const info = await terminal.service.get(
    `/v2/address/walletinfo?chain=${chain}&wallet_address=${wallet}`,
  )
  expect(JSON.stringify(await info.json())).toMatch(/"total_(purchase|sold)":[1-9]/)
  const message = { jsonrpc: '2.0', id: 1, method: 'subscribe', params: ['trades', chain] }
  await topic.getByLabel('message').fill(JSON.stringify(message))
  await subscribe.click()
  await stop.waitFor()
  const answer = topic.locator('.answer')
  await answer.waitFor()
  const endMs = performance.now() + patienceMs
  while (!((await answer.textContent()) ?? '').includes('"topic":"trades"')) {
    if (performance.now() > endMs) throw new Error('No mined block pushed a trade.')
    await terminal.node.mineMarket()
    await page.waitForTimeout(100)
  }
  await stop.click()
  await topic.getByText('Stopped.').waitFor()
  // The key is kept for this tab only.
  await page.reload()
  await topic.waitFor()
  expect(await page.getByLabel('API key').inputValue()).toBe(testApiKey)
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect([colorScheme, await accessibilityFaults(page)]).toEqual([colorScheme, []])
  }
})
