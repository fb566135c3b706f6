import { expect, test } from 'vitest'
import { nothingFound } from '../../../risk/riskChecker.ts'
import type { RiskReport } from '../../../risk/riskReport.ts'
import type { RiskSubject } from '../../../risk/riskSubject.ts'
import { encodeContractRisk } from './contractAnswer.ts'

const wrapped = `0x${'e'.repeat(40)}`
const profile = {
  name: 'bsc',
  native: { symbol: 'BNB', decimals: 18, wrappedToken: wrapped },
}
const unit = 10n ** 18n
const pair = `0x${'b'.repeat(40)}`
const maker = `0x${'d'.repeat(40)}`
const dead = '0x000000000000000000000000000000000000dead'

const subject: RiskSubject = {
  address: `0x${'a'.repeat(40)}`,
  symbol: 'SKY',
  name: 'Sky "quoted"',
  decimals: 18,
  supply: {
    total: 10n ** 30n,
    burnt: 25n * 10n ** 28n,
    locked: 1n,
    other: 0n,
    holders: 47_915,
  },
  holders: [
    { address: pair, amountRaw: 5n * 10n ** 29n, kind: 'pool' },
    { address: dead, amountRaw: 25n * 10n ** 28n, kind: 'burn' },
    { address: maker, amountRaw: 2n * 10n ** 29n, kind: 'wallet' },
  ],
  pools: [
    {
      address: pair,
      kind: 'constantProduct',
      venue: 'uniswapV2',
      factory: 'factory',
      amm: 'cakev2',
      isTrusted: true,
      feePpm: 2_500,
      quote: { address: wrapped, symbol: 'WBNB', decimals: 18 },
      quoteReserveRaw: 0n,
      params: [],
      liquidityUsd: 3_597_868.37,
    },
    {
      address: `0x${'f'.repeat(40)}`,
      kind: 'constantProduct',
      venue: 'uniswapV2',
      factory: 'stranger',
      amm: 'unknown',
      isTrusted: false,
      feePpm: null,
      quote: { address: wrapped, symbol: 'WBNB', decimals: 18 },
      quoteReserveRaw: 0n,
      params: [],
      liquidityUsd: 1e9,
    },
  ],
  launch: null,
  nativeUsd: 600,
  block: { number: 500, hash: 'hash', timeS: 1_700_000_500 },
}

const report: RiskReport = {
  hasCode: true,
  isProxy: false,
  isUpgradeable: false,
  flags: {
    canMint: true,
    canPause: false,
    canBlacklist: null,
    canWhitelist: false,
    canChangeTax: true,
    canChangePersonalTax: false,
    canChangeBalance: false,
    hasMaxAmount: null,
    canChangeMaxAmount: false,
    hasCooldown: false,
    canTakeBackOwnership: false,
    hasHiddenOwner: null,
    canSelfDestruct: false,
    callsOutside: true,
    seesContracts: false,
  },
  owner: { address: maker, isRenounced: false, previous: null, balanceRaw: 2n * 10n ** 29n },
  roles: { holders: [{ role: 'MINTER_ROLE', address: maker }], isWhole: true },
  creator: { address: maker, txHash: '0xfeed', balanceRaw: 2n * 10n ** 29n },
  createdAtS: 1_699_000_000,
  lp: {
    pair,
    totalRaw: 1_000n * unit,
    isSupply: true,
    decimals: 18,
    holders: [
      { address: dead, amountRaw: 900n * unit, kind: 'burn' },
      { address: maker, amountRaw: 100n * unit, kind: 'creator' },
    ],
    holderCount: 2,
    burntRaw: 900n * unit,
    lockedRaw: 0n,
    makerRaw: 100n * unit,
  },
  transferFee: null,
  trade: {
    canBuy: true,
    canSell: true,
    canSellAll: true,
    buyTax: 0.05,
    sellTax: 0.075,
    transferTax: 0.000001,
    canTransfer: true,
    buyFeeUnits: 146_000,
    sellFeeUnits: null,
    approveFeeUnits: 26_000,
    reason: '',
  },
  holderSells: { tried: 3, sold: 2, failed: 1, unclear: 0, taxes: [0.075, 0.075] },
  tradeError: '',
  feeUnitRaw: 100_000_000n,
  block: { number: 480, hash: 'old', timeS: 1_700_000_480 },
  isHoneypot: false,
  isListed: false,
  hasHoneypotOfCreator: null,
  score: 61,
  items: [{ code: 'canMint', points: 20 }],
}

const textOf = (parts: Partial<RiskReport> = {}, subjectParts: Partial<RiskSubject> = {}) =>
  encodeContractRisk({
    profile,
    subject: { ...subject, ...subjectParts },
    report: { ...report, ...parts },
    creatorRecord: parts.creator === null ? null : { tokens: 3, honeypots: 1, dead: 2 },
  })
const bodyOf = (...args: Parameters<typeof textOf>) => JSON.parse(textOf(...args))

