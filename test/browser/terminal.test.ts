// The terminal in a real browser on a real chain: every page with live data, and the terminal's
// behavior on failures.
import type { BrowserContext, Page } from 'playwright-core'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { accessibilityFaults, collectPageErrors } from '../support/browser.ts'
import { curveProgress } from '../support/curveProgress.ts'
import type { DevNode } from '../support/devNode.ts'
import {
  type MarketTerminal,
  rowCountOf,
  rowsOf,
  startMarketTerminal,
} from '../support/marketTerminal.ts'
import { testApiKey } from '../support/program.ts'
import { repeatTrades } from '../support/repeatTrades.ts'
import { untilStored } from '../support/service.ts'
import { swap } from '../support/simulate.ts'

const adminKey = 'the-admin-key-of-this-test'
// Generous timeout for every wait: a busy machine is slow, not broken.
const patienceMs = 60_000

let terminal: MarketTerminal
let node: DevNode
let context: BrowserContext
let page: Page
let complaints: readonly string[]

const tokenId = () => terminal.tokenId

beforeAll(async () => {
  // Maps a foreign host name to this server, as an attacker's DNS server could (DNS rebinding).
  const rebound = '--host-resolver-rules=MAP rebound.example 127.0.0.1'
  terminal = await startMarketTerminal('1', { admin_key: adminKey }, [rebound])
  node = terminal.node
})

afterAll(() => terminal?.stop())

beforeEach(async () => {
  context = await terminal.browser.newContext({ viewport: { width: 1280, height: 900 } })
  page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  complaints = collectPageErrors(page)
})

afterEach(async () => {
  await context.close()
  expect(complaints).toEqual([])
})

async function mine(count: number): Promise<void> {
  for (let block = 0; block < count; block += 1) await node.mineMarket()
}

async function open(path: string): Promise<void> {
  await page.goto(terminal.addressOf(path))
}

/** Mines blocks until the page shows the expected state. */
async function mineUntil(what: string, isShown: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + patienceMs
  while (!(await isShown())) {
    if (performance.now() > endMs) throw new Error(`No block brought: ${what}.`)
    await mine(1)
    await page.waitForTimeout(100)
  }
}

const rows = () => rowsOf(page)
const tapeLength = () => rowCountOf(page)

async function expectNoFaults(): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect([colorScheme, await accessibilityFaults(page)]).toEqual([colorScheme, []])
  }
}

test('default: markets are listed without an API key of the user, and their prices move', async () => {
  await open('/')
  await rows().first().waitFor()
  expect(await rows().count()).toBeGreaterThan(5)
  await page.locator('.chain-state .lamp.good').waitFor()
  await mineUntil('a price flashes', async () =>
    page.evaluate<boolean>("document.querySelector('td .flash-up, td .flash-down') !== null"),
  )
  await page.getByRole('tab', { name: 'Gainers' }).click()
  await rows().first().waitFor()
  expect(page.url()).toContain('list=gainer')
  await page.getByRole('button', { name: 'Volume 24h' }).click()
  expect(await page.locator('th[aria-sort=descending]').textContent()).toContain('Volume 24h')
  await expectNoFaults()
})

test('behavior: klines requested before the script has loaded are used for the chart', async () => {
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/v2/klines/')) asked.push(request.url())
  })
  await open(`/token/${tokenId()}?interval=k5`)
  await page.locator('.chart-legend').waitFor()
  const isFirst = (url: string) => !url.includes('to_time')
  expect(asked.filter(isFirst)).toHaveLength(1)
})

