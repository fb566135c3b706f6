import { totalmem } from 'node:os'
import { expect, test } from 'vitest'
import { ConfigError } from '../errors.ts'
import { loadConfig } from '../load.ts'
import { machineBytes, marketMemoryOf } from './limitsSchema.ts'

const name = 'CHAINTAPE_MARKET_MEMORY'
const bytesOf = (text: string) => marketMemoryOf(loadConfig({ env: { [name]: text } }).config)

test('default: half of the machine', () => {
  const { config } = loadConfig({ env: {} })
  expect(marketMemoryOf(config)).toBe(Math.floor(machineBytes() / 2))
  expect(machineBytes()).toBeLessThanOrEqual(totalmem())
})

test('args: MiB, GiB and bytes', () => {
  expect(['512MiB', '4GiB', '805306368'].map(bytesOf)).toEqual([2 ** 29, 2 ** 32, 805_306_368])
  expect(marketMemoryOf({ market_memory: 16_384 })).toBe(16_384)
})

test.each(['4', '4GB', '4 GiB', '0MiB', '1.5GiB', '-1', 'half', '1125899906842625'])(
  'error: %s',
  (text) => {
    const given = /^-?\d+$/.test(text) ? text : `"${text}"`
    const message = `must be size in MiB or GiB (example: 4GiB) or integer from 16384 to 1125899906842624, is ${given}`
    expect(() => bytesOf(text)).toThrow(
      expect.objectContaining({ problems: [{ path: 'market_memory', message }] }),
    )
    expect(() => bytesOf(text)).toThrow(ConfigError)
  },
)
