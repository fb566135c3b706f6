import type { IncomingMessage, ServerResponse } from 'node:http'

/** Answers a request; `id` is the last part of a path that ends with one, decoded. */
export type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
) => void

/** Knows the paths of the operations: most requests are theirs, and a framework costs more than most answers. */
export type OperationRouter = {
  /** The path as the OpenAPI document writes it, whose last part may be an id in braces. */
  add(method: 'GET' | 'POST', path: string, handle: RequestHandler): void
  /** False: no operation has this method and path, and nothing was done. */
  take(request: IncomingMessage, response: ServerResponse): boolean
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
    take(request, response) {
      const { method, url = '' } = request
      // What a GET would answer, without the body.
      const folders =
        method === 'GET' || method === 'HEAD' ? gets : method === 'POST' ? posts : null
      if (folders === null) return false
      const path = pathOf(url)
      if (path.includes('%')) return takeEncoded(folders, path, request, response)
      const nameAt = path.lastIndexOf('/') + 1
      const folder = folders.get(path.slice(0, nameAt))
      return folder !== undefined && answer(folder, path.slice(nameAt), request, response)
    },
  }
}

function answer(
  { byName, ofId }: Folder,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const handle = byName.get(name) ?? ofId
  if (handle === null) return false
  handle(request, response, name)
  return true
}

/** An encoded slash is a part of a name, and none between two. */
function takeEncoded(
  folders: ReadonlyMap<string, Folder>,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const nameAt = path.lastIndexOf('/') + 1
  let folder: Folder | undefined
  let name: string
  try {
    folder = folders.get(decodeURI(path.slice(0, nameAt)))
    name = decodeURIComponent(path.slice(nameAt))
  } catch {
    // Refused by whoever answers what no operation does.
    return false
  }
  return folder !== undefined && answer(folder, name, request, response)
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
