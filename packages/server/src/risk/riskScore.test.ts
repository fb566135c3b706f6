import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { nothingFound, riskLimitsDefault } from './riskChecker.ts'
import {
  type CodeFlags,
  type ContractFindings,
  type HolderSells,
  honeypotVerdict,
  type TradeFacts,
} from './riskReport.ts'
import { marketMax, marketPoints, powerPoints, riskScore, tradePoints } from './riskScore.ts'
import {
  largestWithdrawableShare,
  lockedLpShare,
  type RiskSubject,
  topShares,
} from './riskSubject.ts'

const docs = readFileSync(resolve(import.meta.dirname, '../../../../docs/inside/risk.md'), 'utf8')
const prose = docs.replaceAll('\n', ' ')

const trade: TradeFacts = {
  canBuy: true,
  canSell: true,
  canSellAll: true,
  buyTax: 0,
  sellTax: 0,
  transferTax: 0,
  canTransfer: true,
  buyFeeUnits: null,
  sellFeeUnits: null,
  approveFeeUnits: null,
  reason: '',
}
const noFlags = Object.fromEntries(Object.keys(powerPoints).map((name) => [name, false]))
const flags = (parts: Partial<CodeFlags> = {}) => ({ ...noFlags, ...parts }) as CodeFlags
const clean: ContractFindings = {
  ...nothingFound,
  isUpgradeable: false,
  flags: flags(),
  trade,
}
const subject: RiskSubject = {
  address: 'token',
  symbol: 'T',
  name: 'Token',
  decimals: 18,
  supply: { total: 1_000n, burnt: 0n, locked: 0n, other: 0n, holders: 500 },
  holders: [],
  pools: [
    {
      address: 'pair',
      kind: 'constantProduct',
      venue: 'uniswapV2',
      factory: 'factory',
      amm: 'uniswapv2',
      isTrusted: true,
      feePpm: null,
      quote: { address: 'quote', symbol: 'Q', decimals: 18 },
      quoteReserveRaw: 0n,
      params: [],
      liquidityUsd: 100_000,
    },
  ],
  launch: null,
  nativeUsd: null,
  block: { number: 1, hash: 'hash', timeS: 1 },
}

const scoreOf = (findings: Partial<ContractFindings> = {}, parts: Partial<RiskSubject> = {}) => {
  const all = { ...clean, ...findings }
  const isHoneypot = honeypotVerdict(all)
  return riskScore({
    subject: { ...subject, ...parts },
    findings: all,
    isHoneypot,
  })
}

test('behavior: the table in the docs is the one in the source', () => {
  const rows = [...docs.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, code, points]) => [
    code,
    Number(points),
  ])
  const inSource = Object.entries({ ...powerPoints, ...tradePoints, ...marketPoints })
  expect(rows).toEqual(inSource.filter(([, points]) => points > 0))
  expect(prose).toContain(`together at most ${marketMax}`)
})

test('behavior: the limits in the docs are those in the source', () => {
  const { reportBlockTimeSMax, reportBlocksMin, reportAgeSMax } = riskLimitsDefault
  expect([reportBlockTimeSMax, reportBlocksMin, reportAgeSMax]).toEqual([100, 50, 600])
  const { checksMax, waitingMax, checkMsMax } = riskLimitsDefault
  expect([checksMax, waitingMax, checkMsMax]).toEqual([4, 64, 8_000])
  expect(prose).toContain(
    '100 seconds of block time and 50 blocks old, or 600 seconds; 10,000 are kept. Four checks run at once, 64 wait',
  )
})

test('default: nothing speaks against a clean token', () => {
  expect(scoreOf()).toEqual({ score: 0, items: [] })
})

test('behavior: powers count less when the owner is gone for good', () => {
  const owner = { address: '0x0', isRenounced: true, previous: null, balanceRaw: 0n }
  const mint = flags({ canMint: true, canPause: true })
  expect(scoreOf({ flags: mint }).score).toBe(35)
  expect(scoreOf({ flags: mint, owner }).score).toBe(11)
  expect(scoreOf({ flags: { ...mint, canTakeBackOwnership: true }, owner }).score).toBe(55)
  expect(scoreOf({ flags: { ...mint, hasHiddenOwner: null }, owner }).score).toBe(35)
  expect(scoreOf({ flags: mint, owner, isUpgradeable: true }).score).toBe(55)
})

test.each([
  [0, 0],
  // Shown as none.
  [0.000_000_4, 0],
  [0.000_000_5, 10],
  [0.03, 10],
  [0.1, 10],
  [0.11, 20],
  [0.21, 30],
  [0.41, 45],
])('behavior: a tax of %d counts %d', (tax, score) => {
  for (const kind of ['buyTax', 'sellTax', 'transferTax'])
    expect(scoreOf({ trade: { ...trade, [kind]: tax } }).score, kind).toBe(score)
})

/** One hand holds the liquidity and nearly all tokens, and there is little of everything. */
const worstMarket = {
  lp: {
    pair: 'pair',
    totalRaw: 100n,
    isSupply: true,
    decimals: 18,
    holders: [{ address: 'maker', amountRaw: 100n, kind: 'creator' as const }],
    holderCount: 1,
    burntRaw: 0n,
    lockedRaw: 0n,
    makerRaw: 100n,
  },
  creator: { address: 'maker', txHash: null, balanceRaw: 900n },
}
const worstHolders = {
  holders: [{ address: 'maker', amountRaw: 900n, kind: 'creator' as const }],
  supply: { ...subject.supply!, holders: 3 },
  pools: [{ ...subject.pools[0]!, liquidityUsd: 10 }],
}

