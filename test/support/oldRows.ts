// A database as earlier versions of the schema left it: what each step added, in the words of that step. Two blocks of
// chain `local`; the first is final, the second can be reverted.
import { createHash } from 'node:crypto'
import { loadEngine } from '../../packages/server/src/app/chain/loadEngine.ts'
import { decodeUndo } from '../../packages/server/src/ledger/undo.ts'
import type { Store } from '../../packages/server/src/store/openStore.ts'
import { pair, profile, token } from './marketChain.ts'
import { dumpTables, silentLogger, type TestConnection } from './postgres.ts'

export type OldRows = {
  /** First version that wrote so. */
  version: number
  /** First version that no longer did. */
  until?: number
  sql: string
  /** By today's code. */
  read: (store: Store, connection: TestConnection) => Promise<unknown>
  found: unknown
  /** When the second block is reverted. @default found */
  left?: unknown
}

const chainId = 1
const timeS = 1_750_000_000
const day = 20_254
const always = { chainId, fromS: 0, toS: 2 ** 40, limit: 10 }
const blockMax = 2 ** 40

function partitions(table: string, column: string): string {
  return `
    CREATE TABLE ${table}_c1 PARTITION OF ${table} FOR VALUES IN (1) PARTITION BY RANGE (${column});
    CREATE TABLE ${table}_c1_d${day} (LIKE ${table}_c1 INCLUDING ALL);
    ALTER TABLE ${table}_c1 ATTACH PARTITION ${table}_c1_d${day}
      FOR VALUES FROM (${day * 86_400}) TO (${(day + 1) * 86_400});`
}

// Bytes of the log as they were written: two tokens, a pair and its reserves; another pair, a swap and liquidity.
const firstEntry =
  '01000019686173682d300180c3bbc206f4bb83a1f73202001d746f6b656e2d300954301d546f6b656e2030000064011d746f6b656e2d31' +
  '0954311d546f6b656e2031000064010019706169722d300000011d666163746f727925756e6973776170763201b91764000102000004e8' +
  '030680841e0000000000409f40010004840302010202020302010062647fdc'
const secondEntry =
  '02000119686173682d3119686173682d3081c3bbc206dcc383a1f73201021d746f6b656e2d320954321d546f6b656e2032000064010119' +
  '706169722d310002001d666163746f727925756e6973776170763201b917640002000009747815616c696365001212020a055a4d04f203' +
  '0626371ea50a034a5ea29e4001010100010100100d626f6200140205020604f2030626371ea50a034a5ea29e40010004e8030201020202' +
  '030301010000000000409f4080c3bbc206614d933d'
const finalizeEntry = '02030019686173682d30f071fc55'

const refs = [
  { number: 0, hash: 'hash-0', parentNumber: -1, parentHash: '', timeS },
  { number: 1, hash: 'hash-1', parentNumber: 0, parentHash: 'hash-0', timeS: timeS + 1 },
] as const

// Versions before did not note it; the log does.
const oldHistory = { firstNumber: 0, swapsFromS: null }

