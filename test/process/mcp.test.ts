// The MCP SDK's own client on both transports and both protocol generations, against a whole
// service with its own market.
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataDir } from '../support/postgres.ts'
import { type Program, startPatientProgram } from '../support/program.ts'

const packages = resolve(import.meta.dirname, '../../packages')
let dataDir = ''
let program: Program & Awaited<ReturnType<typeof startPatientProgram>>

beforeAll(async () => {
  dataDir = await createDataDir()
  program = await startPatientProgram(dataDir)
})

afterAll(async () => {
  program?.child.kill('SIGINT')
  await program?.ended
  await rm(dataDir, { recursive: true, force: true })
})

function overStdio(...words: readonly string[]) {
  return new StdioClientTransport({
    command: process.execPath,
    args: [...words, '--url', program.ready.address],
    env: { ...getDefaultEnvironment(), CHAINTAPE_API_KEY: program.ready.api_key },
  })
}

const transports = {
  'chaintape mcp': () => overStdio(`${packages}/server/bin/chaintape.js`, 'mcp'),
  'chaintape-mcp': () => overStdio(`${packages}/mcp/bin/chaintape-mcp.js`),
  'POST /mcp': () =>
    new StreamableHTTPClientTransport(new URL(`${program.ready.address}/mcp`), {
      requestInit: { headers: { 'X-API-KEY': program.ready.api_key } },
    }),
}

const modes = { '2025-11-25': 'legacy', '2026-07-28': 'auto' } as const
const cases = Object.keys(transports).flatMap((name) =>
  Object.keys(modes).map(
    (version) => [name as keyof typeof transports, version as keyof typeof modes] as const,
  ),
)

test.each(cases)('default: %s in protocol %s', async (name, version) => {
  const client = new Client(
    { name: 'test', version: '0' },
    { versionNegotiation: { mode: modes[version] } },
  )
  await client.connect(transports[name]())
  async function call(tool: string, given: Record<string, unknown> = {}) {
    const answer = await client.callTool({ name: tool, arguments: given })
    expect(answer.isError ?? false, JSON.stringify(answer.content)).toBe(false)
    // biome-ignore lint/suspicious/noExplicitAny: answers of all tools
    return answer.structuredContent as any
  }
  try {
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect(client.getInstructions()).toContain('search finds a token')
    // From here on the client checks each answer against the tool's output schema.
    await client.listTools()
    const { rows } = await call('status')
    expect(rows[0]).toMatchObject({ chain: 'local' })
    const { tokens } = await call('lists', { chain: 'local' })
    expect(tokens.length).toBeGreaterThan(0)
    expect(tokens.length).toBeLessThanOrEqual(10)
    const id = program.ready.example_pair_id
    const klines = { what: 'pair', pair_id: id, interval: 's1', limit: 3 }
    expect((await call('klines', klines)).points).toHaveLength(3)
    const watched = await call('watch', { topic: 'swaps', id, seconds: 30, pushes: 1 })
    expect(watched.pushes).toHaveLength(1)
    expect(watched.pushes[0]).toMatchObject({ direction: expect.stringMatching(/buy|sell/) })
    const { contents } = await client.readResource({ uri: 'chaintape://status' })
    expect(JSON.stringify(contents)).toContain('local')
  } finally {
    await client.close()
  }
})
