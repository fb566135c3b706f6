import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readTerminalToken, writeTerminalUrl } from './dataDir.ts'

const address = 'http://127.0.0.1:8080'

let dataDir: string
let file: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'terminal-'))
  // An operator may have created the directory with these permissions.
  await chmod(dataDir, 0o755)
  file = join(dataDir, 'terminal.url')
})

afterEach(() => rm(dataDir, { recursive: true }))

test("default: the next start reuses the token; only the service's user can read the file", async () => {
  const token = await readTerminalToken(dataDir)
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(await writeTerminalUrl(dataDir, address, token)).toBe(`${address}/#token=${token}`)
  expect(await readFile(file, 'utf8')).toBe(`${address}/#token=${token}\n`)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readTerminalToken(dataDir)).toBe(token)
})

test('behavior: each data directory has its own token; removing the file renews it', async () => {
  expect(await readTerminalToken(dataDir)).not.toBe(await readTerminalToken(dataDir))
})

test.each(['', '\n', 'http://127.0.0.1:8080/#token=short\n', 'http://127.0.0.1:8080/#token='])(
  'edge: treats a truncated file as removed: %j',
  async (text) => {
    await writeFile(file, text)
    expect(await readTerminalToken(dataDir)).toMatch(/^[\w-]{43}$/)
  },
)

test('error: names a directory that cannot be written', async () => {
  const missing = join(dataDir, 'missing')
  await expect(writeTerminalUrl(missing, address, 'token')).rejects.toMatchObject({
    code: 'STORE_DATA_DIRECTORY',
    meta: expect.arrayContaining([`Directory: ${missing}`]),
  })
})
