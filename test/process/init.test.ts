// `chaintape init` as a user runs it, with a real node.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { runProgram } from '../support/program.ts'

let folder: string
let node: DevNode

beforeAll(async () => {
  folder = await createDataDir()
  node = await startDevNode()
})
afterAll(async () => {
  await node.stop()
  await removeDataDir(folder)
})

test('behavior: writes a config, asks the node, and reports that it is another chain', async () => {
  const file = join(folder, 'chaintape.yaml')
  const url = `${node.rpcUrl}/topsecret`
  const program = runProgram(['init', '--chain', `eth=${url}`, '--out', file, '--yes'])
  expect(await program.ended).toBe(1)
  expect(program.stderr()).toContain('DOCTOR_FAILED')
  // The chain id of the local chain.
  expect(program.stdout()).toContain('31337')
  expect(program.stdout()).toContain(`doctor --config ${file}`)
  expect(program.stdout() + program.stderr()).not.toContain('topsecret')
  const written = await readFile(file, 'utf8')
  expect(written).toContain(`- http_url: "${url}"`)
  const again = runProgram(['init', '--chain', `eth=${node.rpcUrl}`, '--out', file])
  expect(await again.ended).toBe(1)
  expect(again.stderr()).toContain('CONFIG_EXISTS')
  expect(await readFile(file, 'utf8')).toBe(written)
})