const log: OldRows = {
  version: 1,
  sql: `
    INSERT INTO chains (name) VALUES ('local');
    INSERT INTO cursors VALUES (1, 3, 1, 'hash-1', 0);
    ${partitions('log', 'time_s')}
    INSERT INTO log (chain, seq, time_s, type, number, hash, parent_hash, entry, undo) VALUES
      (1, 1, ${timeS}, 'commit', 0, 'hash-0', '', '\\x${firstEntry}', null),
      (1, 2, ${timeS + 1}, 'commit', 1, 'hash-1', 'hash-0', '\\x${secondEntry}',
        '1 2 1 0 0 alice 64 5a 1 alice 0 4d5a 1 0 384 1 2 3 2 1 0 3e8 1 2 3 3 1'),
      (1, 3, ${timeS + 1}, 'finalize', 0, 'hash-0', '', '\\x${finalizeEntry}', null);
    INSERT INTO undo VALUES (1, 'block', 0, 1, null);`,
  async read(store) {
    const { engine } = await loadEngine(store, chainId, profile, silentLogger)
    const tail = await store.readLogTail(chainId, 10)
    const from = { number: 0, timeS }
    return {
      chains: await store.listChains(),
      head: engine.head(),
      counts: [engine.tokenCount(), engine.pairCount()],
      blocks: tail.map(({ ref }) => ref),
      undo: tail.map(({ undo }) => undo && decodeUndo(undo).changes),
      news: await store.loadNews({
        chainId,
        from,
        isExclusive: false,
        toNumber: 9,
        limit: 10,
        order: 'asc',
      }),
    }
  },
  found: {
    chains: [{ name: 'local', block: 1, timeS: timeS + 1, finalizedBlock: 0, ...oldHistory }],
    head: refs[1],
    counts: [3, 2],
    blocks: refs,
    undo: [
      null,
      [
        { tokenId: 0, wallet: 'alice', before: 100n, after: 90n },
        { tokenId: 1, wallet: 'alice', before: 0n, after: 19_802n },
      ],
    ],
    news: {
      blocks: refs.map((ref) => ({ ref, news: [{ event: 'created', pairId: ref.number }] })),
      reached: null,
    },
  },
  left: {
    // The time is that of the newest commit in the log.
    chains: [{ name: 'local', block: 0, timeS: timeS + 1, finalizedBlock: 0, ...oldHistory }],
    head: refs[0],
    counts: [2, 1],
    blocks: [refs[0]],
    undo: [null],
    news: { blocks: [{ ref: refs[0], news: [{ event: 'created', pairId: 0 }] }], reached: null },
  },
}

const supply = { tokenId: 0, burnt: 1n, locked: 2n, other: 3n, isComplete: true }
const tokens = [0, 1, 2].map((id) => token(id))
const pairs = [pair(0, 0, 1), pair(1, 2, 0)]

const records: OldRows = {
  version: 2,
  sql: `
    INSERT INTO tokens SELECT 1, id, 'token-' || id, 'T' || id, 'Token ' || id, 0, false, 100
      FROM generate_series(0, 2) AS id;
    INSERT INTO pairs VALUES
      (1, 0, 'pair-0', 'constantProduct', 0, 1, 'factory', 'uniswapv2', true, 3000, 100, null),
      (1, 1, 'pair-1', 'constantProduct', 2, 0, 'factory', 'uniswapv2', true, 3000, 100, null);
    INSERT INTO supplies VALUES (1, 0, 1000, 1, 2, 3, 3, true);
    INSERT INTO launches VALUES (1, 2, 'created', 1, 1, ${timeS + 1});
    INSERT INTO undo VALUES (1, 'tokens', 2, 1, null), (1, 'pairs', 1, 1, null), (1, 'launches', 2, 1, null),
      (1, 'supplies', 0, 1, '{"chain": 1, "id": 0, "total": 900, "burnt": 1, "locked": 2, "other": 3,
        "holders": 2, "is_complete": true}');`,
  async read(store, connection) {
    const found = await store.findPairs(chainId, ['pair-0', 'pair-1'])
    return {
      tokens: await store.loadTokens(chainId, [0, 1, 2]),
      pairs: found.toSorted((a, b) => a.id - b.id),
      supplies: await store.loadSupplies(chainId, [0]),
      ...(await dumpTables(connection, ['launches'])),
    }
  },
  found: {
    tokens,
    pairs,
    supplies: [{ ...supply, total: 1_000n, holders: 3 }],
    launches: [`(1,2,created,1,1,${timeS + 1})`],
  },
  left: {
    tokens: tokens.slice(0, 2),
    pairs: pairs.slice(0, 1),
    supplies: [{ ...supply, total: 900n, holders: 2 }],
    launches: [],
  },
}

const originSql = `0, 'tx', 'alice', 'router', 10, -19802, 1010, 1980198, 1960.5, 2000, 1, 1, 0.0005, 4000000, 2000,
  1980200000000, 9.9`
