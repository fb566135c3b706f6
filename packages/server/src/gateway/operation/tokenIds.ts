import { RequestError } from '../errors.ts'
import { memberOf } from '../http/answer/jsonBody.ts'
import { leftOutWarning } from './corrections.ts'
import { type ChainAddress, type IdServing, parseTokenId } from './inputs.ts'
import type { JsonSchema, Serving } from './operation.ts'

/** A token from a request body, with its id exactly as the client wrote it. */
type NamedToken = ChainAddress & { key: string }

/** Name of the body member that lists token ids. */
export const idsName = 'token_ids'
const name = idsName

export function tokenIdsSchema(countMax: number): JsonSchema {
  return {
    type: 'array',
    items: { type: 'string', description: 'Token as `<token_address>-<chain>`.' },
    minItems: 1,
    maxItems: countMax,
    description: `Token-ids, 1 to ${countMax}.`,
  }
}

/** Tokens of a request body, and warnings about ignored ids. */
export type NamedTokens = { tokens: readonly NamedToken[]; warnings: readonly string[] }

/** Reads `token_ids` from a request body. Repeated texts are read once. */
export function tokenIdsOf(body: unknown, serving: Serving, countMax: number): NamedTokens {
  const tokens = new Map<string, NamedToken>()
  const reader = createIdReader(serving)
  for (const [place, key] of textsOf(body, serving, countMax).entries()) {
    if (tokens.has(key)) continue
    const found = reader.find(key, place)
    if (found !== null) tokens.set(key, { key, ...found })
  }
  return { tokens: [...tokens.values()], warnings: reader.warnings() }
}

/** Resolves the token ids of one batch to addresses. */
type IdReader = {
  /** Resolves one id. Null: the id is ignored, which only compatibility mode does. */
  find(text: string, place: number): ChainAddress | null
  /** Warnings about the ids ignored so far. */
  warnings(): readonly string[]
}

/**
 * Creates the reader of one batch. An id that cannot be parsed fails the batch, or is ignored in
 * compatibility mode.
 */
export function createIdReader(serving: IdServing): IdReader {
  const leftOut: number[] = []
  return {
    find(text, place) {
      try {
        return parseTokenId(serving, text, name)
      } catch (error) {
        if (!serving.isCompatible || !isUnparsed(error)) throw error
        leftOut.push(place)
        return null
      }
    },
    warnings: () => (leftOut.length === 0 ? [] : [leftOutWarning(name, leftOut, idRule)]),
  }
}

const idRule = 'not <token_address>-<chain> of a chain served here'

/**
 * True for malformed ids and unknown chains. A chain that is not ready fails the batch even in
 * compatibility mode: the id itself is valid.
 */
function isUnparsed(error: unknown): boolean {
  if (!(error instanceof RequestError)) return false
  return error.wireCode === 'malformed_id' || error.wireCode === 'unknown_chain'
}

/** Returns the unparsed texts of `token_ids`. Compatibility mode accepts an empty list. */
export function textsOf(
  body: unknown,
  { isCompatible }: Pick<Serving, 'isCompatible'>,
  countMax: number,
): readonly string[] {
  const ids = memberOf(body, name)
  if (ids === undefined)
    throw new RequestError('missing_param', `The body needs ${name}, an array of token-ids.`, name)
  if (!Array.isArray(ids))
    throw new RequestError('invalid_param', `${name} must be an array of token-ids.`, name)
  if (ids.length > countMax || (ids.length === 0 && !isCompatible))
    throw new RequestError(
      'limit_out_of_range',
      `${name} must have 1 to ${countMax} items, not ${ids.length}.`,
      name,
    )
  for (const id of ids)
    if (typeof id !== 'string')
      throw new RequestError(
        'invalid_param',
        // Only the type is reported: the value may be nested too deep to serialize.
        `${name} must hold texts only, not ${id === null ? 'null' : `one of type ${typeof id}`}.`,
        name,
      )
  return ids
}
