import { expect, test } from 'vitest'
import { createUnclaimedTopics } from './unclaimedTopics.ts'

test('default: topics by contract, most logs first', () => {
  const topics = createUnclaimedTopics(2)
  for (const topic of ['0x1', '0x2', '0x2', '0x3', '0x3', '0x3']) topics.add('0xf', topic)
  expect(topics.rows()).toEqual([
    { address: '0xf', topic: '0x3', logs: 3 },
    { address: '0xf', topic: '0x2', logs: 2 },
  ])
  expect(topics.total()).toBe(6)
})

test('behavior: a contract that invents topics takes no more memory', () => {
  const topics = createUnclaimedTopics(Number.POSITIVE_INFINITY)
  for (let i = 0; i < 3_000; i += 1) topics.add('0xf', `0x${i}`)
  expect(topics.rows()).toHaveLength(1_000)
  expect(topics.total()).toBe(3_000)
})