const ohlcSql = '1, 4, 0.5, 2, 0.1, 0.4, 0.05, 0.2, 200, 340282366920938463463374607431768211456, 7'
const kline = {
  usd: { open: 1, high: 4, low: 0.5, close: 2 },
  native: { open: 0.1, high: 0.4, low: 0.05, close: 0.2 },
  volumeUsdE8: 200n,
  volumeNativeRaw: 2n ** 128n,
  count: 7,
}
const origin = {
  index: 1,
  txHash: 'tx',
  wallet: 'alice',
  sender: 'router',
  pairId: 0,
  amount0: 10n,
  amount1: -19_802n,
  reserve0: 1_010n,
  reserve1: 1_980_198n,
  priceRaw: 1_960.5,
}
const value = {
  quote: {
    price0Usd: 2_000,
    price1Usd: 1,
    price0Native: 1,
    price1Native: 0.0005,
    liquidityUsd: 4_000_000,
    liquidityNative: 2_000,
  },
  amountUsdE8: 1_980_200_000_000,
  amountNativeRaw: 9n,
}
const swap = {
  type: 'swap',
  swap: {
    type: 'swap',
    ...origin,
    to: 'alice',
    accountFlags: 8,
    holding0: 90n,
    holding1: 19_802n,
    native: null,
  },
  ...value,
  isBuy: false,
}
const liquidity = {
  type: 'liquidity',
  liquidity: { type: 'liquidity', kind: 'add', ...origin },
  ...value,
}
const stored = [0, 1].map((blockNumber) => ({ blockNumber, timeS: timeS + blockNumber }))
const klines = [kline, kline].map((row, block) => ({ ...row, startS: timeS - 1 + block }))

const history: OldRows = {
  version: 3,
  sql: `
    ${['swaps', 'liquidity'].map((table) => partitions(table, 'time_s')).join('')}
    ${['klines_s1', 'klines_k1'].map((table) => partitions(table, 'start_s')).join('')}
    INSERT INTO swaps SELECT 1, block, 1, ${timeS} + block, ${originSql}, 'alice', false, 90, 19802, null, 8
      FROM generate_series(0, 1) AS block;
    INSERT INTO liquidity SELECT 1, block, 1, ${timeS} + block, ${originSql}, 'add'
      FROM generate_series(0, 1) AS block;
    INSERT INTO klines_s1 SELECT 1, 0, ${timeS - 1} + block, block, ${ohlcSql} FROM generate_series(0, 1) AS block;
    INSERT INTO klines_k1 SELECT 1, 0, ${timeS - 1} + block, block, ${ohlcSql} FROM generate_series(0, 1) AS block;
    INSERT INTO klines SELECT 1, 0, 5, ${timeS - 1} + block, block, ${ohlcSql} FROM generate_series(0, 1) AS block;`,
  async read(store) {
    const ofPair = { ...always, pairId: 0, order: 'asc' } as const
    const ofWallet = {
      ...always,
      wallet: 'alice',
      tokenId: null,
      txHash: null,
      before: null,
      blockMax,
    }
    return {
      swaps: await store.loadSwaps(ofPair),
      ofWallet: await store.loadWalletSwaps(ofWallet),
      liquidity: await store.loadLiquidity(ofPair),
      s1: await store.loadKlines({ ...ofPair, interval: 0 }),
      k1: await store.loadKlines({ ...ofPair, interval: 1 }),
      k60: await store.loadKlines({ ...ofPair, interval: 5 }),
    }
  },
  found: {
    swaps: stored.map((place) => ({ ...place, event: swap })),
    ofWallet: stored.toReversed().map((place) => ({ ...place, event: swap })),
    liquidity: stored.map((place) => ({ ...place, event: liquidity })),
    s1: klines,
    k1: klines,
    k60: klines,
  },
  left: {
    swaps: [{ ...stored[0], event: swap }],
    ofWallet: [{ ...stored[0], event: swap }],
    liquidity: [{ ...stored[0], event: liquidity }],
    s1: klines.slice(0, 1),
    k1: klines.slice(0, 1),
    k60: klines.slice(0, 1),
  },
}

