// The terminal at the address that `start` prints.
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { injectRequest } from '../../../../../test/support/injectRequest.ts'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'
import { terminalPaths } from './pages.ts'

const market = createServedMarket()
fillMarket(market.chain)
const ask = (path: string) => injectRequest(market.server, path)

const partsOf = (body: string) =>
  [...body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)

test('default: every page serves the same document, without an API key', async () => {
  const { body: first } = await ask('/')
  for (const path of terminalPaths.map((path) => path.replace('{id}', '0xab-local'))) {
    const { statusCode, headers, body } = await ask(path)
    expect([path, statusCode]).toEqual([path, 200])
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(body).toBe(first)
  }
  expect(first).toContain('href="/docs/"')
})

test('behavior: the terminal may only load its own files', async () => {
  const { headers, body } = await ask('/')
  const policy = String(headers['content-security-policy'])
  expect(policy).toMatch(/^default-src 'none';/)
  expect(policy).not.toMatch(/unsafe|https?:|\*|data:/)
  expect(policy).toContain("frame-ancestors 'none'")
  for (const [, path] of body.matchAll(/(?:href|src)="([^"]+)"/g)) {
    expect(path, 'from here').toMatch(/^\/(?!\/)/)
    expect([path, (await ask(path!)).statusCode]).toEqual([path, 200])
  }
  expect(body).not.toMatch(/<style|style="|\son\w+="|<script>/)
})

test('behavior: the terminal links the licenses of all its packages', async () => {
  const [, path] = /rel="license" href="([^"]+)"/.exec((await ask('/')).body)!
  const { headers, body } = await ask(path!)
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  const named = [...body.matchAll(/^(\S+) \d\S* \(\S+.*\)$/gm)].map(([, name]) => name)
  expect(named).toEqual(['fancy-canvas', 'lightweight-charts', 'preact'])
  expect(body.match(/^Permission is hereby granted/gm)).toHaveLength(2)
  expect(body.match(/^ *Apache License$/gm)).toHaveLength(1)
})

test('behavior: browsers cache assets forever, and revalidate the document', async () => {
  const { headers, body } = await ask('/')
  expect(headers['cache-control']).toBe('no-cache')
  const again = { url: '/', headers: { 'if-none-match': String(headers.etag) } }
  expect((await injectRequest(market.server, again)).statusCode).toBe(304)
  const parts = partsOf(body)
  expect(parts.length).toBeGreaterThanOrEqual(2)
  for (const path of parts) {
    expect(path).toMatch(/-[A-Z0-9]{8}\.(js|css|txt)$/)
    const part = await ask(path)
    expect(part.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(part.headers['x-content-type-options']).toBe('nosniff')
  }
})

test('behavior: the terminal loads in under 150 kB', async () => {
  const encoded = { 'accept-encoding': 'gzip' }
  const paths = ['/', ...partsOf((await ask('/')).body)]
  const sizes = await Promise.all(
    paths.map(async (url) => {
      const { headers } = await injectRequest(market.server, { url, headers: encoded })
      return Number(headers['content-length'])
    }),
  )
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000)
})

test('error: other paths are not terminal pages', async () => {
  for (const path of [
    '/nothing',
    '/token',
    '/token/a/b',
    '/assets/none.js',
    '/assets/index.html',
  ]) {
    const { statusCode, headers, json } = await ask(path)
    expect([path, statusCode]).toEqual([path, 404])
    expect(headers['content-type']).toContain('application/json')
    expect(json().error.code).toBe('not_found')
  }
})

test('behavior: a build keeps the output folder, so that a service can start meanwhile', async () => {
  const { buildWeb } = await import(join(import.meta.dirname, '../../../../web/build.js'))
  const out = mkdtempSync(join(tmpdir(), 'chaintape-build-'))
  onTestFinished(() => rmSync(out, { recursive: true }))
  writeFileSync(join(out, 'earlier.js'), '')
  const { birthtimeMs } = statSync(out)
  expect(buildWeb({ isInstalled: true, version: '', out })).toBe(0)
  expect(statSync(out).birthtimeMs).toBe(birthtimeMs)
  expect(readdirSync(out)).toContain('index.html')
  expect(readdirSync(out)).not.toContain('earlier.js')
})
