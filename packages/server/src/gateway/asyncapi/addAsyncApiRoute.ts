import type { FastifyInstance } from 'fastify'
import { asyncApiDocument } from './asyncApiDocument.ts'

/** GET /asyncapi.json: needs no key. */
export function addAsyncApiRoute(
  app: FastifyInstance,
  { baseUrls }: { baseUrls: readonly string[] },
): void {
  const json = JSON.stringify(asyncApiDocument(baseUrls))
  app.get('/asyncapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(json),
  )
}