test('default: a full report has all fields', () => {
  expect(bodyOf()).toEqual({
    token: subject.address,
    chain: 'bsc',
    token_name: 'Sky "quoted"',
    token_symbol: 'SKY',
    decimal: '18',
    total: '1000000000000',
    holders: 47_915,
    lock_amount: 1e-18,
    burn_amount: 250_000_000_000,
    token_lock_percent: 0,
    issue_platform: '',
    checked_block: 480,
    updated_at: 1_700_000_480,
    version: 'v1.0.0',
    err_code: '0',
    err_msg: '',
    risk_score: 61,
    analysis_risk_score: 61,
    risk_level: -1,
    is_listed: 0,
    risk_items: [{ code: 'canMint', points: 20 }],
    is_honeypot: 0,
    has_code: 1,
    is_proxy: '0',
    is_upgradeable: '0',
    has_mint_method: 1,
    has_white_method: 0,
    transfer_pausable: '0',
    slippage_modifiable: 1,
    personal_slippage_modifiable: '0',
    owner_change_balance: '0',
    anti_whale_modifiable: '0',
    trading_cooldown: '0',
    can_take_back_ownership: '0',
    selfdestruct: '0',
    external_call: '1',
    owner: maker,
    owner_balance: '200000000000',
    owner_percent: '0.2',
    role_holders: [{ role: 'MINTER_ROLE', address: maker }],
    creator_address: maker,
    creator_tx: '0xfeed',
    creator_balance: '200000000000',
    creator_percent: '0.2',
    creator_tokens: 3,
    creator_honeypots: 1,
    creator_dead_tokens: 2,
    analysis_creator_gt_5percent: 20,
    buy_tax: 5,
    sell_tax: 7.5,
    transfer_tax: '0.0001',
    cannot_buy: '0',
    cannot_sell_all: '0',
    approve_gas: '0.00156',
    buy_gas: '0.00876',
    sell_gas: '',
    approve_gas_used: 26_000,
    buy_gas_used: 146_000,
    holder_analysis: {
      average_tax: 7.5,
      sell_failure: 1,
      sell_successful: 2,
      simulate_holders: 3,
      tax_distribution: [{ count: 2, tax: 7.5 }],
    },
    is_in_dex: '1',
    dex: [{ amm: 'cakev2', liquidity: '3597868.37', name: 'Cakev2: SKY/WBNB', pair }],
    analysis_lp_current_volume: 3_597_868,
    analysis_lp_current_adequate: '1',
    lp_pair: pair,
    has_not_burned_lp: 1,
    pair_total: 1_000,
    pair_lock_percent: 0.9,
    pair_holders: 2,
    pair_holders_rank: [
      {
        address: dead,
        is_contract: null,
        lock: [],
        mark: 'Blackhole',
        percent: '0.9',
        quantity: '900',
      },
      { address: maker, is_contract: null, mark: 'Creator', percent: '0.1', quantity: '100' },
    ],
    big_lp_without_any_lock: 0,
    analysis_lp_creator_gt_5percent: 10,
    token_holders_rank: [
      {
        address: pair,
        is_contract: 1,
        is_lp: 1,
        mark: 'Cakev2: SKY/WBNB',
        percent: '0.5',
        quantity: '500000000000',
      },
      {
        address: dead,
        is_contract: null,
        lock: [],
        mark: 'Blackhole',
        percent: '0.25',
        quantity: '250000000000',
      },
      {
        address: maker,
        is_contract: null,
        mark: 'Creator',
        percent: '0.2',
        quantity: '200000000000',
        analysis_show_warning: '1',
        analysis_show_creator: '1',
      },
    ],
    analysis_big_wallet: '1',
    has_top10_holder_amount_over_30: 0,
  })
})

test('behavior: numbers have no exponent', () => {
  expect(textOf()).toContain('"lock_amount":0.000000000000000001,')
  expect(textOf()).not.toMatch(/\d[eE][+-]?\d/)
})

test('behavior: undetermined fields are absent, and nothing looks safe', () => {
  const body = bodyOf(
    { ...nothingFound, isHoneypot: null, score: 10, items: [] },
    { supply: null, holders: [], pools: [], nativeUsd: null },
  )
  expect(Object.keys(body).sort()).toEqual(
    [
      ...['token', 'chain', 'token_name', 'token_symbol', 'decimal', 'issue_platform'],
      ...['checked_block', 'updated_at', 'version', 'err_code', 'err_msg'],
      ...[
        'risk_score',
        'analysis_risk_score',
        'risk_level',
        'risk_items',
        'is_honeypot',
        'is_listed',
      ],
      ...['approve_gas', 'buy_gas', 'sell_gas', 'is_in_dex'],
      ...['analysis_lp_current_volume', 'analysis_lp_current_adequate'],
    ].sort(),
  )
  expect(body).toMatchObject({ is_honeypot: -1, err_code: 'not_simulated', buy_gas: '' })
})