test('behavior: a market alone does not make a contract dangerous', () => {
  const { score, items } = scoreOf(worstMarket, worstHolders)
  expect(items.map(({ code }) => code)).toEqual([
    ...['lpLoose', 'lpOneHand', 'liquidityUnder1k', 'top10Over50', 'makerOver15', 'fewHolders'],
  ])
  // The level is high over 55, also where nothing could be simulated.
  expect(score).toBe(40)
  expect(scoreOf({ ...worstMarket, trade: null }, worstHolders).score).toBe(50)
  const taxed = { ...trade, sellTax: 0.03 }
  expect(scoreOf({ ...worstMarket, trade: taxed }, worstHolders).score).toBe(50)
  const owned = flags({ canMint: true })
  expect(scoreOf({ ...worstMarket, flags: owned }, worstHolders).score).toBe(60)
})

test('behavior: only a honeypot reaches 100', () => {
  const all = flags(Object.fromEntries(Object.keys(powerPoints).map((name) => [name, true])))
  expect(scoreOf({ flags: all }).score).toBe(95)
  expect(scoreOf({ trade: { ...trade, canSell: false } }).score).toBe(100)
})

const sells = (sold: number, failed: number): HolderSells => {
  return { tried: sold + failed, sold, failed, unclear: 0, taxes: [] }
}

test.each([
  ['a fresh account buys and sells', {}, null, false],
  ['nothing was simulated', null, null, null],
  ['nothing was simulated and holders are caught', null, sells(0, 1), true],
  ['a fresh account cannot sell', { canSell: false }, null, true],
  ['a fresh account cannot sell and neither can holders', { canSell: false }, sells(0, 2), true],
  ['a fresh account cannot sell and insiders can', { canSell: false }, sells(2, 0), true],
  ['half of a sale is lost', { sellTax: 0.5 }, null, true],
  ['every holder is caught', {}, sells(0, 1), true],
  ['one of two holders is caught', {}, sells(1, 1), false],
  ['two of five holders are caught', {}, sells(3, 2), true],
  ['one of five holders is caught', {}, sells(4, 1), false],
  ['nobody can buy', { canBuy: false, canSell: false }, null, null],
  ['nobody can buy, holders can sell', { canBuy: false, canSell: false }, sells(1, 0), null],
  ['nobody can buy or sell', { canBuy: false, canSell: false }, sells(0, 1), true],
] as const)('behavior: %s', (_, parts, holderSells, verdict) => {
  const facts = parts === null ? null : { ...trade, ...parts }
  expect(honeypotVerdict({ ...clean, trade: facts, holderSells })).toBe(verdict)
})

test.each([
  ['may mind two trades in a block', flags({ hasCooldown: null }), sells(2, 0), null],
  ['may mind contracts', flags({ seesContracts: true }), sells(2, 0), null],
  ['may mind contracts, nobody else tried', flags({ seesContracts: true }), null, null],
  [
    'may mind contracts, some holders are caught',
    flags({ seesContracts: true }),
    sells(2, 1),
    true,
  ],
  ['cannot be read', null, sells(2, 0), null],
] as const)(
  'behavior: a fresh account cannot sell a token that %s',
  (_, read, holderSells, verdict) => {
    const failed = { ...trade, canSell: false }
    expect(honeypotVerdict({ ...clean, trade: failed, flags: read, holderSells })).toBe(verdict)
  },
)

test('behavior: shares of holders and of liquidity', () => {
  const holders = [
    { address: 'pair', amountRaw: 500n, kind: 'pool' },
    { address: 'dead', amountRaw: 100n, kind: 'burn' },
    { address: 'whale', amountRaw: 400n, kind: 'wallet' },
  ] as const
  expect(topShares({ ...subject, holders })).toEqual([0.4])
  expect(scoreOf({}, { holders }).items).toEqual([{ code: 'top10Over30', points: 8 }])
  expect(topShares(subject)).toBe(null)
  const lp = {
    pair: 'pair',
    totalRaw: 100n,
    isSupply: true,
    decimals: 18,
    holders: [
      { address: 'maker', amountRaw: 60n, kind: 'creator' },
      { address: 'dead', amountRaw: 30n, kind: 'burn' },
    ],
    holderCount: 3,
    burntRaw: 30n,
    lockedRaw: 0n,
    makerRaw: 60n,
  } as const
  expect([lockedLpShare(lp), largestWithdrawableShare(lp)]).toEqual([0.3, 0.6])
  expect(scoreOf({ lp }).score).toBe(30)
  // Beside a main pair of another kind.
  expect(scoreOf({ lp: { ...lp, pair: 'side' } }).score).toBe(0)
  // Somebody unknown may have the other 70 of 100.
  expect(largestWithdrawableShare({ ...lp, holders: [lp.holders[1]], holderCount: null })).toBe(
    null,
  )
  expect(lockedLpShare({ ...lp, burntRaw: null })).toBe(null)
  expect(scoreOf({ lp: { ...lp, burntRaw: null } }).items).toEqual([
    { code: 'lpOneHand', points: 15 },
  ])
})
