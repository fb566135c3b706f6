// Records the examples of the OpenAPI and AsyncAPI documents. After `npm run build`: npx tsx
// packages/server/scripts/writeExamples.ts It starts the local chain as `chaintape start` does, so
// examples name the tokens, pairs and wallets of every such start.
import { strict as assert } from 'node:assert'
import { writeFileSync } from 'node:fs'
import { buyOut } from '../../../test/support/buyOut.ts'
import { readDevnetProfile } from '../../../test/support/devnetProfile.ts'
import { createDataDir, removeDataDir } from '../../../test/support/postgres.ts'
import { startPatientProgram } from '../../../test/support/program.ts'
import { type Frame, openProgramSocket } from '../../../test/support/programSocket.ts'
import { examplesFile, type OperationExample } from '../src/gateway/http/openapi/examples.ts'
import type { Operation } from '../src/gateway/rest/operation.ts'
import { operations } from '../src/gateway/rest/operations.ts'

// Enough to see the shape of a list.
const itemsShownMax = 2
const historyS = 1_800

const chain = 'local'
const idOf = (address: string) => `${address}-${chain}`

/** Subjects of the examples. */
type Subject = {
  pair: string
  token: string
  otherToken: string
  wallet: string
  txHash: string
  symbol: string
  platform: string
  nowS: number
}

const dataDir = await createDataDir()
const program = await startPatientProgram(dataDir, {
  devnet: { history_s: historyS, block_ms: 500 },
})
const { address, api_key, devnet_rpc_url } = program.ready