test('behavior: declared taxes are reported without a simulation', () => {
  const written = bodyOf({ ...nothingFound, transferFee: 0.025 })
  expect(written).toMatchObject({ buy_tax: 2.5, sell_tax: 2.5, transfer_tax: '2.5' })
  // A measured tax is closer to what traders pay than the declared fee.
  expect(bodyOf({ transferFee: 0.3 })).toMatchObject({ sell_tax: 7.5 })
})

test("behavior: a creator's unknown balance is absent", () => {
  const unread = bodyOf({ creator: { ...report.creator!, balanceRaw: null } })
  expect(unread).toMatchObject({ creator_address: maker })
  expect(unread).not.toHaveProperty('creator_balance')
  expect(unread).not.toHaveProperty('analysis_creator_gt_5percent')
  const lpOf = (makerRaw: bigint | null, parts: Partial<RiskReport> = {}) =>
    bodyOf({ lp: { ...report.lp!, makerRaw }, ...parts })
  const name = 'analysis_lp_creator_gt_5percent'
  expect(lpOf(0n)).toHaveProperty(name, 0)
  expect(lpOf(null)).not.toHaveProperty(name)
  expect(lpOf(50n * unit, { creator: null })).not.toHaveProperty(name)
  expect(lpOf(60n * unit, { creator: null })).toHaveProperty(name, 6)
})

test('behavior: partly unknown liquidity is reported neither as locked nor as loose', () => {
  const body = bodyOf({ lp: { ...report.lp!, burntRaw: null, holderCount: null } })
  expect(body).toMatchObject({ pair_total: 1_000 })
  for (const name of ['pair_lock_percent', 'big_lp_without_any_lock', 'pair_holders'])
    expect(body).not.toHaveProperty(name)
})

test('behavior: holders that could not sell have no average tax', () => {
  const holderSells = { tried: 2, sold: 0, failed: 2, unclear: 0, taxes: [] }
  expect(bodyOf({ holderSells }).holder_analysis).toEqual({
    sell_failure: 2,
    sell_successful: 0,
    simulate_holders: 2,
    tax_distribution: [],
  })
})

test('behavior: liquidity counts as burnt when nearly all of it is', () => {
  const lpOf = (burntRaw: bigint | null) => bodyOf({ lp: { ...report.lp!, burntRaw } })
  expect(lpOf(950n * unit)).toMatchObject({ has_not_burned_lp: 0 })
  expect(lpOf(949n * unit)).toMatchObject({ has_not_burned_lp: 1 })
  expect(lpOf(null)).not.toHaveProperty('has_not_burned_lp')
})

test('behavior: a sell limit is present, ruled out, or unknown', () => {
  const name = 'has_sell_max_limit'
  const trade = { ...report.trade!, canSellAll: false }
  expect(bodyOf({ trade })).toHaveProperty(name, 1)
  const flags = { ...report.flags!, hasMaxAmount: false }
  const holderSells = { ...report.holderSells!, failed: 0 }
  expect(bodyOf({ flags, holderSells })).toHaveProperty(name, 0)
  expect(bodyOf({ flags })).not.toHaveProperty(name)
  expect(bodyOf({ flags, holderSells: null })).not.toHaveProperty(name)
  expect(bodyOf({ holderSells })).not.toHaveProperty(name)
  expect(bodyOf({ flags, holderSells, trade: null })).not.toHaveProperty(name)
})

test('behavior: risk levels follow from the report', () => {
  expect(bodyOf({ score: 55 }).risk_level).toBe(0)
  expect(bodyOf({ score: 56, isListed: true }).risk_level).toBe(-1)
  expect(bodyOf({ score: 20, isListed: true })).toMatchObject({ risk_level: 1, is_listed: 1 })
  expect(bodyOf({ score: 100, isHoneypot: true })).toMatchObject({ risk_level: -1, is_honeypot: 1 })
})

test('behavior: renouncing ownership neutralizes owner powers only if ownership cannot return', () => {
  const owner = { address: dead, isRenounced: true, previous: maker, balanceRaw: 0n }
  expect(bodyOf({ owner })).toMatchObject({ previous_owner: maker, has_owner_removed_risk: 0 })
  const flags = { ...report.flags!, hasHiddenOwner: false }
  expect(bodyOf({ owner, flags })).toMatchObject({ has_owner_removed_risk: 0 })
  const roles = { holders: [], isWhole: true }
  expect(bodyOf({ owner, flags, roles })).toMatchObject({ has_owner_removed_risk: 1 })
  expect(bodyOf({ owner, flags, roles: { ...roles, isWhole: false } })).toMatchObject({
    has_owner_removed_risk: 0,
  })
  expect(bodyOf({ owner, flags, roles: null })).toMatchObject({
    has_owner_removed_risk: 1,
    owner_percent: '0',
  })
})
