import type { ResponseEnvelope } from '@chaintape/protocol'
import { type Encoded, textOf } from './encoded.ts'
import type { JsonSchema, Operation } from './operation.ts'
import { objectOf } from './schemas.ts'

/** Existing clients of the public service are served: the envelope, and all that docs/compat.md lists. */
export function isCompatible(responseEnvelope: ResponseEnvelope): boolean {
  return responseEnvelope === 'always'
}

/** Does the service put this operation's answer into the envelope? Charting libraries never expect one. */
export function isWrapped(operation: Operation, responseEnvelope: ResponseEnvelope): boolean {
  return (
    isCompatible(responseEnvelope) &&
    operation.isEnveloped !== true &&
    operation.path.startsWith('/v2/')
  )
}

export function wrapped(json: Encoded, msg = 'SUCCESS'): string {
  return `{"status":1,"msg":${JSON.stringify(msg)},"data_type":1,"data":${textOf(json)}}`
}

type AnswerSchema = (answer: JsonSchema) => JsonSchema

/** Schema of the whole body of a 200. `shown`: what becomes of the answer inside of the envelope. */
export function bodySchemaOf(
  operation: Operation,
  responseEnvelope: ResponseEnvelope,
  shown: AnswerSchema = (answer) => answer,
): JsonSchema {
  if (!isWrapped(operation, responseEnvelope)) return shown(operation.answer)
  return objectOf({
    status: { const: 1, description: 'The request was answered.' },
    msg: {
      type: 'string',
      pattern: '^SUCCESS',
      description: '`SUCCESS`, or `SUCCESS: …` with what was not found.',
    },
    data_type: { const: 1, description: 'Always 1.' },
    data: describedAnswer(shown(operation.envelopedAnswer ?? operation.answer)),
  })
}

/** What a reference leads to says what it is. */
function describedAnswer(answer: JsonSchema): JsonSchema {
  return '$ref' in answer ? answer : { ...answer, description: 'The answer.' }
}
