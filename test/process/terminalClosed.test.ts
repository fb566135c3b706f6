// A user closes the terminal, or the reader of a pipe ends: the program and its child processes end
// too.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findPostmaster } from '../../packages/server/src/store/postgres/postmaster.ts'
import { childrenOf } from '../support/childrenOf.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { programCommand, runProgram, writePatientConfig } from '../support/program.ts'
import { until } from '../support/until.ts'

let dataDir = ''
let started: ChildProcess[] = []
let programId: number | null = null

beforeEach(async () => {
  dataDir = await createDataDir()
})

afterEach(async () => {
  for (const child of started) child.kill('SIGKILL')
  started = []
  if (programId !== null && (await isRunning(programId))) process.kill(programId, 'SIGKILL')
  programId = null
  await removeDataDir(dataDir)
})

async function startArgs(): Promise<string[]> {
  const config = await writePatientConfig(dataDir, { devnet: { history_s: 60 } })
  const ports = ['--port', '0', '--devnet-port', '0']
  return ['start', '--data-dir', dataDir, '--config', config, ...ports]
}

const postmasterId = () => findPostmaster(join(dataDir, 'postgres'))

/** Runs the program on a pseudo terminal. Killing the returned process closes that terminal. */
async function startOnTerminal(): Promise<{ terminal: ChildProcess; shown: () => string }> {
  const words = programCommand(await startArgs()).map((word) => `'${word}'`)
  const terminal = spawn('script', ['-qfc', `exec ${words.join(' ')}`, '/dev/null'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SHELL: '/bin/sh', TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  started.push(terminal)
  await once(terminal, 'spawn')
  let text = ''
  terminal.stdout!.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  await until('the terminal runs it', async () => (await childrenOf(terminal.pid!))[0]! > 0)
  programId = (await childrenOf(terminal.pid!))[0]!
  return { terminal, shown: () => text }
}

/** Counts a zombie as ended: a process whose parent was killed may never be reaped. */
const isRunning = async (pid: number) =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) !== ''

async function expectNothingLeft(): Promise<void> {
  await until('the program has ended', async () => !(await isRunning(programId!)))
  expect(await postmasterId()).toBe(null)
}

test('default: a service whose terminal is closed stops its PostgreSQL', async () => {
  const { terminal, shown } = await startOnTerminal()
  await until('it is ready', () => shown().includes('Chaintape is ready.'))
  expect(await postmasterId()).not.toBe(null)
  terminal.kill('SIGKILL')
  await expectNothingLeft()
})

test('behavior: closing the terminal also stops a service that is still starting', async () => {
  const { terminal } = await startOnTerminal()
  await until('PostgreSQL runs', async () => (await postmasterId()) !== null)
  terminal.kill('SIGKILL')
  await expectNothingLeft()
})

test('behavior: a start without a reader of its output stops in order', async () => {
  const program = runProgram([...(await startArgs()), '--json'])
  started.push(program.child)
  await until('PostgreSQL runs', async () => (await postmasterId()) !== null)
  program.child.stdout!.destroy()
  expect(await program.ended).toBe(0)
  expect(await postmasterId()).toBe(null)
})
