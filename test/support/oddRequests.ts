// Requests generated from the operations' own schemas: each input is usual, at its limit, or wrong
// in one of many ways.
import fc, { type Arbitrary } from 'fast-check'
import type { JsonSchema } from '../../packages/server/src/gateway/ground/schemas.ts'
import type { Input } from '../../packages/server/src/gateway/inputs/inputs.ts'
import type { Operation } from '../../packages/server/src/gateway/rest/operation.ts'

export type OddRequest = {
  method: string
  url: string
  headers: Record<string, string>
  payload?: string | Buffer
}

/** Values that exist in the market, by input name. */
export type KnownValues = Readonly<Record<string, readonly string[]>>

const hugeNumbers = ['9007199254740992', '1'.repeat(30), '9'.repeat(400), '9'.repeat(401)]
const noNumbers = [
  '',
  ' ',
  'NaN',
  'Infinity',
  '-Infinity',
  '1e3',
  '1.5',
  '0x10',
  '1_000',
  '٣',
  '１',
]

const wrongWords = fc.constantFrom(
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'null', 'undefined'],
  ...['true', '[]', '{}', '[object Object]', "' OR 1=1 --", '$1', '\\', '"', '<script>', '\u0000'],
  ...['..', '../..', '../../etc/passwd', '.', '/', '//', '-', '--local', '-local', 'a-local', ':'],
  ...[
    '\u202e',
    '\ufeff',
    '\ud83d\ude00',
    'é',
    'e\u0301',
    'ß',
    'İ',
    '\u{10ffff}',
    '\n',
    '\r\n',
    '\t',
  ],
  ...['%', '%00', '%zz', '%2e%2e', '%252e', '+', '&', '=', '#', '?', ';', ','],
)

const anyText = fc.oneof(
  wrongWords,
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('x'.repeat(257), 'é'.repeat(300), '0x'.padEnd(3_000, 'a')),
  fc.constantFrom(
    ...[`0x${'a'.repeat(40)}-local`, `0x${'A'.repeat(40)}-local`, `0X${'a'.repeat(40)}-local`],
    ...[`0x${'a'.repeat(64)}-local`, `0x${'a'.repeat(40)}-eth`, `0x${'g'.repeat(40)}-local`],
    ...[
      `0x${'a'.repeat(40)}-`,
      `0x${'a'.repeat(40)}`,
      `${'1'.repeat(32)}-sol`,
      `${'1'.repeat(44)}-sol`,
    ],
    ...[`0x${'0'.repeat(40)}-local`, `0x${'a'.repeat(40)}-local-local`],
  ),
)

/** Values of one input: from its schema, just outside of it, and arbitrary. */
function textOf({ name, schema, example }: Input<unknown>, usual: KnownValues): Arbitrary<string> {
  const good = fc.constantFrom(...(usual[name] ?? [String(schema.default ?? example ?? 'x')]))
  const arbitraries: Arbitrary<string>[] = [good, good, good, anyText]
  if (Array.isArray(schema.enum)) arbitraries.push(wordOf(schema.enum as string[]))
  if (schema.type === 'integer') arbitraries.push(integerText(schema), integerText(schema))
  return fc.oneof(...arbitraries)
}

function wordOf(words: readonly string[]): Arbitrary<string> {
  const near = words.flatMap((word) => [word.toUpperCase(), `${word} `, word.slice(1), `${word}x`])
  return fc.oneof(fc.constantFrom(...words), fc.constantFrom(...near))
}

function integerText({ minimum, maximum }: JsonSchema): Arbitrary<string> {
  const [min, max] = [Number(minimum ?? 0), Number(maximum ?? 100)]
  const edges = [min - 1, min, min + 1, max - 1, max, max + 1, -max, 0].map(String)
  return fc.oneof(
    fc.constantFrom(...edges, '-0', '+1', '007', ...hugeNumbers, ...noNumbers),
    fc.integer().map(String),
    fc.double().map(String),
    fc.bigInt().map(String),
  )
}

