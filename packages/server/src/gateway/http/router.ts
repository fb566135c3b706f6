import { RequestError } from '../errors.ts'
import type { Exchange } from './answer/exchange.ts'

export type RequestHandler = (exchange: Exchange) => void

export type Method = 'GET' | 'POST'

/** What is at one path. */
export type Endpoint = {
  /** The path as metrics name it. */
  name: string
  byMethod: Partial<Record<Method, RequestHandler>>
}

/** `id` is the part of the path that stands where the endpoint has one, decoded. */
export type FoundEndpoint = { endpoint: Endpoint; id: string }

/** Knows every path of a server. */
export type Router = {
  /** The path as the OpenAPI document writes it: its last part, or the one before it, may be an id in braces. */
  add(method: Method, path: string, handle: RequestHandler): void
  /** Null: nothing has this path. Throws `bad_request` where its percent-encoding is none. */
  find(target: string): FoundEndpoint | null
}

// Stands for the id in the paths that have one.
const anyId = '{}'

export function createRouter(): Router {
  const fixedPaths = new Map<string, Endpoint>()
  const idPaths = new Map<string, Endpoint>()
  /** Those of `idPaths` that end with the id, by what is before it: most requests are for one, and none has to be joined for it. */
  const lastIdPaths = new Map<string, Endpoint>()
  let fixedLengthMax = 0

  /** A fixed name is no id, even to a method it does not have. */
  function findPath(path: string): FoundEndpoint | null {
    const fixed = path.length > fixedLengthMax ? undefined : fixedPaths.get(path)
    if (fixed !== undefined) return { endpoint: fixed, id: '' }
    const lastAt = path.lastIndexOf('/')
    const ofId = lastIdPaths.get(path.slice(0, lastAt + 1))
    if (ofId !== undefined) return { endpoint: ofId, id: path.slice(lastAt + 1) }
    const idAt = path.lastIndexOf('/', lastAt - 1) + 1
    const behindId = idPaths.get(path.slice(0, idAt) + anyId + path.slice(lastAt))
    return behindId && idAt < lastAt ? { endpoint: behindId, id: path.slice(idAt, lastAt) } : null
  }

  function findEncoded(path: string): FoundEndpoint | null {
    const parts = decodedParts(path)
    const slashAt = parts.findIndex((part) => part.includes('/'))
    if (slashAt < 0) return findPath(parts.join('/'))
    // Only an id may have one.
    const id = parts[slashAt]!
    const endpoint = idPaths.get(parts.with(slashAt, anyId).join('/'))
    return endpoint === undefined ? null : { endpoint, id }
  }

  return {
    add(method, path, handle) {
      const key = path.replace(/\{[^}]+\}/, anyId)
      const paths = key === path ? fixedPaths : idPaths
      const endpoint = paths.get(key) ?? { name: key.replace(anyId, ':id'), byMethod: {} }
      endpoint.byMethod[method] = handle
      paths.set(key, endpoint)
      if (key.endsWith(anyId)) lastIdPaths.set(key.slice(0, -anyId.length), endpoint)
      else if (key === path) fixedLengthMax = Math.max(fixedLengthMax, path.length)
    },
    find(target) {
      const path = pathOf(target)
      return path.includes('%') ? findEncoded(path) : findPath(path)
    },
  }
}

/** The parts of a path, decoded. An encoded slash is a part of a name, and none between two. */
function decodedParts(path: string): string[] {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    throw new RequestError('bad_request', 'The path is not valid percent-encoding.', 'path')
  }
}

/** Which handler answers to a method; HEAD is a GET without the body. */
export function handlerOf({ byMethod }: Endpoint, method: string): RequestHandler | undefined {
  if (method === 'HEAD') return byMethod.GET
  return method === 'GET' || method === 'POST' ? byMethod[method] : undefined
}

export function methodsOf({ byMethod }: Endpoint): string[] {
  return Object.keys(byMethod)
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
    .sort()
}

/** The path of a request target, as it was written: the target may have a query, and may be a whole address (RFC 9112, 3.2.2). */
export function pathOf(target: string): string {
  let end = target.indexOf('?')
  if (end < 0) end = target.length
  const hashAt = target.indexOf('#')
  if (hashAt >= 0 && hashAt < end) end = hashAt
  if (target.charCodeAt(0) === slash) return target.slice(0, end)
  const origin = /^https?:\/\/[^/?#]+/i.exec(target)
  // No fragment belongs into a target; one in a whole address might hide where its path begins.
  if (origin === null || hashAt >= 0 || !URL.canParse(target)) return target
  return target.slice(origin[0].length, end)
}

const slash = 0x2f
