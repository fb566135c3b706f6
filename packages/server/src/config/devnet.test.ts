import { expect, test } from 'vitest'
import { loadConfig } from './load.ts'

const blockMsOf = (value: string) =>
  loadConfig({ env: { CHAINTAPE_DEVNET_BLOCK_MS: value } }).config.devnet.block_ms

test('default: the local chain can make five blocks a second', () => {
  expect(blockMsOf('200')).toBe(200)
})

test('error: a time between blocks that it cannot keep', () => {
  expect(() => blockMsOf('50')).toThrow('devnet.block_ms: must be integer from 100 to 60000, is 50')
})
