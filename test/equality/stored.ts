// The rows of a market whose writer was killed at random moments, and a service's answers from
// them.
import { fork } from 'node:child_process'
import { resolve } from 'node:path'
import { loadEngine } from '../../packages/server/src/app/snapshots/loadEngine.ts'
import type { MarketReads } from '../../packages/server/src/engine/marketReads.ts'
import { operations } from '../../packages/server/src/gateway/rest/operations.ts'
import { createRiskReader } from '../../packages/server/src/risk/riskReader.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { startPrivatePostgres } from '../../packages/server/src/store/postgres/privatePostgres.ts'
import { gatewayChainOf } from '../support/gatewayChain.ts'
import { liveStatus } from '../support/liveStatus.ts'
import {
  createDataDir,
  silentLogger as logger,
  removeDataDir,
  type TestConnection,
  withClient,
} from '../support/postgres.ts'
import { createServedMarket } from '../support/servedMarket.ts'
import type { Emit } from './dump.ts'
import { marketProfile, marketSteps } from './market.ts'
import { type AskedValues, urlsOf } from './requests.ts'
import { rowViews } from './rowViews.ts'

const entriesBetweenKills = 15
const killsMin = 5

export async function dumpStored(emit: Emit): Promise<void> {
  const dataDir = await createDataDir()
  const server = await startPrivatePostgres({ dataDir, logger })
  try {
    await writeWithKills(server.connection)
    await dumpRows(server.connection, emit)
    const store = await openStore({ connection: server.connection, logger })
    await dumpAnswers(store, emit)
    await store.close()
  } finally {
    await server.stop()
    await removeDataDir(dataDir)
  }
}

/** Kills hit at different points in each run; the final rows must not differ. */
async function writeWithKills(connection: TestConnection): Promise<void> {
  const seqMax = marketSteps().length
  let kills = 0
  for (let killAt = entriesBetweenKills, isDone = false; !isDone; ) {
    const writer = fork(resolve(import.meta.dirname, 'writeMarket.ts'), [
      JSON.stringify(connection),
    ])
    writer.on('message', (seq: number) => {
      if (seq < killAt || seq === seqMax) return
      killAt = seq + entriesBetweenKills
      writer.kill('SIGKILL')
    })
    const [code, signal] = await new Promise<[number | null, string | null]>((ended) =>
      writer.once('exit', (...end) => ended(end)),
    )
    if (signal === 'SIGKILL') kills += 1
    else if (code !== 0) throw new Error(`The writer of the market ended with ${code ?? signal}.`)
    isDone = code === 0
  }
  if (kills < killsMin) throw new Error(`The writer was killed ${kills} times, not ${killsMin}.`)
}

async function dumpRows(connection: TestConnection, emit: Emit): Promise<void> {
  await withClient(connection, async (client) => {
    for (const [view, sql] of Object.entries(rowViews)) {
      const { rows } = await client.query<{ key: string; row: string }>(sql)
      for (const { key, row } of rows) emit(`row of ${view} ${key}`, row)
    }
  })
}

async function dumpAnswers(store: Store, emit: Emit): Promise<void> {
  const profile = marketProfile
  const storeId = await store.ensureChain(profile.name)
  const { engine, recent } = await loadEngine(store, storeId, profile, logger)
  const { number, timeS } = engine.head()!
  const nowS = timeS + 3
  const { firstNumber, swapsFromS } = await store.loadCursor(storeId)
  await store.refreshSmartWallets({
    chainId: storeId,
    quoteIds: profile.quotes.flatMap((address) => engine.findToken(address) ?? []),
    sinceS: 0,
    madeAtS: nowS,
    countMax: 1_000,
    timeMsMax: 60_000,
  })
  const chain = gatewayChainOf({
    profile,
    storeId,
    reads: engine,
    recent,
    status: () =>
      liveStatus({
        tipNumber: number,
        persistedNumber: number,
        history: { firstNumber, swapsFromS },
      }),
    wallets: {
      read: async (wallets) =>
        new Map(wallets.map((wallet) => [wallet, { nativeRaw: 10n ** 18n, isContract: false }])),
      readHoldings: async () => new Map(),
    },
    risk: createRiskReader({
      profile,
      checker: null,
      clock: { nowMs: () => nowS * 1_000 },
      logger,
    }),
  })
  const market = createServedMarket({ chains: [], others: [chain], store })
  market.setNowS(nowS)
  const asked = askedOf(engine, timeS)
  const body = { token_ids: tokensOf(engine), tvl_min: 0, time: timeS - 4_000 }
  for (const operation of operations) {
    const { method } = operation
    let answered = 0
    for (const url of urlsOf(operation, asked)) {
      const asking = method === 'GET' ? market.get(url) : market.post(url, body)
      const { status, text } = await asking
      if (status === 200) answered += 1
      // Only the status of an error is compared: its text may change.
      emit(`${method} ${url}`, status === 200 ? text : status)
    }
    if (answered === 0) throw new Error(`No good answer to ${method} ${operation.path}`)
  }
  await market.server.close()
}

const idsOf = (count: number, addressOf: (id: number) => string) =>
  Array.from({ length: count }, (_, id) => `${addressOf(id)}-${marketProfile.name}`)

const tokensOf = (engine: MarketReads) =>
  idsOf(engine.tokenCount(), (id) => engine.tokenRecord(id).address)

function askedOf(engine: MarketReads, headS: number): AskedValues {
  const tokens = tokensOf(engine)
  const pairs = idsOf(12, (id) => engine.pairRecord(id).address)
  const swaps = marketSteps().flatMap(({ entry }) =>
    entry.type === 'commit' ? entry.block.events.filter((event) => event.type === 'swap') : [],
  )
  const wallets = [...new Set(swaps.map(({ wallet }) => wallet))].slice(0, 4)
  const lists = ['in_hot', 'in_new', 'in_almost', 'out_hot', 'out_new']
  return {
    chain: [marketProfile.name],
    'token-id': tokens.slice(0, 16),
    'pair-id': pairs,
    wallet_address: wallets,
    account_address: wallets,
    token_address: ['', ...tokens.slice(0, 3).map((id) => id.split('-')[0]!)],
    tx_hash: ['', swaps[0]!.txHash],
    tag: lists.map((list) => `launchpad_${list}`),
    topic: ['hot', 'meme', 'gainer', 'loser', 'new', 'local'],
    keyword: ['', 'pepe', 'usd'],
    query: ['pepe', 'usd'],
    symbol: pairs.slice(0, 4),
    symbols: [pairs.slice(0, 4).join()],
    from: [headS - 900_000],
    to: [headS],
    limit: ['', 3],
  }
}
