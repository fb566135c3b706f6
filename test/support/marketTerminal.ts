// The terminal of a service with a small market, in a real browser.
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { type DevNode, startDevNode } from './devNode.ts'
import { mineLaunch } from './mineLaunch.ts'
import { createDataDir, removeDataDir } from './postgres.ts'
import { writeChainConfig } from './program.ts'
import { type Service, startService, untilStored } from './service.ts'

const blocks = 60
const launchedBeforeS = 600

export type MarketTerminal = {
  node: DevNode
  dataDir: string
  service: Service
  browser: Browser
  tokenId: string
  /** URL of a page, with the access token that the start printed. */
  addressOf(path: string): string
  /** Kills the service, awaits `meanwhile`, and starts it again on the same port. */
  restart(meanwhile: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

export async function startMarketTerminal(
  seed: string,
  settings: object = {},
  browserArgs: readonly string[] = [],
): Promise<MarketTerminal> {
  const browser = await launchBrowser(browserArgs)
  // Lists show the last 24 hours, so the market starts recently.
  const nowS = Math.floor(Date.now() / 1_000) - launchedBeforeS
  const node = await startDevNode({ market: true, seed, nowS })
  for (let block = 0; block < blocks; block += 1) await node.mineMarket()
  await mineLaunch(node)
  const dataDir = await createDataDir()
  const config = await writeChainConfig(dataDir, node, { settings })
  const terminal: MarketTerminal = {
    node,
    dataDir,
    service: await startService(dataDir, config),
    browser,
    tokenId: `${node.profile.native.wrappedToken}-${node.profile.name}`,
    addressOf: (path) => terminal.service.ready.terminal_url.replace('/#', `${path}#`),
    async restart(meanwhile) {
      const port = portOf(terminal.service)
      await terminal.service.kill()
      await meanwhile()
      terminal.service = await startService(dataDir, config, ['--port', port])
    },
    async stop() {
      await browser.close()
      await terminal.service.stop()
      await node.stop()
      await removeDataDir(dataDir)
    },
  }
  await untilStored(dataDir, node)
  return terminal
}

function portOf({ ready }: Service): string {
  return new URL(ready.address).port
}

// Excludes the tables of the chart library.
const tableOf = (page: Page) => page.locator('.scroller table')

/** Rows of the page's main table. */
export const rowsOf = (page: Page) => tableOf(page).locator('tbody tr:not(.gap)')

/** Number of rows, including those that are not drawn. */
export async function rowCountOf(page: Page): Promise<number> {
  return Number(await tableOf(page).getAttribute('aria-rowcount')) - 1
}
