import { createDocument, type Document, documentContent } from '../http/answer/document.ts'
import { jsonType } from '../http/answer/jsonBody.ts'
import type { OpenRoute } from '../http/openRoute.ts'
import type { Router } from '../http/router.ts'
import { asyncApiDocument } from './asyncApiDocument.ts'

/** GET /asyncapi.json: needs no key. */
export function addAsyncApiRoute(
  router: Router,
  openRoute: OpenRoute,
  baseUrls: () => readonly string[],
): void {
  let document: Document | null = null
  const answer = openRoute((exchange) => {
    document ??= createDocument(jsonType, JSON.stringify(asyncApiDocument(baseUrls())))
    return documentContent(exchange, document)
  })
  router.add('GET', '/asyncapi.json', answer)
}
