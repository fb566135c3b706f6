import { type LoadMcp, mcpMissing } from '../gateway/http/mcpRoute.ts'
import { AppError } from '../lib/errors.ts'

export type ServeMcpOptions = { version: string; url: string; apiKey: string }

type McpPackage = typeof import('@chaintape/mcp')

/** The package is optional, and large: it is loaded by the first message. Null: it is not installed. */
export async function loadMcpPackage(name = '@chaintape/mcp'): Promise<McpPackage | null> {
  try {
    return (await import(name)) as McpPackage
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  }
}

/** Answers of `POST /mcp`. */
export function createMcpLoader(version: string, load = loadMcpPackage): LoadMcp {
  return async () => {
    const mcp = await load()
    if (mcp === null) return null
    return {
      operationOf: mcp.operationOf,
      answer: ({ request, ...call }) => mcp.answerMcp({ ...call, version }, request),
    }
  }
}

/** The Model Context Protocol on standard input and output of this process. */
export async function serveMcp(options: ServeMcpOptions, load = loadMcpPackage): Promise<void> {
  const mcp = await load()
  if (mcp === null) throw new AppError('MCP_NOT_INSTALLED', mcpMissing)
  await mcp.serveMcpStdio(options)
}
