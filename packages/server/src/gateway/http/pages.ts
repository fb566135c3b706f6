import { readdirSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { once } from '../../lib/once.ts'
import { RequestError } from '../ground/errors.ts'
import type { Exchange, RawAnswer } from './answer/exchange.ts'
import {
  createStaticDocument,
  documentAnswer,
  type StaticDocument,
} from './answer/staticDocument.ts'
import type { PublicRoute } from './publicRoute.ts'
import type { Router } from './router.ts'
import type { LifecycleHooks } from './serverOptions.ts'

// Both folders have the same relative path from the source and from the build.
const staticFolder = new URL('../../../static/', import.meta.url)
const siteFolder = new URL('docs/', staticFolder)

// Content-Security-Policy of the site. Its icons are data: URLs of its style sheet.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const revalidate = 'no-cache'
const immutable = 'public, max-age=31536000, immutable'

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  webp: 'image/webp',
}

type DocumentReader = () => Promise<StaticDocument>

/** Adds the schema of the configuration, and the documentation site (docs/) at /docs/. */
export function addPages(router: Router, openRoute: PublicRoute): LifecycleHooks {
  const schema = documentReader(new URL('config.schema.json', staticFolder))
  const icon = documentReader(new URL('icon.svg', staticFolder))
  const addFile = (path: string, document: DocumentReader) =>
    router.add(
      'GET',
      path,
      openRoute(async (exchange) => pageAnswer(exchange, await document())),
    )
  addFile('/config.schema.json', schema)
  addFile('/docs/icon.svg', icon)
  const site = addSite(router, openRoute)
  return { prepare: () => Promise.all([schema, icon, ...site].map((read) => read())) }
}

/**
 * Adds a path for each folder of the site, which is served from memory. Requests only look up the
 * names of files that were there at the start, so no path can name another file.
 */
function addSite(router: Router, openRoute: PublicRoute): Iterable<DocumentReader> {
  const files = new Map(
    siteNames().map((name) => [name, documentReader(new URL(name, siteFolder))] as const),
  )

  async function siteAnswer(exchange: Exchange, name: string): Promise<RawAnswer> {
    const page = name === '' || name.endsWith('/') ? `${name}index` : name
    const file = files.get(page) ?? files.get(`${page}.html`)
    // Assets have their hash in their names.
    if (file !== undefined)
      return pageAnswer(exchange, await file(), name.startsWith('assets/') ? immutable : revalidate)
    const missing = posix.extname(name) === '' ? files.get('404.html') : undefined
    if (missing === undefined) throw missingError(files.size > 0)
    return { ...(await pageAnswer(exchange, await missing())), status: 404 }
  }

  router.add(
    'GET',
    '/docs',
    openRoute(() => ({ status: 308, fields: ['location', '/docs/'], bytes: null })),
  )
  const folders = [...files.keys()].map((name) => name.slice(0, name.lastIndexOf('/') + 1))
  for (const folder of new Set(['', ...folders])) {
    const answer = openRoute((exchange) => siteAnswer(exchange, folder + exchange.id))
    router.add('GET', `/docs/${folder}{file}`, answer)
  }
  return files.values()
}

function pageAnswer(
  exchange: Exchange,
  document: StaticDocument,
  caching = revalidate,
): Promise<RawAnswer> {
  exchange.setHeader('content-security-policy', policy)
  exchange.setHeader('x-content-type-options', 'nosniff')
  exchange.setHeader('referrer-policy', 'no-referrer')
  exchange.setHeader('cache-control', caching)
  return documentAnswer(exchange, document)
}

function missingError(isBuilt: boolean): RequestError {
  const reason = isBuilt
    ? 'The documentation has no page with this name; /docs/llms.txt lists all pages.'
    : 'This install was built without the documentation site. Run npm ci && npm run build in a checkout, or read docs/ there.'
  return new RequestError('not_found', reason, 'path')
}

/** Names of the files of the site, below its folder. Empty if it was not built. */
function siteNames(): string[] {
  try {
    return readdirSync(siteFolder, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => posix.extname(name).slice(1) in types)
  } catch {
    return []
  }
}

function documentReader(url: URL): DocumentReader {
  const type = types[posix.extname(url.pathname).slice(1)]!
  return once(async () => createStaticDocument(type, await readFile(url)))
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
