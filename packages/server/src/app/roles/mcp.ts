import { type LoadMcp, mcpNotInstalled } from '../../gateway/http/mcpRoute.ts'
import { AppError } from '../../lib/errors.ts'

export type ServeMcpOptions = { version: string; url: string; apiKey: string }

type McpPackage = typeof import('@chaintape/mcp')

/**
 * Imports the optional MCP package, which is large, so only the first message loads it. Null: not
 * installed.
 */
export async function loadMcpPackage(name = '@chaintape/mcp'): Promise<McpPackage | null> {
  try {
    return (await import(name)) as McpPackage
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  }
}

/** Creates the handler of `POST /mcp`. */
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

/** Serves the Model Context Protocol on standard input and output. */
export async function serveMcp(options: ServeMcpOptions, load = loadMcpPackage): Promise<void> {
  const mcp = await load()
  if (mcp === null) throw new AppError('MCP_NOT_INSTALLED', mcpNotInstalled)
  await mcp.serveMcpStdio(options)
}
