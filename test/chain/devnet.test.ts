import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import {
  type Address,
  createPublicClient,
  decodeEventLog,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  http,
  parseEther,
  webSocket,
} from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { artifactsDir, compileContracts } from '../../packages/devnet/scripts/compile.ts'
import {
  launchPadAbi,
  lockerAbi,
  pairAbi,
  poolAbi,
  tokenAbi,
} from '../../packages/devnet/src/contracts/abi.ts'
import { loadOwn } from '../../packages/devnet/src/contracts/artifacts.ts'
import { deadAddress } from '../../packages/devnet/src/profile.ts'
import { createRandom } from '../../packages/devnet/src/random.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import {
  addLiquidity,
  approval,
  balanceOf,
  buyCurve,
  deployContract,
  deployToken,
  launchToken,
  openPoolV3,
  pairOf,
  type Receipt,
  read,
  removeLiquidity,
  sellCurve,
  swap,
  transact,
  transfer,
} from '../support/simulate.ts'

const unit = 10n ** 18n

function eventsOf(receipt: Receipt, name: string) {
  const { abi } = loadOwn('LaunchPad')
  return receipt.logs.flatMap(({ topics, data }) => {
    try {
      const event = decodeEventLog({ abi, topics, data })
      return event.eventName === name ? [event.args as unknown as Record<string, unknown>] : []
    } catch {
      return []
    }
  })
}

test('behavior: compiling the contracts gives the committed artifacts', () => {
  for (const [name, text] of compileContracts())
    expect(readFileSync(join(artifactsDir, name), 'utf8'), name).toBe(text)
})

