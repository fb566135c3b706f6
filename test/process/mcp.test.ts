// The SDK's own client on both transports, against the whole service and its own market.
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  getDefaultEnvironment,
  StdioClientTransport,
} from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataDir } from '../support/postgres.ts'
import { type Program, startPatientProgram } from '../support/program.ts'

const bin = resolve(import.meta.dirname, '../../packages/server/bin/chaintape.js')
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

const transports = {
  stdio: () =>
    new StdioClientTransport({
      command: process.execPath,
      args: [bin, 'mcp', '--url', program.ready.address],
      env: { ...getDefaultEnvironment(), CHAINTAPE_API_KEY: program.ready.api_key },
    }),
  http: () =>
    new StreamableHTTPClientTransport(new URL(`${program.ready.address}/mcp`), {
      requestInit: { headers: { 'X-API-KEY': program.ready.api_key } },
    }),
}

test.each(['stdio', 'http'] as const)('default: over %s', async (name) => {
  const client = new Client({ name: 'test', version: '0' })
  await client.connect(transports[name]() as Parameters<typeof client.connect>[0])
  async function call(tool: string, given: Record<string, unknown> = {}) {
    const { content, isError = false } = await client.callTool({ name: tool, arguments: given })
    const [{ text }] = content as [{ text: string }]
    expect(isError, text).toBe(false)
    return JSON.parse(text)
  }
  try {
    expect(client.getInstructions()).toContain('searchTokens')
    const [chain] = await call('supportedChains')
    expect(chain).toMatchObject({ chain: 'local' })
    const { tokens } = await call('trending', { chain: 'local' })
    expect(tokens.length).toBeGreaterThan(0)
    expect(tokens.length).toBeLessThanOrEqual(10)
    const id = program.ready.example_pair_id
    const { points } = await call('pairKlines', { pair_id: id, interval: 's1', limit: 3 })
    expect(points).toHaveLength(3)
    const watched = await call('watch', { topic: 'swaps', id, seconds: 30, pushes: 1 })
    expect(watched.pushes).toHaveLength(1)
    expect(watched.pushes[0]).toMatchObject({ direction: expect.stringMatching(/buy|sell/) })
    const { contents } = await client.readResource({ uri: 'chaintape://status' })
    expect(JSON.stringify(contents)).toContain('local')
  } finally {
    await client.close()
  }
})
