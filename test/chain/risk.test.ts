import { readFileSync } from 'node:fs'
import { type Address, encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokenAbi } from '../../packages/devnet/src/contracts/abi.ts'
import { loadOwn, loadUniswap } from '../../packages/devnet/src/contracts/artifacts.ts'
import { fullRange, mintPosition } from '../../packages/devnet/src/contracts/liquidity.ts'
import { compileProbe, probeCodePath } from '../../packages/server/scripts/compileProbe.ts'
import type { DevNode } from '../support/devNode.ts'
import { concentratedPool, curvePool, pairPool, readSubject } from '../support/riskSubject.ts'
import { openRiskWorld, type RiskWorld } from '../support/riskWorld.ts'
import {
  approval,
  balanceOf,
  buyCurve,
  deployContract,
  deployToken,
  launchToken,
  openPoolV3,
  read,
  transact,
  transfer,
} from '../support/simulate.ts'

const zeroAddress = `0x${'0'.repeat(40)}`

let world: RiskWorld
let node: DevNode
let bodyOf: RiskWorld['bodyOf']
let openMarket: RiskWorld['openMarket']
let deployer: Address
let alice: Address
let bob: Address

beforeAll(async () => {
  world = await openRiskWorld()
  node = world.node
  bodyOf = world.bodyOf
  openMarket = world.openMarket
  deployer = node.wallets.deployer
  alice = node.wallets.traders[0]!
  bob = node.wallets.traders[1]!
})

afterAll(() => world.close())

test('behavior: compiling the probe gives the committed code', () => {
  expect(readFileSync(probeCodePath, 'utf8')).toBe(compileProbe())
})

test.each([
  [0, 'weth'],
  [6, 'weth'],
  [9, 'usdt'],
  [18, 'usdc'],
] as const)(
  'behavior: a plain token of %d decimals against %s is clean on V2',
  async (decimals, quote) => {
    const token = await deployToken(node, { decimals, supply: 10n ** BigInt(decimals + 6) })
    const subject = await openMarket(token, { decimals, quote })
    const body = await bodyOf(subject)
    expect(body).toMatchObject({
      token,
      chain: 'local',
      decimal: String(decimals),
      is_honeypot: 0,
      buy_tax: 0,
      sell_tax: 0,
      transfer_tax: '0',
      cannot_buy: '0',
      cannot_sell_all: '0',
      has_code: 1,
      is_proxy: '0',
      has_mint_method: 0,
      has_black_method: 0,
      has_white_method: 0,
      transfer_pausable: '0',
      slippage_modifiable: 0,
      owner_change_balance: '0',
      hidden_owner: '0',
      external_call: '0',
      selfdestruct: '0',
      is_anti_whale: '0',
      trading_cooldown: '0',
      can_take_back_ownership: '0',
      is_in_dex: '1',
      err_code: '0',
      checked_block: subject.block.number,
      updated_at: subject.block.timeS,
      creator_address: deployer,
      holder_analysis: { simulate_holders: 2, sell_successful: 2, sell_failure: 0, average_tax: 0 },
    })
    expect(body).not.toHaveProperty('owner')
    expect(body).not.toHaveProperty('is_open_source')
    expect(body.buy_gas_used).toBeGreaterThan(50_000)
    expect(Number(body.buy_gas)).toBeGreaterThan(0)
  },
)

test.each([
  [0, 'weth'],
  [6, 'usdc'],
  [18, 'usdt'],
] as const)(
  'behavior: a plain token of %d decimals against %s is clean on V3',
  async (decimals, quote) => {
    const unit = 10n ** BigInt(decimals)
    const token = await deployToken(node, { decimals, supply: 10n ** BigInt(decimals + 6) })
    const amounts = {
      base: 100_000n * unit,
      quote: quote === 'usdc' ? 50_000n * 10n ** 6n : 20n * 10n ** 18n,
    }
    const pool = { base: token, quote: node.deployment[quote], fee: 3000 }
    const address = await openPoolV3(node, pool, amounts)
    await transfer(node, token, deployer, alice, 500n * unit)
    const subject = await readSubject(node, token, {
      pools: [concentratedPool(node, address, quote, 3000)],
      holders: [alice],
      decimals,
    })
    const body = await bodyOf(subject)
    expect(body).toMatchObject({
      is_honeypot: 0,
      buy_tax: 0,
      sell_tax: 0,
      transfer_tax: '0',
      cannot_buy: '0',
      cannot_sell_all: '0',
      holder_analysis: { simulate_holders: 1, sell_successful: 1 },
      lp_pair: address,
      pair_holders: 1,
      pair_lock_percent: 0,
      big_lp_without_any_lock: 1,
      pair_holders_rank: [{ address: deployer, mark: 'Creator', percent: '1' }],
    })
    // Positions of a concentrated pool have no share supply.
    expect(body).not.toHaveProperty('pair_total')
  },
)

