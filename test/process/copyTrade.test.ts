// The example that follows a wallet, run as its user does, on a chain with case-insensitive
// addresses and on one with case-sensitive addresses.
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FinishedEvent } from '../../packages/server/src/model/finishedBlock.ts'
import { buy } from '../support/manualMarket.ts'
import { startTapeService, tapeKey } from '../support/tapeService.ts'
import { until } from '../support/until.ts'

const example = resolve(import.meta.dirname, '../../examples/copyTrade.js')
let service: Awaited<ReturnType<typeof startTapeService>>
let stop: () => void = () => undefined

beforeEach(async () => {
  service = await startTapeService()
})

afterEach(async () => {
  stop()
  await service.stop()
})

test.each([
  ['9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'],
  ['0x2844476D78CF95FE287798F6974B4B2E645D574A', '0x2844476d78cf95fe287798f6974b4b2e645d574a'],
])('default: trades of the wallet %s', async (typed, traded) => {
  const env = { ...process.env, URL_OF_SERVICE: service.proxy.address, KEY: tapeKey }
  const child = spawn(process.execPath, [example, 'token-4-local', typed], { env })
  stop = () => void child.kill('SIGKILL')
  const output = { out: '', err: '' }
  child.stdout.on('data', (text) => {
    output.out += text
  })
  child.stderr.on('data', (text) => {
    output.err += text
  })
  await until('it has subscribed', () => service.socketCount() === 1 || output.err !== '')
  const event = { ...buy('tx-of-wallet'), wallet: traded } as FinishedEvent
  await until('it reports the trade', () => {
    if (output.err !== '') return true
    if (output.out === '') service.market.commit({ events: [event] })
    return output.out !== ''
  })
  expect(output).toEqual({ out: expect.stringMatching(/^(earlier: )?buy 100 for /), err: '' })
})
