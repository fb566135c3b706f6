import { RequestError } from '../errors.ts'
import { memberOf } from '../http/answer/jsonBody.ts'
import { leftOutWarning } from './corrections.ts'
import { type ChainAddress, type IdServing, parseTokenId } from './inputs.ts'
import type { JsonSchema, Serving } from './operation.ts'

/** A token-id of a body, and the text the caller wrote it in. */
export type NamedToken = ChainAddress & { key: string }

/** The member of a body that has them. */
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

/** The tokens of a body, and what was left out of it. */
export type NamedTokens = { tokens: readonly NamedToken[]; warnings: readonly string[] }

/** The member `token_ids` of a body, each text once. */
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

/** Reads the ids of one batch. */
export type IdReader = {
  /** Null: left out. */
  find(text: string, place: number): ChainAddress | null
  /** Ids left out so far. */
  warnings(): readonly string[]
}

/** In compatibility mode an id that does not parse is left out; otherwise it fails the batch. */
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

/** A chain that is not ready yet is no fault of the id. */
function isUnparsed(error: unknown): boolean {
  if (!(error instanceof RequestError)) return false
  return error.wireCode === 'malformed_id' || error.wireCode === 'unknown_chain'
}

/** The texts of `token_ids`, not yet looked into. Compatibility mode takes an empty list. */
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
        // The value itself may be nested too deep to be written down.
        `${name} must hold texts only, not ${id === null ? 'null' : `one of type ${typeof id}`}.`,
        name,
      )
  return ids
}