// biome-ignore lint/suspicious/noExplicitAny: answers are only passed on
async function ask(target: string, body?: unknown): Promise<any> {
  const response = await fetch(`${address}${target}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'X-API-KEY': api_key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  assert(response.status === 200, `${target}: ${response.status} ${text}`)
  return JSON.parse(text)
}

/** The pair that a start names, its token, and the wallet that traded it most at first. */
async function findSubject(): Promise<Subject> {
  const id = program.ready.example_pair_id
  const detail = await ask(`/v2/pairs/${id}`)
  const { txs } = await ask(`/v2/txs/swap/${id}?from_time=1&limit=30&sort=asc`)
  const counts = new Map<string, number>()
  for (const { wallet_address: wallet } of txs) counts.set(wallet, (counts.get(wallet) ?? 0) + 1)
  const [[wallet]] = [...counts].sort(([, a], [, b]) => b - a) as [[string, number]]
  const { target_token: token, token0_address, token1_address } = detail
  const isFirst = token0_address === token
  return {
    pair: detail.pair,
    token,
    otherToken: isFirst ? token1_address : token0_address,
    wallet,
    txHash: txs.find((tx: { wallet_address: string }) => tx.wallet_address === wallet).tx_hash,
    symbol: isFirst ? detail.token0_symbol : detail.token1_symbol,
    platform: 'tape',
    nowS: Math.floor(Date.now() / 1_000),
  }
}

/** Indexed by input, or by operation and input if the name has another meaning there. */
const inputsOf: Readonly<Record<string, (subject: Subject) => string>> = {
  'token-id': ({ token }) => idOf(token),
  'pair-id': ({ pair }) => idOf(pair),
  symbol: ({ pair }) => idOf(pair),
  symbols: ({ pair }) => idOf(pair),
  chain: () => chain,
  keyword: ({ symbol }) => symbol,
  'smartWallets.keyword': () => '',
  query: ({ symbol }) => symbol,
  tag: ({ platform }) => `${platform}_in_new`,
  topic: () => 'hot',
  wallet_address: ({ wallet }) => wallet,
  account_address: ({ wallet }) => wallet,
  token_address: ({ token }) => token,
  tx_hash: ({ txHash }) => txHash,
  resolution: () => '15',
  // A range that a chain started at any time has bars in.
  from: () => '1',
  to: () => '4102444800',
}

async function exampleOf(operation: Operation, subject: Subject): Promise<OperationExample> {
  const inputs: Record<string, string> = {}
  let target = operation.path
  const query = new URLSearchParams()
  for (const { name, in: place } of Object.values(operation.inputs)) {
    const choose = inputsOf[`${operation.id}.${name}`] ?? inputsOf[name]
    const value = choose?.(subject) ?? ''
    if (value === '') continue
    inputs[name] = value
    if (place === 'path') target = target.replace(`{${name}}`, value)
    else query.set(name, value)
  }
  if (query.size > 0) target += `?${query}`
  if (operation.body === undefined) return { inputs, answer: shortened(await ask(target)) }
  const body = bodyOf(operation.body.example as object, subject)
  return { inputs, body, answer: shortened(await ask(target, body)) }
}

/** The body's example, about tokens that are here, and a time that they have behind them. */
function bodyOf(example: object, { token, otherToken, nowS }: Subject): object {
  return {
    ...example,
    ...('token_ids' in example ? { token_ids: [idOf(token), idOf(otherToken)] } : {}),
    ...('time' in example ? { time: nowS - 60 } : {}),
  }
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, itemsShownMax).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]))
}

/** Calls and what they brought, by the name of the message in the AsyncAPI document. */
async function recordMessages(subject: Subject): Promise<Record<string, readonly object[]>> {
  const { pair, token, wallet } = subject
  const curve = (await ask(`/v2/tokens/platform?tag=${subject.platform}_in_new`)).at(-1)
  const screen = { chain, of: 'tokens', min_liquidity: 10_000, sort: 'change_1h', limit: 20 }
  const items = [[pair, 'k1', chain] as const, [pair, 's1', chain] as const]
  // The plainest call of each topic comes first.
  const topics: readonly [push: string, params: readonly unknown[]][] = [
    ['txPush', ['tx', pair, chain]],
    ['multiTxPush', ['multi_tx', token, chain]],
    ['liqPush', ['liq', pair, chain, { snapshot: true }]],
    ['klinePush', ['kline', pair, 'k15', chain]],
    ['klinePush', ['multi_kline', ...items]],
    ['pricePush', ['price', [idOf(pair), idOf(token)]]],
    ['trendingPush', ['trending', chain]],
    ['newPairsPush', ['new_pairs', chain]],
    ['walletPush', ['wallet', [idOf(wallet)]]],
    ['tradesPush', ['trades', { chain, min_usd: 100, venue: 'uniswapv2' }]],
    ['launchesPush', ['launches', chain]],
    ['holdersPush', ['holders', token, chain]],
    ['screenerPush', ['screener', screen]],
  ]
  const call = (method: string, id: number, params?: readonly unknown[]) => {
    return { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }), id }
  }
  const subscribe: object[] = topics.map(([, params], at) => call('subscribe', at + 1, params))
  const socket = await openProgramSocket(address, { key: api_key })
  const other = await openProgramSocket(address, { key: api_key })
  const refused = await openProgramSocket(address)
  const subscribed = await socket.subscribe(topics[0]![1], 1)
  for (const [at, [, params]] of topics.entries())
    if (at > 0) await socket.subscribe(params, at + 1)
  await other.subscribe(['kline', curve.main_pair, 'k1', chain], 5)
  const { address: launchPad } = readDevnetProfile(dataDir).launchPlatforms[0]!
  await buyOut(devnet_rpc_url, launchPad, curve.token)
  const messages: Record<string, readonly object[]> = {}
  const pushes = await Promise.all(
    topics.map(([push], at) =>
      socket.find(push, ({ id, result }) => id === at + 1 && result?.topic !== undefined),
    ),
  )
  for (const [at, [push]] of topics.entries()) messages[push] ??= [shortened(pushes[at]) as object]
  messages.switchPush = [await other.find('a switch', ({ result }) => result?.data !== undefined)]
  const { cursor } = messages.liqPush![0] as Frame
  const options = { since: cursor, revisions: true, heartbeat: 1 }
  await other.subscribe(['tx', pair, chain, options], 1)
  subscribe.push(call('subscribe', 1, ['tx', pair, chain, options]))
  messages.heartbeatPush = [
    await other.find('a heartbeat', ({ result }) => result?.topic === 'heartbeat'),
  ]
  messages.keyError = [await refused.find('a refusal', ({ error }) => error !== undefined)]
  const wrong = await socket.call('subscribe', ['kline', pair, 'k2', chain], 20)
  const ended = ['tx', pair, chain]
  const unsubscribed = await socket.call('unsubscribe', ended, 21)
  const pong = await socket.call('ping', [], 22)
  socket.webSocket.terminate()
  other.webSocket.terminate()
  return {
    subscribe,
    unsubscribe: [
      call('unsubscribe', 21, ended),
      call('unsubscribe', 23, ['price', [idOf(token)]]),
      call('unsubscribe', 24, []),
    ],
    ping: [call('ping', 22)],
    subscribed: [subscribed],
    unsubscribed: [unsubscribed],
    pong: [pong],
    callError: [wrong],
    ...messages,
    laggedNotice: [{ jsonrpc: '2.0', id: 1, result: { status: 'lagged', cursor } }],
  }
}

try {
  const subject = await findSubject()
  const answers: Record<string, OperationExample> = {}
  const faults: string[] = []
  for (const operation of operations)
    try {
      answers[operation.id] = await exampleOf(operation, subject)
    } catch (error) {
      faults.push(`${error}`)
    }
  assert(faults.length === 0, faults.join('\n'))
  const messages = await recordMessages(subject)
  writeFileSync(examplesFile, `${JSON.stringify({ operations: answers, messages }, null, 1)}\n`)
} finally {
  program.child.kill('SIGINT')
  await program.ended
  await removeDataDir(dataDir)
}
