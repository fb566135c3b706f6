// Files of the local chains, by the compiled programs: other users of the machine read none of them.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'

const dist = resolve(import.meta.dirname, '../../../packages/devnet/dist')

/** Resolves when the program says that its RPC is open. */
async function startChain(program: string, dataDir: string): Promise<void> {
  const args = JSON.stringify({ host: '127.0.0.1', port: 0, dataDir, seed: '1', historyS: 4 })
  const child = spawn('/bin/sh', [
    '-c',
    'umask 022; exec "$0" "$@"',
    process.execPath,
    program,
    args,
  ])
  onTestFinished(() => void child.kill('SIGKILL'))
  for await (const line of createInterface(child.stdout))
    if (JSON.parse(line).type === 'ready') return
  throw new Error('It ended before it was ready.')
}

test.each(['main.js', 'solana/main.js'])('default: %s', async (program) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'devnet-files-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  await startChain(join(dist, program), dataDir)
  const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
  expect(names.length).toBeGreaterThan(1)
  for (const name of names)
    expect([name, statSync(join(dataDir, name)).mode & 0o077]).toEqual([name, 0])
})
