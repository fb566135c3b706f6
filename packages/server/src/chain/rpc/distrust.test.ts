import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLogger } from '../../lib/logger.ts'
import { createRpc } from './rpc.ts'
import { createMethodCapabilities, type RpcDialect } from './rpcCall.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const dialect: RpcDialect = {
  classify: () => ({ kind: 'failed', range: undefined }),
  createCapabilities: createMethodCapabilities,
  answerLimits: {},
  network: null,
}

test('behavior: where all nodes are distrusted each has its turn, as whoever is wrong again goes behind the others', async () => {
  const names = ['a', 'b', 'c']
  const asked: string[] = []
  const rpc = createRpc(
    {
      endpoints: names.map((name) => ({ httpUrl: `http://${name}.example` })),
      timeoutMs: 1_000,
      hedgeAfterMs: 1_000,
      batchSizeMax: 1,
      logger: createLogger('silent'),
      createHttp: ({ url }) => ({
        async post(body) {
          asked.push(url.hostname[0]!)
          const told = JSON.parse(body)
          const { id } = Array.isArray(told) ? told[0] : told
          const text = JSON.stringify({ jsonrpc: '2.0', id, result: 1 })
          return { status: 200, retryAfterMs: undefined, text }
        },
        close: () => undefined,
      }),
    },
    dialect,
  )
  for (let count = 0; count < 7; count++) {
    const [result] = await rpc.requestBatch([{ method: 'get', params: [] }])
    vi.advanceTimersByTime(10)
    rpc.penalise(result!.ok ? result!.endpoint : 0, 'It contradicts itself')
  }
  expect(asked).toEqual([...names, ...names, 'a'])
  rpc.close()
})
