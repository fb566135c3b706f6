// The client's methods against the real server on a real socket, with and without the envelope.
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schemaFaults } from '../../../../test/support/checkSchema.ts'
import { servedStartS, wallet } from '../../../../test/support/servedChain.ts'
import {
  createServedMarket,
  fillMarket,
  type ServedMarket,
  servedKey,
} from '../../../../test/support/servedMarket.ts'
import { componentSchemas, type JsonSchema } from '../../../server/src/gateway/ground/schemas.ts'
import { operations } from '../../../server/src/gateway/rest/operations.ts'
import { InputError, KeyError } from '../errors.ts'
import { createRest, type Rest } from './createRest.ts'

const modes = ['contract', 'always'] as const
const smartWallet = {
  wallet: wallet(1),
  buyCount: 3,
  sellCount: 2,
  tokenCount: 2,
  wonCount: 1,
  lastTradeS: 9,
  boughtUsdE8: 5n,
  soldUsdE8: 7n,
  profitUsdE8: 2n,
  soldCostUsdE8: 5n,
  profitCounts: [0, 0, 1, 0, 1, 0, 0, 0],
}
type Served = { market: ServedMarket; rest: Rest; url: string; sent: Request[] }
const served = new Map<string, Served>()
let tokenId = ''
let pairId = ''

beforeAll(async () => {
  for (const responseEnvelope of modes) {
    const market = createServedMarket({ responseEnvelope })
    const { traded } = fillMarket(market.chain)
    market.chain.setBalances(traded[0]!.token, { [wallet(1)]: 5, [wallet(2)]: 7 })
    market.store.setSmartWallets(1, { sinceS: 5, madeAtS: 6, wallets: [smartWallet] })
    await market.server.listen({ host: '127.0.0.1', port: 0 })
    const url = `http://127.0.0.1:${(market.server.server.address() as AddressInfo).port}`
    const sent: Request[] = []
    const recorded: typeof fetch = (input, init) => {
      const request = new Request(input as string, init as RequestInit)
      sent.push(request.clone() as Request)
      return fetch(request)
    }
    const rest = createRest({ url: `${url}/`, key: async () => servedKey, fetch: recorded })
    served.set(responseEnvelope, { market, rest, url, sent })
    tokenId = `${traded[0]!.token.address}-local`
    pairId = `${traded[0]!.pair.address}-local`
  }
})

afterAll(async () => {
  for (const { market } of served.values()) await market.server.close()
})

const paramsOf = (): Record<string, unknown> => ({
  token_ids: [tokenId],
  keyword: 'PEPE',
  chain: 'local',
  tag: 'meme',
  topic: 'hot',
  account_address: wallet(1),
  wallet_address: wallet(1),
  token_address: tokenId.split('-')[0],
  symbol: pairId,
  symbols: pairId,
  resolution: '60',
  from: servedStartS - 3_600,
  to: servedStartS + 3_600,
  time: servedStartS,
})

type Method = (...given: unknown[]) => Promise<unknown>

function call(rest: Rest, { id, path, inputs, body }: (typeof operations)[number]) {
  const bodyNames = Object.keys((body?.schema.properties ?? {}) as object)
  const required = Object.values(inputs).filter((input) => input.isRequired && input.in === 'query')
  const names = [...bodyNames, ...required.map(({ name }) => name)]
  const given = Object.entries(paramsOf()).filter(([name]) => names.includes(name))
  const ids = path.includes('{pair-id}') ? [pairId] : path.includes('{token-id}') ? [tokenId] : []
  return (rest as unknown as Record<string, Method>)[id]!(...ids, Object.fromEntries(given))
}

const methods = operations.filter(({ aliasOf }) => aliasOf === undefined)

test('behavior: an operation at two paths is one method', () => {
  const { rest } = served.get('contract')!
  expect(operations.length - methods.length).toBe(1)
  expect({ ...rest }).not.toHaveProperty('pairTxs')
  expect(rest.swapTxs).toBeTypeOf('function')
})