const wallets = [
  { tokenId: 0, wallet: 'alice' },
  { tokenId: 0, wallet: 'bob' },
  { tokenId: 1, wallet: 'alice' },
]

const holders: OldRows = {
  version: 4,
  sql: `
    INSERT INTO balances VALUES (1, 0, 'alice', 90, true), (1, 0, 'bob', 7, false), (1, 1, 'alice', 19802, true);
    INSERT INTO holder_bars VALUES (1, 0, 10);`,
  read: async (store) => ({
    balances: await store.loadBalances(chainId, wallets),
    top: (await store.topHolders(chainId, 0, 1)).holders,
  }),
  found: { balances: [90n, 7n, 19_802n], top: [{ wallet: 'alice', balance: 90n }] },
  left: { balances: [100n, 7n, 0n], top: [{ wallet: 'alice', balance: 100n }] },
}

const snapshotHex = 'c0ffee'
const digest = createHash('sha256').update(Buffer.from(snapshotHex, 'hex')).digest('hex')

const snapshots: OldRows = {
  version: 5,
  sql: `
    INSERT INTO snapshots VALUES (1, 1, 0, 'hash-0', 1, 1, 3);
    INSERT INTO snapshot_chunks VALUES (1, 1, 0, '\\x${digest}', '\\x${snapshotHex}');`,
  async read(store) {
    const { value: snapshot } = await store.readSnapshots(chainId).next()
    const chunks: string[] = []
    for await (const chunk of snapshot!.chunks()) chunks.push(Buffer.from(chunk).toString('hex'))
    return { seq: snapshot!.seq, hash: snapshot!.hash, chunks }
  },
  found: { seq: 1, hash: 'hash-0', chunks: [snapshotHex] },
}

// 1 and 30 June 2025, and 1 July.
const [june, juneEnd, july] = [20_240, 20_269, 20_270]
const juneOf2025 = 2_025 * 12 + 5

async function readKeys(store: Store): Promise<unknown> {
  const keys = await store.listKeys()
  const accountIds = keys.map(({ accountId }) => accountId)
  const usage = keys.map(({ accountId }) =>
    store.loadUsage({ accountId, fromDay: 0, toDay: 30_000 }),
  )
  return {
    keys: keys.map(({ hash, ...key }) => ({ ...key, hash: Buffer.from(hash).toString('hex') })),
    usage: (await Promise.all(usage)).flat(),
    june: await store.loadCredits({ accountIds, period: juneOf2025 }),
    july: await store.loadCredits({ accountIds, period: juneOf2025 + 1 }),
  }
}

const madeKey = { plan: 'pro', createdAtS: 100, expiresAtS: null, revokedAtS: null }

const keys: OldRows = {
  version: 6,
  until: 7,
  sql: `
    INSERT INTO keys (hash, name, plan, created_at_s, expires_at_s, revoked_at_s) VALUES
      ('\\xaa', 'configured', 'pro', 100, null, null), ('\\xbb', 'desk', 'pro', 100, 300, 200);
    INSERT INTO usage VALUES (1, ${june}, 5, 50), (1, ${juneEnd}, 6, 60), (1, ${july}, 7, 70), (2, ${june}, 1, 2);`,
  read: readKeys,
  found: {
    keys: [
      { id: 1, accountId: 1, hash: 'aa', name: 'configured', origin: 'configured', ...madeKey },
      {
        id: 2,
        accountId: 2,
        hash: 'bb',
        name: 'desk',
        origin: 'created',
        ...madeKey,
        expiresAtS: 300,
        revokedAtS: 200,
      },
    ],
    usage: [
      { keyId: 1, day: june, requestCount: 5, cost: 50 },
      { keyId: 1, day: juneEnd, requestCount: 6, cost: 60 },
      { keyId: 1, day: july, requestCount: 7, cost: 70 },
      { keyId: 2, day: june, requestCount: 1, cost: 2 },
    ].map((row) => ({ ...row, operation: 'other', failedCount: 0 })),
    june: new Map([
      [1, 110],
      [2, 2],
    ]),
    july: new Map([[1, 70]]),
  },
}

