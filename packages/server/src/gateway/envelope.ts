import type { ResponseEnvelope } from '@chaintape/protocol'
import { type Encoded, textOf } from './encoded.ts'
import type { JsonSchema, Operation } from './operation.ts'
import { objectOf } from './schemas/words.ts'

/** Does the service put this operation's answer into the envelope? Charting libraries never expect one. */
export function isWrapped(operation: Operation, responseEnvelope: ResponseEnvelope): boolean {
  return (
    responseEnvelope === 'always' &&
    operation.isEnveloped !== true &&
    operation.path.startsWith('/v2/')
  )
}

export function wrapped(json: Encoded, msg = 'SUCCESS'): string {
  return `{"status":1,"msg":${JSON.stringify(msg)},"data_type":1,"data":${textOf(json)}}`
}

/** Schema of the whole body of a 200. */
export function bodySchemaOf(operation: Operation, responseEnvelope: ResponseEnvelope): JsonSchema {
  if (!isWrapped(operation, responseEnvelope)) return operation.answer
  return objectOf({
    status: { const: 1 },
    msg: { type: 'string', pattern: '^SUCCESS' },
    data_type: { const: 1 },
    data: operation.envelopedAnswer ?? operation.answer,
  })
}