test('default: a token has its chart, trades, pairs, holders and risk', async () => {
  await open(`/token/${tokenId()}`)
  await page.locator('.drawing canvas').first().waitFor()
  await rows().first().waitFor()
  const before = await tapeLength()
  await mineUntil('a trade is on the tape', async () => (await tapeLength()) > before)
  await expectNoFaults()
  for (const [tab, shown] of [
    ['Pairs', 'tbody tr a[href^="/pair/"]'],
    ['Holders', '.distribution'],
    ['Risk', '.risk li'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click()
    await page.locator(shown).first().waitFor()
    await expectNoFaults()
  }
})

async function deepestPair(): Promise<string> {
  const answer = await terminal.service.get('/v2/screener/pairs?sort=liquidity&limit=1')
  const { pairs } = (await answer.json()) as { pairs: [{ pair: string; chain: string }] }
  return `${pairs[0].pair}-${pairs[0].chain}`
}

test('behavior: the screener shows all tokens and all pairs live, sorted by any column', async () => {
  await open('/?list=all')
  await rows().first().waitFor()
  const prices = async () => (await rows().locator('td:nth-child(3)').allTextContents()).join()
  const before = await prices()
  await mineUntil('the service pushes another price', async () => (await prices()) !== before)
  await page.getByRole('button', { name: 'Pairs' }).click()
  await page.locator('td a[href^="/pair/"]').first().waitFor()
  await page.getByRole('button', { name: 'Liquidity' }).click()
  await page.locator('th[aria-sort=descending]', { hasText: 'Liquidity' }).waitFor()
  expect(new URL(page.url()).search).toBe('?list=all&of=pairs&sort=-liquidity')
  expect(await rows().first().locator('strong').textContent()).toMatch(/^\w+\/\w+$/)
  await rows()
    .first()
    .locator(`a[href="/pair/${await deepestPair()}"]`)
    .waitFor()
  await expectNoFaults()
})

test('behavior: a 0 marked as unknown is shown as a dash', async () => {
  const zeros = (names: readonly string[]) =>
    Object.fromEntries(
      names.flatMap((name) => [
        [name, '0'],
        [`${name}_known`, false],
      ]),
    )
  await page.route(/\/v2\/(tokens|pairs)\/0x/, async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    if ('data' in body) Object.assign(body.data.token, zeros(['tvl']))
    else Object.assign(body, zeros(['tvl', 'reserve0']))
    await route.fulfill({ json: body })
  })
  const factOf = (name: string) =>
    page.locator('.fact', { has: page.locator('dt', { hasText: name }) }).locator('dd')
  await open(`/token/${tokenId()}`)
  await factOf('Liquidity').waitFor()
  expect(await factOf('Liquidity').textContent()).toBe('–')
  expect(await factOf('Volume 24h').textContent()).toMatch(/^\$/)
  await open(`/pair/${await deepestPair()}`)
  await factOf('Liquidity').waitFor()
  expect(await factOf('Liquidity').textContent()).toBe('–')
  const pooled = await factOf('Pooled').allTextContents()
  expect(pooled.filter((text) => text === '–')).toHaveLength(1)
  expect(pooled).toHaveLength(2)
})

test('behavior: the newest tokens come first', async () => {
  await open('/?list=new')
  await rows().first().waitFor()
  const answer = await terminal.service.get('/v2/screener?sort=created_at&limit=1')
  const { tokens } = (await answer.json()) as { tokens: [{ token: string; chain: string }] }
  const [{ token, chain }] = tokens
  await rows().first().locator(`a[href="/token/${token}-${chain}"]`).waitFor()
  expect(await page.locator('th[aria-sort=descending]').textContent()).toContain('Age')
})

test('behavior: scrolling on loads all tokens', async () => {
  // The test market has less than a page of tokens. The mocked answer adds a page of tokens with
  // made-up addresses.
  const cursors: (string | null)[] = []
  await page.route(/\/v2\/screener\?/, async (route) => {
    const cursor = new URL(route.request().url()).searchParams.get('cursor')
    cursors.push(cursor)
    const url = new URL(route.request().url())
    url.searchParams.delete('cursor')
    const answer = await route.fetch({ url: url.href })
    const { tokens } = (await answer.json()) as { tokens: { token: string; symbol: string }[] }
    const others = tokens.map((row, at) => ({ ...row, token: `0xmore${at}`, symbol: `MORE${at}` }))
    await route.fulfill({
      json:
        cursor === null ? { tokens, next_cursor: 'second' } : { tokens: others, next_cursor: '' },
    })
  })
  await open('/?list=all')
  await rows().first().waitFor()
  await page.locator('.list-foot', { hasText: 'in all' }).waitFor()
  expect(cursors).toEqual([null, 'second'])
  await page.getByPlaceholder('Filter this list').fill('MORE')
  await rows().first().locator('a[href^="/token/0xmore"]').waitFor()
  await page.locator('.list-foot', { hasText: 'in this list' }).waitFor()
})

test('behavior: a wallet’s page updates as the wallet trades', async () => {
  await open(`/token/${tokenId()}`)
  await page.locator('td a[href^="/wallet/"]').first().click()
  await page.getByRole('tab', { name: 'Trades' }).click()
  await rows().first().waitFor()
  const before = await tapeLength()
  const [wallet] = new URL(page.url()).pathname.split('/').at(-1)!.split('-') as [Hex]
  const { weth, pools } = node.deployment
  const pool = pools.find(({ quote }) => quote === weth)!
  await swap(node, pool, wallet, weth, 10n ** 15n)
  await mineUntil('the wallet has traded', async () => (await tapeLength()) > before)
})

test('behavior: new launches and curve progress appear as they happen', async () => {
  await open('/launches')
  await page.locator('.card').first().waitFor()
  const created = page.locator('.launch-column', { hasText: 'New' })
  const before = await created.locator('.card').count()
  await mineUntil(
    'a launch is there',
    async () => (await created.locator('.card').count()) > before,
  )
})

test('behavior: launches show the progress of their contracts', async () => {
  await untilStored(terminal.dataDir, node)
  const answer = await terminal.service.get('/v2/tokens/platform?chain=local&tag=tape_in_new')
  const tokens = (await answer.json()) as { token: Hex; progress: string }[]
  expect(tokens.length).toBeGreaterThan(0)
  // The contract rounds the remaining amount up, hence the tolerance.
  for (const { token, progress } of tokens)
    expect(Math.abs(Number(progress) - (await curveProgress(node, token)))).toBeLessThan(2e-6)
  expect(tokens.some(({ progress }) => Number(progress) > 0)).toBe(true)
})

test('behavior: the holder count updates', async () => {
  await open(`/token/${tokenId()}`)
  await page.getByRole('tab', { name: 'Holders' }).click()
  const count = page.locator('.holder-count strong')
  await count.waitFor()
  await page.locator('.distribution').waitFor()
  const shown = async () =>
    [await count.textContent(), ...(await rows().locator('td.figure').allTextContents())].join()
  const before = await shown()
  await mineUntil('a balance or the count is another', async () => (await shown()) !== before)
})

test('behavior: another interval and unit are requested, and are part of the URL', async () => {
  await open(`/token/${tokenId()}`)
  await page.locator('.drawing canvas').first().waitFor()
  const asked = page.waitForResponse((response) => /klines.*interval=k5&/.test(response.url()))
  await page.getByRole('button', { name: '5m', exact: true }).click()
  expect((await (await asked).json()).points.length).toBeGreaterThan(0)
  const inCoin = page.waitForResponse((response) => /klines.*category=m/.test(response.url()))
  await page.getByRole('button', { name: node.profile.native.symbol, exact: true }).click()
  expect((await inCoin).status()).toBe(200)
  expect(new URL(page.url()).search).toBe('?interval=k5&unit=native')
  await page.reload()
  await page.locator('.drawing canvas').first().waitFor()
  const pressed = page.locator('.chart button[aria-pressed=true]')
  expect(await pressed.allTextContents()).toEqual(['5m', node.profile.native.symbol])
})

test('default: search finds a token by keyboard alone', async () => {
  await open('/status')
  await page.locator('.status-panel').first().waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('alf')
  await page.getByRole('option').first().waitFor()
  await expectNoFaults()
  await page.keyboard.press('Enter')
  await page.locator('h1', { hasText: 'ALFA' }).waitFor()
  expect(page.url()).toContain('/token/')
})

test('edge: keys pressed before the page was painted are not lost', async () => {
  // Presses the key right after the first rendering, and again right after the search field is
  // requested: the browser paints nothing in between.
  await page.addInitScript(`
    const press = () => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }))
    const seen = new MutationObserver(async () => {
      if (document.querySelector('.search-button') === null) return
      seen.disconnect()
      press()
      for (let turn = 0; turn < 10; turn += 1) await null
      window.focusedAtOnce = document.activeElement.getAttribute('role')
    })
    seen.observe(document, { childList: true, subtree: true })
  `)
  await open('/status')
  await page.getByRole('combobox').waitFor()
  expect(await page.evaluate('window.focusedAtOnce')).toBe('combobox')
})

test('default: pair, wallet, launches and status pages show their content', async () => {
  await open(`/token/${tokenId()}`)
  await page.locator('td a[href^="/wallet/"]').first().click()
  await page.locator('.tile').first().waitFor()
  await rows().first().waitFor()
  await expectNoFaults()
  await page.getByRole('tab', { name: 'Trades' }).click()
  await page.locator('td a[href^="/pair/"]').first().click()
  await page.locator('.drawing canvas').first().waitFor()
  await rows().first().waitFor()
  // The deepest pair is used because a launch curve has no liquidity events.
  await open(`/pair/${await deepestPair()}`)
  await page.getByRole('tab', { name: 'Liquidity' }).click()
  await rows().first().waitFor()
  await expectNoFaults()
  await page.getByRole('link', { name: 'Launches' }).click()
  await page.locator('.card').first().waitFor()
  await expectNoFaults()
  await page.getByRole('link', { name: 'Status', exact: true }).click()
  await page.locator('.status-panel', { hasText: 'Credits left' }).waitFor()
  await expectNoFaults()
})

test('default: keys are created and revoked with the admin key', async () => {
  await open('/keys')
  await page.getByLabel('Admin key').fill('not-the-admin-key')
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Admin key').fill(adminKey)
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByLabel('Name').fill('shop')
  await page.getByRole('button', { name: 'Make a key' }).click()
  const key = (await page.locator('.made code').textContent())!
  expect((await terminal.service.get('/v2/usage', key)).status).toBe(200)
  await expectNoFaults()
  await page.locator('tr', { hasText: 'shop' }).getByRole('button', { name: 'Revoke' }).click()
  await page.locator('tr', { hasText: 'shop' }).getByText('revoked').waitFor()
  expect((await terminal.service.get('/v2/usage', key)).status).toBe(401)
})

test('behavior: reverted trades are struck out, not hidden', async () => {
  await open(`/token/${tokenId()}`)
  await rows().first().waitFor()
  const before = await tapeLength()
  await mineUntil('trades of new blocks are there', async () => (await tapeLength()) > before + 2)
  await node.reorg(4)
  await mine(6)
  await page.locator('tr.is-reverted').first().waitFor()
})

type Point = Record<'open' | 'high' | 'low' | 'close', string> & { time: number }

/** The newest candle's values as the chart's legend shows them. */
async function shownCandle(): Promise<number[]> {
  const texts = await page
    .locator('.chart-legend .number')
    .evaluateAll((all) => all.slice(0, 4).map((one) => one.getAttribute('title')))
  return texts.map((text) => Number(text?.replaceAll(',', '')))
}

async function answeredCandle(id = tokenId()): Promise<number[]> {
  const path = `/v2/klines/token/${id}?interval=k1&limit=1`
  const { points } = (await (await terminal.service.get(path)).json()) as { points: Point[] }
  const { open: first, high, low, close } = points.at(-1)!
  return [first, high, low, close].map(Number)
}

/** Mines up to a block that changes the newest candle. */
async function mineCandle(): Promise<void> {
  for (let before = ''; ; ) {
    const now = String(await answeredCandle())
    if (before !== '' && now !== before) return
    before = now
    await mine(1)
    await untilStored(terminal.dataDir, node)
  }
}

test('behavior: the chart reports a reorg and shows the new branch’s candle', async () => {
  const candles = async () => [await shownCandle(), await answeredCandle()].map(String)
  const isSame = ([shown, answered]: string[]) => shown === answered
  await open(`/token/${tokenId()}`)
  await page.locator('.chart-legend').waitFor()
  await mineCandle()
  await expect.poll(candles, { timeout: patienceMs }).toSatisfy(isSame)
  const [reverted] = await candles()
  await node.reorg(4)
  // Mines empty blocks: with trades, the bots would repeat the reverted ones.
  for (let block = 0; block < 6; block += 1) await node.mine()
  await page.locator('.chart-note', { hasText: 'reorg' }).waitFor()
  await expect
    .poll(candles, { timeout: patienceMs })
    .toSatisfy((both: string[]) => isSame(both) && both[0] !== reverted)
})

test('behavior: a quote coin has candles of its own price', async () => {
  const found = await terminal.service.get('/v2/screener?chain=local&sort=volume_24h')
  const { tokens } = (await found.json()) as { tokens: { token: string; symbol: string }[] }
  const id = `${tokens.find(({ symbol }) => symbol === 'USDC')!.token}-local`
  let pushes = 0
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('"topic":"kline"')) pushes += 1
    }),
  )
  await open(`/token/${id}`)
  await page.locator('.chart-legend').waitFor()
  // The first push is a snapshot.
  await mineUntil('klines of its pair are pushed', async () => pushes > 3)
  const candles = async () => [await shownCandle(), await answeredCandle(id)].map(String)
  await expect.poll(candles, { timeout: patienceMs }).toSatisfy(([a, b]: string[]) => a === b)
  expect((await shownCandle())[3]).toBeLessThan(2)
})

