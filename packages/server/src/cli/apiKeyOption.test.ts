import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createTestCli } from '../../../../test/support/testCli.ts'

const folder = mkdtempSync(join(tmpdir(), 'chaintape-key-'))
const keyFile = join(folder, 'key')
writeFileSync(keyFile, 'ct_file\n')
afterAll(() => rm(folder, { recursive: true }))

describe.each(['listen trades eth', 'mcp'])('%s', (words) => {
  /** Runs the command with these flags. Returns the key that reached the service as `asked`. */
  async function runWith(flags: readonly string[], key?: string) {
    const asked: string[] = []
    const ask = async ({ apiKey }: { apiKey: string }) => void asked.push(apiKey)
    const cli = createTestCli({ listen: ask, serveMcp: ask })
    const env = key === undefined ? {} : { CHAINTAPE_API_KEY: key }
    cli.context.env = { ...cli.context.env, ...env }
    const { code, err } = await cli.run(...words.split(' '), ...flags)
    return { asked, code, err }
  }

  test('default: the key comes from the environment', async () => {
    expect(await runWith([], 'ct_env')).toEqual({ asked: ['ct_env'], code: 0, err: '' })
  })

  test('behavior: a key file overrides the environment', async () => {
    expect(await runWith(['--key-file', keyFile], 'ct_env')).toEqual({
      asked: ['ct_file'],
      code: 0,
      err: '',
    })
  })

  test('behavior: a key flag works, with a warning about the process list', async () => {
    const { asked, code, err } = await runWith(['--key', 'ct_flag'], 'ct_env')
    expect([asked, code]).toEqual([['ct_flag'], 0])
    expect(err).toContain('other users of this machine can read --key in the process list')
    expect(err).not.toContain('ct_flag')
  })

  test.each([
    ['no key', [], 'no API key: set CHAINTAPE_API_KEY, or name a file with --key-file'],
    ['no such file', ['--key-file', join(folder, 'none')], 'It cannot be read: ENOENT'],
    ['no key in it', ['--key-file', import.meta.filename], 'It must contain one API key'],
    ['both', ['--key', 'a', '--key-file', keyFile], "'--key <key>' cannot be used with option"],
  ] as const)('error: %s', async (_, flags, text) => {
    const { asked, code, err } = await runWith(flags, '')
    expect([asked, code]).toEqual([[], 2])
    expect(err).toContain(text)
  })
})
