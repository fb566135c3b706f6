import { RequestError } from '../errors.ts'
import { memberOf } from '../http/answer/jsonBody.ts'
import { type ChainAddress, parseTokenId } from './inputs.ts'
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

/** The member `token_ids` of a body, each text once. */
export function tokenIdsOf(body: unknown, serving: Serving, countMax: number): NamedToken[] {
  const texts = new Set(textsOf(body, countMax))
  return [...texts].map((key) => ({ key, ...parseTokenId(serving, key, name) }))
}

/** The texts of `token_ids`, not yet looked into. */
export function textsOf(body: unknown, countMax: number): readonly string[] {
  const ids = memberOf(body, name)
  if (ids === undefined)
    throw new RequestError('missing_param', `The body needs ${name}, an array of token-ids.`, name)
  if (!Array.isArray(ids))
    throw new RequestError('invalid_param', `${name} must be an array of token-ids.`, name)
  if (ids.length < 1 || ids.length > countMax)
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
