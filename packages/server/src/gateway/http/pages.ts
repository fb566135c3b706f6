import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { createDocument, sendDocument } from './document.ts'

// The folder has the same place seen from the source and from the build.
const folder = new URL('../../../static/', import.meta.url)

const pages: readonly { path: string; file: string; type: string }[] = [
  { path: '/docs', file: 'docs.html', type: 'text/html' },
  { path: '/docs/docs.css', file: 'docs.css', type: 'text/css' },
  { path: '/docs/docs.js', file: 'docs.js', type: 'text/javascript' },
  { path: '/docs/fields.js', file: 'fields.js', type: 'text/javascript' },
  { path: '/docs/icon.svg', file: 'icon.svg', type: 'image/svg+xml' },
]

/** Pages of the service itself. They load nothing from anywhere else, and the browser holds them to it. */
export function addStaticRoutes(app: FastifyInstance): void {
  for (const { path, file, type } of pages) {
    const document = readFile(new URL(file, folder)).then((bytes) =>
      createDocument(`${type}; charset=utf-8`, bytes),
    )
    app.addHook('onReady', async () => void (await document))
    app.get(path, async (request, reply) => {
      reply.header('content-security-policy', "default-src 'self'")
      reply.header('x-content-type-options', 'nosniff')
      return sendDocument(request, reply, await document)
    })
  }
}
