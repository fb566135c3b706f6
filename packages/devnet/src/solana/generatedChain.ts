// A generated Solana chain without validators: blocks of a small market, the same for the same
// seed. Slots are skipped, some transactions fail, most vote, curves complete and graduate, and a
// branch can be abandoned.
import { createHash } from 'node:crypto'
import { encodeBase58 } from './base58.ts'
import {
  type Act,
  chooseAct,
  dollarsStart,
  launchNext,
  meme,
  memesStart,
  provideLiquidity,
  walkFairPrices,
} from './market.ts'
import { openCpmm, sorted } from './poolPrograms.ts'
import { migrate, sweepCurve } from './pumpPrograms.ts'
import { sweepPumpSwap } from './pumpSwapTrades.ts'
import type { WrittenTransaction } from './rpcShapes.ts'
import { type BuildOptions, keyOf, tokenProgram } from './transactionBuilder.ts'
import { openWhirlpool } from './whirlpoolPositions.ts'
import {
  accountOf,
  copyWorld,
  createWorld,
  draw,
  usdc,
  type World,
  WorldTransaction,
  wrappedSol,
} from './world.ts'

export type GeneratedBlock = {
  slot: number
  blockhash: string
  previousBlockhash: string
  parentSlot: number
  blockHeight: number
  blockTime: number
  transactions: readonly WrittenTransaction[]
}

export type GeneratedChainOptions = {
  seed?: number | undefined
  startTimeS: number
  /** @default 1_000 */
  firstSlot?: number | undefined
  /** Transactions of a block beside votes. @default 12 */
  transactions?: number | undefined
  /** @default 400 */
  slotMs?: number | undefined
  /** One launch per this many actions. @default 20 */
  launchEvery?: number | undefined
  /** Trades on curves per twenty actions. @default 9 */
  curveShare?: number | undefined
  /** Newest blocks that can be dropped. @default 128 */
  statesMax?: number | undefined
  /** Blocks kept; older ones are deleted. @default all */
  blocksMax?: number | undefined
}

/** Fees are swept in every fifth slot. */
const sweepEvery = 5
/** In every eighth slot a provider adds liquidity or removes what it added. */
const provideEvery = 8
const voteProgram = 'Vote111111111111111111111111111111111111111'
const traderCount = 12
export const traders = Array.from({ length: traderCount }, (_, at) => keyOf(`trader ${at}`))
const providers = [traders[5]!, traders[6]!]
const versions = ['legacy', 0, 1] as const

export class GeneratedChain {
  blocks: GeneratedBlock[] = []
  world: World
  /** The newest block; null before the first. */
  #tip: Pick<GeneratedBlock, 'slot' | 'blockhash' | 'blockHeight'> | null = null
  /** State after each of the newest blocks. */
  readonly #states = new Map<string, World>()
  readonly #options: Record<Exclude<keyof GeneratedChainOptions, 'seed'>, number>

