import {
  type Address,
  decodeAbiParameters,
  encodeFunctionData,
  type Hex,
  maxUint256,
  padHex,
  stringToHex,
} from 'viem'
import { factoryV2Abi, factoryV3Abi, tokenAbi } from '../contracts/abi.ts'
import { loadOwn } from '../contracts/artifacts.ts'
import type { Builder } from '../contracts/builder.ts'
import { readBlockNumber } from '../contracts/core.ts'
import type { Deployment, ListedPool, ListedToken } from '../contracts/deployment.ts'
import { addLiquidityV2, createPoolV3, fullRange, mintPosition } from '../contracts/liquidity.ts'
import { crowdOf, type Wallets } from '../contracts/wallets.ts'
import type { Request } from '../node/provider.ts'
import { ethUsd, listings, nativePools, type PoolListing, type TokenListing } from './listings.ts'
import { lockUp } from './lockUp.ts'

// Twice the indexer's limit on a name, which it must cut instead of failing.
const hostileNameBytes = 10_000
const taxBps = 300

/** Members of a token's crowd that hold it from the start. */
const holderCount = 6

/** Deploys the listed tokens and opens their pools. */
export async function listMarket(
  request: Request,
  builder: Builder,
  core: Deployment,
  wallets: Wallets,
): Promise<Deployment> {
  const { deployer } = wallets
  const known: ListedToken[] = [
    listed(core.weth, 'WETH', 18, 'native', ethUsd, 0.02),
    listed(core.usdc, 'USDC', 6, 'stable', 1, 0),
    listed(core.usdt, 'USDT', 18, 'stable', 1, 0),
  ]
  for (const listing of listings) {
    const { symbol, decimals, kind, priceUsd, swing } = listing
    const address = await deployToken(builder, deployer, listing)
    known.push(listed(address, symbol, decimals, kind, priceUsd, swing))
  }
  await builder.mine()
  await endow(builder, core, wallets, known)
  await builder.mine()

  const wanted = [
    ...nativePools.map((pool) => ({ base: known[0]!, pool })),
    ...listings.flatMap((listing, index) =>
      listing.pools.map((pool) => ({ base: known[3 + index]!, pool })),
    ),
  ]
  const pools: ListedPool[] = []
  for (const { base, pool } of wanted)
    pools.push(await openPool(request, builder, core, wallets, known, base, pool))
  for (const token of known.filter(({ kind }) => kind === 'honeypot'))
    for (const pool of pools.filter(({ base }) => base === token.address))
      await builder.call({
        from: deployer,
        to: token.address,
        data: encodeFunctionData({ abi: tokenAbi, functionName: 'markPool', args: [pool.address] }),
      })
  await lockUp(request, builder, core, known, pools)
  await builder.mine()
  return { ...core, blockNumber: await readBlockNumber(request), tokens: known, pools }
}

function listed(
  address: Address,
  symbol: string,
  decimals: number,
  kind: ListedToken['kind'],
  priceUsd: number,
  swing: number,
): ListedToken {
  return { address, symbol, decimals, kind, priceUsd, swing }
}

async function deployToken(
  builder: Builder,
  from: Address,
  listing: TokenListing,
): Promise<Address> {
  const { name, symbol, decimals, kind } = listing
  const supply = BigInt(listing.supply) * 10n ** BigInt(decimals)
  const short = (text: string): Hex => padHex(stringToHex(text), { dir: 'right', size: 32 })
  switch (kind) {
    case 'bytes32':
      return await builder.deploy(from, loadOwn('Bytes32Token'), [
        short(name),
        short(symbol),
        supply,
      ])
    case 'fee':
      return await builder.deploy(from, loadOwn('FeeToken'), [name, symbol, supply, BigInt(taxBps)])
    case 'honeypot':
      return await builder.deploy(from, loadOwn('HoneypotToken'), [name, symbol, supply])
    case 'hostile':
      return await builder.deploy(from, loadOwn('HostileToken'), [supply, BigInt(hostileNameBytes)])
    case 'mintable':
    case 'pausable':
      return await builder.deploy(from, loadOwn('MintableToken'), [name, symbol, decimals, supply])
    default:
      return await builder.deploy(from, loadOwn('PlainToken'), [name, symbol, decimals, supply])
  }
}

