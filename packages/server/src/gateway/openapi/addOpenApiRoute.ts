import type { ResponseEnvelope } from '@chaintape/protocol'
import type { FastifyInstance } from 'fastify'
import { createDocument, type Document, sendDocument } from '../http/document.ts'
import { jsonType } from '../http/jsonBody.ts'
import type { Operation, Serving } from '../operation.ts'
import { createWorkForAll } from '../workForAll.ts'
import { liveExamples } from './liveExamples.ts'
import { openApiDocument } from './openApiDocument.ts'

// Making the examples asks every operation once; readers of the document must not become a load.
const examplesMs = 60_000

export type OpenApiRouteOptions = {
  operations: readonly Operation[]
  serving: Serving
  baseUrls: readonly string[]
  responseEnvelope: ResponseEnvelope
}

/** GET /openapi.json: needs no key. */
export function addOpenApiRoute(app: FastifyInstance, options: OpenApiRouteOptions): void {
  const { operations, serving, baseUrls, responseEnvelope } = options

  async function make(): Promise<Document> {
    const examples = await liveExamples(operations, serving, responseEnvelope)
    const document = openApiDocument({ operations, baseUrls, examples, responseEnvelope })
    return createDocument(jsonType, JSON.stringify(document))
  }

  const document = createWorkForAll(make, examplesMs, serving.clock.nowMs)
  app.get('/openapi.json', async (request, reply) => sendDocument(request, reply, await document()))
}