  constructor({ seed = 1, ...options }: GeneratedChainOptions) {
    this.#options = {
      startTimeS: options.startTimeS,
      firstSlot: options.firstSlot ?? 1_000,
      transactions: options.transactions ?? 12,
      slotMs: options.slotMs ?? 400,
      launchEvery: options.launchEvery ?? 20,
      curveShare: options.curveShare ?? 9,
      statesMax: options.statesMax ?? 128,
      blocksMax: options.blocksMax ?? Number.POSITIVE_INFINITY,
    }
    this.world = createWorld(seed)
    this.#endow()
  }

  get head(): GeneratedBlock {
    return this.blocks.at(-1)!
  }

  /** Mines consecutive blocks. Another `branch` makes other blocks from the same state. */
  mine(count = 1, branch = ''): void {
    for (let left = count; left > 0; left--) {
      const skipped = draw(this.world, 10) === 0 ? 1 + draw(this.world, 3) : 0
      this.mineAt(
        this.#tip === null ? this.#options.firstSlot : this.#tip.slot + 1 + skipped,
        branch,
      )
    }
  }

  /** Mines one block in a slot after the newest. */
  mineAt(slot: number, branch = ''): void {
    for (const letter of branch) this.world.seed += letter.charCodeAt(0)
    const { firstSlot, startTimeS, slotMs } = this.#options
    const timeS = startTimeS + Math.floor(((slot - firstSlot) * slotMs) / 1_000)
    const parent = this.#tip
    const previousBlockhash = parent?.blockhash ?? keyOf('genesis')
    const place = { slot, timeS, previousBlockhash, branch }
    const transactions = parent === null ? this.#opening(place) : this.#trades(place)
    const signatures = transactions.map(({ transaction }) => transaction.signatures[0]!)
    const blockhash = hashOf(JSON.stringify([slot, previousBlockhash, branch, signatures]))
    const blockHeight = (parent?.blockHeight ?? -1) + 1
    this.#tip = { slot, blockhash, blockHeight }
    this.blocks.push({
      ...this.#tip,
      previousBlockhash,
      parentSlot: parent?.slot ?? firstSlot - 1,
      blockTime: timeS,
      transactions,
    })
    this.#letGo(blockhash)
  }

  /** Removes the newest blocks as if they had never existed. */
  drop(count: number): void {
    const left = this.blocks.at(-count)!
    this.blocks = this.blocks.slice(0, -count)
    const { parentSlot: slot, previousBlockhash: blockhash, blockHeight } = left
    this.#tip = { slot, blockhash, blockHeight: blockHeight - 1 }
    this.world = copyWorld(this.#states.get(blockhash)!)
  }

  #letGo(blockhash: string): void {
    const { statesMax, blocksMax } = this.#options
    this.#states.set(blockhash, copyWorld(this.world))
    // One more than can be dropped: the state to return to.
    if (this.#states.size > statesMax + 1) this.#states.delete(this.#states.keys().next().value!)
    if (this.blocks.length > 1.25 * blocksMax) this.blocks = this.blocks.slice(-blocksMax)
  }

  /** Balances before the first block. */
  #endow(): void {
    const { world } = this
    const authorities = { mintAuthority: null, freezeAuthority: null, program: tokenProgram }
    const sol = { decimals: 9, supply: 0n, name: 'Wrapped SOL', symbol: 'SOL', ...authorities }
    world.mints.set(wrappedSol, sol)
    const dollar = {
      ...authorities,
      mintAuthority: keyOf('circle'),
      freezeAuthority: keyOf('circle'),
    }
    world.mints.set(usdc, { decimals: 6, supply: 0n, name: 'USD Coin', symbol: 'USDC', ...dollar })
    world.mints.set(meme, {
      decimals: 5,
      supply: 0n,
      name: 'Old Meme',
      symbol: 'OLD',
      ...authorities,
    })
    for (const trader of traders) {
      world.lamports.set(trader, 5_000_000_000_000n)
      for (const [mint, amount] of [
        [wrappedSol, 20_000_000_000_000n],
        [usdc, 3_000_000_000_000n],
        [meme, 40_000_000_000_000n],
      ] as const) {
        world.accounts.set(accountOf(trader, mint), { mint, owner: trader, amount })
        world.mints.get(mint)!.supply += amount
      }
    }
  }

  #opening(place: Place): WrittenTransaction[] {
    const dollars = sorted(wrappedSol, usdc)
    return [
      this.#keep(place, 0, traders[0]!, (tx) => {
        const root = BigInt(Math.floor(Math.sqrt(dollarsStart) * 2 ** 53)) << 11n
        openWhirlpool(tx, dollars, { root, liquidity: 3_872_983_346_207n })
      }),
      this.#keep(place, 1, traders[1]!, (tx) => {
        const mints = sorted(meme, wrappedSol)
        const amountOf = (mint: string) => (mint === meme ? memesStart.memes : memesStart.sol)
        openCpmm(tx, mints, [amountOf(mints[0]), amountOf(mints[1])])
      }),
      this.#keep(place, 2, traders[2]!, launchNext),
    ]
  }

  #trades(place: Place): WrittenTransaction[] {
    const transactions: WrittenTransaction[] = []
    walkFairPrices(this.world)
    for (let left = this.#options.transactions; left > 0; left--) {
      const trader = traders[draw(this.world, traderCount)]!
      if (draw(this.world, 3) === 0) transactions.push(this.#vote(place, transactions.length))
      const act = chooseAct(this.world, this.#options)
      const order = transactions.length
      // A failed transaction shows its actions, which have no effect.
      if (draw(this.world, 8) === 0) transactions.push(this.#fail(place, order, trader, act))
      else transactions.push(this.#keep(place, order, trader, act))
    }
    for (const [mint, { isComplete, realSol }] of this.world.curves)
      if (isComplete && realSol > 0n)
        transactions.push(
          this.#keep(place, transactions.length, traders[3]!, (tx) => void migrate(tx, mint)),
        )
    if (place.slot % provideEvery === 0) {
      const provider = providers[(place.slot / provideEvery) % providers.length]!
      transactions.push(this.#keep(place, transactions.length, provider, provideLiquidity))
    }
    if (place.slot % sweepEvery === 0) this.#sweep(place, transactions)
    return transactions
  }

  /** Pays out fees that trades left. */
  #sweep(place: Place, transactions: WrittenTransaction[]): void {
    const sweep = (act: Act) =>
      transactions.push(this.#keep(place, transactions.length, traders[4]!, act))
    for (const [mint, { kept }] of this.world.curves)
      if (kept !== undefined) sweep((tx) => sweepCurve(tx, mint))
    for (const [key, { kept }] of this.world.pumpPools)
      if (kept !== undefined) sweep((tx) => sweepPumpSwap(tx, tx.world.pumpPools.get(key)!))
  }

  #keep(place: Place, order: number, signer: string, act: Act): WrittenTransaction {
    const tx = new WorldTransaction(this.world, signer, place.timeS)
    act(tx)
    return tx.keep(this.#optionsOf(place, order))
  }

  #fail(place: Place, order: number, signer: string, act: Act): WrittenTransaction {
    const tx = new WorldTransaction(copyWorld(this.world), signer, place.timeS)
    act(tx)
    const err = { InstructionError: [0, { Custom: 6_001 }] }
    return tx.builder.build({ ...this.#optionsOf(place, order), err })
  }

  #vote(place: Place, order: number): WrittenTransaction {
    const validator = keyOf(`validator ${order}`)
    const tx = new WorldTransaction(this.world, validator, place.timeS)
    tx.builder.call(voteProgram, [keyOf(`vote account ${order}`), validator], Buffer.alloc(60, 14))
    return tx.builder.build({ ...this.#optionsOf(place, order), version: 'legacy' })
  }

  #optionsOf({ slot, previousBlockhash, branch }: Place, order: number): BuildOptions {
    const words = `${slot} ${order} ${previousBlockhash} ${branch}`
    const signature = encodeBase58(createHash('sha512').update(words).digest())
    const version = versions[(slot + order) % versions.length]
    return { version, signature, blockhash: previousBlockhash }
  }
}

type Place = { slot: number; timeS: number; previousBlockhash: string; branch: string }

function hashOf(text: string): string {
  return encodeBase58(createHash('sha256').update(text).digest())
}
