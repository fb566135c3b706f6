// docs/reference/coverage.md must list what the decoders support.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { coverageDocs, coveragePath } from '../packages/server/scripts/coverage.ts'

// Every decoder reads every fixture, which takes seconds and more on a busy machine.
const timeout = 120_000

test('default: docs/reference/coverage.md lists what the decoders support (npm run generate)', {
  timeout,
}, () => {
  const docs = coverageDocs()
  expect(readFileSync(coveragePath, 'utf8')).toBe(docs)
  for (const venue of ['uniswapV2', 'uniswapV4', 'curve', 'pumpFun'])
    expect(docs).toMatch(new RegExp(`^\\| \`${venue}\` \\|`, 'm'))
})
