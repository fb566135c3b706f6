import assert from 'node:assert'
import { encodeFunctionData, maxUint256 } from 'viem'
import { tokenAbi } from '../contracts/abi.ts'
import type { Deployment } from '../contracts/deployment.ts'
import type { Wallets } from '../contracts/wallets.ts'
import type { Head } from '../node/head.ts'
import type { Transaction } from '../node/lane.ts'
import type { Request } from '../node/provider.ts'
import { createRandom } from '../random.ts'
import { arbitrage, dumpHoneypot } from './arbitrage.ts'
import { doChores } from './chores.ts'
import { playLaunches } from './launches.ts'
import { provideLiquidity, wander } from './liquidity.ts'
import { createMarketReader, readHoldings } from './readMarket.ts'
import type { Bot, Intent, Scene } from './scene.ts'
import { tradeCrowd } from './traders.ts'

export type Market = {
  /** The transactions of the block after `parent`. */
  planBlock(parent: Head, timestampS: number): Promise<Transaction[]>
}

export type MarketOptions = {
  deployment: Deployment
  wallets: Wallets
  request: Request
  seed: string
  genesisS: number
}

const bots: readonly Bot[] = [
  tradeCrowd,
  arbitrage,
  dumpHoneypot,
  provideLiquidity,
  wander,
  playLaunches,
  doChores,
]

// Blocks that momentum traders look back.
const pastBlocks = 30

/** The bots. They keep no state: see Scene. */
export function createMarket(options: MarketOptions): Market {
  const { deployment, wallets, request, seed, genesisS } = options
  const reader = createMarketReader(deployment, request)
  const tokens = new Map(deployment.tokens.map((token) => [token.address, token]))

  function tokenOf(address: `0x${string}`) {
    const token = tokens.get(address)
    assert(token, `unlisted token ${address}`)
    return token
  }

  return {
    async planBlock(parent, timestampS) {
      const pastNumber = parent.number - pastBlocks
      const scene: Scene = {
        deployment,
        wallets,
        random: createRandom(`block/${seed}/${parent.number + 1}`),
        request,
        seed,
        genesisS,
        timestampS,
        parentTimestampS: parent.timestampS,
        state: await reader.readMarket(parent),
        loadPast: async (pool) =>
          pastNumber < deployment.blockNumber
            ? undefined
            : // A node that began with a saved state has no older ones.
              await reader.readPool(pool, `0x${pastNumber.toString(16)}`).catch(() => undefined),
        tokenOf,
      }
      const intents: Intent[] = []
      for (const bot of bots) intents.push(...(await bot(scene)))
      return await settle(scene, intents)
    },
  }
}

/** Cuts spends to the owner's balance, drops empty ones, and adds approvals before them. */
async function settle(scene: Scene, intents: readonly Intent[]): Promise<Transaction[]> {
  const spends = intents.filter((intent) => intent.type === 'spend')
  const holdings = await readHoldings(scene.request, scene.deployment.lens, spends)
  const transactions: Transaction[] = []
  const spent = new Set<string>()
  for (const intent of intents) {
    if (intent.type === 'send') {
      transactions.push(intent.transaction)
      continue
    }
    const { owner, token, spender, amount, build } = intent
    const { balance, allowance } = holdings[spends.indexOf(intent)]!
    const wanted =
      typeof amount === 'bigint'
        ? amount
        : (balance * BigInt(Math.floor(amount.share * 1e6))) / 1_000_000n
    const cut = atMost(wanted, balance)
    // Balances were read once: a second spend of the same balance could fail.
    const key = owner + token
    if (cut === 0n || spent.has(key)) continue
    spent.add(key)
    if (spender !== undefined && allowance < cut) {
      const args = [spender, maxUint256] as const
      const data = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args })
      transactions.push({ from: owner, to: token, data, value: 0n, gas: 80_000 })
    }
    transactions.push(build(cut))
  }
  return transactions
}

function atMost(amount: bigint, limit: bigint): bigint {
  if (amount > limit) return limit
  return amount
}
