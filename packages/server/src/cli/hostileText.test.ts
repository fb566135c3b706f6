// Text from nodes and services cannot control the operator's terminal.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createTestCli, ready } from '../../../../test/support/testCli.ts'
import { AppError } from '../lib/errors.ts'
import type { NodeReport } from '../ops/doctor/doctor.ts'
import { readyText } from './terminal/readyText.ts'
import { createStepLines } from './terminal/stepLines.ts'

const forged = '{"level":30,"log":"audit","msg":"Admin action","action":"GET /admin/keys"}'
const hostile = `\x1b]0;title\x07\x1b[2J\x9b31m\r\n${forged}\n\u202egpj.exe\u2066\u200b\u{e0041}\u2028end`

/** Only visible characters and line breaks, and no forged line. */
function expectHarmless(text: string): void {
  expect(text).toContain('\\u001b[2J')
  expect(text).toMatch(/^[\P{C}\n]*$/u)
  expect(text).not.toMatch(/\p{Zl}|\p{Zp}/u)
  for (const line of text.split('\n')) expect(line.startsWith('{"level"')).toBe(false)
}

const finding = { subject: hostile, check: hostile, level: 'fail', advice: hostile } as const

test('behavior: doctor', async () => {
  for (const flags of [[], ['--json']]) {
    const runDoctor = async () => [{ ...finding, text: hostile }]
    const { out } = await createTestCli({ runDoctor }).run('doctor', ...flags)
    expectHarmless(out)
  }
})

test('behavior: doctor of one node', async () => {
  const report = {
    findings: [{ ...finding, text: hostile }],
    chain: hostile,
    sample: {
      venues: { [hostile]: 1 },
      examples: [{ wallet: hostile }],
      unclaimed: {
        logs: 1,
        share: 1,
        share_of_transactions: 1,
        by: [{ topic0: hostile, contract: hostile, logs: 1 }],
        topics: [{ address: hostile, topic: hostile, logs: 1 }],
      },
    },
  } as unknown as NodeReport
  for (const flags of [[], ['--json']]) {
    const { out } = await createTestCli({ checkUrl: async () => report }).run(
      'doctor',
      '--url',
      'http://x',
      ...flags,
    )
    expectHarmless(out)
  }
})

test('behavior: status of the service at the address', async () => {
  const body = { ready: false, reasons: [hostile], warnings: [hostile], chains: {} }
  const server = createServer((_, response) => response.end(JSON.stringify(body)))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  for (const flags of [[], ['--json']])
    expectHarmless((await createTestCli().run('status', '--port', String(port), ...flags)).out)
  server.close()
})

test('behavior: errors, with their facts and causes', async () => {
  const failure = new AppError('NODE', hostile, { meta: [hostile], cause: new RangeError(hostile) })
  for (const thrown of [failure, new RangeError(hostile)])
    for (const flags of [[], ['--json']]) {
      const { err } = await createTestCli({ runDoctor: () => Promise.reject(thrown) }).run(
        'doctor',
        ...flags,
      )
      expectHarmless(err)
    }
})

test('behavior: listen and decode', async () => {
  const listen = async ({ onMessage }: { onMessage(text: string): void }) => onMessage(hostile)
  expectHarmless((await createTestCli({ listen }).run('listen', 'tx', '--key', 'a-key-of-it')).out)
  const decodeFile = async ({ onNote }: { onNote(text: string): void }) => onNote(hostile)
  expectHarmless((await createTestCli({ decodeFile }).run('decode', 'x', '--chain', 'eth')).err)
})

test('behavior: the start screen', () => {
  expectHarmless(readyText({ ...ready, waiting: [hostile] }))
  const written: string[] = []
  const sink = { write: (text: string) => void written.push(text), isTTY: true, columns: 1_000 }
  const steps = createStepLines(sink, () => 0)
  steps.show({ title: 'Catching up', note: hostile })
  steps.end(true)
  expectHarmless(written[0]!.replaceAll('\r\x1b[2K', ''))
})
