// Compares tokens stored as bytes with an array of the records, while tokens are added, changed and
// removed.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type TokenRecord, tokenCodec } from '../../model/token.ts'
import { MarketMemory } from '../pages/marketMemory.ts'
import { Records } from './records.ts'

const hex = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
    .map((digits) => `0x${digits}`)
/** Includes addresses that would change if their case or length were lost. */
const addresses = fc.oneof(
  hex(40),
  hex(64),
  hex(38),
  hex(40).map((address) => address.toUpperCase()),
  fc.constantFrom('SoL1', 'sOl1', `0x${'aB'.repeat(20)}`, `0x${'ab'.repeat(20)}`),
  fc.base64String({ minLength: 32, maxLength: 44 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ maxLength: 200 }),
  fc.constantFrom('é', 'Ā', '\ud800', '柴犬', 'a'.repeat(64), `${'a'.repeat(63)}犬`),
)
const numbers = fc.oneof(fc.nat(), fc.constantFrom(0, 18, 2 ** 53 - 1, 1.7e9))
const facts = fc.record({
  symbol: words,
  name: words,
  decimals: numbers,
  isUnreadable: fc.boolean(),
  seenAtS: numbers,
})
const steps = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('add' as const), address: addresses, facts }),
    fc.record({ type: fc.constant('change' as const), at: fc.nat(), facts }),
    fc.record({ type: fc.constant('truncate' as const), at: fc.nat() }),
  ),
  { maxLength: 60 },
)

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

/** Lower-case hex is stored in a compact form. */
const isPlain = (text: string) => isAscii(text) && !text.startsWith('0x')

test('behavior: every token record is read back unchanged, by id and by address', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const records = new Records('token', tokenCodec, {
        isIndexed: true,
        memory: new MarketMemory(),
      })
      const plain: TokenRecord[] = []
      const seen = new Set<string>()
      for (const step of all) {
        if (step.type === 'add') {
          if (plain.some(({ address }) => address === step.address)) continue
          seen.add(step.address)
          const record = { id: plain.length, address: step.address, ...step.facts }
          plain.push(record)
          records.push(record)
        } else if (step.type === 'truncate') {
          plain.length = step.at % (plain.length + 1)
          records.truncate(plain.length)
        } else if (plain.length > 0) {
          const id = step.at % plain.length
          plain[id] = { ...plain[id]!, ...step.facts }
          records.set(id, plain[id])
        }
        expect(records.count).toBe(plain.length)
        plain.forEach((record, id) => {
          expect(records.get(id)).toStrictEqual(record)
          const { symbol, name } = record
          for (const word of [symbol.toLowerCase(), name.toLowerCase(), 'a']) {
            const reader = records.seek(id, 'symbol')
            const isSymbol = reader.isWord(word, 128)
            const isNamed = isSymbol === false ? reader.isWord(word, 128) : isSymbol
            const isOne = symbol.toLowerCase() === word || name.toLowerCase() === word
            if (isNamed !== undefined) expect(isNamed).toBe(isOne)
            else
              expect(isPlain(symbol) && isPlain(name) && symbol.length + name.length <= 128).toBe(
                false,
              )
          }
        })
        for (const address of seen) {
          const id = plain.findIndex((record) => record.address === address)
          expect(records.find(address)).toBe(id < 0 ? undefined : id)
          // Addresses of every chain are ASCII.
          if (!isAscii(address)) continue
          const lower = address.toLowerCase()
          const like = plain.filter((record) => record.address.toLowerCase() === lower)
          expect(records.findAnyCase(lower)).toEqual(like.map((record) => record.id))
        }
      }
    }),
  )
})

test('behavior: many similar addresses are found, removed ones are not', () => {
  const records = new Records('token', tokenCodec, { isIndexed: true, memory: new MarketMemory() })
  const addressOf = (id: number) => `0x${id.toString(16).padStart(40, '0')}`
  const facts = { symbol: 'A', name: 'B', decimals: 18, isUnreadable: false, seenAtS: 1 }
  const count = 20_000
  for (let id = 0; id < count; id += 1) records.push({ id, address: addressOf(id), ...facts })
  records.truncate(count / 2)
  for (let id = 0; id < count; id += 1)
    expect(records.find(addressOf(id))).toBe(id < count / 2 ? id : undefined)
})
