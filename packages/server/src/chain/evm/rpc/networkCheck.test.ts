import { beforeEach, expect, test, vi } from 'vitest'
import { pollOptions } from '../../../../../../test/support/until.ts'
import { createLogger } from '../../../lib/logger.ts'
import { RpcError } from '../../errors.ts'
import type { HttpPost, HttpPostOptions } from '../../rpc/httpPost.ts'
import { createEvmRpc } from './evmRpc.ts'

type Call = { id: number; method: string }
type Node = { chainId: string | null; asked: string[] }

// Nodes by host. `chainId` null: the node does not answer.
const nodes = new Map<string, Node>()

const createHttp = ({ source, url }: HttpPostOptions): HttpPost => ({
  async post(body, { method }) {
    const node = nodes.get(url.host)!
    const calls = [JSON.parse(body) as Call | Call[]].flat()
    node.asked.push(...calls.map((call) => call.method))
    if (node.chainId === null)
      throw new RpcError({ kind: 'unreachable', method, endpoint: source, detail: 'away' })
    const answers = calls.map((call) => ({
      jsonrpc: '2.0',
      id: call.id,
      result: call.method === 'eth_chainId' ? node.chainId : url.host,
    }))
    const text = JSON.stringify(answers.length === 1 ? answers[0] : answers)
    return { status: 200, retryAfterMs: undefined, text }
  },
  close: () => undefined,
})

function startNode(host: string, chainId: string | null): Node {
  const node = { chainId, asked: [] }
  nodes.set(host, node)
  return node
}

function connect(chainId: number | undefined) {
  return createEvmRpc({
    endpoints: [...nodes.keys()].map((host) => ({ httpUrl: `http://${host}` })),
    timeoutMs: 1_000,
    hedgeAfterMs: 1_000,
    batchSizeMax: 10,
    retryDelayMs: 1,
    chainId,
    createHttp,
    logger: createLogger('silent'),
  })
}

beforeEach(() => nodes.clear())

test('default: each endpoint is asked once which chain it is of', async () => {
  const node = startNode('a', '0x38')
  const rpc = connect(56)
  expect(await rpc.wrongNetwork()).toBeNull()
  await Promise.all([rpc.request('eth_gasPrice', []), rpc.request('eth_gasPrice', [])])
  expect(node.asked).toEqual(['eth_chainId', 'eth_gasPrice', 'eth_gasPrice'])
})

test('behavior: not asked where nothing is expected', async () => {
  const node = startNode('a', '0x38')
  const rpc = connect(undefined)
  expect(await rpc.wrongNetwork()).toBeNull()
  await rpc.request('eth_gasPrice', [])
  expect(node.asked).toEqual(['eth_gasPrice'])
})

test('behavior: one that was away is asked before it is used, and refused', async () => {
  const wrong = startNode('wrong', null)
  startNode('right', '0x1')
  const rpc = connect(1)
  expect(await rpc.wrongNetwork()).toBeNull()
  wrong.chainId = '0x38'
  // The first endpoint is asked first again once its pause is over.
  await vi.waitFor(async () => {
    expect(await rpc.request('eth_gasPrice', [])).toBe('right')
    expect(rpc.status()[0]!.lastError?.text).toContain('It is of chain 56, not 1')
  }, pollOptions)
  expect(new Set(wrong.asked)).toEqual(new Set(['eth_chainId']))
})

test('behavior: one that was away is asked again, and refused if it has come back as another', async () => {
  const node = startNode('a', '0x1')
  startNode('right', '0x1')
  const rpc = connect(1)
  expect(await rpc.request('eth_gasPrice', [])).toBe('a')
  node.chainId = null
  expect(await rpc.request('eth_gasPrice', [])).toBe('right')
  node.chainId = '0x38'
  node.asked.length = 0
  await vi.waitFor(async () => {
    expect(await rpc.request('eth_gasPrice', [])).toBe('right')
    expect(rpc.status()[0]!.lastError?.text).toContain('It is of chain 56, not 1')
  }, pollOptions)
  expect(new Set(node.asked)).toEqual(new Set(['eth_chainId']))
})

test('error: none of the right chain', async () => {
  startNode('wrong', '0x38')
  const rpc = connect(1)
  expect(await rpc.wrongNetwork()).toMatchObject({
    kind: 'wrongNetwork',
    meta: ['Endpoint: 0:wrong', 'Detail: It is of chain 56, not 1'],
  })
  await expect(rpc.request('eth_gasPrice', [])).rejects.toMatchObject({ code: 'RPC_WRONG_NETWORK' })
})

test.each([{}, 'mainnet', '', []])('error: %j is no chain id', async (chainId) => {
  startNode('odd', chainId as string)
  expect(await connect(1).wrongNetwork()).toMatchObject({ kind: 'wrongNetwork' })
})
