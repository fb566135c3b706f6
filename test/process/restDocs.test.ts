// docs/reference/rest.md as a reader uses it: every curl command runs as printed, and every member
// of a printed answer exists.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '../../packages/server/src/gateway/rest/operations.ts'
import { type OpenApi, type OpenApiReader, readOpenApi } from '../support/openApi.ts'
import { createDataDir } from '../support/postgres.ts'
import { type Program, startPatientProgram } from '../support/program.ts'

const run = promisify(execFile)
const bash = (line: string) =>
  run('bash', ['-c', line], { cwd: dataDir, env: { PATH: process.env.PATH, ...variables } })
const markdown = readFileSync(resolve(import.meta.dirname, '../../docs/reference/rest.md'), 'utf8')

/** Members that a text describes as absent in some cases. */
function absentIn(text: string): Set<string> {
  const sentences = text.replaceAll('\n', ' ').split(/[.;] /)
  const names = sentences.filter((sentence) => /\babsent\b/.test(sentence))
  return new Set(
    names.flatMap((sentence) => [...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name!)),
  )
}

/**
 * One operation of the page: its heading, its commands, the printed answer and the members that may
 * be absent.
 */
const sections = markdown
  .split('\n### ')
  .slice(1)
  .map((text) => {
    const [heading] = text.split('\n')
    const [method, path] = heading!.split(' ')
    const curls = [...text.matchAll(/^ {4}(curl .+)$/gm)].map(([, line]) => line!)
    const shown = /```json\n([\s\S]*?)```/.exec(text)?.[1]
    return { heading: heading!, method: method!, path: path!, curls, shown, absent: absentIn(text) }
  })

let dataDir = ''
let program: Program & Awaited<ReturnType<typeof startPatientProgram>>
let openApi: OpenApiReader
let variables: Record<string, string> = {}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
async function get(path: string): Promise<any> {
  const headers = { 'X-API-KEY': program.ready.api_key }
  return await (await fetch(`${program.ready.address}${path}`, { headers })).json()
}

beforeAll(async () => {
  dataDir = await createDataDir()
  program = await startPatientProgram(dataDir)
  openApi = readOpenApi((await get('/openapi.json')) as OpenApi)
  const [token] = await get('/v2/tokens?keyword=ALFA&chain=local')
  const pair = `${token.main_pair}-local`
  const { txs } = await get(`/v2/txs/${pair}?limit=1`)
  variables = {
    HOST: program.ready.address,
    KEY: program.ready.api_key,
    TOKEN: `${token.token}-local`,
    PAIR: pair,
    WALLET: txs[0].wallet_address,
  }
  await bash(/^\(umask .+\)$/m.exec(markdown)![0])
})

afterAll(async () => {
  program?.child.kill('SIGINT')
  await program?.ended
  await rm(dataDir, { recursive: true, force: true })
})

/**
 * Members that the page prints and the answer lacks. Ids used as member names differ between
 * markets.
 */
function missingIn(shown: unknown, real: unknown, absent: Set<string>, at = ''): string[] {
  if (typeof shown !== 'object' || shown === null) return []
  if (typeof real !== 'object' || real === null) return [at]
  // A list may be empty: the market differs from the page's.
  if (Array.isArray(shown))
    return Array.isArray(real)
      ? real.length === 0
        ? []
        : missingIn(shown[0], real[0], absent, at)
      : [at]
  const members = real as Record<string, unknown>
  return Object.entries(shown).flatMap(([name, value]) => {
    const isId = name.endsWith('-local')
    if (!isId && !Object.hasOwn(members, name)) return absent.has(name) ? [] : [`${at}.${name}`]
    const member = isId ? Object.values(members)[0] : members[name]
    return missingIn(value, member, absent, `${at}.${name}`)
  })
}

test('behavior: the page lists exactly the operations of the service', () => {
  const described = openApi.operations.map(({ method, path }) => `${method} ${path}`)
  const shown = sections.map(({ heading }) => heading)
  expect(new Set(shown).size).toBe(shown.length)
  for (const heading of shown) expect(described).toContain(heading)
  for (const { method, path } of operations) expect(shown).toContain(`${method} ${path}`)
  for (const { heading, curls } of sections) expect([heading, curls.length]).toEqual([heading, 1])
})

test.each(sections)('default: $heading', async ({ method, path, curls, shown, absent }) => {
  for (const line of curls) {
    const file = join(dataDir, 'answer')
    const { stdout } = await bash(`${line} -sS -o '${file}' -w '%{http_code}'`)
    expect([line, stdout]).toEqual([line, '200'])
    const text = await readFile(file, 'utf8')
    if (shown === undefined) continue
    const body: unknown = JSON.parse(text)
    const operation = openApi.operationOf(method, path)!
    expect(operation.path).toBe(path)
    expect(openApi.faultsOf(operation, 200, body)).toEqual([])
    expect(missingIn(JSON.parse(shown), body, absent)).toEqual([])
  }
})

test('behavior: the costs on the page equal those of the service', () => {
  for (const { method, path, cost } of operations) {
    const text = markdown.split(`\n### ${method} ${path}\n`)[1]?.split('\n### ')[0] ?? ''
    const words = cost === 0 ? 'Costs nothing.' : `Costs ${cost} CU.`
    expect([path, text.replaceAll('\n', ' ').includes(words)]).toEqual([path, true])
  }
})

test('behavior: the site and the Markdown of its pages are served', async () => {
  for (const path of ['/docs', '/docs/reference/api', '/docs/reference/rest.md', '/docs/icon.svg'])
    expect([path, (await fetch(`${program.ready.address}${path}`)).status]).toEqual([path, 200])
})
