import type { ResponseEnvelope } from '@chaintape/protocol'
import { createDocument, type Document, documentContent } from '../http/answer/document.ts'
import { jsonType } from '../http/answer/jsonBody.ts'
import type { OpenRoute } from '../http/openRoute.ts'
import type { Router } from '../http/router.ts'
import type { Operation, Serving } from '../operation/operation.ts'
import { createWorkForAll } from '../turns/workForAll.ts'
import { liveExamples } from './liveExamples.ts'
import { openApiDocument } from './openApiDocument.ts'

// Making the examples asks every operation once; readers of the document must not become a load.
const examplesMs = 60_000

type OpenApiRouteOptions = {
  operations: readonly Operation[]
  serving: Serving
  baseUrls: readonly string[]
  responseEnvelope: ResponseEnvelope
}

/** GET /openapi.json: needs no key. */
export function addOpenApiRoute(
  router: Router,
  openRoute: OpenRoute,
  options: OpenApiRouteOptions,
): void {
  const { operations, serving, baseUrls, responseEnvelope } = options

  async function make(): Promise<Document> {
    const examples = await liveExamples(operations, serving, responseEnvelope)
    const { turns } = serving
    const place = turns.place()
    await turns.next(place)
    const document = openApiDocument({ operations, baseUrls, examples, responseEnvelope })
    await turns.next(place)
    return createDocument(jsonType, JSON.stringify(document))
  }

  const document = createWorkForAll(make, examplesMs, serving.clock.nowMs)
  const answer = openRoute(async (exchange) => documentContent(exchange, await document()))
  router.add('GET', '/openapi.json', answer)
}
