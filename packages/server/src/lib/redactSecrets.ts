import { databaseServersOf } from './databaseServers.ts'

/** The secrets to hide. Plain data: it is posted to threads. */
export type Secrets = {
  /**
   * Addresses with secrets in them: everything but scheme, host, port and the name of a database.
   */
  urls: readonly string[]
  /** Keys, tokens and passwords. @default none */
  words?: readonly string[] | undefined
}

/** Replaces every secret in a text by `<hidden>`. */
export type RedactSecrets = (text: string) => string

/**
 * Finds secrets as written in the configuration, decoded, percent-encoded, escaped as in JSON or
 * HTML, in hex, in base64 (also inside a longer text, such as a Basic header), and in any case.
 * Texts of nodes, databases and brokers pass through it where they become errors.
 */
export function createSecretRedactor({ urls, words = [] }: Secrets): RedactSecrets {
  const found = urls.flatMap(databaseServersOf).map(secretsOfUrl)
  const wholes = longestFirst(found.flatMap((secrets) => secrets.wholes))
  const parts = longestFirst([...found.flatMap((secrets) => secrets.parts), ...words])
  if (parts.length === 0) return (text) => text
  const patterns = [...wholes.flatMap(codedPatterns), ...parts.flatMap(patternsOf)]
  const pattern = new RegExp(patterns.join('|'), 'gi')
  return (text) => text.replace(pattern, hidden)
}

/** A secret may be part of another. */
function longestFirst(secrets: readonly string[]): string[] {
  return [...new Set(secrets)].filter(Boolean).sort((a, b) => b.length - a.length)
}

const hidden = '<hidden>'
const placeParams: ReadonlySet<string> = new Set(['host', 'port'])

/** `wholes` contain several parts, which cannot be found one by one when the whole is encoded. */
function secretsOfUrl(text: string): { parts: string[]; wholes: string[] } {
  if (!URL.canParse(text)) return { parts: [text], wholes: [] }
  const { protocol, username, password, pathname, search, searchParams, hash } = new URL(text)
  const isDatabase = protocol.startsWith('postgres')
  const written = search.slice(1).split('&').filter(Boolean)
  const params = [...searchParams].flatMap(([name, value], at) =>
    isDatabase && placeParams.has(name) ? [] : [value || name, written[at]!.replace(/^[^=]*=/, '')],
  )
  const segments = isDatabase ? [] : pathname.split('/')
  const login = `${username}:${password}`
  return {
    // A provider may encode an encoded part again.
    parts: [
      ...[username, password, hash.slice(1), ...segments].flatMap((part) => [part, decoded(part)]),
      ...params,
    ],
    wholes: [
      ...(login === ':' ? [] : [login, decoded(login)]),
      ...(isDatabase || pathname === '/' ? [] : [pathname]),
      ...(isDatabase || search === '' ? [] : [pathname + search]),
    ],
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

// Shorter secrets also occur in ordinary words and numbers: they are only hidden as whole words.
const charsAnywhere = 8
const wordStart = String.raw`(?<!\w(?<!%(?:25)?[\da-f]{2}|\\[nrt]|\\u[\da-f]{4}))`
const wordEnd = String.raw`(?!\w)`

function patternsOf(secret: string): string[] {
  const written = [...secret].map(charPattern).join('')
  return [inPlace(secret, written), ...codedPatterns(secret)]
}

const inPlace = (secret: string, pattern: string) =>
  secret.length < charsAnywhere ? wordStart + pattern + wordEnd : pattern

/** A character, plain or as its code in a URL, in JSON or in HTML. */
function charPattern(char: string): string {
  const hex = [...Buffer.from(char)].map((byte) => byte.toString(16).padStart(2, '0'))
  const code = char.codePointAt(0)!
  const forms = [
    escaped(char),
    hex.map((byte) => `%(?:25)?${byte}`).join(''),
    `\\\\u${code.toString(16).padStart(4, '0')}`,
    `&#(?:${code}|x${code.toString(16)});`,
    ...('/"\\'.includes(char) ? [`\\\\${escaped(char)}`] : []),
    ...(char === '&' ? ['&amp;'] : []),
    // A query encodes a space as a plus sign.
    ...(char === ' ' ? ['\\+', '%2b'] : []),
  ]
  return `(?:${forms.join('|')})`
}

const base64End = '(?:=|%3d)*'

/**
 * Matches a secret in hex and in base64, also inside a longer encoded text such as a Basic header.
 */
function codedPatterns(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const alone = [bytes.toString('hex'), base64Pattern(bytes.toString('base64url')) + base64End]
  if (secret.length < charsAnywhere) return alone.map((form) => inPlace(secret, form))
  const inside = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url')
    const end = Math.floor(((before + bytes.length) * 8) / 6)
    return `${base64Pattern(text.slice(Math.ceil((before * 8) / 6), end))}[\\w+/-]?${base64End}`
  })
  return [...alone, ...inside]
}

/** Matches both alphabets of base64; `text` is base64url. */
function base64Pattern(text: string): string {
  return text.replace(/[-_]/g, (char) => (char === '-' ? '(?:[+-]|%2b)' : '(?:\\\\?/|_|%2f)'))
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}/]/g, '\\$&')
}