const accounts: OldRows = {
  version: 7,
  sql: `
    INSERT INTO keys (hash, name, plan, created_at_s, account_id, origin) VALUES
      ('\\xaa', 'desk', 'pro', 100, 1, 'start'), ('\\xbb', 'desk', 'pro', 100, 1, 'created');
    INSERT INTO usage (key_id, day, operation, request_count, failed_count, cost) VALUES
      (1, ${june}, 'tokensMain', 5, 1, 50), (2, ${june}, 'pair', 3, 0, 9);
    INSERT INTO credits VALUES (1, ${juneOf2025}, 59);
    INSERT INTO usage_sessions VALUES ('6f1c1d3e-0000-4000-8000-000000000000', 4, 100);`,
  read: readKeys,
  found: {
    keys: [
      { id: 1, accountId: 1, hash: 'aa', name: 'desk', origin: 'start', ...madeKey },
      { id: 2, accountId: 1, hash: 'bb', name: 'desk', origin: 'created', ...madeKey },
    ],
    usage: [1, 2].flatMap(() => [
      { keyId: 2, day: june, operation: 'pair', requestCount: 3, failedCount: 0, cost: 9 },
      { keyId: 1, day: june, operation: 'tokensMain', requestCount: 5, failedCount: 1, cost: 50 },
    ]),
    june: new Map([[1, 59]]),
    july: new Map(),
  },
}

const smartWallets: OldRows = {
  version: 8,
  sql: `
    INSERT INTO smart_wallets VALUES
      (1, 'alice', 3, 2, 100, 150, 50, 100, 1, 1, '{0,0,0,1,0,0,0,0}', ${timeS});
    INSERT INTO smart_wallet_runs VALUES (1, 100, 200);`,
  read: (store) => store.loadSmartWallets(chainId),
  found: {
    sinceS: 100,
    madeAtS: 200,
    wallets: [
      {
        wallet: 'alice',
        buyCount: 3,
        sellCount: 2,
        boughtUsdE8: 100n,
        soldUsdE8: 150n,
        profitUsdE8: 50n,
        soldCostUsdE8: 100n,
        tokenCount: 1,
        wonCount: 1,
        profitCounts: [0, 0, 0, 1, 0, 0, 0, 0],
        lastTradeS: timeS,
      },
    ],
  },
}

const cursorHistory: OldRows = {
  version: 11,
  sql: 'UPDATE cursors SET first_number = 0',
  read: async (store) => (await store.loadCursor(chainId)).firstNumber,
  found: 0,
}

const keySeeds: OldRows = {
  version: 12,
  sql: `INSERT INTO key_seeds SELECT id, '{local}' FROM keys WHERE origin = 'start'`,
  // Not of the service that asks, which leaves it alone.
  async read(store) {
    const limits = { nowS: 200, startKeyGraceS: 1, startKeysMax: 1 }
    await store.seedKey({ chains: ['other'], key: null, ...limits })
    return (await store.listKeys())[0]!.revokedAtS
  },
  found: null,
}

const doubtfulBlocks: OldRows = {
  version: 13,
  sql: `INSERT INTO doubtful_blocks VALUES (1, 1, 'hash-1', 'a reserve jumps')`,
  async read(store) {
    const writer = await store.openWriter({ chainId, chain: 'local' })
    await writer.close()
    return writer.status().doubtful
  },
  found: { count: 1, newestNumber: 1, untrueCount: 0 },
  left: { count: 0, newestNumber: null, untrueCount: 0 },
}