test('behavior: the page reconnects to a service that was killed and restarted with another API key', async () => {
  await open(`/token/${tokenId()}`)
  await rows().first().waitFor()
  await page.locator('.chain-state .lamp.good').waitFor()
  await terminal.restart(() => page.getByText('No connection').waitFor())
  await page.locator('.chain-state .lamp.good').waitFor()
  const before = await tapeLength()
  await mineUntil('a trade comes again', async () => (await tapeLength()) > before)
})

test('behavior: the access token opens every tab of a browser, leaves the URL and survives reloads', async () => {
  await open('/?list=new')
  await rows().first().waitFor()
  expect(page.url()).toBe(`${terminal.service.ready.address}/?list=new`)
  await page.reload()
  await rows().first().waitFor()
  const other = await context.newPage()
  await other.goto(`${terminal.service.ready.address}/status`)
  await other.locator('.status-panel', { hasText: 'Credits left' }).waitFor()
})

test('error: a foreign host name that resolves to this server gets no key, even with a stored token', async () => {
  await open('/')
  await rows().first().waitFor()
  await page.goto(terminal.service.ready.address.replace('127.0.0.1', 'rebound.example'))
  await page.getByLabel('API key').waitFor()
})

test('error: a wrong access token is reported; pasting the right one opens the page', async () => {
  await page.goto(`${terminal.service.ready.address}/#token=${'A'.repeat(43)}`)
  await page.getByRole('alert').filter({ hasText: 'does not belong to this service' }).waitFor()
  await open('/')
  await rows().first().waitFor()
})

