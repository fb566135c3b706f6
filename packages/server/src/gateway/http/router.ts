import type { Exchange } from './exchange.ts'

/** Answers a request; `id` is the last part of a path that ends with one, decoded. */
export type RequestHandler = (exchange: Exchange, id: string) => void

export type FoundHandler = { handle: RequestHandler; id: string }

type Method = 'GET' | 'POST'

/** Knows the paths of the operations: most requests are theirs, and a framework costs more than most answers. */
export type OperationRouter = {
  /** The path as the OpenAPI document writes it, whose last part may be an id in braces. */
  add(method: Method, path: string, handle: RequestHandler): void
  /** Null: no operation has this method and path. */
  find(method: string, target: string): FoundHandler | null
}

type ByMethod = Partial<Record<Method, RequestHandler>>

/** What is under one path up to its last slash. */
type Folder = { byName: Map<string, ByMethod>; ofId: ByMethod }

export function createOperationRouter(): OperationRouter {
  const folders = new Map<string, Folder>()

  return {
    add(method, path, handle) {
      const nameAt = path.lastIndexOf('/') + 1
      const name = path.slice(nameAt)
      const folder: Folder = folders.get(path.slice(0, nameAt)) ?? { byName: new Map(), ofId: {} }
      folders.set(path.slice(0, nameAt), folder)
      if (name.startsWith('{')) folder.ofId[method] = handle
      else folder.byName.set(name, { ...folder.byName.get(name), [method]: handle })
    },
    find(method, target) {
      const kind = kindOf(method)
      if (kind === null) return null
      const path = pathOf(target)
      if (path.includes('%')) return findEncoded(folders, path, kind)
      const nameAt = path.lastIndexOf('/') + 1
      return findIn(folders.get(path.slice(0, nameAt)), path.slice(nameAt), kind)
    },
  }
}

function kindOf(method: string): Method | null {
  if (method === 'GET' || method === 'POST') return method
  // What a GET would answer, without the body.
  return method === 'HEAD' ? 'GET' : null
}

/** A fixed name is no id, even to a method it does not have. */
function findIn(folder: Folder | undefined, id: string, kind: Method): FoundHandler | null {
  if (folder === undefined) return null
  const handle = (folder.byName.get(id) ?? folder.ofId)[kind]
  return handle === undefined ? null : { handle, id }
}

/** An encoded slash is a part of a name, and none between two. */
function findEncoded(
  folders: ReadonlyMap<string, Folder>,
  path: string,
  kind: Method,
): FoundHandler | null {
  const nameAt = path.lastIndexOf('/') + 1
  try {
    const folder = folders.get(decodeURI(path.slice(0, nameAt)))
    return findIn(folder, decodeURIComponent(path.slice(nameAt)), kind)
  } catch {
    // Refused by whoever answers what no operation does.
    return null
  }
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
