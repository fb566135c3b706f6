import { expect, test } from 'vitest'
import { cliOf } from '../../../../../../test/support/fakeCli.ts'
import { GeneratedChain } from '../../../../../devnet/src/solana/generatedChain.ts'
import { startSolanaRpc } from '../../../../../devnet/src/solana/solanaRpcServer.ts'
import { probe } from '../../probe.ts'
import type { SolanaProbeReport } from './probeSolana.ts'

test('default: swaps of the newest blocks of a Solana node, and what no venue reads', async () => {
  const chain = new GeneratedChain({ seed: 5, startTimeS: 1_790_000_000, transactions: 6 })
  chain.mine(12)
  const server = await startSolanaRpc(() => chain)
  try {
    const args = ['probe', server.url, '--blocks', '4'] as const
    const { code, out, err } = await cliOf({ probe }).run(...args, '--json')
    expect([code, err]).toEqual([0, ''])
    const { node, chain: known, sample } = JSON.parse(out) as SolanaProbeReport
    expect(node.head_slot).toBe(chain.head.slot)
    expect(known).toBeNull()
    expect(sample).toMatchObject({ blocks: 4, unclaimed: { calls: 0, share: 0, by: [] } })
    expect(sample.swaps).toBeGreaterThan(0)
    expect(Object.values(sample.venues).reduce((sum, count) => sum + count, 0)).toBe(sample.swaps)
    const lines = (await cliOf({ probe }).run(...args)).out
    expect(lines).toContain(
      'Calls that look like swaps and that no venue reads: 0, 0.0 % of all that do',
    )
  } finally {
    await server.stop()
  }
})
