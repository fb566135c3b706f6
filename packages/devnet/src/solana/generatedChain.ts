// A Solana chain that nobody validates: blocks of a small market, the same for the same seed. Slots are skipped, some
// transactions fail, most vote, curves fill and graduate, and a branch can be left for another.
import { createHash } from 'node:crypto'
import { encodeBase58 } from './base58.ts'
import { openCpmm, openWhirlpool, sorted, swapOnCpmm, swapOnWhirlpool } from './poolPrograms.ts'
import {
  buyOnCurve,
  buyOnPumpSwap,
  launch,
  migrate,
  sellOnCurve,
  sellOnPumpSwap,
} from './pumpPrograms.ts'
import type { WrittenTransaction } from './rpcShapes.ts'
import { type BuildOptions, keyOf, tokenProgram } from './transactionBuilder.ts'
import {
  accountOf,
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
  /** Beside those that vote. @default 12 */
  transactions?: number | undefined
}

const voteProgram = 'Vote111111111111111111111111111111111111111'
const routerProgram = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
const slotMs = 400
const traderCount = 12
export const traders = Array.from({ length: traderCount }, (_, at) => keyOf(`trader ${at}`))
const meme = keyOf('meme mint')
const versions = ['legacy', 0, 1] as const
// More than any test goes back; older states are let go.
const statesMax = 128

export class GeneratedChain {
  blocks: GeneratedBlock[] = []
  /** Of the newest blocks, as each left it. */
  readonly #states = new Map<string, World>()
  readonly #startTimeS: number
  readonly #firstSlot: number
  readonly #transactions: number
  world: World

  constructor({
    seed = 1,
    startTimeS,
    firstSlot = 1_000,
    transactions = 12,
  }: GeneratedChainOptions) {
    this.#startTimeS = startTimeS
    this.#firstSlot = firstSlot
    this.#transactions = transactions
    this.world = createWorld(seed)
    this.#endow()
  }

  get head(): GeneratedBlock {
    return this.blocks.at(-1)!
  }

  /** Blocks one after another. `branch`: another word makes another block of the same state. */
  mine(count = 1, branch = ''): void {
    for (let left = count; left > 0; left--) this.#mineOne(branch)
  }