describe('contracts', () => {
  let node: DevNode
  let weth: Address
  let deployer: Address
  let alice: Address
  let bob: Address

  beforeAll(async () => {
    node = await startDevNode()
    weth = node.deployment.weth
    deployer = node.wallets.deployer
    alice = node.wallets.traders[0]!
    bob = node.wallets.traders[1]!
  })

  afterAll(() => node.stop())

  const call = (from: Address, to: Address, functionName: string, args: unknown[] = []) =>
    transact(node, {
      from,
      to,
      data: encodeFunctionData({ abi: tokenAbi as never, functionName, args } as never),
    })

  async function poolOf(
    base: Address,
  ): Promise<{ pair: Address; pool: Parameters<typeof swap>[1] }> {
    await addLiquidity(node, { base, quote: weth }, { base: 10n ** 24n, quote: 100n * unit })
    const pair = await pairOf(node, base, weth)
    return { pair, pool: { venue: 'v2', fee: 3000, base, quote: weth } }
  }

  test('behavior: the published pools can be traded', async () => {
    const token = await deployToken(node, { decimals: 6, supply: 10n ** 15n })
    const amounts = { base: 10n ** 12n, quote: 500n * unit }
    const address = await openPoolV3(node, { base: token, quote: weth, fee: 3000 }, amounts)
    const pool = { venue: 'v3', fee: 3000, base: token, quote: weth } as const
    const [before] = await read<readonly [bigint]>(node, address, poolAbi, 'slot0')
    const bought = await swap(node, pool, alice, weth, unit)
    expect(bought.status).toBe('0x1')
    const held = await balanceOf(node, token, alice)
    // 1 of 500 ETH, less the 0.3 % fee and the trade's price impact.
    expect(Number(held) / 1e12 / 0.001994).toBeCloseTo(0.998, 2)
    const [after] = await read<readonly [bigint]>(node, address, poolAbi, 'slot0')
    expect(token < weth ? after > before : after < before).toBe(true)
    expect((await swap(node, pool, alice, token, held)).status).toBe('0x1')
    expect(await balanceOf(node, token, alice)).toBe(0n)
  })

  test('behavior: liquidity can be removed', async () => {
    const token = await deployToken(node)
    const { pair } = await poolOf(token)
    const share = (await balanceOf(node, pair, deployer)) / 2n
    expect((await removeLiquidity(node, { base: token, quote: weth }, share)).status).toBe('0x1')
    const half = Number((await balanceOf(node, token, pair)) / 10n ** 18n)
    expect(half).toBeCloseTo(500_000, 0)
  })

  test('behavior: a bytes32 token answers 32 bytes', async () => {
    const name = `0x${Buffer.from('Maker').toString('hex').padEnd(64, '0')}` as Hex
    const token = await deployContract(node, 'Bytes32Token', [name, name, unit])
    const { abi } = loadOwn('Bytes32Token')
    expect(await read(node, token, abi, 'name')).toBe(name)
  })

  test('behavior: hostile metadata is long and dirty', async () => {
    const token = await deployContract(node, 'HostileToken', [unit, 10_000n])
    const { abi } = loadOwn('HostileToken')
    const name = await read<string>(node, token, abi, 'name')
    expect(name.length).toBe(10_000)
    expect(name.charCodeAt(0)).toBe(0)
    expect(name.charCodeAt(27)).toBe(27)
    expect(await read<string>(node, token, abi, 'symbol')).toContain('\u202e')
  })

  test('behavior: the fee token takes its fee and reports it', async () => {
    const token = await deployContract(node, 'FeeToken', ['Fee', 'FEE', 10n ** 25n, 300n])
    await transfer(node, token, deployer, alice, 10_000n)
    expect(await balanceOf(node, token, alice)).toBe(10_000n)
    const before = await balanceOf(node, token, deployer)
    const receipt = await transfer(node, token, alice, bob, 1_000n)
    expect(await balanceOf(node, token, bob)).toBe(970n)
    expect((await balanceOf(node, token, deployer)) - before).toBe(30n)
    expect(receipt.logs.map(({ data }) => BigInt(data))).toEqual([30n, 970n])
    const { pool } = await poolOf(token)
    expect((await swap(node, pool, bob, weth, unit)).status).toBe('0x1')
    expect((await swap(node, pool, bob, token, unit)).status).toBe('0x1')
  })

  test('behavior: a honeypot can be bought by anyone, and sold only by its owner', async () => {
    const token = await deployContract(node, 'HoneypotToken', ['Honey', 'HON', 10n ** 25n])
    const { pair, pool } = await poolOf(token)
    await call(deployer, token, 'markPool', [pair])
    expect((await swap(node, pool, alice, weth, unit)).status).toBe('0x1')
    const held = await balanceOf(node, token, alice)
    expect(held).toBeGreaterThan(0n)
    expect((await swap(node, pool, alice, token, held)).status).toBe('0x0')
    expect(await balanceOf(node, token, alice)).toBe(held)
    expect((await swap(node, pool, deployer, token, held)).status).toBe('0x1')
  })

  test('behavior: only the owner can mint a mintable token', async () => {
    const token = await deployContract(node, 'MintableToken', ['Mint', 'MNT', 9, 1_000n])
    expect((await call(alice, token, 'mint', [alice, 5n])).status).toBe('0x0')
    expect((await call(deployer, token, 'mint', [alice, 5n])).status).toBe('0x1')
    expect(await read(node, token, tokenAbi, 'totalSupply')).toBe(1_005n)
    await call(deployer, token, 'pause')
    expect((await transfer(node, token, alice, bob, 1n)).status).toBe('0x0')
    await call(deployer, token, 'unpause')
    expect((await transfer(node, token, alice, bob, 1n)).status).toBe('0x1')
    await call(deployer, token, 'setBlacklisted', [bob, true])
    expect((await transfer(node, token, bob, alice, 1n)).status).toBe('0x0')
  })

  test('behavior: the locker returns tokens only to the owner, and not before the unlock time', async () => {
    const { locker } = node.deployment
    const ask = (from: Address, functionName: 'deposit' | 'withdraw', args: unknown[]) =>
      transact(node, {
        from,
        to: locker,
        data: encodeFunctionData({ abi: lockerAbi, functionName, args } as never),
      })
    const token = await deployContract(node, 'FeeToken', ['Fee', 'FEE', 10n ** 25n, 300n])
    await transfer(node, token, deployer, alice, 10_000n)
    await transact(node, approval(token, alice, locker))
    const unlockS = (await node.readHead()).timestampS + 1_000
    const { topics, data } = (await ask(alice, 'deposit', [token, 1_000n, unlockS])).logs.at(-1)!
    const { args } = decodeEventLog({ abi: loadOwn('Locker').abi, topics, data })
    const deposited = args as unknown as { id: bigint; owner: string }
    expect(deposited).toMatchObject({ amount: 970n, unlockTime: BigInt(unlockS) })
    expect(deposited.owner.toLowerCase()).toBe(alice)
    expect(await balanceOf(node, token, locker)).toBe(970n)
    const withdraw = async (from: Address) => (await ask(from, 'withdraw', [deposited.id])).status
    expect(await withdraw(alice)).toBe('0x0')
    node.setNextTime(unlockS)
    expect(await withdraw(bob)).toBe('0x0')
    expect(await withdraw(alice)).toBe('0x1')
    expect(await withdraw(alice)).toBe('0x0')
    expect(await balanceOf(node, token, locker)).toBe(0n)
    expect((await ask(alice, 'deposit', [token, 1_000n, unlockS])).status).toBe('0x0')
    expect((await ask(alice, 'deposit', [token, 0n, 2 * unlockS])).status).toBe('0x0')
  })

  test('behavior: the curve’s product never shrinks and a round trip never gains', async () => {
    const { launchPad } = node.deployment
    const { token } = await launchToken(node)
    const random = createRandom('curve')
    let product = 0n
    for (let i = 0; i < 12; i += 1) {
      const value = BigInt(Math.floor(random.next() ** 4 * 5e17)) + BigInt(1 + random.below(1000))
      const [bought] = eventsOf(await buyCurve(node, token, alice, value), 'Trade')
      if (!bought) continue
      const sold = eventsOf(
        await sellCurve(node, token, alice, bought.tokenAmount as bigint),
        'Trade',
      )[0]
      if (sold) expect(sold.ethAmount as bigint).toBeLessThanOrEqual(bought.ethAmount as bigint)
      expect(bought.ethAmount as bigint).toBeLessThan(value)
      // One holder keeps tokens, so that the next round starts from another state.
      await buyCurve(node, token, bob, value)
      const curve = await read<readonly [bigint, bigint, bigint, bigint, boolean]>(
        node,
        launchPad,
        launchPadAbi,
        'curves',
        [token],
      )
      const [virtualToken, virtualEth, realToken, realEth] = curve
      expect(virtualToken * virtualEth).toBeGreaterThanOrEqual(product)
      product = virtualToken * virtualEth
      const fees = await read<bigint>(node, launchPad, loadOwn('LaunchPad').abi, 'fees')
      const balance = BigInt(
        (await node.request('eth_getBalance', [launchPad, 'latest'])) as string,
      )
      expect(balance).toBe(realEth + fees)
      expect(await balanceOf(node, token, launchPad)).toBe(realToken + 206_900_000n * unit)
    }
    expect(product).toBeGreaterThan(0n)
  })

  test('behavior: a complete curve graduates to a pair with the stated reserves', async () => {
    const { launchPad } = node.deployment
    const creator = node.wallets.traders[5]!
    const { token, receipt: created } = await launchToken(node, {
      from: creator,
      value: unit / 10n,
    })
    expect(eventsOf(created, 'TokenCreated')).toMatchObject([
      { supply: 10n ** 27n, targetEth: await read(node, launchPad, launchPadAbi, 'targetEth') },
    ])
    expect(eventsOf(created, 'Trade')).toMatchObject([
      { isBuy: true, realEth: ((unit / 10n) * 99n) / 100n },
    ])
    const before = BigInt((await node.request('eth_getBalance', [alice, 'latest'])) as string)
    const receipt = await buyCurve(node, token, alice, parseEther('50'))
    const after = BigInt((await node.request('eth_getBalance', [alice, 'latest'])) as string)
    const [trade] = eventsOf(receipt, 'Trade')
    const [graduated] = eventsOf(receipt, 'Graduated')
    expect(trade).toMatchObject({ realToken: 0n })
    // The curve returned the ETH it did not need.
    expect(before - after).toBeLessThan(parseEther('9'))
    const pair = await pairOf(node, token, weth)
    expect((graduated!.pair as string).toLowerCase()).toBe(pair)
    expect(graduated!.ethAmount).toBe(trade!.realEth)
    const reserves = await read<readonly [bigint, bigint]>(node, pair, pairAbi, 'getReserves')
    const [tokenReserve, ethReserve] = token < weth ? reserves : [reserves[1], reserves[0]]
    expect(tokenReserve).toBe(graduated!.tokenAmount)
    expect(ethReserve).toBe(graduated!.ethAmount)
    // The pair opens at the curve's last price.
    const curvePrice = Number(trade!.virtualEth) / Number(trade!.virtualToken)
    expect(Number(ethReserve) / Number(tokenReserve) / curvePrice).toBeCloseTo(1, 3)
    expect(await balanceOf(node, pair, deadAddress)).toBeGreaterThan(0n)
    expect((await buyCurve(node, token, alice, unit)).status).toBe('0x0')
    const pool = { venue: 'v2', fee: 3000, base: token, quote: weth } as const
    expect((await swap(node, pool, alice, token, unit)).status).toBe('0x1')
  })

  test('error: nobody can fund the pair before graduation', async () => {
    const { token } = await launchToken(node, { value: unit, from: alice })
    const pair = await read<Address>(node, token, loadOwn('LaunchToken').abi, 'pair')
    expect((await transfer(node, token, alice, pair, 1n)).status).toBe('0x0')
    expect((await transfer(node, token, alice, bob, 1n)).status).toBe('0x1')
  })

  test('behavior: HTTP, WebSocket and multicall work as on any chain', async () => {
    const { multicall3 } = node.profile
    const client = createPublicClient({ transport: http(node.rpcUrl) })
    const chain = { contracts: { multicall3: { address: multicall3 as Address } } } as never
    const contracts = node.profile.stables.map((address) => ({
      address: address as Address,
      abi: tokenAbi,
      functionName: 'totalSupply' as const,
    }))
    const answers = await createPublicClient({ chain, transport: http(node.rpcUrl) }).multicall({
      contracts,
      allowFailure: false,
    })
    expect(answers).toEqual([10n ** 18n, 10n ** 30n])
    const socket = createPublicClient({ transport: webSocket(node.wsUrl, { reconnect: false }) })
    const { promise, resolve } = resolvers<bigint>()
    const unwatch = socket.watchBlockNumber({ onBlockNumber: resolve })
    // Calls the node once more so that the subscription is active: a client that is not subscribed
    // yet would miss the block.
    await socket.getBlockNumber()
    await node.mine()
    expect(await promise).toBe(await client.getBlockNumber({ cacheTime: 0 }))
    unwatch()
  })

  test('behavior: reorg by snapshot', async () => {
    const token = await deployToken(node)
    const base = await node.readHead()
    const kept = await transfer(node, token, deployer, alice, 1n)
    for (let i = 0; i < 63; i += 1) await node.mine()
    await node.reorg(64)
    expect(await node.readHead()).toEqual(base)
    expect(await node.request('eth_getBlockByHash', [kept.blockHash, false])).toBeNull()
    expect(await balanceOf(node, token, alice)).toBe(0n)
    const other = await transfer(node, token, deployer, alice, 1n)
    expect(other.blockNumber).toBe(kept.blockNumber)
    expect(other.blockHash).not.toBe(kept.blockHash)
    expect(await balanceOf(node, token, alice)).toBe(1n)
  })
})

