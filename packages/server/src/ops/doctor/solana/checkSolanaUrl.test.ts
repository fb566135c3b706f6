import { expect, test } from 'vitest'
import { createTestCli } from '../../../../../../test/support/testCli.ts'
import { GeneratedChain } from '../../../../../devnet/src/solana/generatedChain.ts'
import { startSolanaRpc } from '../../../../../devnet/src/solana/solanaRpcServer.ts'
import { checkUrl } from '../doctor.ts'
import type { UrlReport } from '../finding.ts'
import type { SolanaSample } from './checkSolanaUrl.ts'

test("default: samples swaps and unclaimed calls of a Solana node's newest blocks", async () => {
  const chain = new GeneratedChain({ seed: 5, startTimeS: 1_759_999_950, transactions: 6 })
  chain.mine(40)
  const server = await startSolanaRpc(() => chain)
  try {
    const args = ['doctor', '--url', server.url, '--blocks', '4'] as const
    const { code, out, err } = await createTestCli({ checkUrl }).run(...args, '--json')
    expect([code, err], out).toEqual([0, ''])
    const report = JSON.parse(out) as UrlReport<SolanaSample>
    const levels = new Map(report.findings.map(({ check, level }) => [check, level]))
    for (const check of ['genesis', 'transactions', 'agreement', 'decoded'])
      expect(levels.get(check), check).toBe('ok')
    expect(report.chain).toBeNull()
    const sample = report.sample!
    expect(sample.to_slot).toBe(chain.head.slot)
    expect(sample).toMatchObject({ blocks: 4, unclaimed: { calls: 0, share: 0, by: [] } })
    expect(sample.swaps).toBeGreaterThan(0)
    expect(Object.values(sample.venues).reduce((sum, count) => sum + count, 0)).toBe(sample.swaps)
    const lines = (await createTestCli({ checkUrl }).run(...args)).out
    expect(lines).toContain('Swap-like calls that match no venue: 0, 0.0 % of all swap-like calls')
  } finally {
    await server.stop()
  }
})
