import { ChaintapeError, createTape } from '@chaintape/client'
import { type CallToolResult, type Tool as ListedTool, Server } from '@modelcontextprotocol/server'
import { WebSocket } from 'ws'
import { operationTools } from './operationTools.ts'
import { listResources, readResource } from './resources.ts'
import { type Tool, ToolError } from './tool.ts'
import { watchTool } from './watchTool.ts'

export type McpOptions = {
  version: string
  /** Address of the service. */
  url: string
  apiKey: string
  /** Added to every REST request. @default none */
  headers?: Readonly<Record<string, string>>
  /** How often a failed REST request is retried. @default the client's */
  retries?: number
}

// About what a model can read at once.
const answerCharsMax = 60_000

const instructions =
  'Market data of blockchains from a Chaintape service. Ids are `<address>-<chain>`; status lists the chains, search finds a token by symbol, name or ' +
  'address. Amounts and prices are decimals as text, times are unix seconds. Start with few rows and fields.'

export const tools: readonly Tool[] = [...operationTools, watchTool]

const listed = tools.map(({ run: _, ...shown }) => ({
  ...shown,
  annotations: { readOnlyHint: true, openWorldHint: false },
})) as ListedTool[]

/** Tools and resources of the Model Context Protocol over a running service. */
export function createMcpServer({ version, url, apiKey, headers, retries }: McpOptions): Server {
  const tape = createTape({
    url,
    key: apiKey,
    WebSocket,
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init?.headers, ...headers } }),
    ...(retries === undefined ? {} : { retries }),
  })
  const server = new Server(
    { name: 'chaintape', title: 'Chaintape', version },
    { capabilities: { tools: {}, resources: {} }, instructions },
  )
  server.onclose = () => void tape.close()
  server.setRequestHandler('tools/list', () => ({ tools: listed }))
  server.setRequestHandler('tools/call', async ({ params }): Promise<CallToolResult> => {
    try {
      const structuredContent = await toolOf(params.name).run(tape, params.arguments ?? {})
      const text = JSON.stringify(structuredContent)
      if (text.length > answerCharsMax)
        throw new ToolError(
          `The answer has ${text.length} characters, more than ${answerCharsMax}: ask for fewer rows, or name the members you need in fields.`,
        )
      return { content: [{ type: 'text', text }], structuredContent }
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: adviceOf(error) }] }
    }
  })
  server.setRequestHandler('resources/list', async () => ({ resources: await listResources() }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => ({
    contents: [await readResource(tape, uri)],
  }))
  return server
}

function toolOf(name: string): Tool {
  const tool = tools.find((one) => one.name === name)
  if (tool !== undefined) return tool
  const names = tools.map((one) => one.name).join(', ')
  throw new ToolError(`Unknown tool ${name}. The tools are: ${names}.`)
}

/** The error and what to do about it. */
function adviceOf(error: unknown): string {
  if (error instanceof ToolError) return error.message
  if (!(error instanceof ChaintapeError)) return "The tool failed; the server's log has the cause."
  const { code, param, status, retryAfterS, message } = error
  if (retryAfterS !== undefined) return `${message} (${code}) Try again in ${retryAfterS} s.`
  if (status === 401 || status === 403)
    return `${message} (${code}) The MCP server needs a valid API key; create one with chaintape keys create.`
  const place = param === undefined ? '' : ` Argument: ${param.replaceAll('-', '_')}.`
  return `${message} (${code})${place}`
}