/** Gives the bots their funds and approves the routers. */
async function endow(
  builder: Builder,
  core: Deployment,
  wallets: Wallets,
  tokens: readonly ListedToken[],
): Promise<void> {
  const { deployer, lps, arbitrageurs, traders } = wallets
  const give = (token: ListedToken, to: Address, whole: number) => {
    const args = [to, rawAmount(whole, token.decimals)] as const
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args })
    return builder.call({ from: deployer, to: token.address, data, gas: 120_000 })
  }
  const approve = (token: ListedToken, from: Address, spender: Address) => {
    const args = [spender, maxUint256] as const
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args })
    return builder.call({ from, to: token.address, data, gas: 80_000 })
  }
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'native') continue
    const isStable = token.kind === 'stable'
    const supply = isStable ? 0 : listings[index - 3]!.supply
    for (const wallet of [...lps, ...arbitrageurs])
      await give(token, wallet, isStable ? 100_000_000 : Math.floor(supply * 0.12))
    for (const lp of lps)
      for (const spender of [core.routerV2, core.positions]) await approve(token, lp, spender)
    for (const arbitrageur of arbitrageurs)
      for (const spender of [core.routerV2, core.routerV3])
        await approve(token, arbitrageur, spender)
    if (token.kind === 'honeypot') await approve(token, deployer, core.routerV2)
    const holders = isStable ? traders : crowdOf(wallets, index, holderCount)
    for (const holder of holders)
      await give(token, holder, isStable ? 200_000 : Math.floor(supply * 0.004))
  }
}

async function openPool(
  request: Request,
  builder: Builder,
  core: Deployment,
  wallets: Wallets,
  tokens: readonly ListedToken[],
  base: ListedToken,
  listing: PoolListing,
): Promise<ListedPool> {
  const quote = tokens.find(({ symbol }) => symbol === listing.quote)!
  const { venue, fee, sideUsd } = listing
  // Only the owner of the honeypot can deposit.
  const lp = base.kind === 'honeypot' ? wallets.deployer : wallets.lps[0]!
  const pool = { venue, fee, base: base.address, quote: quote.address, lp }
  const amounts = {
    base: rawAmount(sideUsd / base.priceUsd, base.decimals),
    quote: rawAmount(sideUsd / quote.priceUsd, quote.decimals),
  }
  let data: Hex
  if (venue === 'v2') {
    await builder.call(addLiquidityV2(core, pool, lp, amounts))
    const args = [pool.base, pool.quote] as const
    data = encodeFunctionData({ abi: factoryV2Abi, functionName: 'getPair', args })
  } else {
    await builder.call(createPoolV3(core, pool, lp, amounts))
    await builder.call(mintPosition(core, pool, lp, amounts, fullRange(fee)))
    const args = [pool.base, pool.quote, fee] as const
    data = encodeFunctionData({ abi: factoryV3Abi, functionName: 'getPool', args })
  }
  await builder.mine()
  const to = venue === 'v2' ? core.factoryV2 : core.factoryV3
  const answer = (await request('eth_call', [{ to, data }, 'latest'])) as Hex
  const [address] = decodeAbiParameters([{ type: 'address' }], answer)
  return { address: address.toLowerCase() as Address, ...pool }
}

/** Converts whole tokens to raw units, to a millionth of a token if it has that many decimals. */
export function rawAmount(whole: number, decimals: number): bigint {
  return (BigInt(Math.round(whole * 1e6)) * 10n ** BigInt(decimals)) / 1_000_000n
}
