import type { ResponseEnvelope } from '@chaintape/protocol'
import { nowSOf } from '../gatewayChain.ts'
import { readPairSwaps } from '../history/pairSwaps.ts'
import type { KeyHolder } from '../keys/keyAccess.ts'
import { textOf } from '../operation/encoded.ts'
import { isWrapped, wrapped } from '../operation/envelope.ts'
import type { Operation, Serving } from '../operation/operation.ts'
import { type ExampleMarket, exampleMarketOf } from './exampleMarket.ts'
import type { OperationExample } from './openApiDocument.ts'

// Enough to see the shape of a list.
const itemsShownMax = 2

const minuteSeconds = 60
const daySeconds = 86_400

/** Asks every operation something that the running market can answer. What cannot be answered now has no example. */
export async function liveExamples(
  operations: readonly Operation[],
  serving: Serving,
  responseEnvelope: ResponseEnvelope,
): Promise<Map<string, OperationExample>> {
  const nowS = wallNowS(serving)
  const market = exampleMarketOf(serving.chains, nowS)
  const trade = await exampleTradeOf(market, serving)
  const examples = new Map<string, OperationExample>()
  const { turns } = serving
  const place = turns.place()
  for (const operation of operations) {
    // Some take a turn alone, and after a wait for the store nobody would notice that this one is over.
    await turns.next(place)
    const about = { ...market, ...trade, nowS }
    const example = await exampleOf(operation, about, serving, responseEnvelope)
    examples.set(operation.id, example)
  }
  return examples
}

type Example = ExampleMarket & { wallet: string; txHash: string; nowS: number }

async function exampleOf(
  operation: Operation,
  market: Example,
  serving: Serving,
  responseEnvelope: ResponseEnvelope,
): Promise<OperationExample> {
  const names = Object.values(operation.inputs).map(({ name }) => name)
  const inputs = Object.fromEntries(
    names.flatMap((name) => {
      const example = exampleInputs[`${operation.id}.${name}`] ?? exampleInputs[name]
      const value = example?.(market) ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )
  const body = operation.body === undefined ? undefined : liveBody(operation.body.example, market)
  const shown = { inputs, ...(body === undefined ? {} : { body }) }
  try {
    const values = Object.fromEntries(
      Object.entries(operation.inputs).map(([key, input]) => [
        key,
        input.parse(inputs[input.name], serving),
      ]),
    )
    const parsed = operation.body?.parse(body, serving)
    const answer = await operation.run({ ...values, body: parsed }, serving, exampleCaller)
    const { json, enveloped, msg } = answer
    const isInEnvelope = isWrapped(operation, responseEnvelope)
    const text = isInEnvelope ? wrapped(enveloped?.() ?? json, msg) : json
    return { ...shown, answer: shortened(JSON.parse(textOf(text))) }
  } catch {
    return shown
  }
}

/** By the name of the input, or of one operation's where that means something else. */
const exampleInputs: Readonly<Record<string, (market: Example) => string>> = {
  'token-id': ({ tokenIds }) => tokenIds[0] ?? '',
  'pair-id': ({ pairId }) => pairId,
  symbol: ({ pairId }) => pairId,
  symbols: ({ pairId }) => pairId,
  chain: ({ chain }) => chain,
  keyword: ({ symbol }) => symbol,
  'smartWallets.keyword': () => '',
  query: ({ symbol }) => symbol,
  tag: ({ platform }) => (platform === '' ? '' : `${platform}_in_new`),
  topic: () => 'hot',
  wallet_address: ({ wallet }) => wallet,
  account_address: ({ wallet }) => wallet,
  token_address: ({ tokenAddress }) => tokenAddress,
  tx_hash: ({ txHash }) => txHash,
  resolution: () => '15',
  from: ({ nowS }) => String(nowS - daySeconds),
  to: ({ nowS }) => String(nowS + 1),
}

/** The body's example, about tokens that are here, and a time that they have behind them. */
function liveBody(example: unknown, { tokenIds, nowS }: Example): unknown {
  if (typeof example !== 'object' || example === null) return example
  return {
    ...example,
    ...('token_ids' in example && tokenIds.length > 0 ? { token_ids: tokenIds } : {}),
    ...('time' in example ? { time: nowS - minuteSeconds } : {}),
  }
}

/** Somebody who traded the example pair a moment ago. */
async function exampleTradeOf({ pairId, chain: name }: ExampleMarket, serving: Serving) {
  const none = { wallet: '', txHash: '' }
  const chain = serving.chains.get(name)
  if (chain === undefined) return none
  const swaps = await readPairSwaps(serving.store, {
    chain,
    address: pairId.slice(0, pairId.lastIndexOf('-')),
    range: { fromS: 0, toS: nowSOf(chain, serving.clock), limit: 1, order: 'desc' },
    toRow: ({ event: { swap } }) => ({ wallet: swap.wallet, txHash: swap.txHash }),
  }).catch(() => null)
  return swaps?.[0] ?? none
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, itemsShownMax).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]))
}

function wallNowS({ clock }: Serving): number {
  return Math.floor(clock.nowMs() / 1_000)
}

/** Nobody: examples are not charged. */
const exampleCaller: KeyHolder = {
  key: {
    id: 0,
    accountId: 0,
    name: 'example',
    plan: 'example',
    createdAtS: 0,
    expiresAtS: null,
    revokedAtS: null,
  },
  plan: {
    name: 'example',
    requestsPerS: null,
    creditsPerPeriod: null,
    socketsMax: null,
    subscriptionsMax: null,
    priceIdsMax: null,
    messagesPerS: null,
    messageBytesMax: null,
    batchCallsMax: null,
  },
  fault: () => null,
  admit: () => null,
  refund: () => undefined,
  creditsLeft: () => null,
  quota: () => ({
    requestsLeft: null,
    requestsFullInS: 0,
    creditsUsed: 0,
    creditsLeft: null,
    periodEndsInS: 0,
    policy: '',
  }),
}
