import { expect, test } from 'vitest'
import { jsonValues } from './jsonValues.ts'

const fail = (reason: string) => new Error(reason)

/** Cut into pieces of this many bytes, wherever they fall. */
async function* inPieces(text: string, bytes: number): AsyncGenerator<Buffer> {
  const all = Buffer.from(text)
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes)
}

async function valuesIn(text: string, bytes = 3, listBytesMax?: number): Promise<unknown[]> {
  const values: unknown[] = []
  for await (const value of jsonValues(inPieces(text, bytes), { fail, listBytesMax }))
    values.push(value)
  return values
}

const values = [
  { a: 'x"y\\', b: [1, { c: '}]{[,' }] },
  [],
  [[1, 2], 'ä\n', null],
  'a "text" \\',
  -1.5e3,
  true,
  null,
  {},
]

test('default: values one after the other, wherever the text is cut', async () => {
  for (const between of ['\n', '\r\n', ' ', '\n\n\t'])
    for (const bytes of [1, 2, 3, 7, 1_000]) {
      const text = values.map((value) => JSON.stringify(value)).join(between)
      expect(await valuesIn(text, bytes)).toEqual(values)
      const spread = values.map((value) => JSON.stringify(value, null, 2)).join(between)
      expect(await valuesIn(`${between}${spread}${between}`, bytes)).toEqual(values)
    }
})

test('behavior: a long list comes in parts, whole items in each', async () => {
  const items = Array.from({ length: 50 }, (_, at) => ({ at, words: ['a,b', [at]] }))
  for (const text of [JSON.stringify(items), JSON.stringify(items, null, 1)]) {
    const parts = await valuesIn(text, 11, 200)
    expect(parts.length).toBeGreaterThan(5)
    expect(parts.flat()).toEqual(items)
  }
  // One inside another value is that value's.
  expect(await valuesIn(JSON.stringify({ items }), 11, 200)).toEqual([{ items }])
})

test.each([
  ['', 'It is empty.'],
  [' \n\t', 'It is empty.'],
  ['{"a":', 'It is not JSON.'],
  ['nope', 'It is not JSON.'],
  ['}', 'It is not JSON.'],
  ['{"a":1}\n\nnope\n', 'Line 3 is not JSON.'],
  ['{"a":1}\n{\n"b":\n', 'Line 2 is not JSON.'],
  ['[1]\n]', 'Line 2 is not JSON.'],
])('error: %j', async (text, message) => {
  for (const bytes of [1, 5, 100]) await expect(valuesIn(text, bytes)).rejects.toThrow(message)
})
