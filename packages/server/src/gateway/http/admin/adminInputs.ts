import { RequestError } from '../../ground/errors.ts'

// Maximum duration in admin requests, about a century. To mean "never", callers omit the member.
export const secondsMax = 3_200_000_000
export const idDigitsMax = 9
// Default time for which a rotated key keeps working, one day: enough to replace it everywhere.
export const defaultGraceS = 86_400
export const textCharsMax = 100

const printable = new RegExp(`^\\P{C}{1,${textCharsMax}}$`, 'u')
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses a JSON body and returns its members. An empty body has no members. */
export function parseAdminBody(body: unknown): Record<string, unknown> {
  const value = typeof body === 'string' || body instanceof Uint8Array ? parsed(body) : body
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw new RequestError('body_invalid', 'The body must be a JSON object.', 'body')
  return value as Record<string, unknown>
}

function parsed(body: string | Uint8Array): unknown {
  if (body.length === 0) return undefined
  try {
    return JSON.parse(typeof body === 'string' ? body : utf8.decode(body)) ?? []
  } catch {
    throw new RequestError('body_invalid', 'The body is not valid JSON in UTF-8.', 'body')
  }
}

export function parseAdminKeyId(text: string): number {
  if (!new RegExp(`^\\d{1,${idDigitsMax}}$`).test(text))
    throw new RequestError('invalid_param', 'The id of a key is a whole number.', 'id')
  return Number(text)
}

export function readTextMember(
  body: Record<string, unknown>,
  name: string,
  fallback: string | null,
): string {
  const value = Object.hasOwn(body, name) ? body[name] : undefined
  if (value === undefined && fallback !== null) return fallback
  if (value === undefined)
    throw new RequestError('missing_param', `The member ${name} is required.`, name)
  if (typeof value !== 'string' || !printable.test(value))
    throw new RequestError(
      'invalid_param',
      `${name} has 1 to ${textCharsMax} printable characters.`,
      name,
    )
  return value
}

/**
 * Parses a whole number of seconds, at least `min`. Null or a missing member returns `fallback`.
 */
export function readSecondsMember<fallback extends number | null>(
  body: Record<string, unknown>,
  name: string,
  { min, fallback }: { min: number; fallback: fallback },
): number | fallback {
  const value = Object.hasOwn(body, name) ? body[name] : undefined
  if (value === undefined || value === null) return fallback
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new RequestError('invalid_param', `${name} is a whole number of seconds.`, name)
  if (value < min || value > secondsMax)
    throw new RequestError('limit_out_of_range', `${name} is from ${min} to ${secondsMax}.`, name)
  return value
}