  /** Leaves the newest blocks, as if none of them had ever been. */
  drop(count: number): void {
    this.blocks = this.blocks.slice(0, -count)
    this.world = structuredClone(this.#states.get(this.head.blockhash)!)
  }

  #mineOne(branch: string): void {
    const [firstSlot, startTimeS] = [this.#firstSlot, this.#startTimeS]
    for (const letter of branch) this.world.seed += letter.charCodeAt(0)
    const parent = this.blocks.at(-1)
    const skipped = draw(this.world, 10) === 0 ? 1 + draw(this.world, 3) : 0
    const slot = parent === undefined ? firstSlot : parent.slot + 1 + skipped
    const timeS = startTimeS + Math.floor(((slot - firstSlot) * slotMs) / 1_000)
    const previousBlockhash = parent?.blockhash ?? keyOf('genesis')
    const place = { slot, timeS, previousBlockhash, branch }
    const transactions = parent === undefined ? this.#opening(place) : this.#trades(place)
    const blockhash = hashOf(
      JSON.stringify([slot, previousBlockhash, branch, signaturesOf(transactions)]),
    )
    this.blocks.push({
      ...{ slot, blockhash, previousBlockhash, parentSlot: parent?.slot ?? firstSlot - 1 },
      ...{ blockTime: timeS, blockHeight: this.blocks.length, transactions },
    })
    this.#states.set(blockhash, structuredClone(this.world))
    if (this.#states.size > statesMax) this.#states.delete(this.#states.keys().next().value!)
  }

  /** What everybody has before the first block. */
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
        // 150 dollars for a SOL: 0.15 raw units for one.
        const root = BigInt(Math.floor(Math.sqrt(0.15) * 2 ** 53)) << 11n
        openWhirlpool(tx, dollars, { root, liquidity: 3_872_983_346_207n })
      }),
      this.#keep(place, 1, traders[1]!, (tx) => {
        const mints = sorted(meme, wrappedSol)
        const amountOf = (mint: string) => (mint === meme ? 10_000_000_000_000n : 900_000_000_000n)
        openCpmm(tx, mints, [amountOf(mints[0]), amountOf(mints[1])])
      }),
      this.#keep(place, 2, traders[2]!, (tx) => this.#launch(tx)),
    ]
  }

  #trades(place: Place): WrittenTransaction[] {
    const transactions: WrittenTransaction[] = []
    for (let left = this.#transactions; left > 0; left--) {
      const trader = traders[draw(this.world, traderCount)]!
      if (draw(this.world, 3) === 0) transactions.push(this.#vote(place, transactions.length))
      const act = this.#chooseAct()
      const order = transactions.length
      // What a transaction that failed did is seen in it, and did not happen.
      if (draw(this.world, 8) === 0) transactions.push(this.#fail(place, order, trader, act))
      else transactions.push(this.#keep(place, order, trader, act))
    }
    for (const [mint, { isComplete, realSol }] of this.world.curves)
      if (isComplete && realSol > 0n)
        transactions.push(
          this.#keep(place, transactions.length, traders[3]!, (tx) => void migrate(tx, mint)),
        )
    return transactions
  }

  #chooseAct(): (tx: WorldTransaction) => void {
    const { world } = this
    const choice = draw(world, 20)
    const some = (below: number) => BigInt(1 + draw(world, below))
    const side = draw(world, 2) as 0 | 1
    if (choice === 0) return (tx) => this.#launch(tx)
    const open = [...world.curves].filter(([, { isComplete }]) => !isComplete)
    const pools = [...world.pumpPools.values()]
    if (choice < 9 && open.length > 0) {
      const [mint] = open[draw(world, open.length)]!
      const tokens = some(120) * 1_000_000_000_000n
      return choice < 7 ? (tx) => void buyOnCurve(tx, mint, tokens) : (tx) => sellHalf(tx, mint)
    }
    if (choice < 13 && pools.length > 0) {
      const pool = pools[draw(world, pools.length)]!
      const base = some(500) * 10_000_000_000n
      return (tx) => (side === 0 ? buyOnPumpSwap(tx, pool, base) : sellSome(tx, pool.pool, base))
    }
    const [cpmm] = world.cpmms.keys()
    const [whirlpool] = world.whirlpools.keys()
    const amount = some(1_000) * 1_000_000n
    if (choice < 16) return (tx) => void swapOnCpmm(tx, tx.world.cpmms.get(cpmm!)!, side, amount)
    if (choice < 19)
      return (tx) => void swapOnWhirlpool(tx, tx.world.whirlpools.get(whirlpool!)!, side, amount)
    return (tx) => route(tx, cpmm!, whirlpool!, amount)
  }

  #launch(tx: WorldTransaction): void {
    const number = this.world.curves.size + 1
    const mint = keyOf(`mint ${number} of ${tx.signer} at ${tx.timeS}`)
    const isToken2022 = number % 2 === 0
    launch(tx, { mint, name: `Coin ${number}`, symbol: `C${number}`, isToken2022 })
  }

  #keep(place: Place, order: number, signer: string, act: Act): WrittenTransaction {
    const tx = new WorldTransaction(this.world, signer, place.timeS)
    act(tx)
    return tx.keep(this.#optionsOf(place, order))
  }

  #fail(place: Place, order: number, signer: string, act: Act): WrittenTransaction {
    const tx = new WorldTransaction(structuredClone(this.world), signer, place.timeS)
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
type Act = (tx: WorldTransaction) => void

/** Half of what the trader has of a coin; buys some where there is none. */
function sellHalf(tx: WorldTransaction, mint: string): void {
  const held = tx.world.accounts.get(accountOf(tx.signer, mint))?.amount ?? 0n
  if (held < 2n) buyOnCurve(tx, mint, 3_000_000_000_000n)
  else sellOnCurve(tx, mint, held / 2n)
}

function sellSome(tx: WorldTransaction, pool: string, base: bigint): void {
  const found = tx.world.pumpPools.get(pool)!
  const held = tx.world.accounts.get(accountOf(tx.signer, found.mints[0]))?.amount ?? 0n
  if (held < base) buyOnPumpSwap(tx, found, base)
  else sellOnPumpSwap(tx, found, base)
}

/** Dollars for SOL, and these for the coin, in one transaction through a router. */
function route(tx: WorldTransaction, cpmm: string, whirlpool: string, amount: bigint): void {
  const [first, second] = [tx.world.whirlpools.get(whirlpool)!, tx.world.cpmms.get(cpmm)!]
  const data = Buffer.from('e517cb977ae3ad2a', 'hex')
  tx.builder.call(routerProgram, [tokenProgram, tx.signer], data, () => {
    const out = swapOnWhirlpool(tx, first, first.mints[0] === usdc ? 0 : 1, amount)
    swapOnCpmm(tx, second, second.mints[0] === wrappedSol ? 0 : 1, out)
  })
}

function hashOf(text: string): string {
  return encodeBase58(createHash('sha256').update(text).digest())
}

function signaturesOf(transactions: readonly WrittenTransaction[]): string[] {
  return transactions.map(({ transaction }) => transaction.signatures[0]!)
}
