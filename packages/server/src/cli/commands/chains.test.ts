import { expect, test } from 'vitest'
import { createTestCli } from '../../../../../test/support/testCli.ts'

test('default: a line for each chain that has a preset', async () => {
  const { code, out } = await createTestCli({}).run('chains')
  expect(code).toBe(0)
  expect(out).toMatch(/^chain +id +coin +block +stables +quotes +DEXes +launch platforms\n/)
  expect(out).toMatch(/^bsc +56 +BNB +0.45 s +5 +3 +\d+ +fourmeme, flap, clanker$/m)
  expect(out).toMatch(/^solana +- +SOL /m)
})

test('behavior: --json has all of each', async () => {
  const { out } = await createTestCli({}).run('chains', '--json')
  const { chains } = JSON.parse(out) as { chains: Record<string, unknown>[] }
  const base = chains.find(({ name }) => name === 'base')
  expect(base).toMatchObject({
    kind: 'evm',
    chain_id: 8_453,
    native: { symbol: 'ETH' },
    block_ms: 200,
    factories: expect.arrayContaining([
      {
        address: '0x420DD381b31aEf6683db6B902084cB0FFECe40Da',
        venue: 'solidly',
        amm: 'aerodrome',
        since_block: 3_200_559,
      },
    ]),
  })
})
