import { expect, test } from 'vitest'
import { ConfigError } from './errors.ts'
import { loadConfig } from './load.ts'

function problemsOf(fields: Record<string, unknown>): string[] {
  const eth = { rpc: [{ http_url: 'http://node.example' }], ...fields }
  try {
    loadConfig({ env: { CHAINTAPE_CHAINS: JSON.stringify({ eth }) } })
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map(({ path, message }) => `${path}: ${message}`)
    throw error
  }
  return []
}

test.each(['1s', '60s', '99s', '100s', '900s', 1, 10_000])('args: %s', (value) => {
  expect(problemsOf({ finality: value, reorg_depth_max: value })).toEqual([])
})

test.each(['0s', '901s', '1000s', '60', '60 s', '1m', '-5s', '1.5s', 'final'])(
  'error: %s',
  (value) => {
    const rule = 'seconds from 1s to 900s (example: 60s) or integer from 1 to 10000'
    expect(problemsOf({ finality: value, reorg_depth_max: value })).toEqual([
      expect.stringContaining(`finality: must be finalized or ${rule}, is "${value}"`),
      expect.stringContaining(`reorg_depth_max: must be ${rule}, is "${value}"`),
    ])
  },
)