const encodings: readonly ((text: string) => string)[] = [
  encodeURIComponent,
  encodeURIComponent,
  encodeURIComponent,
  // Escapes every byte, or none.
  (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  (text) => text.replace(/[^!-~]/gu, '').replaceAll('#', ''),
]

const brokenParts = [
  ...['%', '%f', '%zz=1', 'a=%', 'a=%ff', 'a=%c0%af', 'a=%ed%a0%80', 'a=%f5%80%80%80', '%00=%00'],
  ...['=', '==', '&&&', '=x', '__proto__=1', 'constructor[prototype]=1', 'limit[]=1', 'limit[0]=1'],
  ...['a=1'.concat('&a=1'.repeat(70)), `a=${'x'.repeat(2_000)}`],
]

/** A request of one operation, complete or broken. */
export function inputRequestOf(operation: Operation, usual: KnownValues): Arbitrary<OddRequest> {
  const inputs = Object.values(operation.inputs)
  const values = inputs.map((input) =>
    fc.record({
      text: fc.option(textOf(input, usual), { nil: undefined, freq: 6 }),
      encode: fc.constantFrom(...encodings),
      isTwice: fc.nat(19).map((n) => n === 0),
    }),
  )
  const extra = fc.option(fc.constantFrom(...brokenParts), { freq: 8, nil: undefined })
  return fc.tuple(fc.tuple(...values), extra, methodFor(operation)).map(([given, part, method]) => {
    let { path } = operation
    const query: string[] = []
    for (const [at, input] of inputs.entries()) {
      const { text, encode, isTwice } = given[at]!
      const written = text === undefined ? undefined : encode(text)
      if (input.in === 'path') path = path.replace(`{${input.name}}`, () => written ?? '')
      else if (written !== undefined)
        for (let times = isTwice ? 2 : 1; times > 0; times -= 1)
          query.push(`${input.name}=${written}`)
    }
    if (part !== undefined) query.push(part)
    const url = query.length === 0 ? path : `${path}?${query.join('&')}`
    return { method, url, headers: {} }
  })
}

function methodFor({ method }: Operation): Arbitrary<string> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant(method) },
    { weight: 1, arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE') },
    { weight: 1, arbitrary: fc.constantFrom('OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH') },
  )
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const nestedObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

/** JSON texts that are as expensive to parse as possible within the size limit. */
const heavyJson = [
  ...[
    nested(10_000),
    nested(32_000),
    nestedObjects(10_000),
    '['.repeat(60_000),
    '{"a":'.repeat(10_000),
  ],
  `[${'0,'.repeat(30_000)}0]`,
  `"${'\\u0000'.repeat(10_000)}"`,
  '9'.repeat(60_000),
  `-${'9'.repeat(400)}`,
]

const badBytes = [
  ...[
    Buffer.of(0xff),
    Buffer.of(0xc3, 0x28),
    Buffer.of(0xed, 0xa0, 0x80),
    Buffer.of(0xef, 0xbb, 0xbf),
  ],
  ...[
    Buffer.from('{"token_ids":["\xff"]}', 'latin1'),
    Buffer.from('{}', 'utf16le'),
    Buffer.alloc(10),
  ],
  Buffer.alloc(70_000, 0x20),
]

const badTexts = [
  ...[
    '',
    ' ',
    '{',
    '}',
    '[',
    'null',
    'true',
    '1',
    '"x"',
    '[]',
    '{}',
    'NaN',
    'undefined',
    "{'a':1}",
  ],
  ...['{"token_ids":', '{"token_ids":[]}{}', '{"token_ids":[],}', '{"__proto__":{"token_ids":[]}}'],
  ...['token_ids=a', '--x\r\nContent-Disposition: form-data\r\n\r\n', '\ufeff{}', '// x\n{}'],
]

/** A JSON value in place of the one that a schema expects, as text. */
function jsonFor(schema: JsonSchema, usual: KnownValues): Arbitrary<string> {
  const ids = fc.constantFrom(...(usual['token-id'] ?? ['x']))
  const id = fc.oneof(ids, ids, anyText).map((text) => JSON.stringify(text))
  const max = Number(schema.maxItems ?? 1)
  const list = (item: Arbitrary<string>, maxLength: number) =>
    fc.array(item, { maxLength }).map((items) => `[${items.join()}]`)
  const anyJson = fc.json({ maxDepth: 4 })
  const wrong = fc.oneof(anyJson, fc.constantFrom(...heavyJson), fc.constantFrom('1e999', '-1e999'))
  if (schema.type !== 'array')
    return fc.oneof(
      wrong,
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
      fc.constantFrom('0', '-0', '-1', '1e308', '1e-400', '0.5', '"1"', '1e999', 'null', 'true'),
    )
  return fc.oneof(
    {
      weight: 3,
      arbitrary: list(
        ids.map((text) => JSON.stringify(text)),
        8,
      ),
    },
    { weight: 2, arbitrary: list(id, 5) },
    { weight: 1, arbitrary: list(fc.oneof(id, wrong), 3) },
    { weight: 1, arbitrary: fc.constantFrom(max, max + 1, max * 20).chain(manyIds) },
    { weight: 1, arbitrary: wrong },
  )
}

const manyIds = (count: number) =>
  fc.constant(JSON.stringify(Array.from({ length: count }, (_, at) => idOf(at))))
