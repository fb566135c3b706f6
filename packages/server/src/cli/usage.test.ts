// Answers of the command line itself: version, help, and usage errors.
import { expect, test } from 'vitest'
import { createTestCli } from '../../../../test/support/testCli.ts'

test('behavior: version', async () => {
  expect(await createTestCli().run('--version')).toEqual({ code: 0, out: '1.2.3\n', err: '' })
  for (const args of [
    ['--version', '--json'],
    ['--json', '--version'],
  ]) {
    const out = '{"version":"1.2.3"}\n'
    expect(await createTestCli().run(...args)).toEqual({ code: 0, out, err: '' })
  }
})

test.each([[[]], [['keys']], [['config']], [['start']], [['keys', 'list']]])(
  'behavior: help of %j, as text and as JSON',
  async (words: string[]) => {
    const plain = await createTestCli().run(...words, '--help')
    expect(plain).toMatchObject({ code: 0, err: '' })
    expect(plain.out).toContain(`Usage: ${['chaintape', ...words].join(' ')} [options]`)
    for (const args of [
      [...words, '--help', '--json'],
      ['--json', ...words, '-h'],
    ]) {
      const { code, out, err } = await createTestCli().run(...args)
      expect({ code, err, json: JSON.parse(out) }).toEqual({
        code: 0,
        err: '',
        json: { help: plain.out.trimEnd() },
      })
    }
  },
)

test.each([[[]], [['keys']], [['config']]])(
  'error: %j without a command shows the help',
  async (words: string[]) => {
    const plain = await createTestCli().run(...words)
    expect(plain).toMatchObject({ code: 2, out: '' })
    expect(plain.err).toContain(`Usage: ${['chaintape', ...words].join(' ')} [options] [command]`)
    for (const args of [
      [...words, '--json'],
      ['--json', ...words],
    ]) {
      const { code, out, err } = await createTestCli().run(...args)
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(JSON.parse(err)).toEqual({
        error: {
          code: 'USAGE',
          message: 'a command is missing',
          retryable: false,
          meta: plain.err.trimEnd().split('\n'),
        },
      })
    }
  },
)

test('behavior: --json works anywhere on the command line', async () => {
  for (const args of [
    ['--json', 'keys', 'list'],
    ['keys', '--json', 'list'],
    ['keys', 'list', '--json'],
  ])
    expect(JSON.parse((await createTestCli().run(...args)).out).keys).toHaveLength(1)
})

test.each([
  [['strat'], "error: unknown command 'strat'\n(Did you mean start?)\n"],
  [['start', '--prot', '1'], "error: unknown option '--prot'\n(Did you mean --port?)\n"],
  [
    ['keys', 'revoke', 'x'],
    "error: command-argument value 'x' is invalid for argument 'id'. It must be the number of a key.\n",
  ],
])('error: usage of %j', async (args, text) => {
  expect(await createTestCli().run(...args)).toEqual({ code: 2, out: '', err: text })
})

test('error: usage as JSON', async () => {
  const { code, err } = await createTestCli().run('start', '--nope', '--json')
  expect(code).toBe(2)
  expect(JSON.parse(err).error.code).toBe('USAGE')
})
