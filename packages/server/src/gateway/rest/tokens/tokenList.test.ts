import { expect, test } from 'vitest'
import { encodeTokenList } from './tokenList.ts'

const bare = { before: '', after: '' }

const partOf = (text: string) => ({ bytes: Buffer.from(text), contentId: 0, validUntilS: 0 })

function rowOf(name: string, value: number) {
  return {
    lasting: partOf(`{"name":${JSON.stringify(name)}`),
    moving: partOf(`,"value":${value}}`),
  }
}

function written(rows: Parameters<typeof encodeTokenList>[0], frame = bare): string {
  const list = encodeTokenList(rows, frame)
  const to = Buffer.alloc(list.sizeBytes + 3, '#')
  list.write(to, 2)
  expect(to.at(-1)).toBe('#'.charCodeAt(0))
  return to.toString('utf8', 2, 2 + list.sizeBytes)
}

test('default: encodes rows as a JSON array', () => {
  const text = written([rowOf('a', 1), rowOf('b', 2)])
  expect(JSON.parse(text)).toEqual([
    { name: 'a', value: 1 },
    { name: 'b', value: 2 },
  ])
})

test('behavior: encodes an empty list and a single row', () => {
  expect(written([])).toBe('[]')
  expect(written([rowOf('a', 1)])).toBe('[{"name":"a","value":1}]')
})

test('behavior: encodes names of any script', () => {
  const names = ['狗狗币', 'é', '🐸', 'plain', '\u0000"\\']
  const rows = names.map((name, value) => rowOf(name, value))
  expect(JSON.parse(written(rows)).map(({ name }: { name: string }) => name)).toEqual(names)
})

test('args: frame encloses the list', () => {
  const frame = { before: '{"total":1,"tokens":', after: '}' }
  expect(JSON.parse(written([rowOf('a', 1)], frame))).toEqual({
    total: 1,
    tokens: [{ name: 'a', value: 1 }],
  })
})
