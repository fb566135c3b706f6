import type { FastifyInstance } from 'fastify'
import { createDocument, sendDocument } from '../http/document.ts'
import { jsonType } from '../http/jsonBody.ts'
import { asyncApiDocument } from './asyncApiDocument.ts'

/** GET /asyncapi.json: needs no key. */
export function addAsyncApiRoute(
  app: FastifyInstance,
  { baseUrls }: { baseUrls: readonly string[] },
): void {
  const document = createDocument(jsonType, JSON.stringify(asyncApiDocument(baseUrls)))
  app.get('/asyncapi.json', async (request, reply) => sendDocument(request, reply, await document))
}