describe.each(methods.map((operation) => [operation.id, operation] as const))('%s', (_, one) => {
  test('default: gives what its schema says, the same with and without the envelope', async () => {
    const [bare, enveloped] = await Promise.all(
      modes.map((mode) => call(served.get(mode)!.rest, one)),
    )
    const { data } = ((one.isEnveloped ? bodyOf(one.answer) : {}) ?? {}) as { data?: JsonSchema }
    expect(schemaFaults(data ?? one.answer, bare)).toEqual([])
    expect(JSON.stringify(bare).length).toBeGreaterThan(2)
    expect(enveloped).toEqual(bare)
  })
})

/** Schema of the answer's members: one answer has the envelope by contract. */
function bodyOf({ $ref }: JsonSchema) {
  return componentSchemas[String($ref).split('/').at(-1)!]?.properties
}

describe('calls', () => {
  const contract = () => served.get('contract')!

  test('default: inputs go where the operation has them, the key into a header', async () => {
    const { rest, sent } = contract()
    const from_time = undefined
    await rest.pairKlines(pairId, { interval: 'k5', limit: 3, fill: true, from_time })
    await rest.tokenBatch({ token_ids: [tokenId], fields: 'symbol' })
    const [klines, batch] = sent.slice(-2) as [Request, Request]
    expect(new URL(klines.url).pathname).toBe(`/v2/klines/pair/${pairId}`)
    expect(new URL(klines.url).search).toBe('?interval=k5&limit=3&fill=true')
    expect(klines.headers.get('x-api-key')).toBe(servedKey)
    expect(klines.url).not.toContain(servedKey)
    expect(new URL(batch.url).search).toBe('?fields=symbol%2Ctoken%2Cchain')
    expect(await batch.json()).toEqual({ token_ids: [tokenId] })
  })

  test('behavior: members that are not asked for are not missed', async () => {
    const { rest } = served.get('always')!
    const of = { wallet_address: wallet(1), chain: 'local' }
    const upper = tokenId.replace(/0x\w+/, (address) => `0x${address.slice(2).toUpperCase()}`)
    const batch = await rest.tokenBatch({ token_ids: [upper], fields: 'symbol' })
    expect(batch).toEqual({ [upper]: expect.objectContaining({ symbol: 'PEPE' }) })
    expect(await rest.walletInfo({ ...of, fields: 'since' })).toEqual({ since: expect.any(Number) })
    const [token] = await rest.walletTokens({ ...of, fields: 'symbol' })
    expect(Object.keys(token!)).toEqual(['symbol'])
    expect(await rest.addressTxs({ ...of, fields: 'tx_count' })).not.toHaveProperty('result')
  })

  test('behavior: failures are classes with code and param', async () => {
    const { rest, url, sent } = contract()
    const before = sent.length
    const malformed = await rest.tokenDetail('nobody').catch((error: unknown) => error)
    expect(malformed).toBeInstanceOf(InputError)
    expect(malformed).toMatchObject({ code: 'malformed_id', param: 'token-id', status: 400 })
    expect(sent.length).toBe(before + 1)
    const keyless = await createRest({ url })
      .status()
      .catch((error: unknown) => error)
    expect(keyless).toBeInstanceOf(KeyError)
    expect(keyless).toMatchObject({ code: 'missing_key', status: 401 })
    // Chart operations have errors in a form of their own.
    const chart = await createRest({ url })
      .udfTime()
      .catch((error: unknown) => error)
    expect(chart).toBeInstanceOf(KeyError)
    expect((chart as Error).message).toMatch(/key/)
  })

  test('behavior: prices that are asked for in one turn are one request of at most 200', async () => {
    const { rest, sent } = contract()
    const before = sent.length
    const unknown = Array.from({ length: 200 }, (_, n) => `${wallet(5_000 + n)}-local`)
    const [price, again, ...others] = await Promise.all(
      [tokenId, tokenId, ...unknown].map((id) => rest.price(id)),
    )
    expect(price).toMatchObject({ token_id: tokenId })
    expect(again).toBe(price)
    expect(others).toEqual(unknown.map(() => null))
    const bodies = await Promise.all(sent.slice(before).map((request) => request.json()))
    const counts = (bodies as { token_ids: string[] }[]).map(({ token_ids: ids }) => ids.length)
    expect(counts).toEqual([200, 1])
    await expect(Promise.all([rest.price(tokenId), rest.price('nobody')])).rejects.toThrow('nobody')
  })

  test('default: without an address there is nobody to ask', () => {
    expect(() => createRest()).toThrow('url')
  })
})
