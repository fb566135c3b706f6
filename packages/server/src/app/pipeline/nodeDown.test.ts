// The only node of a chain is down: its URL is a real port without a listener.

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import { createLogger } from '../../lib/logger.ts'
import type { NodeFault } from '../../model/block.ts'
import { chainStatusOf } from '../chain/chainStatus.ts'
import { configuredSetups } from '../chain/configuredChains.ts'

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('default: names the refusing address before the first block is known', async () => {
  const port = await closedPort()
  const chains = { eth: { rpc: [{ http_url: `http://127.0.0.1:${port}/a-secret` }] } }
  const { config } = loadConfig({ env: { CHAINTAPE_CHAINS: JSON.stringify(chains) } })
  const [setup] = configuredSetups(config)
  const stop = new AbortController()
  const reason = await new Promise<NodeFault>((resolve) => {
    chainKindOf(setup!)
      .openIntake({
        setup: setup!,
        known: [],
        firstNumber: null,
        finalizedNumber: -1,
        logger: createLogger('silent'),
        signal: stop.signal,
        onWaiting: resolve,
      })
      .catch(() => undefined)
  })
  stop.abort()
  const { rpcError, nodes } = chainStatusOf({
    chain: 'eth',
    engine: { head: () => null },
    progress: null,
    startFault: reason,
    queueBlocksMax: 1,
    startBlock: 'latest',
    headWarnings: [],
    readyOnce: new Set(),
    nowMs: 0,
    readyLimits: { lagSMax: 60, lagBlocksMax: 8, headAgeSMax: 60 },
    writer: {
      lastPersisted: { number: -1 },
      queuedBlocks: 0,
      lastError: null,
      writingSinceMs: null,
      isFull: false,
      leftOut: { missedPools: null },
      history: {},
      retentionHeld: null,
    } as unknown as Parameters<typeof chainStatusOf>[0]['writer'],
  })
  expect(rpcError).toBe('endpoint 0: unreachable')
  expect(nodes!.error).toContain(`ECONNREFUSED 127.0.0.1:${port}`)
  expect(nodes!.error).not.toContain('a-secret')
})
