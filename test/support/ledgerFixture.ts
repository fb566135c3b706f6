import { pino } from 'pino'
import type { BalanceKey, BalanceReader } from '../../packages/server/src/ledger/balanceLoader.ts'
import { createLedger } from '../../packages/server/src/ledger/ledger.ts'
import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type { PairRecord } from '../../packages/server/src/model/pair.ts'
import type { ResolvedBlock, ResolvedEvent } from '../../packages/server/src/model/resolvedBlock.ts'
import type { TokenSupply } from '../../packages/server/src/model/token.ts'
import { pairDefaults } from './pairDefaults.ts'

export const logger = pino({ level: 'silent' })
export const zero = '0x0000000000000000000000000000000000000000'
export const dead = '0xdead'

export const profile: ChainProfile = {
  name: 'test',
  native: { symbol: 'ETH', decimals: 18, wrappedToken: '0xweth' },
  stables: [],
  quotes: ['0xweth'],
  venues: [],
  launchPlatforms: [],
  burnAddresses: [zero, dead],
  lockers: ['0xlock'],
  outOfCirculation: ['0xtreasury'],
  nativePoolUsdMin: 0,
  reorgDepthMax: 8,
}

export const pair: PairRecord = {
  id: 0,
  address: '0xpool',
  kind: 'concentrated',
  token0Id: 0,
  token1Id: 1,
  factory: '0xfactory',
  amm: 'uniswapv3',
  isTrusted: true,
  feePpm: 3_000,
  createdAtS: 1,
  platform: null,
  ...pairDefaults,
  venue: 'uniswapV3',
}

export function refOf(number: number, branch = 'a'): BlockRef {
  const parent = { parentNumber: number - 1, parentHash: `${number - 1}a` }
  return { number, hash: `${number}${branch}`, ...parent, timeS: number }
}

export function blockOf(number: number, parts: Partial<ResolvedBlock>): ResolvedBlock {
  return {
    ref: refOf(number),
    receivedMs: 0,
    isLive: true,
    tokens: [],
    pairs: [],
    events: [],
    firstStates: [],
    unknownPools: new Set(),
    histories: [],
    totals: new Map(),
    natives: new Map(),
    nativeUsd: null,
    ...parts,
  }
}

export function tokenOf(id: number) {
  const symbol = `T${id}`
  return {
    id,
    address: `0xt${id}`,
    symbol,
    name: symbol,
    decimals: 18,
    isUnreadable: false,
    seenAtS: 1,
  }
}

export function historyOf(tokenId: number, balances: Record<string, bigint>) {
  return { tokenId, balances: new Map(Object.entries(balances)), voided: 0n, totalSupply: null }
}

export function transferOf(
  index: number,
  tokenId: number,
  from: string,
  to: string,
  amount: bigint,
  txHash = 'tx',
) {
  return { type: 'transfer', index, txHash, tokenId, from, to, amount } satisfies ResolvedEvent
}

export function balanceOf(index: number, tokenId: number, owner: string, amount: bigint) {
  return { type: 'balance', index, txHash: 'tx', tokenId, owner, amount } satisfies ResolvedEvent
}

export function swapOf(index: number, txHash: string, wallet: string): ResolvedEvent {
  const ends = { sender: wallet, to: wallet, amount0: -5n, amount1: 7n }
  const state = { reserve0: null, reserve1: null, priceRaw: 2 }
  return { type: 'swap', index, txHash, wallet, ...ends, ...state, pair }
}

/** A reader of the given rows that can be made to fail. */
export function fakeReader(
  balances: Record<string, bigint> = {},
  supplies: readonly TokenSupply[] = [],
): BalanceReader & { isDown: boolean; asked: BalanceKey[] } {
  const reader = {
    isDown: false,
    asked: [] as BalanceKey[],
    async loadBalances(keys: readonly BalanceKey[]) {
      if (reader.isDown) throw new Error('down')
      reader.asked.push(...keys.map(({ tokenId, wallet }) => ({ tokenId, wallet })))
      return keys.map(({ tokenId, wallet }) => balances[`${tokenId} ${wallet}`] ?? 0n)
    },
    async loadSupplies(tokenIds: readonly number[]) {
      if (reader.isDown) throw new Error('down')
      return supplies.filter(({ tokenId }) => tokenIds.includes(tokenId))
    },
  }
  return reader
}

export const shiftOf = (index: number) =>
  ({ type: 'reserve_change', index, pair }) satisfies ResolvedEvent

export const firstBlock = blockOf(1, {
  tokens: [tokenOf(0), tokenOf(1)],
  pairs: [pair],
  histories: [historyOf(0, { '0xa': 100n, [dead]: 10n }), historyOf(1, { '0xb': 50n })],
  events: [
    transferOf(0, 0, '0xa', '0xpool', 40n),
    transferOf(1, 1, zero, '0xlock', 9n),
    transferOf(2, 0, '0xa', zero, 1n),
  ],
})

export function createTestLedger(reader: BalanceReader = fakeReader()) {
  return createLedger({ profile, balances: reader, logger, limits: { budgetMs: 5 } })
}
