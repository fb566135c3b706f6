import { expect, test } from 'vitest'
import { pairRecord, tokenRecord } from '../../../../test/support/storeWrites.ts'
import { pairRows, supplyRows, tokenRows } from './recordRows.ts'

/** A row as the driver returns the selected columns: under the names of the record. */
function selectedOf(rows: typeof tokenRows | typeof pairRows | typeof supplyRows, row: object) {
  const values = row as Record<string, unknown>
  return Object.fromEntries(
    rows.selected.split(', ').map((part) => {
      const [, column, name] = /^(\w+) AS "(\w+)"$/.exec(part)!
      return [name!, values[column!]]
    }),
  )
}

test('a token is a row of its columns, and the same token again', () => {
  const token = tokenRecord(7, { symbol: 'a\0b', name: 'half \ud800 pair', decimals: 9 })
  const row = tokenRows.rowOf(3, token)
  expect(row).toMatchObject({
    ...{ chain: 3, id: 7, address: 'token7', decimals: 9, is_unreadable: false },
    ...{ symbol: 'a\uFFFDb', name: 'half \uFFFD pair', seen_at_s: token.seenAtS },
  })
  expect(Object.keys(row)).toEqual(['chain', 'id', ...tokenRows.columns])
  expect(tokenRows.recordOf(selectedOf(tokenRows, row))).toEqual({
    ...token,
    symbol: 'a\uFFFDb',
    name: 'half \uFFFD pair',
  })
})

test('a pair keeps its lists, and nulls stay null', () => {
  const listed = { ...pairRecord(4), feePpm: null, platform: 'curve', params: [5n, 2n ** 70n] }
  for (const pair of [listed, { ...listed, params: [], platform: null, feePpm: 30 }]) {
    const row = pairRows.rowOf(1, pair)
    expect(row).toMatchObject({ chain: 1, id: 4, token0_id: 0, token1_id: 1, is_trusted: true })
    expect(row.params).toBe(pair.params.length === 0 ? null : '5 1180591620717411303424')
    expect([row.platform, row.fee_ppm]).toEqual([pair.platform, pair.feePpm])
    expect(pairRows.recordOf(selectedOf(pairRows, row))).toEqual(pair)
  }
})

test('amounts of a supply are exact texts', () => {
  const supply = {
    ...{ tokenId: 2, total: 2n ** 200n, burnt: 0n, locked: 5n, other: 1n },
    ...{ holders: 3, isComplete: true },
  }
  const row = supplyRows.rowOf(1, supply)
  expect(row).toMatchObject({ chain: 1, id: 2, total: `${2n ** 200n}`, burnt: '0', holders: 3 })
  expect(supplyRows.recordOf(selectedOf(supplyRows, row))).toEqual(supply)
})