test('error: without a token the page says where to find it; a wrong key is reported, a right one opens', async () => {
  await page.goto(`${terminal.service.ready.address}/`)
  const field = page.getByLabel('API key')
  await field.waitFor()
  await page.getByRole('alert').filter({ hasText: 'terminal.url' }).waitFor()
  await expectNoFaults()
  await field.fill('wrong')
  await page.getByRole('button', { name: 'Open the terminal' }).click()
  await page.getByRole('alert').filter({ hasText: 'not known' }).waitFor()
  await field.fill(testApiKey)
  await page.getByRole('button', { name: 'Open the terminal' }).click()
  await rows().first().waitFor()
  await page.reload()
  await rows().first().waitFor()
  // The key is stored for this tab only: another tab has to ask for it.
  const other = await context.newPage()
  await other.goto(page.url())
  await other.getByLabel('API key').waitFor()
})

test('behavior: every page fits a phone without horizontal scrolling', async () => {
  await page.setViewportSize({ width: 375, height: 740 })
  for (const path of ['/', `/token/${tokenId()}`, '/launches', '/status', '/keys']) {
    await open(path)
    await page.locator('main').waitFor()
    if (path !== '/keys') await page.locator('td:visible, .card, .status-panel').first().waitFor()
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect([path, width]).toEqual([path, 375])
  }
})

test('behavior: hidden columns take no room of a long table on a phone', async () => {
  await page.setViewportSize({ width: 375, height: 740 })
  await page.addInitScript(repeatTrades)
  await open(`/token/${tokenId()}`)
  await rows().first().waitFor()
  const last = await page.evaluate<string>('repeatTrade(500)')
  await page.locator('tr.gap').waitFor({ state: 'attached' })
  // Finds the row by its transaction. Its column is hidden at this width, but its cell is in the
  // document.
  await rows().first().getByTitle(last).waitFor({ state: 'attached' })
  const right = (selector: string) =>
    page
      .locator(selector)
      .last()
      .evaluate((one) => Math.round(one.getBoundingClientRect().right))
  expect(await right('.scroller th:visible')).toBe(await right('.scroller table'))
})
