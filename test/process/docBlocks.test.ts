// Code blocks of the guides run as a reader runs them. In pages of docs/start, docs/guides and
// README.md the first words of a fence say what happens to it:
//   sh, js                     runs against the local chains and must succeed
//   json config, yaml config   is a configuration without a mistake
//   sh no-run, js no-run       needs a real node, a browser or a second service: not run
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataDir } from '../support/postgres.ts'
import { type Program, startPatientProgram } from '../support/program.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const bin = join(root, 'packages/server/bin/chaintape.js')
const pages = [
  'README.md',
  ...['docs/start', 'docs/guides'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name)),
  ),
].filter((name) => name.endsWith('.md'))

type Block = { page: string; line: number; info: string; text: string }

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].map((match) => {
    const line = text.slice(0, match.index).split('\n').length
    return { page, line, info: match[1]!, text: match[2]! }
  })
}

const blocks = pages.flatMap(blocksOf)
const marked = new Set(['sh', 'js', 'json config', 'yaml config', 'sh no-run', 'js no-run'])

let folder = ''
let program: Program & Awaited<ReturnType<typeof startPatientProgram>>
let env: Record<string, string> = {}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
async function get(path: string): Promise<any> {
  const headers = { 'X-API-KEY': program.ready.api_key }
  return await (await fetch(`${program.ready.address}${path}`, { headers })).json()
}

beforeAll(async () => {
  folder = await createDataDir()
  await mkdir(join(folder, 'data'))
  program = await startPatientProgram(join(folder, 'data'))
  const [token] = await get('/v2/tokens?keyword=ALFA&chain=local')
  const pair = `${token.main_pair}-local`
  const { txs } = await get(`/v2/txs/${pair}?limit=1`)
  // The commands of a clone, with this build and this service.
  const programs = join(folder, 'bin')
  await mkdir(programs)
  const npx = `#!/bin/sh\nshift 2\nexec '${process.execPath}' '${bin}' "$@"\n`
  await writeFile(join(programs, 'npx'), npx)
  await chmod(join(programs, 'npx'), 0o755)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  env = {
    PATH: `${programs}:${process.env.PATH}`,
    HOST: program.ready.address,
    CHAINTAPE_URL: program.ready.address,
    KEY: program.ready.api_key,
    TOKEN: `${token.token}-local`,
    PAIR: pair,
    WALLET: txs[0].wallet_address,
  }
})

afterAll(async () => {
  program?.child.kill('SIGINT')
  await program?.ended
  await rm(folder, { recursive: true, force: true })
})

/** Commands name the default address; the service of this test has a free port. */
const withAddress = (text: string) =>
  text
    .replaceAll('http://127.0.0.1:8080', '$HOST')
    .replace(/ listen (?!.*--url)/g, ' listen --url "$HOST" ')

test('behavior: every block says what happens to it', () => {
  const isCode = ({ info }: Block) => /^(sh|js|ts|json|yaml|bash)\b/.test(info)
  const unmarked = blocks.filter((block) => isCode(block) && !marked.has(block.info))
  expect(unmarked.map(({ page, line, info }) => `${page}:${line} ${info}`)).toEqual([])
  const run = blocks.filter(({ info }) => !info.endsWith('no-run'))
  expect(run.length).toBeGreaterThan(blocks.length / 2)
})

const named = (infos: readonly string[]) =>
  blocks
    .filter(({ info }) => infos.includes(info))
    .map((block) => ({ ...block, name: `${block.page}:${block.line}` }))

test.each(named(['sh']))('default: $name', async ({ text }) => {
  await run('bash', ['-c', 'echo "X-API-KEY: $KEY" > key.txt'], { cwd: folder, env })
  for (const line of text.trim().split('\n')) {
    const command = withAddress(line)
    // A failed request fails the command.
    const checked = command.replace(/\bcurl /g, 'curl --fail-with-body -sS ')
    const { stdout } = await run('bash', ['-c', `set -o pipefail; ${checked}`], {
      cwd: folder,
      env,
    })
    expect([line, stdout.trim() === '']).toEqual([line, !/curl|listen|chains/.test(line)])
  }
})

test.each(named(['js']))('default: $name', async ({ text }) => {
  const file = join(folder, 'program.mjs')
  await writeFile(file, text)
  await run(process.execPath, [file], { cwd: folder, env, timeout: 60_000 })
})

test.each(named(['json config', 'yaml config']))('default: $name', async ({ info, text }) => {
  const file = join(folder, `chaintape.${info.split(' ')[0]}`)
  await writeFile(file, text)
  const { stdout } = await run(process.execPath, [bin, 'config', 'check', '--config', file])
  expect(stdout).toContain('The configuration is valid.')
})
