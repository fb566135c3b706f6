// One log entry of each kind with every event type, and undo records, for the upgrade fixtures. Add
// a new field here before writing the next fixture.
import type { LedgerUndo } from '../../packages/server/src/ledger/undo.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import type { TokenSupply } from '../../packages/server/src/model/token.ts'

const hex = (byte: string, count: number) => `0x${byte.repeat(count)}`
const ref = {
  number: 2 ** 33,
  hash: hex('ab', 32),
  parentNumber: 2 ** 33 - 3,
  parentHash: hex('cd', 32),
  timeS: 1_750_000_000,
}
const origin = (index: number) => ({ index, txHash: hex('0f', 32), wallet: hex('a1', 20) })
const state = { reserve0: 2n ** 250n + 1n, reserve1: 10n ** 18n, priceRaw: 1.25e-31 }

const supply: TokenSupply = {
  tokenId: 300,
  total: 10n ** 27n,
  burnt: 10n ** 26n,
  locked: 5n,
  other: 0n,
  holders: 70_000,
  isComplete: true,
}

const token = {
  id: 300,
  address: hex('7e', 20),
  symbol: 'ÄΩ 中',
  name: '',
  decimals: 255,
  isUnreadable: true,
  seenAtS: ref.timeS,
}

const pair = {
  id: 7,
  address: hex('9a', 20),
  token0Id: 300,
  token1Id: 0,
  factory: hex('fa', 20),
  amm: 'uniswapv3',
  createdAtS: 0,
  venue: 'uniswapV3',
  params: [],
  pool: null,
  otherIds: [],
}

const couple = {
  venue: 'weighted',
  params: [-(2n ** 70n), 0n, 5n],
  pool: hex('9b', 32),
  otherIds: [0, 301],
}

const swap = {
  ...origin(0),
  ...state,
  type: 'swap',
  pairId: 7,
  sender: hex('5e', 20),
  to: hex('70', 20),
  amount0: -(2n ** 200n),
  amount1: 1n,
  holding0: null,
  holding1: 0n,
  native: 10n ** 20n,
  accountFlags: 63,
} as const

const liquidity = {
  ...state,
  type: 'liquidity',
  pairId: 7,
  sender: 'a word',
  amount0: 0n,
  amount1: 2n ** 64n,
} as const

const block = {
  ref,
  receivedMs: 1_750_000_000_123,
  tokens: [token, { ...token, id: 301, address: 'Base58Address', isUnreadable: false }],
  pairs: [
    { ...pair, kind: 'concentrated', isTrusted: true, feePpm: 500, platform: null },
    { ...pair, kind: 'constantProduct', isTrusted: false, feePpm: null, platform: null },
    { ...pair, kind: 'curve', isTrusted: true, feePpm: 0, platform: 'launchpad' },
    { ...pair, kind: 'vault', isTrusted: true, feePpm: 1, platform: null, ...couple },
  ],
  events: [
    swap,
    { ...swap, holding0: 2n ** 256n - 1n, holding1: null, native: null, accountFlags: 0 },
    ...(['add', 'remove', 'collect', 'create'] as const).map((kind, index) => ({
      ...origin(2 + index),
      ...liquidity,
      kind,
    })),
    { ...state, type: 'sync', index: 6, pairId: 7 },
    { ...origin(7), type: 'launch', pairId: 7, tokenId: 300, creator: hex('c4', 20) },
    { type: 'curve', index: 8, pairId: 7, filledPpm: 1_000_000 },
    { ...origin(9), type: 'graduation', tokenId: 300, curvePairId: 7, pairId: 8 },
  ],
  supplies: [supply, { ...supply, tokenId: 0, isComplete: false }],
  nativeUsd: { usd: 2_512.25, atS: ref.timeS - 12 },
} as const

const creations = [
  { pairId: 7, createdAtS: ref.timeS - 86_400 },
  { pairId: 8, createdAtS: null },
]

const tokenCreations = [
  { tokenId: 300, createdAtS: ref.timeS - 172_800 },
  { tokenId: 301, createdAtS: null },
]
const shares = [
  { pairId: 7, total: 2n ** 112n - 1n },
  { pairId: 8, total: 0n },
]

export const upgradeEntries: readonly LogEntry[] = [
  { type: 'commit', block },
  { type: 'commit', block: { ...block, tokens: [], pairs: [], events: [], nativeUsd: null } },
  { type: 'commit', block: { ...block, ref: { ...ref, timeMs: ref.timeS * 1_000 + 200 } } },
  { type: 'late', facts: { ref, tokens: [token], supplies: [supply] } },
  { type: 'late', facts: { ref, tokens: [], supplies: [], creations } },
  { type: 'late', facts: { ref, tokens: [], supplies: [], tokenCreations, shares } },
  { type: 'revert', ref },
  { type: 'finalize', ref: { number: ref.number, hash: ref.hash } },
].map((entry) => plain(entry as LogEntry))

const lastState = { reserve0: 2n ** 255n, reserve1: 0n, priceRaw: 1.5e-9 }

export const upgradeUndos: readonly LedgerUndo[] = [
  { changes: [], supplies: [], pools: [], unreportedAfter: null },
  {
    changes: [
      { tokenId: 0, wallet: hex('a1', 20), before: 0n, after: 2n ** 256n - 1n },
      { tokenId: 300, wallet: 'Base58Address', before: 17n, after: -3n },
    ],
    supplies: [
      { before: null, after: supply },
      { before: supply, after: { ...supply, burnt: 0n, isComplete: false } },
    ],
    pools: [
      { pairId: 0, before: null, wasUnknown: true },
      { pairId: 7, before: lastState, wasUnknown: false },
      { pairId: 8, before: { ...lastState, priceRaw: null }, wasUnknown: true },
      { pairId: 9, before: { ...lastState, venueState: [-(2n ** 99n), 7n] }, wasUnknown: false },
    ],
    unreportedAfter: null,
  },
  {
    changes: [{ tokenId: 1, wallet: hex('a2', 20), before: 1n, after: 2n }],
    supplies: [],
    pools: [],
    unreportedAfter: { number: ref.number - 2, hash: hex('b7', 32) },
  },
]

/** The entry as a decoder returns it: a late entry has only its block's number and hash. */
function plain(entry: LogEntry): LogEntry {
  if (entry.type !== 'late') return entry
  const { number, hash } = entry.facts.ref
  return { type: 'late', facts: { ...entry.facts, ref: { number, hash } } }
}
