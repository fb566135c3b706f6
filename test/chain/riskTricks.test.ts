import { resolve } from 'node:path'
import { type Address, encodeDeployData, encodeFunctionData, toFunctionSelector } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { loadUniswap } from '../../packages/devnet/src/contracts/artifacts.ts'
import { readContract } from '../../packages/server/src/risk/evm/code/readContract.ts'
import { compileSolidity } from '../support/compileSolidity.ts'
import type { DevNode } from '../support/devNode.ts'
import { concentratedPool, pairPool, readSubject } from '../support/riskSubject.ts'
import { openRiskWorld, type RiskWorld } from '../support/riskWorld.ts'
import { deployContract, deployToken, type Receipt, transact } from '../support/simulate.ts'

const zeroAddress = `0x${'0'.repeat(40)}`
const tricks = compileSolidity(resolve(import.meta.dirname, '../support/RiskTokens.sol'))

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

async function deployTrick(name: string, args: readonly unknown[] = []): Promise<Address> {
  const { abi, bytecode } = tricks.get(name)!
  const data = encodeDeployData({ abi, bytecode, args })
  const hash = await node.send({ from: deployer, to: undefined, data, value: 0n, gas: 7_000_000 })
  await node.mine()
  const receipt = (await node.request('eth_getTransactionReceipt', [hash])) as Receipt
  return receipt.contractAddress!.toLowerCase() as Address
}

async function callTrick(token: Address, name: string, functionName: string, args: unknown[]) {
  const { abi } = tricks.get(name)!
  const data = encodeFunctionData({ abi, functionName, args })
  await transact(node, { from: deployer, to: token, data })
}

test('behavior: a token that refuses sales through routers only', async () => {
  const body = await bodyOf(await openMarket(await deployTrick('SpendTrap')))
  expect(body).toMatchObject({ is_honeypot: 1, cannot_buy: '0', transfer_tax: '0' })
})

test('behavior: a token that returns success and moves nothing, except for insiders', async () => {
  const token = await deployTrick('SilentTrap')
  const { pools } = await openMarket(token)
  await callTrick(token, 'SilentTrap', 'favour', [alice, pools[0]!.address])
  const body = await bodyOf(await readSubject(node, token, { pools, holders: [alice, bob] }))
  expect(body).toMatchObject({
    is_honeypot: 1,
    holder_analysis: { sell_successful: 1, sell_failure: 1 },
  })
})

test('behavior: a token that prevents selling the whole balance', async () => {
  const body = await bodyOf(await openMarket(await deployTrick('PartSeller')))
  expect(body).toMatchObject({
    is_honeypot: 0,
    cannot_sell_all: '1',
    sell_tax: 0,
    has_sell_max_limit: 1,
  })
})

test('behavior: a token with one trade per account and block is not called a honeypot', async () => {
  const body = await bodyOf(await openMarket(await deployTrick('OncePerBlock')))
  expect(body).toMatchObject({ is_honeypot: -1, cannot_buy: '0' })
  expect(body).not.toHaveProperty('trading_cooldown')
})

test('behavior: a token that refuses contracts is not called a honeypot', async () => {
  const token = await deployTrick('NoContracts')
  const subject = await openMarket(token)
  await callTrick(token, 'NoContracts', 'allow', [subject.pools[0]!.address])
  const body = await bodyOf(
    await readSubject(node, token, { pools: subject.pools, holders: [bob] }),
  )
  expect(body).toMatchObject({ is_honeypot: -1, err_code: 'not_simulated' })
  expect(body).not.toHaveProperty('cannot_buy')
})

test('behavior: taxes on buys, sales and transfers are distinguished', async () => {
  const token = await deployTrick('ThreeTaxes')
  const { pools } = await openMarket(token)
  await callTrick(token, 'ThreeTaxes', 'setPool', [pools[0]!.address])
  const body = await bodyOf(await readSubject(node, token, { pools, holders: [bob] }))
  expect(body).toMatchObject({ buy_tax: 0, sell_tax: 25, transfer_tax: '10', is_honeypot: 0 })
  expect(body.risk_items).toContainEqual({ code: 'taxOver20', points: 30 })
})

test('behavior: an unknown function that mints leaves the answer open', async () => {
  const body = await bodyOf(await openMarket(await deployTrick('Backdoor')))
  expect(body.is_honeypot).toBe(0)
  for (const name of ['has_mint_method', 'owner_change_balance'])
    expect(body).not.toHaveProperty(name)
  // The code contains the address that it obeys, and no function returns that address.
  expect(body).toMatchObject({ has_black_method: 0, transfer_pausable: '0', hidden_owner: '1' })
})

