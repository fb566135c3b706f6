// Takes the pictures of docs/images anew from a demo that runs: `npm start`, and some minutes later
// `npx tsx scripts/screenshots.ts`. `--site FOLDER` takes pictures of the documentation site, to
// look at a change of its theme.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../test/support/browser.ts'

type Shot = {
  name: string
  path: string
  colorScheme: 'dark' | 'light'
  size: { width: number; height: number }
  /** Selector of what is on the page once it has loaded. */
  shown: string
}

const desktop = { width: 1280, height: 860 }
const wide = { width: 1280, height: 760 }
const phone = { width: 390, height: 844 }

const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string', default: '.chaintape' },
    site: { type: 'string' },
  },
})
const terminalUrl = (await readFile(join(values['data-dir'], 'terminal.url'), 'utf8')).trim()
const addressOf = (path: string) => terminalUrl.replace('/#', `${path}#`)

const row = '.scroller tbody tr'

function terminalShots(tokenPath: string): Shot[] {
  return [
    { name: 'token', path: tokenPath, colorScheme: 'dark', size: desktop, shown: 'canvas' },
    { name: 'markets', path: '/', colorScheme: 'light', size: wide, shown: row },
    { name: 'launches', path: '/launches', colorScheme: 'dark', size: wide, shown: 'main a' },
    { name: 'phone', path: tokenPath, colorScheme: 'dark', size: phone, shown: 'canvas' },
  ]
}

function siteShots(): Shot[] {
  const pages = {
    start: '',
    guide: 'guides/terminal',
    rest: 'reference/rest',
    api: 'reference/api',
  }
  return Object.entries(pages).flatMap(([name, path]) =>
    (['dark', 'light'] as const).flatMap((colorScheme) =>
      Object.entries({ desktop, phone }).map(([screen, size]) => ({
        ...{ name: `${name}-${colorScheme}-${screen}`, path: `/docs/${path}`, colorScheme, size },
        shown: name === 'api' ? '.api section' : '.vp-doc p',
      })),
    ),
  )
}

/** Encodes a PNG as WebP in the browser, because Playwright does not write it. */
async function webpOf(page: Page, png: Buffer): Promise<Buffer> {
  const encoded = await page.evaluate(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png.toString('base64')}'
    await image.decode()
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: image.width, height: image.height })
    canvas.getContext('2d').drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', 0.8)
  })()`)
  return Buffer.from(String(encoded).split(',')[1]!, 'base64')
}

const browser = await launchBrowser()
const converter = await browser.newPage()

/** The path of the token that the first page lists first. */
async function firstTokenPath(): Promise<string> {
  const page = await browser.newPage({ viewport: desktop })
  await page.goto(addressOf('/'))
  await page.locator(row).first().click()
  await page.waitForURL(/\/token\//)
  const { pathname } = new URL(page.url())
  await page.close()
  return pathname
}

try {
  const folder = values.site ?? resolve(import.meta.dirname, '../docs/images')
  await mkdir(folder, { recursive: true })
  const shots = values.site === undefined ? terminalShots(await firstTokenPath()) : siteShots()
  for (const { name, path, colorScheme, size, shown } of shots) {
    const context = await browser.newContext({
      viewport: size,
      colorScheme,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    await page.goto(addressOf(path))
    await page.locator(shown).first().waitFor()
    // Charts and lists fill within this time; nothing on a page says that they are full.
    await page.waitForTimeout(3_000)
    const png = await page.screenshot()
    await writeFile(join(folder, `${name}.webp`), await webpOf(converter, png))
    await context.close()
    console.log(join(folder, `${name}.webp`))
  }
} finally {
  await browser.close()
}
