import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RpcError } from '../../errors.ts'
import type { RpcCall, RpcResult } from '../../rpc/rpcCall.ts'
import { type BlockAtQuery, findBlockAt } from './findBlockAt.ts'

/** Simulates a node with blocks of these times; blocks before `prunedTo` are gone. */
function nodeOf(times: readonly number[], prunedTo = 0): BlockAtQuery['rpc'] {
  const answer = ({ params: [number] }: RpcCall): RpcResult => {
    const at = Number(number)
    const value = at < prunedTo ? null : { timestamp: `0x${times[at]!.toString(16)}` }
    return { ok: true, value, endpoint: 0 } as RpcResult
  }
  return {
    request: async () => `0x${(times.length - 1).toString(16)}`,
    requestBatch: async (calls) => calls.map(answer),
  }
}

test('default: the first block that is not before the time, whatever the times are', async () => {
  const steps = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 200 })
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 0, max: 500 }), async (gaps, timeS) => {
      let time = 0
      const times = gaps.map((gap) => (time += gap))
      const found = times.findIndex((at) => at >= timeS)
      const wanted = found < 0 ? times.length - 1 : found
      expect(await findBlockAt({ rpc: nodeOf(times), timeS, pointsPerRound: 3 })).toBe(wanted)
    }),
  )
})

test('behavior: blocks that a node has dropped are before those that it has', async () => {
  const times = Array.from({ length: 100 }, (_, at) => at * 10)
  expect(await findBlockAt({ rpc: nodeOf(times, 40), timeS: 200 })).toBe(40)
})

test('behavior: where no node answers, nothing is concluded', async () => {
  const error = new RpcError({ kind: 'timeout', method: 'eth', endpoint: null, detail: 'late' })
  const rpc: BlockAtQuery['rpc'] = {
    request: async () => '0x64',
    requestBatch: async (calls) => calls.map(() => ({ ok: false, error }) as RpcResult),
  }
  await expect(findBlockAt({ rpc, timeS: 5 })).rejects.toBe(error)
})