test('behavior: a token that only its owner can sell is a honeypot', async () => {
  const token = await deployContract(node, 'HoneypotToken', ['Trap', 'TRAP', 10n ** 24n])
  await openMarket(token)
  const pool = await pairPool(node, token)
  const free = await readSubject(node, token, { pools: [pool], holders: [alice] })
  expect(await bodyOf(free)).toMatchObject({ is_honeypot: 0, sell_tax: 0 })
  const args = [pool.address as Address] as const
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'markPool', args })
  await transact(node, { from: deployer, to: token, data })
  const subject = await readSubject(node, token, { pools: [pool], holders: [deployer, alice, bob] })
  const body = await bodyOf(subject, world.openReader())
  expect(body).toMatchObject({
    is_honeypot: 1,
    risk_score: 100,
    risk_level: -1,
    buy_tax: 0,
    transfer_tax: '0',
    cannot_buy: '0',
    owner: deployer,
    holder_analysis: { simulate_holders: 2, sell_successful: 0, sell_failure: 2 },
  })
  expect(body).not.toHaveProperty('sell_tax')
  // The owner writes a list that transfers check. Its purpose does not follow from the code, so it
  // is not reported as a blacklist.
  expect(body).not.toHaveProperty('has_black_method')
})

test.each([1n, 300n, 1_250n, 6_000n])(
  'behavior: a fee of %d hundredths of a percent is measured exactly',
  async (feeBps) => {
    const token = await deployContract(node, 'FeeToken', ['Fee', 'FEE', 10n ** 24n, feeBps])
    const { abi } = loadOwn('FeeToken')
    const percent = Number(await read<bigint>(node, token, abi, 'feeBps')) / 100
    expect(percent).toBe(Number(feeBps) / 100)
    const subject = await openMarket(token)
    const body = await bodyOf(subject)
    expect(body).toMatchObject({
      buy_tax: percent,
      sell_tax: percent,
      transfer_tax: String(percent),
      is_honeypot: percent >= 50 ? 1 : 0,
      cannot_sell_all: '0',
      owner: deployer,
      slippage_modifiable: 0,
      holder_analysis: { average_tax: percent, tax_distribution: [{ count: 2, tax: percent }] },
    })
  },
)

test('behavior: a taxed token can be sold to a concentrated pool, at its tax', async () => {
  const token = await deployContract(node, 'FeeToken', ['Fee', 'FEE', 10n ** 24n, 300n])
  const amounts = { base: 10n ** 23n, quote: 20n * 10n ** 18n }
  const address = await openPoolV3(
    node,
    { base: token, quote: node.deployment.weth, fee: 3000 },
    amounts,
  )
  const pools = [concentratedPool(node, address, 'weth', 3000)]
  const body = await bodyOf(await readSubject(node, token, { pools }))
  expect(body).toMatchObject({ is_honeypot: 0, buy_tax: 3, sell_tax: 3, transfer_tax: '3' })
})

test('behavior: an owner’s powers are found, and count less after renouncement', async () => {
  const token = await deployContract(node, 'MintableToken', ['Mint', 'MNT', 9, 10n ** 15n])
  const subject = await openMarket(token, { decimals: 9 })
  const body = await bodyOf(subject)
  expect(body).toMatchObject({
    is_honeypot: 0,
    has_mint_method: 1,
    transfer_pausable: '1',
    has_black_method: 1,
    has_white_method: 0,
    slippage_modifiable: 0,
    owner_change_balance: '0',
    hidden_owner: '0',
    can_take_back_ownership: '0',
    owner: deployer,
    creator_address: deployer,
    analysis_creator_gt_5percent: 90,
  })
  expect(body).not.toHaveProperty('previous_owner')
  expect(world.reader.known(token)).toMatchObject({ isMintable: true, isHoneypot: false })
  const data = encodeFunctionData({
    abi: parseAbi(['function renounceOwnership()']),
    functionName: 'renounceOwnership',
  })
  await transact(node, { from: deployer, to: token, data })
  const after = await bodyOf(
    await readSubject(node, token, { pools: subject.pools, holders: [alice], decimals: 9 }),
    world.openReader(),
  )
  expect(after).toMatchObject({
    owner: zeroAddress,
    previous_owner: deployer,
    has_owner_removed_risk: 1,
    has_mint_method: 1,
  })
  expect(after.risk_score).toBeLessThan(body.risk_score)
})

