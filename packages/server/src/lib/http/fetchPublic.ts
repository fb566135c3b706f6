import { type LookupAddress, lookup } from 'node:dns'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './publicAddress.ts'

export type FetchPublicOptions = {
  bytesMax: number
  /** Time limit for all of it, redirects included. */
  msMax: number
  redirectsMax: number
  signal: AbortSignal
  /** @default public addresses at the ports of the web */
  isAllowed?: IsAllowedTarget | undefined
  /** A host with port that is allowed anywhere because the operator named it. @default none */
  trusted?: string | undefined
}

export type IsAllowedTarget = (target: { address: string; port: number }) => boolean

export type Fetched = { ok: true; bytes: Buffer } | { ok: false; fault: string }

const webPorts: ReadonlySet<number> = new Set([80, 443])

const isPublicTarget: IsAllowedTarget = ({ address, port }) =>
  webPorts.has(port) && isPublicAddress(address)

/**
 * Fetches an untrusted URL. Every address is checked before it is connected to: names are resolved
 * here, and the connection uses the resolved addresses, at every redirect again.
 */
export async function fetchPublic(url: string, options: FetchPublicOptions): Promise<Fetched> {
  const { redirectsMax, isAllowed = isPublicTarget } = options
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.msMax)])
  let next = url
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const target = webUrlOf(next)
    if (target === null) return failed('It is no address of the web')
    const isTrusted = target.host === options.trusted
    const got = await get(target, {
      bytesMax: options.bytesMax,
      isAllowed: isTrusted ? () => true : isAllowed,
      signal,
    })
    if (!('location' in got)) return got
    next = URL.canParse(got.location, target.href) ? new URL(got.location, target.href).href : ''
  }
  return failed(`It redirects more than ${redirectsMax} times`)
}

const failed = (fault: string): Fetched => ({ ok: false, fault })

/** Null if it is not a URL, or contains a user or password. */
export function webUrlOf(text: string): URL | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:'
  return isWeb && url.username === '' && url.password === '' ? url : null
}

/** The host as an IP address; null if it is a name. */
export function ipLiteralOf({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? null : bare
}

type GetOptions = { bytesMax: number; isAllowed: IsAllowedTarget; signal: AbortSignal }

function get(url: URL, options: GetOptions): Promise<Fetched | { location: string }> {
  const { bytesMax, isAllowed, signal } = options
  const isTls = url.protocol === 'https:'
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  const literal = ipLiteralOf(url)
  if (literal !== null && !isAllowed({ address: literal, port }))
    return Promise.resolve(failed('It is at an address that is not public'))
  return new Promise((resolve) => {
    const asking: ClientRequest = (isTls ? requestHttps : requestHttp)(url, {
      signal,
      // A new connection: never reuses one to another host.
      agent: false,
      lookup: publicLookup((address) => isAllowed({ address, port })),
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
    })
    asking.on('error', (error) => resolve(failed(error.message)))
    asking.on('response', (response) => {
      const end = (result: Fetched | { location: string }) => {
        response.destroy()
        resolve(result)
      }
      const { statusCode = 0, headers } = response
      if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined)
        return end({ location: headers.location })
      if (statusCode !== 200) return end(failed(`It answers ${statusCode}`))
      if (headers['content-encoding'] !== undefined) return end(failed('It is compressed'))
      readBody(response, bytesMax, end)
    })
    asking.end()
  })
}

function readBody(response: IncomingMessage, bytesMax: number, end: (fetched: Fetched) => void) {
  const chunks: Buffer[] = []
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > bytesMax) end(failed(`It has more than ${bytesMax} bytes`))
    else chunks.push(chunk)
  })
  response.on('error', (error) => end(failed(error.message)))
  response.on('end', () => end({ ok: true, bytes: Buffer.concat(chunks) }))
  response.on('close', () => end(failed('It ended early')))
}

/** Resolves names to their allowed addresses only. */
function publicLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      const addresses = (found ?? []).filter(({ address }) => isAllowed(address))
      const [first] = addresses
      if (error !== null) return callback(error, [])
      if (first === undefined)
        return callback(new RangeError(`${hostname} is at no address that is public`), [])
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family)
    })
  }
}
