import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpServer, type McpOptions } from './createMcpServer.ts'
import { operationOfTool } from './operationTools.ts'
import { statusUri } from './resources.ts'

/** Serves one client over standard input and output, until the input ends. */
export async function serveMcpStdio(
  options: McpOptions,
  { stdin, stdout }: Pick<NodeJS.Process, 'stdin' | 'stdout'> = process,
): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    stdin.once('end', resolve)
    stdin.once('close', resolve)
  })
  const transport = new StdioServerTransport(stdin, stdout)
  const served = serveStdio(() => createMcpServer(options), { transport })
  await ended
  await served.close()
}

/**
 * Id of the REST operation that a message reaches, which a service charges for; undefined: none.
 */
export function operationOf({ method, params }: { method: string; params?: unknown }) {
  const { name, arguments: given, uri } = Object(params)
  if (method === 'tools/call') return operationOfTool(name, given)
  return method === 'resources/read' && uri === statusUri ? 'status' : undefined
}

/**
 * Answers one message. Nothing is kept between two messages, so any server of a service answers any
 * of them.
 */
export async function answerMcp(options: McpOptions, request: Request): Promise<Response> {
  // The caller decides when to retry.
  const server = createMcpServer({ ...options, retries: 0 })
  try {
    const isOld = await isLegacyRequest(request)
    return await whole(isOld ? await answerOld(server, request) : await answerNew(server, request))
  } finally {
    await server.close()
  }
}

type Server = ReturnType<typeof createMcpServer>

/**
 * Protocols with a handshake, up to 2025-11-25. The SDK's own fallback would answer with an event
 * stream.
 */
async function answerOld(server: Server, request: Request): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  return await transport.handleRequest(request)
}

/** Protocols from 2026-07-28 on. A subscription would need a stream, which no message here has. */
async function answerNew(server: Server, request: Request): Promise<Response> {
  const handler = createMcpHandler(() => server, { legacy: 'reject', maxSubscriptions: 0 })
  return await handler.fetch(request)
}

/** The answer with its body read, so that the server may be closed. */
async function whole({ body, status, headers }: Response): Promise<Response> {
  const bytes = await new Response(body).arrayBuffer()
  return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers })
}
