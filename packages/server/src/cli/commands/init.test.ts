import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createDataDir } from '../../../../../test/support/postgres.ts'
import { createTestCli } from '../../../../../test/support/testCli.ts'
import { loadConfig } from '../../config/load.ts'
import type { Config } from '../../config/schema/schema.ts'
import type { DoctorFinding } from '../../ops/doctor/finding.ts'

let file: string

beforeEach(async () => {
  file = join(await createDataDir(), 'chaintape.yaml')
})

const secret = 'https://node.example/v3/topsecret?key="a"'
const ok: DoctorFinding = {
  level: 'ok',
  subject: 'eth',
  check: 'reachable',
  text: 'It answers.',
  advice: null,
}
const failed: DoctorFinding = { ...ok, level: 'fail', text: 'No answer.', advice: 'Check its URL.' }

/** A command line whose doctor reports these findings. `answers` are typed at a terminal. */
function createInit(findings: readonly DoctorFinding[], answers?: readonly string[]) {
  const checked: Config[] = []
  const questions: string[] = []
  const cli = createTestCli({
    runDoctor: async ({ config }) => {
      checked.push(config)
      return [...findings]
    },
  })
  const left = [...(answers ?? [])]
  const ask = async (question: string) => {
    questions.push(question)
    return left.shift() ?? Promise.reject(new Error(`No answer to: ${question}`))
  }
  cli.context.ask = answers === undefined ? null : ask
  const init = (...args: string[]) => cli.run('init', '--out', file, ...args)
  return { init, checked, questions }
}

const chainOf = (config: Config, name: string) => config.chains[name]

test('default: flags give a config that doctor checks and start takes', async () => {
  const { init, checked } = createInit([ok])
  const chains = ['--chain', `eth=${secret}`, '--chain', 'eth=wss://node.example/ws']
  const { code, out, err } = await init(...chains, '--chain', 'sol=http://127.0.0.1:8899', '--yes')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('ok    reachable: It answers.')
  expect(out).toContain(`start --config ${file}`)
  expect(out).not.toContain('topsecret')
  const { config } = loadConfig({ file, env: {} })
  expect(Object.keys(config.chains)).toEqual(['eth', 'solana'])
  expect(chainOf(config, 'eth')).toMatchObject({
    rpc: [{ http_url: secret, ws_url: 'wss://node.example/ws' }],
  })
  expect(chainOf(config, 'solana')).toMatchObject({ rpc: [{ http_url: 'http://127.0.0.1:8899' }] })
  expect(checked.map(({ chains }) => chains)).toEqual([config.chains])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('behavior: every commented setting is valid', async () => {
  await createInit([ok]).init('--chain', 'base=https://node.example')
  const text = await readFile(file, 'utf8')
  const uncommented = text
    .split('\n')
    .map((line) => line.replace(/^( *)# (?=( *)\w+:( |$))/, '$1'))
    .filter((line) => !line.includes('ws_url'))
  await writeFile(file, uncommented.join('\n'))
  const { config } = loadConfig({ file, env: {} })
  expect(config).toMatchObject({
    data_dir: '.chaintape',
    database_url: 'postgres://user:password@127.0.0.1:5432/chaintape',
    server: { host: '127.0.0.1', port: 8080 },
    chains: { base: { start_block: 'latest', rpc: [{ requests_per_second_max: 50 }] } },
  })
})

test('behavior: asks at a terminal and repeats a question after a wrong answer', async () => {
  const answers = ['ethereun', 'ethereum, base', 'node.example/topsecret', secret, '']
  const { init, questions } = createInit([ok], [...answers, 'http://localhost:8545', 'ws://x'])
  const { code, out } = await init()
  expect(code).toBe(0)
  expect(out).toContain('Did you mean eth?')
  expect(out).not.toContain('topsecret')
  expect(questions.map((question) => question.replace(/\(eth, .*\)/, '(…)'))).toEqual([
    'Chains (…): ',
    'Chains (…): ',
    'HTTP URL of a node of eth: ',
    'HTTP URL of a node of eth: ',
    'Its WebSocket URL (Enter for none): ',
    'HTTP URL of a node of base: ',
    'Its WebSocket URL (Enter for none): ',
  ])
  const { config } = loadConfig({ file, env: {} })
  expect(chainOf(config, 'eth')).toMatchObject({ rpc: [{ http_url: secret }] })
  expect(chainOf(config, 'base')).toMatchObject({
    rpc: [{ http_url: 'http://localhost:8545', ws_url: 'ws://x' }],
  })
})

test('behavior: a failed check leaves the file and names the next command', async () => {
  const { code, out, err } = await createInit([ok, failed]).init('--chain', 'eth=http://x')
  expect(code).toBe(1)
  expect(err).toContain('DOCTOR_FAILED')
  expect(out).toContain('To do: Check its URL.')
  expect(out).toContain(`doctor --config ${file}`)
  expect(out).not.toContain('start --config')
  expect(loadConfig({ file, env: {} }).config.chains).toHaveProperty('eth')
})

test('behavior: --json prints one object', async () => {
  const { code, out } = await createInit([ok]).init('--chain', 'eth=http://x', '--json')
  expect(code).toBe(0)
  const counts = { ok: 1, warn: 0, fail: 0 }
  expect(JSON.parse(out)).toEqual({ file, chains: ['eth'], ...counts, findings: [ok] })
})

test('error: an existing file is left as it is', async () => {
  await writeFile(file, 'mine')
  const { init, checked } = createInit([ok])
  const { code, err } = await init('--chain', 'eth=http://x')
  expect(code).toBe(1)
  expect(err).toContain('CONFIG_EXISTS')
  expect(await readFile(file, 'utf8')).toBe('mine')
  expect(checked).toEqual([])
})

test.each([
  { args: [], text: 'No chain is given.' },
  { args: ['--chain', 'eth'], text: 'name=url' },
  { args: ['--chain', 'ethereun=http://topsecret'], text: 'Did you mean eth?' },
  { args: ['--chain', 'eth=topsecret'], text: 'The URL of eth must start with https://' },
  { args: ['--chain', 'eth=wss://topsecret'], text: 'The URL of eth must start with https://' },
])('error: $args writes no file', async ({ args, text }) => {
  const { code, out, err } = await createInit([ok]).init(...args, '--yes')
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain('INIT_CHAIN')
  expect(err).toContain(text)
  expect(err).not.toContain('topsecret')
  await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' })
})
