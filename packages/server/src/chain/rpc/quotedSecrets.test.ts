import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { secretsIn, startQuotingNode } from '../../../../../test/support/quotingNode.ts'
import { createLogger } from '../../lib/logger.ts'
import { RpcError } from '../errors.ts'
import { createEvmRpc } from '../evm/rpc/evmRpc.ts'

function connect(...httpUrls: string[]) {
  return createEvmRpc({
    endpoints: httpUrls.map((httpUrl) => ({ httpUrl })),
    timeoutMs: 5_000,
    hedgeAfterMs: 5_000,
    batchSizeMax: 1,
    retryDelayMs: 1,
    logger: createLogger('silent'),
  })
}

test('default: what a node quotes of its address, and of the others, is in no error and no status', async () => {
  const node = await startQuotingNode()
  const rpc = connect(`${new URL(node.url).origin}/another`, node.url)
  try {
    while (!node.hasQuotedAll()) {
      const [result] = await rpc.requestBatch([{ method: 'eth_call', params: [] }], {
        roundsMax: 1,
      })
      if (result!.ok) throw new RangeError('it answered')
      const { error } = result!
      expect(error).toBeInstanceOf(RpcError)
      const shown = [error.message, error.stack, inspect(error, { depth: 9 })].join('\n')
      expect(secretsIn(shown), shown).toEqual([])
      expect(secretsIn(JSON.stringify(rpc.status()))).toEqual([])
    }
    for (const [place, { lastError }] of rpc.status().entries()) {
      expect(lastError!.summary).toMatch(new RegExp(`^endpoint ${place}: \\w+$`))
      expect(lastError!.text).toContain('Detail: ')
    }
  } finally {
    rpc.close()
    node.close()
  }
})

test('behavior: a fault that quotes one has none, either', () => {
  const rpc = connect('https://node.example/KeyOfTheAccount01')
  rpc.penalise(0, 'It is of block KeyOfTheAccount01')
  expect(rpc.status()[0]!.lastError).toEqual({
    summary: 'endpoint 0: contradiction',
    text: 'It is of block <hidden>',
  })
  rpc.close()
})

test('behavior: a secret that is cut off is not shown by half', async () => {
  const node = await startQuotingNode({ before: 'x'.repeat(492) })
  const rpc = connect(node.url)
  const [result] = await rpc.requestBatch([{ method: 'eth_call', params: [] }], { roundsMax: 1 })
  rpc.close()
  node.close()
  const { error } = result as { error: RpcError }
  expect(error.detail).toBe(`${'x'.repeat(492)} <hidden`)
})
