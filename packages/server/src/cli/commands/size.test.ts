import { expect, test } from 'vitest'
import { cliOf } from '../../../../../test/support/fakeCli.ts'

test('default: says how many of what, and what is nearest to its bound', async () => {
  const { code, out } = await cliOf({}).run('size', '--chains', 'eth,bsc', '--sockets', '500000')
  expect(code).toBe(0)
  expect(out).toMatch(/^indexer +2 +\d+ % +\d+(\.\d)? GB +bsc,eth$/m)
  expect(out).toMatch(/^gateway +\d+ +/m)
  expect(out).toMatch(/^NATS: 3 servers/m)
  expect(out).toMatch(/^Nearest to its bound:\n {2}\d+ % /m)
})

test('behavior: a name with a number stands for that many chains', async () => {
  const { out } = await cliOf({}).run(
    'size',
    '--chains',
    'eth,other:129',
    '--swaps',
    '50000',
    '--json',
  )
  const { indexers, swapsPerS, unknown_chains } = JSON.parse(out)
  expect(indexers.flatMap(({ chains }: { chains: string[] }) => chains)).toHaveLength(130)
  expect(Math.round(swapsPerS)).toBe(50_000)
  expect(unknown_chains).toBe(129)
})

test.each([
  { args: ['--chains', 'eth,,bsc'], names: 'An empty name is no chain' },
  { args: ['--chains', 'ETH'], names: 'ETH is no chain' },
  { args: ['--chains', 'other:0'], names: '1 to 1000 chains' },
  { args: ['--chains', 'eth', '--sockets', '-1'], names: '--sockets' },
  { args: ['--chains', 'eth', '--swaps', 'many'], names: '--swaps' },
  { args: ['--sockets', '5'], names: '--chains' },
])('error: $args', async ({ args, names }) => {
  const { code, err } = await cliOf({}).run('size', ...args)
  expect(code).not.toBe(0)
  expect(err).toContain(names)
})
