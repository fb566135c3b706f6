import type { ResponseEnvelope } from '@chaintape/protocol'
import type { Logger } from '../../lib/logger.ts'
import { withinMs } from '../../lib/withinMs.ts'
import { createDocument, type Document, documentContent } from '../http/answer/document.ts'
import { jsonType } from '../http/answer/jsonBody.ts'
import type { OpenRoute } from '../http/openRoute.ts'
import type { Router } from '../http/router.ts'
import type { Operation, Serving } from '../operation/operation.ts'
import { liveExamples } from './liveExamples.ts'
import { type OperationExample, openApiDocument } from './openApiDocument.ts'

// Making the examples asks every operation once; readers of the document must not become a load.
const examplesMs = 60_000

// The first readers wait for them as long, and get the document without when they take longer.
const firstWaitMs = 1_000

const noExamples: ReadonlyMap<string, OperationExample> = new Map()

type OpenApiRouteOptions = {
  operations: readonly Operation[]
  serving: Serving
  baseUrls: () => readonly string[]
  responseEnvelope: ResponseEnvelope
  logger: Logger
}

/** GET /openapi.json: needs no key. */
export function addOpenApiRoute(
  router: Router,
  openRoute: OpenRoute,
  options: OpenApiRouteOptions,
): void {
  const { operations, serving, baseUrls, responseEnvelope, logger } = options
  const { clock, turns } = serving
  /** Readers get this one while the next is made. Null: nobody has read yet. */
  let newest: Document | null = null
  /** When the newest examples were begun. */
  let madeAtMs = Number.NEGATIVE_INFINITY
  let making: Promise<void> | null = null

  function documentOf(examples: ReadonlyMap<string, OperationExample>): Document {
    const document = openApiDocument({
      operations,
      baseUrls: baseUrls(),
      examples,
      responseEnvelope,
    })
    return createDocument(jsonType, JSON.stringify(document))
  }

  async function make(): Promise<void> {
    madeAtMs = clock.nowMs()
    const examples = await liveExamples(operations, serving, responseEnvelope)
    await turns.next(turns.place())
    newest = documentOf(examples)
  }

  /** On a busy service making examples takes seconds. */
  function renew(): Promise<void> {
    making ??= make()
      .catch((error) =>
        logger.warn({ msg: 'Cannot renew the examples of /openapi.json', err: error }),
      )
      .finally(() => {
        making = null
      })
    return making
  }

  const answer = openRoute(async (exchange) => {
    const isDue = Math.abs(clock.nowMs() - madeAtMs) >= examplesMs
    if (isDue) void renew()
    if (newest === null && making !== null) await withinMs(making, firstWaitMs, undefined)
    newest ??= documentOf(noExamples)
    return documentContent(exchange, newest)
  })
  router.add('GET', '/openapi.json', answer)
}
