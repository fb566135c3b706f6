import { RequestError } from '../ground/errors.ts'
import { memberOf } from '../ground/jsonBody.ts'
import type { JsonSchema } from '../ground/schemas.ts'
import { ignoredItemsWarning } from './corrections.ts'
import { type ChainAddress, type InputContext, parseTokenId } from './inputs.ts'

/** A token from a request body, with its id exactly as the client wrote it. */
type BatchToken = ChainAddress & { key: string }

/** Name of the body member that lists token ids. */
export const tokenIdsMember = 'token_ids'
const name = tokenIdsMember

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
export type BatchTokens = { tokens: readonly BatchToken[]; warnings: readonly string[] }

/** Reads `token_ids` from a request body. Repeated texts are read once. */
export function parseTokenIds(body: unknown, serving: InputContext, countMax: number): BatchTokens {
  const tokens = new Map<string, BatchToken>()
  const reader = createTokenIdReader(serving)
  for (const [place, key] of tokenIdTexts(body, serving, countMax).entries()) {
    if (tokens.has(key)) continue
    const found = reader.resolve(key, place)
    if (found !== null) tokens.set(key, { key, ...found })
  }
  return { tokens: [...tokens.values()], warnings: reader.warnings() }
}

/** Resolves the token ids of one batch to addresses. */
type TokenIdReader = {
  /** Resolves one id. Null: the id is ignored, which only compatibility mode does. */
  resolve(text: string, place: number): ChainAddress | null
  /** Warnings about the ids ignored so far. */
  warnings(): readonly string[]
}

/**
 * Creates the reader of one batch. An id that cannot be parsed fails the batch, or is ignored in
 * compatibility mode.
 */
export function createTokenIdReader(serving: InputContext): TokenIdReader {
  const leftOut: number[] = []
  return {
    resolve(text, place) {
      try {
        return parseTokenId(serving, text, name)
      } catch (error) {
        if (!serving.isCompatible || !isUnparsed(error)) throw error
        leftOut.push(place)
        return null
      }
    },
    warnings: () => (leftOut.length === 0 ? [] : [ignoredItemsWarning(name, leftOut, idRule)]),
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
export function tokenIdTexts(
  body: unknown,
  { isCompatible }: Pick<InputContext, 'isCompatible'>,
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
