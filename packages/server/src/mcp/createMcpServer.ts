import { readdir, readFile } from 'node:fs/promises'
import { ChaintapeError, createTape, type Tape } from '@chaintape/client'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { WebSocket } from 'ws'
import { mcpStatusUri } from '../gateway/http/mcpRoute.ts'
import { AppError } from '../lib/errors.ts'
import { McpInputError } from './errors.ts'
import { type Arguments, operationTools } from './operationTools.ts'
import { watch, watchTool } from './watchTool.ts'

export type McpOptions = {
  version: string
  /** Of the service that is asked. */
  url: string
  apiKey: string
  /** Added to every REST request. @default none */
  headers?: Readonly<Record<string, string>>
  /** How often a REST request that failed is repeated. @default as the client does */
  retries?: number
}

// What a model can still read, in characters.
const answerCharsMax = 60_000

// The folder has the same place seen from the source and from the build; an install of the package alone has none.
const docsFolder = new URL('../../../../docs/', import.meta.url)
const docsStart = 'chaintape://docs/'

const instructions =
  'Market data of blockchains from a Chaintape service. Ids are `<address>-<chain>`; supportedChains lists the chains, searchTokens finds a token ' +
  'by symbol, name or address. Amounts and prices are decimals as text, times unix seconds. Ask for few rows and fields first.'

const tools = [...operationTools, watchTool].map(({ name, description, inputSchema }) => ({
  name,
  description,
  annotations: { readOnlyHint: true, openWorldHint: false },
  inputSchema: inputSchema as { type: 'object' },
}))

/** The Model Context Protocol over a service that runs: a tool for each operation, `watch`, documents and the state of the chains. */
export function createMcpServer({ version, url, apiKey, headers, retries }: McpOptions): Server {
  const tape = createTape({
    url,
    key: apiKey,
    WebSocket,
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init?.headers, ...headers } }),
    ...(retries === undefined ? {} : { retries }),
  })
  const server = new Server(
    { name: 'chaintape', version },
    { capabilities: { tools: {}, resources: {} }, instructions },
  )
  server.onclose = () => void tape.close()
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    try {
      const text = JSON.stringify(await callTool(tape, params.name, params.arguments ?? {}))
      if (text.length > answerCharsMax)
        throw new McpInputError(
          `The answer has ${text.length} characters, more than ${answerCharsMax}: ask for fewer rows, or name the members you need in fields.`,
        )
      return { content: [{ type: 'text', text }] }
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: adviceOf(error) }] }
    }
  })
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: await resources(),
  }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => ({
    contents: [await readResource(tape, uri)],
  }))
  return server
}

async function callTool(tape: Tape, name: string, given: Arguments): Promise<unknown> {
  if (name === watchTool.name) return await watch(tape, given)
  const tool = operationTools.find((one) => one.name === name)
  if (tool === undefined)
    throw new McpInputError(
      `There is no tool ${name}; there are: ${tools.map((one) => one.name).join(', ')}.`,
    )
  return await tool.run(tape.rest, given)
}

/** What went wrong, and what to do about it. */
function adviceOf(error: unknown): string {
  if (error instanceof AppError) return error.shortMessage
  if (!(error instanceof ChaintapeError))
    return 'The tool failed; the log of its server has the cause.'
  const { code, param, status, retryAfterS, message } = error
  const place = param === undefined ? '' : ` Argument: ${param.replaceAll('-', '_')}.`
  if (retryAfterS !== undefined) return `${message} (${code}) Try again in ${retryAfterS} s.`
  if (status === 401 || status === 403)
    return `${message} (${code}) The MCP server needs a working API key: chaintape keys create makes one.`
  return `${message} (${code})${place}`
}

async function docNames(): Promise<string[]> {
  const names = await readdir(docsFolder).catch(() => [])
  return names.filter((name) => name.endsWith('.md')).sort()
}

async function resources() {
  const docs = (await docNames()).map((name) => ({
    uri: docsStart + name,
    name,
    mimeType: 'text/markdown',
  }))
  const description = 'How far every chain is, and whether it is live.'
  const status = { uri: mcpStatusUri, name: 'Status of the chains', mimeType: 'application/json' }
  return [{ ...status, description }, ...docs]
}

async function readResource(tape: Tape, uri: string) {
  if (uri === mcpStatusUri)
    return { uri, mimeType: 'application/json', text: JSON.stringify(await tape.rest.status()) }
  const name = uri.startsWith(docsStart) ? uri.slice(docsStart.length) : ''
  // One of those that are listed, and no other path.
  if (!(await docNames()).includes(name))
    throw new McpInputError(`There is no resource ${uri}; resources/list names them.`)
  const text = await readFile(new URL(name, docsFolder), 'utf8')
  return { uri, mimeType: 'text/markdown', text }
}
