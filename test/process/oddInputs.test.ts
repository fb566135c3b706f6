// Malformed and unusual inputs of every operation, sent to the whole program with its database.
import { rm } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '../../packages/server/src/gateway/rest/operations.ts'
import { bodyRequestOf, inputRequestOf, type OddRequest } from '../support/oddRequests.ts'
import { type OpenApi, type OpenApiReader, readOpenApi } from '../support/openApi.ts'
import { createDataDir } from '../support/postgres.ts'
import { type Program, startPatientProgram } from '../support/program.ts'

let dataDir = ''
let program: Program & Awaited<ReturnType<typeof startPatientProgram>>
let openApi: OpenApiReader
let tokenIds: string[] = []

beforeAll(async () => {
  dataDir = await createDataDir()
  program = await startPatientProgram(dataDir)
  openApi = readOpenApi((await (await ask('/openapi.json')).json()) as OpenApi)
  const trending = await ask('/v2/tokens/trending?chain=local&page_size=100')
  const { tokens } = (await trending.json()) as { tokens: { token: string }[] }
  tokenIds = tokens.map(({ token }) => `${token}-local`)
})

afterAll(async () => {
  program?.child.kill('SIGINT')
  await program?.ended
  await rm(dataDir, { recursive: true, force: true })
})

function ask(url: string, method = 'GET', payload?: OddRequest['payload']) {
  return fetch(`${program.ready.address}${url}`, {
    method,
    headers: { 'X-API-KEY': program.ready.api_key },
    ...(payload === undefined ? {} : { body: payload }),
  })
}

/**
 * Values of the running market by input name, taken from the examples of its own OpenAPI document.
 */
function usualTexts(): Record<string, string[]> {
  const shown = openApi.operations
    .flatMap(({ parameters }) => parameters)
    .filter(({ example }) => example !== undefined)
  const examples = shown.map(({ name, example }) => [name, [String(example)]])
  return { ...Object.fromEntries(examples), 'token-id': tokenIds }
}

// Few requests, since each queries the database. The same requests without a database are over
// 50,000.
const oddRequestsEach = 60

test.each(operations)('behavior: odd inputs of $method $path', async (operation) => {
  const usual = usualTexts()
  const { seed } = fc.readConfigureGlobal()
  const requests: OddRequest[] = [
    ...fc.sample(inputRequestOf(operation, usual), oddRequestsEach),
    ...(operation.body === undefined
      ? []
      : fc.sample(bodyRequestOf(operation, usual), oddRequestsEach)),
  ]
  for (const { method, url, payload } of requests) {
    // HTTP libraries refuse to send this method.
    if (method === 'TRACE') continue
    const response = await ask(url, method, payload)
    const said = `${method} ${url} (seed ${seed})`
    expect(response.status, said).toBeLessThan(500)
    const described = openApi.operationOf(method, new URL(response.url).pathname)
    if (response.status !== 200 || method === 'HEAD' || described === undefined) continue
    expect(openApi.faultsOf(described, 200, await response.json()), said).toEqual([])
  }
})
