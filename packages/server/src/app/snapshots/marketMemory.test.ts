import { expect, test, vi } from 'vitest'
import { generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Logger } from '../../lib/logger.ts'
import { pagingOf } from './loadEngine.ts'

const logger = { warn: vi.fn() } as unknown as Logger
const marketOf = (bytes: number) => ({ residentBytes: () => bytes }) as Engine

function openMarket(directory: string, bytes: number) {
  const paging = pagingOf({ ...generatorProfile, paging: { directory, bytesMax: 900 } }, logger)!
  const engine = marketOf(bytes)
  paging.join(engine)
  return { paging, engine }
}

test('default: a single market may use the whole limit', () => {
  expect(openMarket('alone', 600).paging.residentBytesMax).toBe(900)
  expect(pagingOf(generatorProfile, logger)).toBe(undefined)
})

test('behavior: markets share the limit; each gets at least an even share', () => {
  const small = openMarket('shared', 100)
  const large = openMarket('shared', 800)
  expect(large.paging.residentBytesMax).toBe(800)
  expect(small.paging.residentBytesMax).toBe(450)
  expect(openMarket('elsewhere', 50).paging.residentBytesMax).toBe(900)
  expect([small.engine, large.engine]).toHaveLength(2)
})
