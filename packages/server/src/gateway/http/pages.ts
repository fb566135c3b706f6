import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
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

// Both folders have the same relative path from the source and from the build.
const folder = new URL('../../../static/', import.meta.url)
const guidesFolder = new URL('../../../../../docs/', import.meta.url)

const scriptPolicy = "default-src 'self'; frame-ancestors 'none'"
const textPolicy = "default-src 'none'; frame-ancestors 'none'"

type Page = { path: string; file: string; type: string }

const pages: readonly Page[] = [
  { path: '/config.schema.json', file: 'config.schema.json', type: 'application/json' },
  { path: '/docs', file: 'docs.html', type: 'text/html' },
  { path: '/docs/docs.css', file: 'docs.css', type: 'text/css' },
  { path: '/docs/docs.js', file: 'docs.js', type: 'text/javascript' },
  { path: '/docs/fields.js', file: 'fields.js', type: 'text/javascript' },
  { path: '/docs/search.js', file: 'search.js', type: 'text/javascript' },
  { path: '/docs/topics.js', file: 'topics.js', type: 'text/javascript' },
  { path: '/docs/icon.svg', file: 'icon.svg', type: 'image/svg+xml' },
]

/**
 * Adds the reference pages at /docs. They load nothing from other origins, and their
 * Content-Security-Policy enforces that.
 */
export function addPages(router: Router, openRoute: PublicRoute): LifecycleHooks {
  const documents = pages.map(({ path, file, type }) => {
    const document = once(async () =>
      createStaticDocument(`${type}; charset=utf-8`, await readFile(new URL(file, folder))),
    )
    const answer = openRoute(async (exchange) => {
      exchange.setHeader('content-security-policy', scriptPolicy)
      exchange.setHeader('x-content-type-options', 'nosniff')
      return documentAnswer(exchange, await document())
    })
    router.add('GET', path, answer)
    return document
  })
  const guides = once(readGuides)
  const guide = openRoute(async (exchange) => {
    const document = (await guides()).get(exchange.id)
    if (document === undefined)
      throw new RequestError('not_found', 'No guide has this name; /docs lists all guides.', 'path')
    exchange.setHeader('content-security-policy', textPolicy)
    exchange.setHeader('x-content-type-options', 'nosniff')
    return documentAnswer(exchange, document)
  })
  router.add('GET', '/docs/guides/{file}', guide)
  return { prepare: () => Promise.all([guides, ...documents].map((load) => load())) }
}

/** Reads the pages of docs/, by file name. Empty if the program was installed without docs/. */
async function readGuides(): Promise<ReadonlyMap<string, StaticDocument>> {
  const paths = await readdir(guidesFolder, { recursive: true }).catch(() => [])
  const guides = paths
    .filter((path) => path.endsWith('.md'))
    .map(async (path): Promise<[string, StaticDocument]> => {
      const bytes = await readFile(new URL(path, guidesFolder))
      return [basename(path), await createStaticDocument('text/plain; charset=utf-8', bytes)]
    })
  return new Map(await Promise.all(guides))
}

// Build of packages/web. The folder has the same relative path from the server's source and from
// its build.
const terminalFolder = new URL('../../../static/terminal/', import.meta.url)

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
const terminalPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const contentTypes: Readonly<Record<string, string>> = {
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
  const assets = once(readTerminalFiles)

  const page = openRoute(async (exchange) => {
    const files = await assets()
    exchange.setHeader('content-security-policy', terminalPolicy)
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

async function readTerminalFiles(): Promise<Files> {
  const names = await readdir(terminalFolder)
  const files = names.map(async (name): Promise<[string, StaticDocument]> => {
    const type = contentTypes[name.split('.').at(-1)!] ?? 'application/octet-stream'
    return [name, createStaticDocument(type, await readFile(new URL(name, terminalFolder)))]
  })
  return new Map(await Promise.all(files))
}