function resolvers<T>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

test('behavior: profile and metadata match the chain', async () => {
  const node = await startDevNode({ market: true })
  onTestFinished(() => node.stop())
  const { profile } = node
  const symbolAbi = [
    { type: 'function', name: 'symbol', inputs: [], outputs: [{ type: 'string' }] },
    { type: 'function', name: 'decimals', inputs: [], outputs: [{ type: 'uint8' }] },
  ] as const
  const ask = async (to: string, functionName: 'symbol' | 'decimals') => {
    const data = encodeFunctionData({ abi: symbolAbi, functionName })
    const answer = (await node.request('eth_call', [{ to, data }, 'latest'])) as Hex
    return decodeFunctionResult({ abi: symbolAbi, functionName, data: answer })
  }
  expect(await ask(profile.native.wrappedToken, 'symbol')).toBe('WETH')
  expect(await Promise.all(profile.stables.map((token) => ask(token, 'decimals')))).toEqual([6, 18])
  const code = async (address: string) => await node.request('eth_getCode', [address, 'latest'])
  const known = [...profile.venues, ...profile.launchPlatforms].map(({ address }) => address)
  for (const address of [...known, ...profile.lockers])
    expect((await code(address)) as string).toMatch(/^0x60/)
  const published = createRequire(import.meta.url)('@uniswap/v2-core/build/UniswapV2Pair.json') as {
    evm: { deployedBytecode: { object: string } }
  }
  const pair = node.deployment.pools.find(({ venue }) => venue === 'v2')!
  expect(await code(pair.address)).toBe(`0x${published.evm.deployedBytecode.object}`)
})

