import type { ResponseEnvelope } from '@chaintape/protocol'
import type { Logger } from '../../lib/logger.ts'
import { createDocument, type Document, documentContent } from '../http/answer/document.ts'
import { jsonType } from '../http/answer/jsonBody.ts'
import type { OpenRoute } from '../http/openRoute.ts'
import type { Router } from '../http/router.ts'
import type { Lifecycle } from '../http/serverOptions.ts'
import type { Operation, Serving } from '../operation/operation.ts'
import { exampleMarketOf } from './exampleMarket.ts'
import { liveExamples } from './liveExamples.ts'
import { type OperationExample, openApiDocument } from './openApiDocument.ts'

// Making the examples asks every operation once; readers of the document must not become a load.
const examplesMs = 60_000

// How often to look whether there is a market to show.
const lookMs = 1_000

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
): Lifecycle {
  const { operations, serving, baseUrls, responseEnvelope, logger } = options
  const { chains, clock, turns } = serving
  /** Readers get this one while the next is made. Null: nobody has read yet. */
  let newest: Document | null = null
  /** Runs until the first examples are made. */
  let timer: NodeJS.Timeout | null = null
  /** When the newest examples were begun. */
  let madeAtMs = 0
  let isMaking = false

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

  /** On a busy service making examples takes seconds, so nobody waits for them. */
  function renew(): void {
    if (isMaking) return
    isMaking = true
    void make()
      .catch((error) =>
        logger.warn({ msg: 'Cannot renew the examples of /openapi.json', err: error }),
      )
      .finally(() => {
        isMaking = false
      })
  }

  const answer = openRoute(async (exchange) => {
    newest ??= documentOf(noExamples)
    if (timer === null && Math.abs(clock.nowMs() - madeAtMs) >= examplesMs) renew()
    return documentContent(exchange, newest)
  })
  router.add('GET', '/openapi.json', answer)

  function stop(): void {
    if (timer !== null) clearInterval(timer)
    timer = null
  }

  /** Makes the first examples as soon as there is a market to show. */
  function look(): void {
    if (!exampleMarketOf(chains, Math.floor(clock.nowMs() / 1_000)).isTraded) return
    stop()
    renew()
  }

  return {
    start() {
      newest ??= documentOf(noExamples)
      timer ??= setInterval(look, lookMs).unref()
      look()
    },
    stop,
  }
}
