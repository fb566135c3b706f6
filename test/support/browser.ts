// A real Chromium, and helpers for tests of pages.
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

const script = resolve(import.meta.dirname, '../installChromium.sh')

/** Launches Chromium. Throws an error that names the requirement if it cannot be installed. */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  const { status, stdout, stderr } = spawnSync('bash', [script], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr.trim())
  const executablePath = stdout.trim().split('\n').at(-1)!
  // Containers lack the privileges for Chromium's sandbox, and their /dev/shm is small.
  const always = ['--no-sandbox', '--disable-dev-shm-usage']
  return await chromium.launch({ executablePath, args: [...always, ...args] })
}

/** Collects a page's uncaught errors and violations of its content security policy. */
export function collectPageErrors(page: Page): readonly string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const text = message.text()
    if (/Content.Security.Policy|Refused to/i.test(text)) complaints.push(text)
  })
  return complaints
}

type AxeResult = {
  violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[]
}

/** Serious accessibility faults found by axe, as sentences. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const path = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
  // Evaluated through the debugger: the page's policy allows only its own scripts.
  await page.evaluate(await readFile(path, 'utf8'))
  const { violations } = (await page.evaluate('axe.run()')) as AxeResult
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

export type PageUsage = { heapBytes: number; elements: number; listeners: number }

/** What a page holds after a garbage collection: script memory, DOM nodes and listeners. */
export async function measurePageUsage(page: Page): Promise<PageUsage> {
  const session = await page.context().newCDPSession(page)
  const chunks: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  // Taking a heap snapshot collects all garbage first.
  await session.send('HeapProfiler.takeHeapSnapshot')
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters')
  await session.detach()
  const heapBytes = bytesOf(JSON.parse(chunks.join('')))
  return { heapBytes, elements: nodes, listeners: jsEventListeners }
}

type HeapSnapshot = {
  snapshot: { meta: { node_fields: string[]; node_types: [string[], ...unknown[]] } }
  nodes: number[]
}

/**
 * Bytes of the objects that the page's scripts created, counting equal strings once: the browser
 * decides whether a parsed string is a separate copy, and how much code it compiles.
 */
function bytesOf({ snapshot, nodes }: HeapSnapshot): number {
  const { node_fields: fields, node_types } = snapshot.meta
  const [type, name, size] = ['type', 'name', 'self_size'].map((field) => fields.indexOf(field))
  const counted = new Set<number>()
  let bytes = 0
  for (let at = 0; at < nodes.length; at += fields.length) {
    const kind = node_types[0][nodes[at + type!]!]!
    if (kind === 'code' || kind === 'native' || kind === 'hidden') continue
    if (kind === 'string') {
      const text = nodes[at + name!]!
      if (counted.has(text)) continue
      counted.add(text)
    }
    bytes += nodes[at + size!]!
  }
  return bytes
}
