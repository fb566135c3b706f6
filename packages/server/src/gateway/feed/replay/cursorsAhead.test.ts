import { expect, test } from 'vitest'
import { buy, createHandMarket, ids, rest } from '../../../../../../test/support/handMarket.ts'
import { defaultFeedLimits } from '../feedLimits.ts'

/** Two servers of one chain, the first a block behind the other; and a cursor of the block it does not have. */
function createServers() {
  const behind = createHandMarket()
  const ahead = createHandMarket()
  for (const market of [behind, ahead]) market.commit({ events: [buy('0x01')] })
  const reader = ahead.subscribe('tx:pair-1-local', 1, { revisions: true })
  ahead.commit({ events: [buy('0x02'), buy('0x03')] })
  return { behind, cursor: reader.messages[0].cursor as string }
}

test('default: a reader that is ahead of this server is served when the server is there', async () => {
  const { behind, cursor } = createServers()
  const reader = behind.subscribe('tx:pair-1-local', 1, { since: cursor })
  await rest()
  expect(reader.messages).toEqual([])
  behind.commit({ events: [buy('0x02'), buy('0x03')] })
  await rest()
  behind.commit({ events: [buy('0x04')] })
  expect(ids(reader.messages)).toEqual(['3-1', '4-0'])
})

test('behavior: the block is another one', async () => {
  const { behind, cursor } = createServers()
  const since = cursor.replace(/-[0-9a-f]{8}-/, '-ffffffff-')
  const reader = behind.subscribe('tx:pair-1-local', 1, { since })
  behind.commit({ events: [buy('0x05')] })
  await rest()
  expect(reader.messages).toMatchObject([{ error: { data: { code: 'cursor_orphaned' } } }])
})

test('behavior: the block does not come in time', async () => {
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

test('behavior: nobody waits who has unsubscribed', async () => {
  const { behind, cursor } = createServers()
  const reader = behind.subscribe('tx:pair-1-local', 1, { since: cursor })
  behind.unsubscribe(reader)
  behind.commit({ events: [buy('0x02'), buy('0x03')] })
  await rest()
  expect(reader.messages).toEqual([])
})
