import { expect, test } from 'vitest'
import { schemaFaults, undescribedMembers } from '../../../../../../test/support/checkSchema.ts'
import { topicVariants } from '../../feed/topics.ts'
import { componentRef, type JsonSchema } from '../../ground/schemas.ts'
import { readExamples } from '../openapi/examples.ts'
import { asyncApiDocument, callSchemas, pushSchemas } from './asyncApiDocument.ts'
import { messageNames, messageSpecs } from './messages.ts'

type Reference = { $ref: string }
type Operation = {
  action: 'send' | 'receive'
  channel: Reference
  messages: Reference[]
  reply?: { channel: Reference; messages: Reference[] }
}
type Message = { payload: JsonSchema; examples: { payload: Record<string, unknown> }[] }
type AsyncApi = {
  servers: Record<string, { host: string; protocol: string; pathname?: string }>
  channels: { socket: { messages: Record<string, Reference> } }
  operations: Record<string, Operation>
  components: { messages: Record<string, Message>; schemas: Record<string, JsonSchema> }
}

const document = JSON.parse(
  JSON.stringify(asyncApiDocument(['http://127.0.0.1:8080', 'https://tape.example/v'])),
) as AsyncApi
const { schemas, messages } = document.components

/** Yields every value of a member name, at any depth. */
function* valuesOf(value: unknown, name: string): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    if (key === name) yield member
    yield* valuesOf(member, name)
  }
}

function resolve(pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], document)
}

test('default: every reference resolves', () => {
  const references = [...valuesOf(document, '$ref')] as string[]
  expect(references.length).toBeGreaterThan(50)
  expect(references.filter((pointer) => resolve(pointer) === undefined)).toEqual([])
})

test('default: servers use WebSocket protocols', () => {
  expect(Object.values(document.servers)).toMatchObject([
    { host: '127.0.0.1:8080', protocol: 'ws' },
    { host: 'tape.example', protocol: 'wss', pathname: '/v' },
  ])
})

test('behavior: every message is in the channel and in an operation', () => {
  const used = Object.values(document.operations).flatMap(({ messages: own, reply }) =>
    [...own, ...(reply?.messages ?? [])].map(({ $ref }) => $ref.split('/').at(-1)),
  )
  expect([...new Set(used)].sort()).toEqual([...messageNames].sort())
  expect(Object.keys(document.channels.socket.messages)).toEqual(messageNames)
  for (const name of ['subscribe', 'unsubscribe', 'ping'])
    expect(document.operations[name]).toMatchObject({ action: 'receive', reply: {} })
})

test('behavior: every member of every object has a description', () => {
  expect(undescribedMembers(document)).toEqual([])
})

test('behavior: every topic can be subscribed', () => {
  const calls = readExamples().messages.subscribe as readonly { params: unknown[] }[]
  const shown = calls.map(({ params }) => params[0])
  expect([...new Set(shown)].sort()).toEqual([...topicVariants.keys()].sort())
})

test('behavior: schema names are unique', () => {
  const both = Object.keys(callSchemas).filter((name) => name in pushSchemas)
  expect(both).toEqual([])
})

test.each(messageNames)('default: examples of %s are valid', (name) => {
  const { payload, examples } = messages[name]!
  expect(payload).toEqual(componentRef(messageSpecs[name].schema))
  expect(examples.length).toBeGreaterThan(0)
  for (const example of examples)
    expect(schemaFaults(payload, example.payload, schemas)).toEqual([])
})

test.each(messageNames)('error: %s without a required member is invalid', (name) => {
  const { payload, examples } = messages[name]!
  const { required } = schemas[messageSpecs[name].schema] as { required: string[] }
  expect(required.length).toBeGreaterThan(0)
  for (const member of required) {
    const { [member]: _, ...without } = examples[0]!.payload
    expect([member, schemaFaults(payload, without, schemas)]).not.toEqual([member, []])
  }
})

test.each([
  ['tx', '0x1', 'local', 'local'],
  ['kline', '0x1', 'k2', 'local'],
  ['multi_kline', ['0x1', 'k1']],
  ['price', []],
  ['price', '0x1-local'],
  ['nothing', 'local'],
  ['tx', '0x1', 'local', { heartbeat: 0 }],
])('error: params %j', (...params) => {
  const call = { jsonrpc: '2.0', method: 'subscribe', params, id: 1 }
  expect(schemaFaults(messages.subscribe!.payload, call, schemas)).not.toEqual([])
})

test("error: a token's swap push with a profile is invalid", () => {
  const [{ payload }] = messages.txPush!.examples as [{ payload: object }]
  expect(schemaFaults(messages.multiTxPush!.payload, payload, schemas)).not.toEqual([])
})
