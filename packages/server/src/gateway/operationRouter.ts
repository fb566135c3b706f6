import type { Exchange } from './exchange.ts'

/** Answers a request; `id` is the last part of a path that ends with one, decoded. */
export type RequestHandler = (exchange: Exchange, id: string) => void

export type FoundHandler = { handle: RequestHandler; id: string }

/** Knows the paths of the operations: most requests are theirs, and a framework costs more than most answers. */
export type OperationRouter = {
  /** The path as the OpenAPI document writes it, whose last part may be an id in braces. */
  add(method: 'GET' | 'POST', path: string, handle: RequestHandler): void
  /** Null: no operation has this method and path. */
  find(method: string, target: string): FoundHandler | null
}

/** What is under one path up to its last slash. */
type Folder = { byName: Map<string, RequestHandler>; ofId: RequestHandler | null }

export function createOperationRouter(): OperationRouter {
  const gets = new Map<string, Folder>()
  const posts = new Map<string, Folder>()

  return {
    add(method, path, handle) {
      const folders = method === 'GET' ? gets : posts
      const nameAt = path.lastIndexOf('/') + 1
      const name = path.slice(nameAt)
      const folder = folders.get(path.slice(0, nameAt)) ?? { byName: new Map(), ofId: null }
      folders.set(path.slice(0, nameAt), folder)
      if (name.startsWith('{')) folder.ofId = handle
      else folder.byName.set(name, handle)
    },
    find(method, target) {
      // What a GET would answer, without the body.
      const folders =
        method === 'GET' || method === 'HEAD' ? gets : method === 'POST' ? posts : null
      if (folders === null) return null
      const path = pathOf(target)
      if (path.includes('%')) return findEncoded(folders, path)
      const nameAt = path.lastIndexOf('/') + 1
      return findIn(folders.get(path.slice(0, nameAt)), path.slice(nameAt))
    },
  }
}

function findIn(folder: Folder | undefined, id: string): FoundHandler | null {
  const handle = folder?.byName.get(id) ?? folder?.ofId ?? null
  return handle && { handle, id }
}

/** An encoded slash is a part of a name, and none between two. */
function findEncoded(folders: ReadonlyMap<string, Folder>, path: string): FoundHandler | null {
  const nameAt = path.lastIndexOf('/') + 1
  try {
    const folder = folders.get(decodeURI(path.slice(0, nameAt)))
    return findIn(folder, decodeURIComponent(path.slice(nameAt)))
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
