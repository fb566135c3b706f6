import { readFile } from 'node:fs/promises'
import { createDocument, documentContent } from './answer/document.ts'
import type { OpenRoute } from './openRoute.ts'
import type { Router } from './router.ts'
import type { Lifecycle } from './serverOptions.ts'

// The folder has the same place seen from the source and from the build.
const folder = new URL('../../../static/', import.meta.url)

type Page = { path: string; file: string; type: string }

const pages: readonly Page[] = [
  { path: '/config.schema.json', file: 'config.schema.json', type: 'application/json' },
  { path: '/docs', file: 'docs.html', type: 'text/html' },
  { path: '/docs/docs.css', file: 'docs.css', type: 'text/css' },
  { path: '/docs/docs.js', file: 'docs.js', type: 'text/javascript' },
  { path: '/docs/fields.js', file: 'fields.js', type: 'text/javascript' },
  { path: '/docs/icon.svg', file: 'icon.svg', type: 'image/svg+xml' },
]

/** The reference pages. They load nothing from anywhere else, and the browser holds them to it. */
export function addPages(router: Router, openRoute: OpenRoute): Lifecycle {
  const documents = pages.map(({ path, file, type }) => {
    const document = readFile(new URL(file, folder)).then((bytes) =>
      createDocument(`${type}; charset=utf-8`, bytes),
    )
    const answer = openRoute(async (exchange) => {
      exchange.field('content-security-policy', "default-src 'self'")
      exchange.field('x-content-type-options', 'nosniff')
      return documentContent(exchange, await document)
    })
    router.add('GET', path, answer)
    return document
  })
  return { prepare: () => Promise.all(documents) }
}
