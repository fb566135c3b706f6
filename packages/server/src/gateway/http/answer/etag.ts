import type { IncomingMessage } from 'node:http'

// A browser sends one tag of some 25 characters.
const tagsCharsMax = 1_024

/**
 * Does the client have this version of the answer already (RFC 9110, 13.1.2)? Weak tags count as strong ones. A list over
 * `tagsCharsMax` characters counts as absent.
 */
export function hasVersion({ headers }: IncomingMessage, etag: string): boolean {
  const given = headers['if-none-match']
  if (given === undefined || given.length > tagsCharsMax) return false
  return given.trim() === '*' || given.split(',').some((tag) => strong(tag) === strong(etag))
}

function strong(tag: string): string {
  const text = tag.trim()
  return text.startsWith('W/') ? text.slice(2) : text
}