test('behavior: a paused token cannot be bought or sold', async () => {
  const token = await deployContract(node, 'MintableToken', ['Stop', 'STP', 18, 10n ** 24n])
  const { pools } = await openMarket(token)
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'pause' })
  await transact(node, { from: deployer, to: token, data })
  const body = await bodyOf(await readSubject(node, token, { pools, holders: [alice, bob] }))
  expect(body).toMatchObject({ cannot_buy: '1', is_honeypot: 1, transfer_pausable: '1' })
  expect(body).not.toHaveProperty('buy_tax')
  const unasked = await bodyOf(await readSubject(node, token, { pools }), world.openReader())
  expect(unasked).toMatchObject({ cannot_buy: '1', is_honeypot: -1 })
})

test('behavior: blacklisted holders are found even if a stranger can sell', async () => {
  const token = await deployContract(node, 'MintableToken', ['Black', 'BLK', 18, 10n ** 24n])
  const { pools } = await openMarket(token)
  const args = [alice, true] as const
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'setBlacklisted', args })
  await transact(node, { from: deployer, to: token, data })
  const body = await bodyOf(await readSubject(node, token, { pools, holders: [alice, bob] }))
  expect(body).toMatchObject({
    is_honeypot: 0,
    holder_analysis: { simulate_holders: 2, sell_successful: 1, sell_failure: 1 },
  })
  expect(body.risk_items).toContainEqual({ code: 'someHoldersCaught', points: 20 })
})

test('behavior: a launched token on its curve, and on its pair after graduation', async () => {
  const creator = node.wallets.traders[4]!
  const { token, receipt } = await launchToken(node, { from: creator, value: 10n ** 17n })
  const launch = { platform: 'tape', state: 'in', creator } as const
  const pools = [curvePool(node)]
  const early = await readSubject(node, token, { pools, holders: [creator], launch })
  expect(await bodyOf(early)).toMatchObject({
    is_honeypot: 0,
    buy_tax: 0,
    sell_tax: 0,
    transfer_tax: '0',
    creator_address: creator,
    creator_tx: receipt.transactionHash,
    issue_platform: 'tape',
    is_in_dex: '0',
    has_mint_method: 0,
  })
  const buyer = node.wallets.traders[5]!
  await buyCurve(node, token, buyer, 84n * 10n ** 17n)
  const nearly = await readSubject(node, token, { pools, holders: [buyer], launch })
  expect(await bodyOf(nearly, world.openReader())).toMatchObject({ is_honeypot: 0, sell_tax: 0 })
  await buyCurve(node, token, buyer, 10n ** 18n)
  const closed = await readSubject(node, token, { pools, launch })
  expect(await bodyOf(closed, world.openReader())).toMatchObject({
    is_honeypot: -1,
    err_code: 'not_simulated',
  })
  const pair = await pairPool(node, token)
  const out = await readSubject(node, token, {
    pools: [pair, ...pools],
    holders: [buyer],
    launch: { ...launch, state: 'out' },
  })
  const body = await bodyOf(out, world.openReader())
  expect(body).toMatchObject({
    is_honeypot: 0,
    buy_tax: 0,
    sell_tax: 0,
    is_in_dex: '1',
    lp_pair: pair.address,
    has_not_burned_lp: 0,
    pair_lock_percent: 1,
    pair_holders: 2,
    big_lp_without_any_lock: 0,
    holder_analysis: { sell_successful: 1 },
  })
  expect(body.pair_holders_rank[0]).toMatchObject({ mark: 'Blackhole', lock: [] })
})

test('behavior: accounts that can remove the liquidity are listed', async () => {
  const token = await deployToken(node)
  const subject = await openMarket(token)
  const pair = subject.pools[0]!.address as Address
  const body = await bodyOf(subject)
  const total = await read<bigint>(node, pair, tokenAbi, 'totalSupply')
  expect(body).toMatchObject({
    pair_holders: 2,
    big_lp_without_any_lock: 1,
    analysis_lp_creator_gt_5percent: 100,
  })
  expect(body.pair_holders_rank[0]).toMatchObject({ address: deployer, mark: 'Creator' })
  expect(body.pair_lock_percent).toBeCloseTo(1_000 / Number(total), 12)
  const half = (await balanceOf(node, pair, deployer)) / 2n
  await transfer(node, pair, deployer, '0x000000000000000000000000000000000000dEaD', half)
  const pools = subject.pools
  // Without logs only well-known addresses are asked for their shares.
  const narrow = world.openReader({ logBlocksMax: 1 })
  const later = await bodyOf(await readSubject(node, token, { pools }), narrow)
  expect(later.pair_lock_percent).toBeCloseTo(0.5, 6)
  expect(later).not.toHaveProperty('pair_holders')
})

