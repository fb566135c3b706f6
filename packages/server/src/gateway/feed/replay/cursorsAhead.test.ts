import { expect, test } from 'vitest'
import {
  buy,
  createManualMarket,
  rest,
  transactionIds,
} from '../../../../../../test/support/manualMarket.ts'
import { defaultFeedLimits } from '../feed.ts'

/**
 * Two servers of one chain, the first a block behind, and a cursor of the block that this one
 * lacks.
 */
function createServers() {
  const behind = createManualMarket()
  const ahead = createManualMarket()
  for (const market of [behind, ahead]) market.commit({ events: [buy('0x01')] })
  const reader = ahead.subscribe('tx:pair-1-local', 1, { revisions: true })
  ahead.commit({ events: [buy('0x02'), buy('0x03')] })
  return { behind, cursor: reader.messages[0].cursor as string }
}

test('default: a cursor ahead of this server is resumed when its block arrives', async () => {
  const { behind, cursor } = createServers()
  const reader = behind.subscribe('tx:pair-1-local', 1, { since: cursor })
  await rest()
  expect(reader.messages).toEqual([])
  behind.commit({ events: [buy('0x02'), buy('0x03')] })
  await rest()
  behind.commit({ events: [buy('0x04')] })
  expect(transactionIds(reader.messages)).toEqual(['3-1', '4-0'])
})

test('behavior: a cursor ahead is orphaned when another block arrives', async () => {
  const { behind, cursor } = createServers()
  const since = cursor.replace(/-[0-9a-f]{8}-/, '-ffffffff-')
  const reader = behind.subscribe('tx:pair-1-local', 1, { since })
  behind.commit({ events: [buy('0x05')] })
  await rest()
  expect(reader.messages).toMatchObject([{ error: { data: { code: 'cursor_orphaned' } } }])
})

test('behavior: a cursor ahead is orphaned when its block does not arrive in time', async () => {
  const { behind, cursor } = createServers()
  const reader = behind.subscribe('tx:pair-1-local', 1, { since: cursor })
  const { clock, feed } = behind
  clock.ms += defaultFeedLimits.aheadWaitMsMax - 1
  feed.tick(clock.ms)
  await rest()
  expect(reader.messages).toEqual([])
  clock.ms += 1
  feed.tick(clock.ms)
  await rest()
  expect(reader.messages).toMatchObject([{ error: { data: { code: 'cursor_orphaned' } } }])
})

test('behavior: unsubscribing ends the wait for a block', async () => {
  const { behind, cursor } = createServers()
  const reader = behind.subscribe('tx:pair-1-local', 1, { since: cursor })
  behind.unsubscribe(reader)
  behind.commit({ events: [buy('0x02'), buy('0x03')] })
  await rest()
  expect(reader.messages).toEqual([])
})
