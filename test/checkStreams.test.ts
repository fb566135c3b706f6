// Findings of `chaintape doctor` about nodes that stream blocks.
import { afterEach, expect, test } from 'vitest'
import { GeneratedChain } from '../packages/devnet/src/solana/generatedChain.ts'
import { checkStreams } from '../packages/server/src/ops/doctor/solana/checkSolanaNodes.ts'
import { startGrpcServer } from './support/solana/grpcServer.ts'
import { until } from './support/until.ts'

const stops: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function serve() {
  const server = await startGrpcServer('secret')
  stops.push(server.stop)
  return server
}

const profile = { name: 'solana' }

test('default: a stream that delivers a block passes', async () => {
  const chain = new GeneratedChain({ seed: 9, startTimeS: 1_700_000_000, transactions: 2 })
  chain.mine(3)
  const server = await serve()
  const streams = [{ url: server.url, token: 'secret' }]
  const checked = checkStreams({ profile, streams, commitment: 'processed' }, 600_000)
  await until('a stream', async () => server.streams() === 1)
  server.send(chain.head)
  const [finding] = await checked
  expect(finding).toMatchObject({ check: 'stream', level: 'ok' })
  expect(finding!.text).toContain(String(chain.head.slot))
})

test('error: without a stream nothing is processed, and other nodes are asked', async () => {
  const server = await serve()
  const streams = [{ url: server.url, token: 'wrong' }]
  const levelAt = async (commitment: 'processed' | 'confirmed') =>
    (await checkStreams({ profile, streams, commitment }, 600_000))[0]!.level
  expect(await levelAt('processed')).toBe('fail')
  expect(await levelAt('confirmed')).toBe('warn')
})

test('error: a silent stream is given up', async () => {
  const server = await serve()
  const streams = [{ url: server.url, token: 'secret' }]
  const [finding] = await checkStreams({ profile, streams, commitment: 'processed' }, 100)
  expect(finding!.text).toContain('No block within 100 ms')
})
