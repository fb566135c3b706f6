// Tokens whose names are markup, scripts, formulas or control characters, shown in a real browser:
// they must appear as text only.
import type { Address } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collectPageErrors } from '../../support/browser.ts'
import { type MarketTerminal, startMarketTerminal } from '../../support/marketTerminal.ts'
import { untilStored } from '../../support/service.ts'
import { addLiquidity, deployContract, deployToken } from '../../support/simulate.ts'

// Each name sets `pwned` if any part of the page runs it as code.
const names = [
  '<script>pwned=1</script>',
  '<img src=x onerror=pwned=1>',
  '"><svg/onload=pwned=1>',
  "'-(pwned=1)-'",
  'javascript:pwned=1',
  '</title><script>pwned=1</script>',
  '{{constructor.constructor("pwned=1")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the name of a token
  '${pwned=1}`',
]
const unit = 10n ** 18n

let terminal: MarketTerminal
const tokens: Address[] = []

beforeAll(async () => {
  terminal = await startMarketTerminal('hostile')
  const { node, dataDir } = terminal
  for (const name of names) tokens.push(await deployToken(node, { name, symbol: name }))
  tokens.push(await deployContract(node, 'HostileToken', [10n ** 27n, 10_000n]))
  const quote = node.deployment.weth
  for (const base of tokens)
    await addLiquidity(node, { base, quote }, { base: 1_000n * unit, quote: 10n * unit })
  await untilStored(dataDir, node)
})

afterAll(() => terminal?.stop())

test('security: names of tokens are shown as text on every page', async () => {
  const page = await terminal.browser.newPage()
  const complaints = collectPageErrors(page)
  const foreign: string[] = []
  page.on('dialog', (dialog) => {
    foreign.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    if (hostname !== '127.0.0.1' && protocol !== 'data:') foreign.push(request.url())
  })
  const expectOnlyText = async (where: string) => {
    const found = await page.evaluate<string[]>(`[
      ...(typeof pwned === 'undefined' ? [] : ['pwned']),
      ...[...document.querySelectorAll('script:not([src]), img[onerror], svg[onload], a[href^="javascript:"]')]
        .map(({ outerHTML }) => outerHTML),
    ]`)
    expect([where, found, foreign, complaints]).toEqual([where, [], [], []])
  }
  await page.goto(terminal.addressOf('/?list=new'))
  for (const token of tokens)
    await page.locator(`a[href="/token/${token}-local"]`).first().waitFor()
  await expectOnlyText('the list of new tokens')
  for (const [at, token] of tokens.entries()) {
    await page.goto(terminal.addressOf(`/token/${token}-local`))
    // Long symbols are truncated.
    await page.locator('h1', { hasText: names[at]?.slice(0, 20) ?? 'EVI' }).waitFor()
    await page.getByRole('tab', { name: 'Pairs' }).click()
    await page.locator('td a[href^="/pair/"]').first().waitFor()
    await expectOnlyText(names[at] ?? 'control characters')
    await page.locator('td a[href^="/pair/"]').first().click()
    await page.waitForURL(/\/pair\//)
    await expectOnlyText(`the pair of ${names[at]}`)
  }
  await page.keyboard.press('Control+k')
  await page.keyboard.type('pwned')
  await page.getByRole('option').first().waitFor()
  await expectOnlyText('search')
})
