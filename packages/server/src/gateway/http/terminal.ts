import { readdir, readFile } from 'node:fs/promises'
import { once } from '../../lib/once.ts'
import { RequestError } from '../ground/errors.ts'
import {
  createStaticDocument,
  documentAnswer,
  type StaticDocument,
} from './answer/staticDocument.ts'
import type { PublicRoute } from './publicRoute.ts'
import type { Router } from './router.ts'
import type { LifecycleHooks } from './serverOptions.ts'

// Build of packages/web. The folder has the same relative path from the server's source and from
// its build.
const folder = new URL('../../../static/terminal/', import.meta.url)

/**
 * Paths of the terminal's pages. All serve the same document, which shows what the path names.
 * Other paths are left to the API.
 */
export const terminalPaths: readonly string[] = [
  ...['/', '/launches', '/status', '/keys'],
  ...['/token/{id}', '/pair/{id}', '/wallet/{id}'],
]

// Content-Security-Policy of the terminal. It allows what the terminal needs and nothing else, and
// forbids framing.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
}

type Files = ReadonlyMap<string, StaticDocument>

/**
 * Serves the terminal from memory. Its assets have their hash in their names, so a browser loads
 * each asset once.
 */
export function addTerminal(router: Router, openRoute: PublicRoute): LifecycleHooks {
  const assets = once(readFiles)

  const page = openRoute(async (exchange) => {
    const files = await assets()
    exchange.setHeader('content-security-policy', policy)
    exchange.setHeader('x-content-type-options', 'nosniff')
    exchange.setHeader('referrer-policy', 'no-referrer')
    exchange.setHeader('cross-origin-opener-policy', 'same-origin')
    exchange.setHeader('cache-control', 'no-cache')
    return documentAnswer(exchange, files.get('index.html')!)
  })
  for (const path of terminalPaths) router.add('GET', path, page)

  const asset = openRoute(async (exchange) => {
    const file = (await assets()).get(exchange.id)
    if (file === undefined || exchange.id === 'index.html')
      throw new RequestError('not_found', 'The terminal has no asset with this name.', 'path')
    exchange.setHeader('x-content-type-options', 'nosniff')
    exchange.setHeader('cache-control', 'public, max-age=31536000, immutable')
    return documentAnswer(exchange, file)
  })
  router.add('GET', '/assets/{file}', asset)
  return { prepare: assets }
}

async function readFiles(): Promise<Files> {
  const names = await readdir(folder)
  const files = names.map(async (name): Promise<[string, StaticDocument]> => {
    const type = types[name.split('.').at(-1)!] ?? 'application/octet-stream'
    return [name, createStaticDocument(type, await readFile(new URL(name, folder)))]
  })
  return new Map(await Promise.all(files))
}
