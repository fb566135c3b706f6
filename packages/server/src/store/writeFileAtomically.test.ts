import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGzip, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AppError } from '../lib/errors.ts'
import { writeFileAtomically } from './writeFileAtomically.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chaintape-file-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const fault = (code: string) => new AppError(code, code)
const faults = {
  exists: () => fault('EXISTS'),
  failed: (_: string, { code }: NodeJS.ErrnoException) => fault(`FAILED_${code}`),
  stopped: () => fault('STOPPED'),
}
const open = () => ({ signal: new AbortController().signal, faults })

async function* content(...parts: string[]) {
  for (const part of parts) yield Buffer.from(part)
}

test('a file has all of its content, for its owner only, and its sizes are known', async () => {
  const path = join(folder, 'plain')
  expect(await writeFileAtomically(path, content('one', 'three'), open())).toEqual({
    sizeBytes: 8,
    contentBytes: 8,
  })
  expect(await readFile(path, 'utf8')).toBe('onethree')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['plain'])
})

test('content is compressed on its way, and both sizes are counted', async () => {
  const path = join(folder, 'packed')
  const text = 'same '.repeat(10_000)
  const sizes = await writeFileAtomically(path, content(text), { ...open(), through: createGzip() })
  const bytes = await readFile(path)
  expect(gunzipSync(bytes).toString()).toBe(text)
  expect(sizes).toEqual({ sizeBytes: bytes.length, contentBytes: text.length })
})

test('error: a file that is there stays as it is', async () => {
  const path = join(folder, 'there')
  await writeFile(path, 'before')
  await expect(writeFileAtomically(path, content('after'), open())).rejects.toThrow('EXISTS')
  expect(await readFile(path, 'utf8')).toBe('before')
})

test('error: content that breaks off, or a stop, leaves nothing behind', async () => {
  const path = join(folder, 'half')
  async function* broken() {
    yield Buffer.from('half')
    throw new RangeError('it broke off')
  }
  await expect(writeFileAtomically(path, broken(), open())).rejects.toThrow('it broke off')
  const stop = new AbortController()
  async function* stopping() {
    yield Buffer.from('half')
    stop.abort()
    yield Buffer.from('more')
  }
  const stopped = writeFileAtomically(path, stopping(), { signal: stop.signal, faults })
  await expect(stopped).rejects.toThrow('STOPPED')
  expect(await readdir(folder)).toEqual([])
})

test('error: a folder that is not there is a fault of the file', async () => {
  const path = join(folder, 'none', 'file')
  await expect(writeFileAtomically(path, content(''), open())).rejects.toThrow('FAILED_ENOENT')
})

test('what killed writers of the same file left behind is removed, nothing else', async () => {
  // No process has a number so large; this one is alive.
  const [gone, alive] = ['file.part-4194999', `file.part-${process.ppid}`]
  for (const name of [gone, alive, 'other.part-4194999', 'file.part'])
    await writeFile(join(folder, name), '')
  await writeFileAtomically(join(folder, 'file'), content('all'), open())
  expect((await readdir(folder)).sort()).toEqual(
    ['file', 'file.part', alive, 'other.part-4194999'].sort(),
  )
})
