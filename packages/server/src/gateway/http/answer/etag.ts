import type { IncomingMessage } from 'node:http'

/** Has the client this version of the answer already (RFC 9110, 13.1.2)? Tags that are weak are as good here. */
export function hasVersion({ headers }: IncomingMessage, etag: string): boolean {
  const given = headers['if-none-match']
  if (given === undefined) return false
  return given.trim() === '*' || given.split(/\s*,\s*/).some((tag) => strong(tag) === strong(etag))
}

function strong(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}