const leftOut: OldRows = {
  version: 14,
  sql: `INSERT INTO left_out VALUES (1, '0xopen', 'open', 1, 'hash-1', 'hash-0', 1, 1),
    (1, '0xmissed', 'missed', 0, 'hash-0', '', 0, 1), (1, '', 'forgotten', 0, '', '', 0, 2)`,
  async read(store) {
    const writer = await store.openWriter({ chainId, chain: 'local' })
    await writer.close()
    return { ...writer.status().leftOut, open: await store.loadLeftOut(chainId) }
  },
  found: {
    missedPools: {
      count: 1,
      fromNumber: 0,
      toNumber: 0,
      pools: [{ address: '0xmissed', fromNumber: 0, toNumber: 0 }],
    },
    forgottenContracts: { count: 2, fromNumber: 0, toNumber: 0 },
    open: [
      {
        address: '0xopen',
        since: { number: 1, hash: 'hash-1', parentNumber: 0, parentHash: 'hash-0' },
      },
    ],
  },
  left: {
    missedPools: {
      count: 1,
      fromNumber: 0,
      toNumber: 0,
      pools: [{ address: '0xmissed', fromNumber: 0, toNumber: 0 }],
    },
    forgottenContracts: { count: 2, fromNumber: 0, toNumber: 0 },
    open: [],
  },
}

const pairVenues: OldRows = {
  version: 16,
  sql: `INSERT INTO pairs VALUES (1, 2, 'couple', 'vault', 0, 1, 'vault', 'weighted', true, null, 100, null,
    'weighted', '0 -5 340282366920938463463374607431768211456', 'pool', '2 7')`,
  read: (store) => store.findCouples(chainId, ['pool', 'another']),
  found: [
    {
      id: 2,
      address: 'couple',
      kind: 'vault',
      token0Id: 0,
      token1Id: 1,
      factory: 'vault',
      amm: 'weighted',
      isTrusted: true,
      feePpm: null,
      createdAtS: 100,
      platform: null,
      venue: 'weighted',
      params: [0n, -5n, 2n ** 128n],
      pool: 'pool',
      otherIds: [2, 7],
    },
  ],
}

const logConsumers: OldRows = {
  version: 17,
  sql: `INSERT INTO log_consumers VALUES (1, 'gateway', 1)`,
  read: async (store) => store.openLog({ chainId, chain: 'local' }).acknowledged(),
  found: [{ consumer: 'gateway', seq: 1 }],
}

const riskReports: OldRows = {
  version: 19,
  sql: `INSERT INTO risk_reports VALUES (1, 'token', 7, '{"form":1}', 100)`,
  read: async (store) => (await store.loadRiskReports(chainId, null)).reports,
  found: [{ token: 'token', blockNumber: 7, report: '{"form":1}' }],
}

const swapInMs = {
  ...swap,
  swap: { ...swap.swap, index: 2, pairId: 1, wallet: 'bob' },
}

const tradeMilliseconds: OldRows = {
  version: 20,
  sql: `INSERT INTO swaps VALUES (1, 0, 2, ${timeS}, ${originSql.replace("0, 'tx', 'alice'", "1, 'tx', 'bob'")},
    'alice', false, 90, 19802, null, 8, ${timeS}200)`,
  read: async (store) => store.loadSwaps({ ...always, pairId: 1, order: 'asc' }),
  found: [{ blockNumber: 0, timeS, timeMs: timeS * 1_000 + 200, event: swapInMs }],
}

const all = [
  ...[log, records, history, holders, snapshots, keys, accounts, smartWallets],
  ...[cursorHistory, keySeeds, doubtfulBlocks, leftOut, pairVenues, logConsumers, riskReports],
  tradeMilliseconds,
]

/** What a database of this version holds. */
export function oldRowsAt(at: number): OldRows[] {
  return all.filter(({ version, until = at + 1 }) => version <= at && at < until)
}

/** The block under the one that can be reverted. */
export const oldAncestor = { number: 0, hash: 'hash-0' }
