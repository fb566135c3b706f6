import type { Content, Exchange } from './answer/exchange.ts'
import { createKeyGate, type KeyGateOptions } from './keyGate.ts'
import type { RequestHandler } from './router.ts'

/** A request of the Model Context Protocol by somebody whose key works; `url` is where this service is reached. */
export type McpCall = { url: string; apiKey: string; request: Request }

export type AnswerMcp = (call: McpCall) => Promise<Response>

/**
 * Answers POST /mcp. Tools call the operations of this very service with the key of the caller, so what they cost and what they
 * are refused is the same; the protocol around them costs nothing.
 */
export function createMcpRoute(
  answer: AnswerMcp,
  options: Pick<KeyGateOptions, 'keys' | 'strangers' | 'turns'>,
): RequestHandler {
  return createKeyGate({ ...options, keyTextOf }, (exchange) => {
    exchange.isStranger = false
    answer(callOf(exchange))
      .then(contentOf)
      .then((content) => exchange.content(content))
      .catch((error: unknown) => exchange.refuse([], error))
  })
}

/** Clients of the protocol know one way to send a key, this service another. */
function keyTextOf({ apiKey, request }: Exchange): string | undefined {
  return apiKey ?? /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

function callOf(exchange: Exchange): McpCall {
  const { request, body } = exchange
  const { localAddress = '127.0.0.1', localPort } = request.socket
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress
  const url = `http://${host}:${localPort}`
  const headers = new Headers()
  for (const name of ['accept', 'content-type', 'mcp-protocol-version'] as const) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  return {
    url,
    apiKey: keyTextOf(exchange)!,
    request: new Request(`${url}/mcp`, { method: 'POST', headers, body: body ?? null }),
  }
}

async function contentOf(response: Response): Promise<Content> {
  const bytes = Buffer.from(await response.arrayBuffer())
  const type = response.headers.get('content-type')
  return {
    status: response.status,
    fields: type === null ? [] : ['content-type', type],
    bytes: bytes.length === 0 ? null : bytes,
  }
}
