import { RequestError } from '../ground/errors.ts'
import type { Exchange } from './answer/exchange.ts'

export type RequestHandler = (exchange: Exchange) => void

export type Method = 'GET' | 'POST'

/** Handlers of one path, by method. */
export type Endpoint = {
  /** Path pattern that names the endpoint in metrics. */
  name: string
  byMethod: Partial<Record<Method, RequestHandler>>
}

/** Endpoint that a request matches. `id` is the decoded id in the request's path, or empty. */
export type MatchedEndpoint = { endpoint: Endpoint; id: string }

/** Finds the endpoint of a request target. Knows every path of a server. */
export type Router = {
  /**
   * Adds the handler of a path in OpenAPI form. The last segment, or the segment before it, may be
   * an id in braces.
   */
  add(method: Method, path: string, handle: RequestHandler): void
  /**
   * Returns the endpoint of a request target, or null. Throws `bad_request` for invalid
   * percent-encoding.
   */
  find(target: string): MatchedEndpoint | null
}

// Placeholder for the id in keys of `idPaths`.
const idPlaceholder = '{}'

export function createRouter(): Router {
  const fixedPaths = new Map<string, Endpoint>()
  const idPaths = new Map<string, Endpoint>()
  /**
   * Endpoints of `idPaths` that end with the id, by the path before it. Most requests match such a
   * path, and the lookup joins no strings.
   */
  const lastIdPaths = new Map<string, Endpoint>()
  let fixedLengthMax = 0

  /**
   * Finds the endpoint of a decoded path. A fixed name is never taken for an id, even for a method
   * that the fixed path lacks.
   */
  function findPath(path: string): MatchedEndpoint | null {
    const fixed = path.length > fixedLengthMax ? undefined : fixedPaths.get(path)
    if (fixed !== undefined) return { endpoint: fixed, id: '' }
    const lastAt = path.lastIndexOf('/')
    const ofId = lastIdPaths.get(path.slice(0, lastAt + 1))
    if (ofId !== undefined) return { endpoint: ofId, id: path.slice(lastAt + 1) }
    const idAt = path.lastIndexOf('/', lastAt - 1) + 1
    const behindId = idPaths.get(path.slice(0, idAt) + idPlaceholder + path.slice(lastAt))
    return behindId && idAt < lastAt ? { endpoint: behindId, id: path.slice(idAt, lastAt) } : null
  }

  function findEncoded(path: string): MatchedEndpoint | null {
    const parts = decodedParts(path)
    const slashAt = parts.findIndex((part) => part.includes('/'))
    if (slashAt < 0) return findPath(parts.join('/'))
    // Only an id may contain a slash.
    const id = parts[slashAt]!
    const endpoint = idPaths.get(parts.with(slashAt, idPlaceholder).join('/'))
    return endpoint === undefined ? null : { endpoint, id }
  }

  return {
    add(method, path, handle) {
      const key = path.replace(/\{[^}]+\}/, idPlaceholder)
      const paths = key === path ? fixedPaths : idPaths
      const endpoint = paths.get(key) ?? { name: key.replace(idPlaceholder, ':id'), byMethod: {} }
      endpoint.byMethod[method] = handle
      paths.set(key, endpoint)
      if (key.endsWith(idPlaceholder))
        lastIdPaths.set(key.slice(0, -idPlaceholder.length), endpoint)
      else if (key === path) fixedLengthMax = Math.max(fixedLengthMax, path.length)
    },
    find(target) {
      const path = pathOf(target)
      return path.includes('%') ? findEncoded(path) : findPath(path)
    },
  }
}

/**
 * Splits a path and decodes its segments. An encoded slash belongs to its segment and separates
 * nothing.
 */
function decodedParts(path: string): string[] {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    throw new RequestError(
      'bad_request',
      'The path is not valid percent-encoding; write % as %25.',
      'path',
    )
  }
}

/** Returns the handler of a method. HEAD uses the handler of GET. */
export function handlerOf({ byMethod }: Endpoint, method: string): RequestHandler | undefined {
  if (method === 'HEAD') return byMethod.GET
  return method === 'GET' || method === 'POST' ? byMethod[method] : undefined
}

export function methodsOf({ byMethod }: Endpoint): string[] {
  return Object.keys(byMethod)
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
    .sort()
}

/**
 * Returns the path of a request target, undecoded. A target may have a query, and may be an
 * absolute URL (RFC 9112, 3.2.2).
 */
export function pathOf(target: string): string {
  let end = target.indexOf('?')
  if (end < 0) end = target.length
  const hashAt = target.indexOf('#')
  if (hashAt >= 0 && hashAt < end) end = hashAt
  if (target.charCodeAt(0) === slash) return target.slice(0, end)
  const origin = /^https?:\/\/[^/?#]+/i.exec(target)
  // A target must have no fragment: in an absolute URL, a fragment might hide where the path
  // begins.
  if (origin === null || hashAt >= 0 || !URL.canParse(target)) return target
  return target.slice(origin[0].length, end)
}

const slash = 0x2f
