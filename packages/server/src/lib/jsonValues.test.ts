import { expect, test } from 'vitest'
import { jsonValues } from './jsonValues.ts'

const fail = (reason: string) => new Error(reason)

/** Cut into pieces of this many bytes, at arbitrary places. */
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
  // A value inside another belongs to the outer one.
  expect(await valuesIn(JSON.stringify({ items }), 11, 200)).toEqual([{ items }])
})

test.each([
  ['{"a":1}\n\nnope\n', [{ a: 1 }], [3]],
  ['{"a":1}\n{\n"b":\n', [{ a: 1 }], [2]],
  ['[1]\n]', [[1]], [2]],
  ['nope and more\r\n{"a":1}\r\n', [{ a: 1 }], [1]],
  // Unclosed brackets and quotes do not swallow the following lines.
  ['{"a":[1\n{"b":2}\n[3]', [{ b: 2 }, [3]], [1]],
  ['{"a":1}\n{"b":"2}\n{"c":3}\n{"d":"[\n{"e":5}', [{ a: 1 }, { c: 3 }, { e: 5 }], [2, 4]],
  // Lines in the middle of a multi-line value belong to it.
  ['{\n  "a": [\n    {"b": 1},\n    nope\n  ]\n}\n{"c":3}', [{ c: 3 }], [1]],
])('behavior: a bad line loses only itself: %j', async (text, values, lines) => {
  for (const bytes of [1, 3, 100]) {
    const [found, skipped] = [[] as unknown[], [] as number[]]
    const onSkip = (line: number) => skipped.push(line)
    for await (const value of jsonValues(inPieces(text, bytes), { fail, onSkip })) found.push(value)
    expect([found, skipped]).toEqual([values, lines])
  }
})

test('behavior: a bad item of a long list loses the list up to the next line', async () => {
  const items = Array.from({ length: 50 }, (_, at) => `{"at":${at}}`)
  const text = `[${items.join(',')},nope,${items.join(',')}]\n{"a":1}`
  const found = await valuesIn(text, 11, 100)
  expect(found.flat().slice(0, 40)).toEqual(items.slice(0, 40).map((item) => JSON.parse(item)))
  expect(found.at(-1)).toEqual({ a: 1 })
})

test.each([
  ['', 'It is empty.'],
  [' \n\t', 'It is empty.'],
  ['{"a":', 'It is not JSON.'],
  ['nope', 'It is not JSON.'],
  ['}', 'It is not JSON.'],
])('error: %j', async (text, message) => {
  for (const bytes of [1, 5, 100]) await expect(valuesIn(text, bytes)).rejects.toThrow(message)
})