const idOf = (at: number) => `0x${at.toString(16).padStart(40, '0')}-local`

const contentTypes = fc.constantFrom(
  ...['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'],
  ...[
    'application/json; charset=utf-16',
    'strange',
    '',
    ';',
    '/',
    'a/b/c',
    '\u00ff',
    'x'.repeat(500),
  ],
  ...[
    'application/json, text/plain',
    'application/json;charset="',
    '*/*',
    'text/html;;;=',
    '__proto__',
  ],
)

/**
 * A POST of one operation: a body from its schema with members removed, added or spoilt, or a body
 * that is not JSON.
 */
export function bodyRequestOf(operation: Operation, usual: KnownValues): Arbitrary<OddRequest> {
  const { properties } = operation.body!.schema as { properties: Record<string, JsonSchema> }
  const members = Object.entries(properties).map(([name, schema]) =>
    fc
      .option(jsonFor(schema, usual), { freq: 5, nil: undefined })
      .map((json) => (json === undefined ? [] : [`${JSON.stringify(name)}:${json}`])),
  )
  const extra = fc.constantFrom([], [], ['"__proto__":{"a":1}'], ['"x":1'], ['"token_ids":[]'])
  const objects = fc
    .tuple(fc.tuple(...members), extra)
    .map(([own, more]) => `{${[...own.flat(), ...more].join()}}`)
  const payload: Arbitrary<string | Buffer> = fc.oneof(
    { weight: 8, arbitrary: objects },
    { weight: 1, arbitrary: fc.constantFrom(...badTexts, ...heavyJson) },
    { weight: 1, arbitrary: fc.constantFrom(...badBytes) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.json() },
  )
  const headers = fc.option(contentTypes, { freq: 2, nil: undefined })
  return fc.tuple(payload, headers).map(([body, type]) => ({
    method: 'POST',
    url: operation.path,
    payload: body,
    headers: type === undefined ? {} : { 'content-type': type },
  }))
}

const pathParts = [
  ...['v2', 'V2', 'tokens', 'main', 'trending', 'pairs', 'klines', 'txs', 'udf', 'docs', 'health'],
  ...['..', '.', '', '%2e%2e', '%2f', '%5c', '%00', '%', '%zz', '%ff', '%c0%ae', '%ed%a0%80', '*'],
  ...['__proto__', 'constructor', ':id', '{token-id}', 'openapi.json', 'metrics', 'admin', '%25'],
  ...[
    'x'.repeat(5_000),
    'm%61in',
    'main;a=1',
    'main%3Fchain=local',
    'static',
    'docs.html',
    '~root',
  ],
]

const oddHeaders: Arbitrary<Record<string, string>> = fc.oneof(
  fc.constant({}),
  fc
    .record({
      name: fc.constantFrom(
        'x-api-key',
        'content-type',
        'accept',
        'cookie',
        'host',
        'range',
        'origin',
      ),
      value: fc.string({
        unit: fc.constantFrom('a', ' ', ';', ',', '\u00ff', '%', '"'),
        maxLength: 30,
      }),
    })
    .map(({ name, value }) => ({ [name]: value })),
  fc.constantFrom<Record<string, string>>(
    ...[{ 'x-api-key': '' }, { 'x-api-key': 'ct_expired' }, { 'x-api-key': 'x'.repeat(5_000) }],
    ...[{ 'x-http-method-override': 'DELETE' }, { 'content-length': '0' }, { host: '' }],
    ...[{ 'accept-encoding': 'gzip' }, { 'if-none-match': '*' }, { 'x-forwarded-for': '\u00ff' }],
  ),
)

/** A request to any path, including paths without an operation. */
export function pathRequest(): Arbitrary<OddRequest> {
  const path = fc
    .array(fc.constantFrom(...pathParts), { maxLength: 5 })
    .map((all) => `/${all.join('/')}`)
  const known = fc.constantFrom('/v2/tokens/main?chain=local', '/v2/ranks/topics', '/udf/config')
  const target = fc.oneof(
    known,
    path,
    fc.webPath().map((web) => `/v2${web}`),
    path.map((text) => `/${text}`),
  )
  return fc
    .tuple(
      target,
      fc.option(fc.constantFrom(...brokenParts), { nil: undefined }),
      fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
      oddHeaders,
      fc.option(fc.constantFrom(...badTexts, ...badBytes), { nil: undefined }),
    )
    .map(([at, part, method, headers, payload]) => ({
      method,
      headers,
      url: part === undefined ? at : `${at}?${part}`,
      ...(payload === undefined || ['GET', 'HEAD'].includes(method) ? {} : { payload }),
    }))
}