test('behavior: positions of a concentrated pool belong to the owners of their NFTs', async () => {
  const { weth, positions } = node.deployment
  const token = await deployToken(node)
  const pool = { base: token, quote: weth, fee: 3000 }
  const amounts = { base: 3n * 10n ** 22n, quote: 6n * 10n ** 18n }
  const address = await openPoolV3(node, pool, amounts)
  const { abi } = loadUniswap().positions
  const held = await read<bigint>(node, positions, abi, 'balanceOf', [deployer])
  const tokenId = await read<bigint>(node, positions, abi, 'tokenOfOwnerByIndex', [
    ...[deployer, held - 1n],
  ])
  // A second position over the same range: the pool keeps both as one.
  const third = { base: 10n ** 22n, quote: 2n * 10n ** 18n }
  const range = fullRange(3000)
  await transfer(node, token, deployer, alice, 10n * third.base)
  await transact(
    node,
    approval(token, alice, positions),
    mintPosition(node.deployment, pool, alice, third, range),
  )
  const subjectOf = () =>
    readSubject(node, token, { pools: [concentratedPool(node, address, 'weth', 3000)] })
  const body = await bodyOf(await subjectOf())
  expect(body).toMatchObject({
    lp_pair: address,
    pair_holders: 2,
    pair_lock_percent: 0,
    has_not_burned_lp: 1,
    analysis_lp_creator_gt_5percent: 75,
  })
  expect(body.pair_holders_rank.map((row: { address: string }) => row.address)).toEqual([
    ...[deployer, alice],
  ])
  expect(Number(body.pair_holders_rank[0].percent)).toBeCloseTo(0.75, 6)
  const dead = '0x000000000000000000000000000000000000dEaD'
  const args = [deployer, dead, tokenId] as const
  const data = encodeFunctionData({ abi, functionName: 'transferFrom', args })
  await transact(node, { from: deployer, to: positions, data })
  const burnt = await bodyOf(await subjectOf(), world.openReader())
  expect(burnt.pair_lock_percent).toBeCloseTo(0.75, 6)
  expect(burnt).toMatchObject({ pair_holders: 2, analysis_lp_creator_gt_5percent: 0 })
  // If logs do not reach back far enough, no liquidity provider is named.
  const narrow = await bodyOf(await subjectOf(), world.openReader({ positionBlocksMax: 1 }))
  expect(narrow).not.toHaveProperty('lp_pair')
})

test('behavior: with a concentrated main pair, shares are those of the deepest pair that has shares', async () => {
  const token = await deployToken(node)
  const { pools } = await openMarket(token)
  const [pair] = pools
  const shallow = { ...(await pairPool(node, token)), address: zeroAddress, liquidityUsd: 10 }
  const untrusted = { ...pair!, address: node.deployment.usdc, isTrusted: false, liquidityUsd: 1e9 }
  const amounts = { base: 10n ** 23n, quote: 20n * 10n ** 18n }
  const main = await openPoolV3(
    node,
    { base: token, quote: node.deployment.weth, fee: 3000 },
    amounts,
  )
  const all = [concentratedPool(node, main, 'weth', 3000), untrusted, shallow, pair!]
  const body = await bodyOf(await readSubject(node, token, { pools: all, holders: [alice] }))
  expect(body).toMatchObject({
    lp_pair: pair!.address,
    has_not_burned_lp: 1,
    big_lp_without_any_lock: 1,
    pair_holders: 2,
    has_sell_max_limit: 0,
    is_listed: 0,
  })
  // A side pool must not change the rating of the market.
  const codes = body.risk_items.map(({ code }: { code: string }) => code)
  expect(codes).not.toContain('lpLoose')
})

test('behavior: a check reports about its own block, not the newest', async () => {
  const token = await deployContract(node, 'MintableToken', ['Then', 'THN', 18, 10n ** 24n])
  const subject = await openMarket(token)
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'pause' })
  await transact(node, { from: deployer, to: token, data })
  const body = await bodyOf(subject)
  expect(body).toMatchObject({
    cannot_buy: '0',
    is_honeypot: 0,
    checked_block: subject.block.number,
  })
})

test('behavior: an address without a contract, and a token without a pool', async () => {
  const noContract = `0x${'7'.repeat(40)}` as Address
  const base = await readSubject(node, await deployToken(node), { pools: [] })
  expect(await bodyOf({ ...base, address: noContract })).toMatchObject({
    has_code: 0,
    is_honeypot: -1,
  })
  const body = await bodyOf(base)
  expect(body).toMatchObject({ has_code: 1, is_honeypot: -1, is_in_dex: '0' })
  for (const name of ['buy_tax', 'sell_tax', 'transfer_tax', 'cannot_buy', 'dex'])
    expect(body).not.toHaveProperty(name)
})