test('behavior: a proxy’s implementation is analyzed', async () => {
  const target = await deployContract(node, 'MintableToken', ['Under', 'UND', 18, 10n ** 24n])
  const proxy = await deployTrick('Proxy', [target])
  const upgradeable = await bodyOf(await readSubject(node, proxy, { pools: [] }))
  expect(upgradeable).toMatchObject({
    is_proxy: '1',
    is_upgradeable: '1',
    has_mint_method: 1,
    transfer_pausable: '1',
    owner: zeroAddress,
  })
  const clone = `0x${'c1'.repeat(20)}` as Address
  const code = `0x363d3d373d3d3d363d73${target.slice(2)}5af43d82803e903d91602b57fd5bf3`
  await node.request('hardhat_setCode', [clone, code])
  await node.mine()
  const fixed = await bodyOf(await readSubject(node, clone, { pools: [] }))
  expect(fixed).toMatchObject({ is_proxy: '1', is_upgradeable: '0', has_black_method: 1 })
  const strange = await deployTrick('StrangeProxy', [target])
  const open = await bodyOf(await readSubject(node, strange, { pools: [] }))
  for (const name of ['is_proxy', 'is_upgradeable', 'has_mint_method', 'transfer_pausable'])
    expect(open).not.toHaveProperty(name)
})

test('error: without a node the last report is returned, or none', async () => {
  const token = await deployToken(node)
  const subject = await openMarket(token)
  const rpc = world.openRpc()
  const own = world.openReader({ reportBlocksMin: 1, reportBlockTimeSMax: 0 }, rpc)
  const first = await own.report(subject)
  rpc.close()
  await node.mine()
  const later = await readSubject(node, token, { pools: subject.pools })
  expect(await own.report(later)).toBe(first)
  const unknown = { ...later, address: node.deployment.usdc }
  await expect(own.report(unknown)).rejects.toMatchObject({ code: 'RISK_UNAVAILABLE' })
})

test('behavior: every token of the listed market is classified correctly', async () => {
  const listed = await openRiskWorld({ market: true })
  onTestFinished(() => listed.close())
  const { node: market, reader: risk } = listed
  const { deployment } = market
  const { number } = await market.readHead()
  const verdicts: Record<string, unknown> = {}
  for (const { address, symbol, decimals, kind } of deployment.tokens) {
    if (kind === 'native' || kind === 'stable') continue
    const pools = await Promise.all(
      deployment.pools
        .filter(({ base }) => base === address)
        .map(async ({ venue, quote, fee, address: pool }) => {
          const name =
            quote === deployment.weth ? 'weth' : quote === deployment.usdc ? 'usdc' : 'usdt'
          return venue === 'v2'
            ? await pairPool(market, address, name)
            : concentratedPool(market, pool, name, fee)
        }),
    )
    const holders = [...market.wallets.lps, ...market.wallets.arbitrageurs]
    const subject = await readSubject(market, address, { pools, holders, decimals })
    const report = await risk.report(subject)
    expect(report.block.number).toBe(number)
    const { isHoneypot, trade, flags } = report
    verdicts[symbol] = [
      isHoneypot,
      trade?.buyTax,
      trade?.sellTax,
      trade?.transferTax,
      flags?.canMint,
    ]
  }
  const clean = [false, 0, 0, 0, false]
  const owned = [false, 0, 0, 0, true]
  expect(verdicts).toEqual({
    ALFA: clean,
    NINE: clean,
    SIXER: clean,
    WHOLE: clean,
    MKB: clean,
    TAXED: [false, 0.03, 0.03, 0.03, false],
    HONEY: [true, 0, null, 0, false],
    MINTY: owned,
    STOP: owned,
    SWAY: clean,
    EVIL: clean,
    DELTA: clean,
    EPSY: clean,
    OMEG: clean,
  })
})

test('behavior: exactly the functions of published contracts are found', async () => {
  const { weth, factoryV2, routerV2, factoryV3, positions, routerV3 } = loadUniswap()
  const published = { weth, factoryV2, routerV2, factoryV3, positions, routerV3 }
  for (const [name, { abi }] of Object.entries(published)) {
    const address = node.deployment[name as keyof typeof published]
    const code = (await node.request('eth_getCode', [address, 'latest'])) as string
    const { functions } = await readContract(code, {
      stepsMax: 30_000,
      visitsMax: 8,
      constantsMax: 1_000,
      totalStepsMax: 1_000_000,
    })
    const entered = [...functions].filter(([, { isEntered }]) => isEntered).map(([found]) => found)
    const declared = abi.filter((item) => item.type === 'function').map(toFunctionSelector)
    expect(entered.sort(), name).toEqual(declared.sort())
  }
})
