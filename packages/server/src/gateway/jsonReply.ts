import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../lib/logger.ts'
import type { Metrics } from '../lib/metrics.ts'
import { type Encoded, textOf, writeEncoded } from './encoded.ts'
import { errorAnswer } from './errorBody.ts'
import { jsonType } from './jsonBody.ts'
import type { OutputBuffers } from './outputBuffers.ts'

/** A request under way. */
export type Call = {
  request: IncomingMessage
  response: ServerResponse
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

export type JsonReplyOptions = {
  route: string
  outputs: OutputBuffers
  metrics: Metrics
  logger: Logger
}

export function createJsonReply(options: JsonReplyOptions): JsonReply {
  const { route, outputs, metrics, logger } = options

  function send(call: Call, status: number, fields: string[], json: Encoded): void {
    const { request, response, startMs, isLast } = call
    const sizeBytes = typeof json === 'string' ? Buffer.byteLength(json) : json.sizeBytes
    fields.push('content-type', jsonType, 'content-length', `${sizeBytes}`)
    if (isLast) fields.push('connection', 'close')
    response.writeHead(status, fields)
    const output = outputs.take(sizeBytes)
    if (output === null) response.end(textOf(json))
    else {
      writeEncoded(output, 0, json, sizeBytes)
      response.once('close', () => outputs.giveBack(output))
      response.end(output.subarray(0, sizeBytes))
    }
    metrics.requests.answered(route, request.method ?? '', status, performance.now() - startMs)
  }

  return {
    give: (call, fields, json) => send(call, 200, fields, json),
    refuse(call, fields, error) {
      const { status, retryAfterS, text } = errorAnswer(error, call.request, logger)
      if (retryAfterS !== undefined) fields.push('retry-after', `${retryAfterS}`)
      send(call, status, fields, text)
    },
  }
}
