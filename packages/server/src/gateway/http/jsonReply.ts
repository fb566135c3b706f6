import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Encoded } from '../encoded.ts'
import { errorAnswer } from './errorBody.ts'
import type { Exchange } from './exchange.ts'

/** A request under way. */
export type Call = {
  exchange: Exchange
  /** The last part of its path. */
  id: string
  body: Uint8Array | null
  startMs: number
  /** The connection is closed after the answer. */
  isLast: boolean
}

/** Answers requests of one route. `fields` are header fields to be sent along, names and values in turn. */
export type JsonReply = {
  give(call: Call, fields: string[], json: Encoded): void
  refuse(call: Call, fields: string[], error: unknown): void
}

export type JsonReplyOptions = { route: string; metrics: Metrics; logger: Logger }

export function createJsonReply({ route, metrics, logger }: JsonReplyOptions): JsonReply {
  function send(call: Call, status: number, fields: string[], json: Encoded): void {
    const { exchange, startMs, isLast } = call
    exchange.answer(status, fields, json, isLast)
    metrics.requests.answered(route, exchange.method, status, performance.now() - startMs)
  }

  return {
    give: (call, fields, json) => send(call, 200, fields, json),
    refuse(call, fields, error) {
      const { status, retryAfterS, text } = errorAnswer(error, call.exchange, logger)
      if (retryAfterS !== undefined) fields.push('retry-after', `${retryAfterS}`)
      send(call, status, fields, text)
    },
  }
}
