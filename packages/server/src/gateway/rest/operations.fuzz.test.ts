import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { wallet } from '../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'
import { operations } from './operations.ts'

const odd = fc.oneof(
  fc.constantFrom('', '0', '-0', '-1', '1e3', '1.5', 'NaN', 'Infinity', '9'.repeat(30), 'null'),
  fc.constantFrom(
    'true',
    'asc',
    'desc',
    'all',
    'u',
    'r',
    'm',
    '1',
    '60',
    's1',
    '1D',
    'hot',
    'local',
  ),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '%00',
    '../..',
    '/',
    '-',
    '--local',
    'a/b',
  ),
  fc.constantFrom(
    '2026-01-01T00:00:00Z',
    '2026-13-45T99:99:99Z',
    '1-1',
    '0-0',
    `${'9'.repeat(15)}-9`,
  ),
  fc.constantFrom(wallet(1), `${wallet(1)}-local`, `0x9a1${'0'.repeat(37)}-local`),
  fc.constantFrom('PEPE/WETH', 'local:PEPE/WETH', '/', '//', ':', 'local:', '-local'),
  fc.integer().map(String),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
)

test('behavior: no input causes an internal error, and every answer matches its schema', async () => {
  const market = createServedMarket()
  fillMarket(market.chain)
  const asked = operations.filter(({ method }) => method === 'GET')
  const request = fc.constantFrom(...asked).chain((operation) => {
    const inputs = Object.values(operation.inputs)
    return fc
      .tuple(...inputs.map(() => fc.option(odd, { nil: undefined, freq: 3 })))
      .map((values) => {
        let { path } = operation
        const query: string[] = []
        for (const [at, { name, in: place, example }] of inputs.entries()) {
          // Uses valid required inputs, so that most requests get past their validation.
          const usual = name === 'chain' ? 'local' : name.endsWith('address') ? wallet(1) : example
          const value = values[at] ?? usual
          if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value ?? 'x'))
          else if (value !== undefined) query.push(`${name}=${encodeURIComponent(value)}`)
        }
        return query.length === 0 ? path : `${path}?${query.join('&')}`
      })
  })
  await fc.assert(
    fc.asyncProperty(request, async (url) => {
      const { status, body } = await market.get(url)
      expect([200, 400, 404]).toContain(status)
      if (status !== 200)
        expect(body).toMatchObject(
          url.startsWith('/udf/') ? { s: 'error' } : { status: 0, data: null },
        )
    }),
    { numRuns: propertyRuns(4_000) },
  )
})
