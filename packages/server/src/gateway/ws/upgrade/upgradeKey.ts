import type { IncomingMessage } from 'node:http'

const paths: ReadonlySet<string> = new Set(['/', '/ws'])

/** Is this path one that becomes a WebSocket? */
export function isSocketPath(url: string | undefined): boolean {
  return paths.has((url ?? '').split('?', 1)[0]!)
}

/** The API key of an upgrade: from the header, or from the query for browsers, which cannot set headers. */
export function upgradeKey({ headers, url = '' }: IncomingMessage): string | undefined {
  const header = headers['x-api-key']
  if (header !== undefined) return Array.isArray(header) ? header.join() : header
  const query = url.indexOf('?')
  if (query === -1) return undefined
  return new URLSearchParams(url.slice(query + 1)).get('api_key') ?? undefined
}