test('error: a web page cannot mine by any kind of request', async () => {
  const node = await startDevNode()
  onTestFinished(() => node.stop())
  const before = await node.readHead()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hardhat_mine', params: ['0xff'] })
  const page = { origin: 'https://evil.example' }
  const askAs = async (headers: Record<string, string>) =>
    (await fetch(node.rpcUrl, { method: 'POST', headers, body })).status
  expect(await askAs({ ...page, 'content-type': 'application/json' })).toBe(403)
  expect(await askAs({ ...page, 'content-type': 'text/plain' })).toBe(403)
  expect(await askAs({ 'content-type': 'text/plain' })).toBe(415)
  expect(await node.readHead()).toEqual(before)
  expect(await askAs({ 'content-type': 'application/json' })).toBe(200)
  expect((await node.readHead()).number).toBe(before.number + 0xff)
})

test('error: a reverted call is answered like geth does', async () => {
  const node = await startDevNode()
  onTestFinished(() => node.stop())
  // Sends more than the caller owns.
  const data = encodeFunctionData({
    abi: tokenAbi,
    functionName: 'transfer',
    args: [node.wallets.deployer, 1n],
  })
  const params = [{ from: node.wallets.traders[0], to: node.deployment.weth, data }, 'latest']
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_call', params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(node.rpcUrl, { method: 'POST', headers, body })
  const message = "execution reverted with reason string '<empty>'"
  expect(await response.json()).toEqual({
    jsonrpc: '2.0',
    id: 7,
    error: { code: 3, message, data: expect.stringMatching(/^0x08c379a0/) },
  })
})
