import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { createMcpServer, type McpOptions } from './createMcpServer.ts'

export type McpStreams = { stdin: Readable; stdout: Writable }

/** Serves one client over its standard input and output, until the input ends. */
export async function serveMcpStdio(
  options: McpOptions,
  { stdin, stdout }: McpStreams,
): Promise<void> {
  const server = createMcpServer(options)
  const ended = new Promise<void>((resolve) => {
    stdin.once('end', resolve)
    stdin.once('close', resolve)
  })
  await server.connect(new StdioServerTransport(stdin, stdout))
  await ended
  await server.close()
}

/** Answers one message of the protocol. Nothing is kept between two: any server of a service answers any of them. */
export async function answerMcp(options: McpOptions, request: Request): Promise<Response> {
  // The caller decides when to retry.
  const server = createMcpServer({ ...options, retries: 0 })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  try {
    await server.connect(transport)
    const response = await transport.handleRequest(request)
    const body = await response.arrayBuffer()
    const isEmpty = body.byteLength === 0
    return new Response(isEmpty ? null : body, {
      status: response.status,
      headers: response.headers,
    })
  } finally {
    await server.close()
  }
}
