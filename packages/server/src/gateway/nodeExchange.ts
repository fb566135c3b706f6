import type { IncomingMessage, ServerResponse } from 'node:http'
import { sizeOf, textOf, writeEncoded } from './encoded.ts'
import type { Exchange } from './exchange.ts'
import { isHostMissing } from './hostHeader.ts'
import { jsonType } from './jsonBody.ts'
import type { OutputBuffers } from './outputBuffers.ts'
import { readRequestBody } from './requestBody.ts'

/** A request that Node's own server has read. */
export function createNodeExchange(
  request: IncomingMessage,
  response: ServerResponse,
  outputs: OutputBuffers,
): Exchange {
  const { method = '', url = '', headers } = request
  const key = headers['x-api-key']
  return {
    method,
    url,
    apiKey: Array.isArray(key) ? key.join() : key,
    isHostMissing: isHostMissing(request),
    readBody: (bytesMax, done) => readRequestBody(request, bytesMax, done),
    answer(status, fields, json, isLast) {
      const sizeBytes = sizeOf(json)
      const all = [...fields, 'content-type', jsonType, 'content-length', `${sizeBytes}`]
      if (isLast) all.push('connection', 'close')
      response.writeHead(status, all)
      const output = outputs.take(sizeBytes)
      if (output === null) {
        response.end(textOf(json))
        return
      }
      writeEncoded(output, 0, json, sizeBytes)
      response.once('close', () => outputs.giveBack(output))
      response.end(output.subarray(0, sizeBytes))
    },
  }
}
