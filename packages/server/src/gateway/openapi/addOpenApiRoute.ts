import type { ResponseEnvelope } from '@chaintape/protocol'
import type { FastifyInstance } from 'fastify'
import type { Operation, Serving } from '../operation.ts'
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
  let made: { atMs: number; json: Promise<string> } | null = null

  async function make(): Promise<string> {
    const examples = await liveExamples(operations, serving, responseEnvelope)
    return JSON.stringify(openApiDocument({ operations, baseUrls, examples, responseEnvelope }))
  }

  app.get('/openapi.json', async (_request, reply) => {
    const nowMs = serving.clock.nowMs()
    if (made === null || nowMs - made.atMs > examplesMs) made = { atMs: nowMs, json: make() }
    return reply.type('application/json; charset=utf-8').send(await made.json)
  })
}
