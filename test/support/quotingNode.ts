import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A secret in every part of a URL. */
export const placedSecrets = {
  user: 'User:Name/4711',
  password: 'pass w0rd+%"1',
  path: 'PathKey0123456789abcdef',
  shortPath: 'q7zx',
  query: 'Query+Secret/98765=',
  shortQuery: 'zQ9j',
  bare: 'BareParameter55',
}

const secrets: readonly string[] = Object.values(placedSecrets)

/** A URL that contains all secrets. */
export function urlWithSecrets(origin: string): string {
  const { protocol, host } = new URL(origin)
  const { user, password, path, shortPath, query, shortQuery, bare } = placedSecrets
  const coded = encodeURIComponent
  return `${protocol}//${coded(user)}:${coded(password)}@${host}/${path}/${shortPath}/?apikey=${coded(query)}&t=${shortQuery}&${bare}`
}

const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const hex = (text: string) => Buffer.from(text).toString('hex')

/** Encodings that a node may quote its input in. */
const forms: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  encodeURIComponent,
  (text) => encodeURIComponent(encodeURIComponent(text)),
  percent,
  (text) => percent(text).toUpperCase(),
  base64,
  (text) => Buffer.from(text).toString('base64url'),
  (text) => encodeURIComponent(base64(text)),
  hex,
  (text) => hex(text).toUpperCase(),
  (text) => JSON.stringify(text),
  (text) =>
    [...text].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  (text) => [...text].map((char) => `&#${char.charCodeAt(0)};`).join(''),
]

/** Every text that a node may derive from the URL it was requested at. */
export function quotesOf(address: string): string[] {
  const { username, password, pathname, search } = new URL(address)
  const login = `${placedSecrets.user}:${placedSecrets.password}`
  return [
    ...secrets.flatMap((secret) => forms.map((form) => form(secret))),
    ...[address, pathname + search, pathname].flatMap((text) => forms.map((form) => form(text))),
    `Authorization: Basic ${base64(login)}`,
    `authorization: basic ${base64(`${username}:${password}`)}`,
  ]
}

/** Secrets contained in a text, decoded as often and in as many ways as a reader might. */
export function secretsIn(text: string): string[] {
  const lower = viewsOf(text).map((view) => view.toLowerCase())
  return secrets.filter((secret) => lower.some((view) => view.includes(secret.toLowerCase())))
}

function viewsOf(text: string): string[] {
  const unescaped = text
    .replace(/\\u([\da-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\\(["\\/])/g, '$1')
  const unquoted = unescaped.replace(/(?:%[\da-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString(),
  )
  const twice = unquoted.replace(/(?:%[\da-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString(),
  )
  const plain = [text, unescaped, unquoted, twice]
  const runs = plain.flatMap((view) => view.match(/[\w+/-]{8,}/g) ?? [])
  const decoded = runs.flatMap((run) => [
    ...[0, 1, 2, 3].map((at) => Buffer.from(run.slice(at), 'base64').toString('latin1')),
    ...[0, 1].map((at) => Buffer.from(run.slice(at), 'hex').toString('latin1')),
  ])
  return [...plain, ...decoded]
}

export type QuotingNode = { url: string; hasQuotedAll(): boolean; close(): void }

// Errors keep this many characters of a node's text.
const messageCharsMax = 450

/** Messages with as many quotes as errors keep. */
function messagesOf(address: string): string[] {
  const messages = ['']
  for (const quote of quotesOf(address)) {
    const last = messages.at(-1)!
    if (last.length + quote.length < messageCharsMax)
      messages[messages.length - 1] = `${last} ${quote}`
    else messages.push(quote)
  }
  return messages
}

/** A node that refuses everything and quotes its URL, in another encoding each time. */
export async function startQuotingNode({ before = '', after = '' } = {}): Promise<QuotingNode> {
  let answers = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const messages = messagesOf(urlWithSecrets(`http://${request.headers.host}`))
      const message = `${before}${messages[answers % messages.length]}${after}`
      answers += 1
      const error = { code: -32_000, message }
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, error }))
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const url = urlWithSecrets(`http://127.0.0.1:${port}`)
  return {
    url,
    hasQuotedAll: () => answers >= messagesOf(url).length,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
