import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { ExportColumn } from '../store/export/exportedTables.ts'
import { createCsvEncoder } from './exportData.ts'

const columns: readonly ExportColumn[] = [
  { name: 'symbol', type: 'text' },
  { name: 'amount', type: 'text' },
  { name: 'price', type: 'double' },
]

async function csvOf(symbols: readonly string[], isRaw = false): Promise<string[]> {
  async function* batches() {
    yield symbols.map((symbol) => [symbol, '-1.5', -2])
  }
  const all = await text(createCsvEncoder({ isRaw })(columns, batches()))
  return all.replace('symbol,amount,price\n', '').split(',-1.5,-2\n').slice(0, -1)
}

describe('csv bytes', () => {
  test('default: encodes names, texts and numbers', async () => {
    expect(await csvOf(['PEPE', '', 'a,b', 'say "x"', '柴犬🐕'])).toEqual([
      ...['PEPE', '""', '"a,b"', '"say ""x"""', '柴犬🐕'],
    ])
  })

  test('behavior: quotes texts that a spreadsheet would run', async () => {
    const hostile = [
      '=HYPERLINK("http://a",1)',
      '+1+cmd|x',
      '-1+1',
      '@SUM(A1)',
      '\t=1',
      '\r=1',
      '\n=1',
      '-',
    ]
    expect(await csvOf(hostile)).toEqual([
      `"'=HYPERLINK(""http://a"",1)"`,
      ...["'+1+cmd|x", "'-1+1", "'@SUM(A1)", "'\t=1", `"'\r=1"`, `"'\n=1"`, "'-"],
    ])
  })

  test('behavior: leaves numbers, and texts with a formula character inside', async () => {
    const harmless = ['-1', '-0.000001', 'a=1', 'x-y', "'=1", ' =1']
    expect(await csvOf(harmless)).toEqual(harmless)
  })

  test('behavior: isRaw leaves every text unchanged', async () => {
    expect(await csvOf(['=1+1', '@x'], true)).toEqual(['=1+1', '@x'])
  })
})
