import { type Address, encodeFunctionData, type Hex, parseAbi, parseEther } from 'viem'
import {
  factoryV2Abi,
  launchPadAbi,
  pairAbi,
  poolAbi,
  positionsAbi,
  routerV2Abi,
  tokenAbi,
} from '../../packages/devnet/src/contracts/abi.ts'
import { startDevNode } from '../support/devNode.ts'
import { checkChainViews } from './checkChainViews.ts'
import { compareMarket } from './compare.ts'
import { indexInProcess } from './indexInProcess.ts'
import { readChain, readHeadNumber } from './readChain.ts'
import { recompute } from './recompute.ts'

const out = (...a: unknown[]) => process.stdout.write(a.map(String).join(' ') + '\n')
const node = await startDevNode({ market: true, seed: 'odd' })
const { rpcUrl, profile, deployment: d, wallets } = node
const { multicall3 } = profile
const index =
  process.argv[2] === 'live' ? indexInProcess({ rpcUrl, profile, multicall3 }) : undefined
const lp = wallets.lps[0]!
const send = (from: Address, to: Address, data: Hex, value = 0n) =>
  node.send({ from, to, data, value, gas: 3_000_000 })
const tok = (
  functionName: 'transfer',
  token: Address,
  from: Address,
  to: Address,
  amount: bigint,
) => send(from, token, encodeFunctionData({ abi: tokenAbi, functionName, args: [to, amount] }))
const far = 2n ** 40n
async function check(label: string) {
  const headNumber = await readHeadNumber(rpcUrl)
  const chain = await readChain({ rpcUrl, headNumber, multicall3 })
  const recomputed = recompute(chain, profile)
  const v = await checkChainViews({ recomputed, rpcUrl, multicall3 })
  const idx = index ?? indexInProcess({ rpcUrl, profile, multicall3 })
  await idx.reach(recomputed.head.hash)
  const s = recomputed.head.timeS
  const { reads, klines, holders } = idx
  const differences = await compareMarket({
    recomputed,
    profile,
    reads,
    klines,
    holders,
    windowsAtS: [s, s + 7, s + 61, s + 86_000],
  })
  out(label, 'views', v.viewCount, v.differences.length, 'differences', differences.length)
  out(v.differences.slice(0, 5).join('\n'))
  out(differences.slice(0, 12).join('\n'))
  if (!index) await idx.stop()
}
for (let i = 0; i < 20; i++) await node.mineMarket()
await check('start')
const v3 = d.pools.find((p) => p.venue === 'v3')!
const v2 = d.pools.find((p) => p.venue === 'v2')!
await tok('transfer', d.usdc, lp, v2.address, 5_000_000_000n)
await node.mine()
await check('v2 donation')
await send(lp, v2.address, encodeFunctionData({ abi: pairAbi, functionName: 'sync' }))
await node.mine()
await check('v2 sync')
await tok('transfer', d.usdc, lp, v2.address, 7_000_000_000n)
await send(lp, v2.address, encodeFunctionData({ abi: pairAbi, functionName: 'skim', args: [lp] }))
await node.mine()
await check('v2 skim')
await send(
  lp,
  d.launchPad,
  encodeFunctionData({ abi: launchPadAbi, functionName: 'createToken', args: ['Silent', 'SIL'] }),
)
await node.mine()
await check('launch without a buy')
await send(
  lp,
  d.factoryV2,
  encodeFunctionData({ abi: factoryV2Abi, functionName: 'createPair', args: [d.usdc, d.usdt] }),
)
await node.mine()
await check('empty usdc/usdt pair')
const alfa = d.tokens.find((t) => t.symbol === 'ALFA')!.address
const nine = d.tokens.find((t) => t.symbol === 'NINE')!.address
await send(
  lp,
  d.routerV2,
  encodeFunctionData({
    abi: routerV2Abi,
    functionName: 'addLiquidity',
    args: [d.usdc, d.usdt, 1_000_000n * 10n ** 6n, 1_000_000n * 10n ** 18n, 0n, 0n, lp, far],
  }),
)
await node.mine()
await check('usdc/usdt liquidity')
const trader = wallets.arbitrageurs[0]!
await send(
  trader,
  d.routerV2,
  encodeFunctionData({
    abi: routerV2Abi,
    functionName: 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
    args: [10_000n * 10n ** 6n, 0n, [d.usdc, d.usdt, d.weth, alfa], trader, far],
  }),
)
await node.mine()
await check('multi hop')
await tok('transfer', d.usdc, lp, lp, 5n)
await tok('transfer', d.usdc, lp, trader, 0n)
await node.mine()
await check('self and zero transfers')
for (let i = 0; i < 3; i++) {
  const h = await node.readHead()
  await node.mineMarket(h.timestampS + 86_400 * 3 + 17)
}
for (let i = 0; i < 30; i++) await node.mineMarket()
await check('days later')
{
  const h = await node.readHead()
  await node.mine(h.timestampS + 400)
  await check('quiet')
}
if (index) {
  for (let i = 0; i < 8; i++) {
    await node.reorg(1 + i * 3)
    for (let k = 0; k < 1 + i * 3 + 1; k++) await node.mineMarket()
    await check('reorg ' + (1 + i * 3))
  }
}
await send(
  lp,
  d.factoryV2,
  encodeFunctionData({ abi: factoryV2Abi, functionName: 'createPair', args: [alfa, nine] }),
)
await node.mine()
await check('uncovered pair')
out('donate v3')
await tok('transfer', d.usdc, lp, v3.address, 5_000_000_000n)
await node.mine()
await check('v3 donation')
await node.mineMarket()
await node.mineMarket()
await check('v3 donation, later')
if (index) await index.stop()
await node.stop()
