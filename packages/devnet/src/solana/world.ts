// Accounts and pools of a generated Solana chain, and a transaction on them. Plain data, so that a
// block's state can be copied and restored.
import type { WrittenTransaction } from './rpcShapes.ts'
import { type BuildOptions, keyOf, TransactionBuilder, tokenProgram } from './transactionBuilder.ts'

export const wrappedSol = 'So11111111111111111111111111111111111111112'
export const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
export const token2022Program = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'

export type Mint = {
  decimals: number
  supply: bigint
  name: string
  symbol: string
  program: string
  mintAuthority: string | null
  freezeAuthority: string | null
  /** Its accounts start frozen. @default false */
  startsFrozen?: boolean | undefined
  /** It cannot be sent. @default false */
  isBound?: boolean | undefined
}

/** Content of a token account; a frozen one neither sends nor receives. */
export type TokenHolding = {
  mint: string
  owner: string
  amount: bigint
  /** @default false */
  isFrozen?: boolean | undefined
}

export type Curve = {
  curve: string
  creator: string
  virtualTokens: bigint
  virtualSol: bigint
  realTokens: bigint
  realSol: bigint
  isComplete: boolean
  /** Fees that v3 trades left here, for the platform and for the creator. @default none */
  kept?: Kept | undefined
  /** Tokens that the completing buy took from the future pool, and their price. @default none */
  rest?: { base: bigint; quote: bigint } | undefined
}

/** Never changed in place: copies of a world share it. */
export type Kept = readonly [bigint, bigint]

/** A pool of two mints with a vault for each. */
export type Pool = {
  pool: string
  mints: readonly [string, string]
  vaults: readonly [string, string]
  /** Fees that v2 trades left in the quote vault of a PumpSwap pool. @default none */
  kept?: Kept | undefined
}

/** Fees in the vaults of a CPMM that are not the pool's reserves. */
export type CpmmPool = Pool & { owed: [bigint, bigint] }

/** Liquidity of one owner over all prices. Never changed in place: copies of a world share it. */
export type Position = { owner: string; liquidity: bigint; feeGrowth: FeeGrowth }

/**
 * Fees of both sides that a unit of liquidity earned since its pool opened, in 64.64 fixed point.
 */
export type FeeGrowth = readonly [bigint, bigint]

export type Whirlpool = Pool & {
  liquidity: bigint
  root: bigint
  feeGrowth: FeeGrowth
  positions: readonly Position[]
}

export type World = {
  seed: number
  /** Fair value of SOL in dollars and in the old coin, in millionths of its start. */
  fairPpm: [number, number]
  mints: Map<string, Mint>
  accounts: Map<string, TokenHolding>
  lamports: Map<string, bigint>
  curves: Map<string, Curve>
  pumpPools: Map<string, Pool>
  cpmms: Map<string, CpmmPool>
  whirlpools: Map<string, Whirlpool>
}

export function createWorld(seed: number): World {
  const maps = { mints: new Map(), accounts: new Map(), lamports: new Map(), curves: new Map() }
  const fairPpm: World['fairPpm'] = [1_000_000, 1_000_000]
  return { seed, fairPpm, ...maps, pumpPools: new Map(), cpmms: new Map(), whirlpools: new Map() }
}

/**
 * Changes of accounts and lamports replace their entries; pools, curves and mints change in place.
 */
export function copyWorld(world: World): World {
  const copied = <value extends object>(map: Map<string, value>) =>
    new Map(Array.from(map, ([key, value]) => [key, { ...value }]))
  return {
    seed: world.seed,
    fairPpm: [...world.fairPpm],
    mints: copied(world.mints),
    accounts: new Map(world.accounts),
    lamports: new Map(world.lamports),
    curves: copied(world.curves),
    pumpPools: copied(world.pumpPools),
    cpmms: new Map(
      Array.from(world.cpmms, ([key, pool]) => [key, { ...pool, owed: [...pool.owed] }]),
    ),
    whirlpools: copied(world.whirlpools),
  }
}

/** The next number from 0 up to but excluding `below`. Determined by the seed. */
export function draw(world: World, below: number): number {
  world.seed = (world.seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(world.seed ^ (world.seed >>> 15), 1 | world.seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
}

/** Default token account of an owner. */
export function accountOf(owner: string, mint: string): string {
  return keyOf(`account of ${owner} for ${mint}`)
}

/**
 * A transaction in progress: programs change the world through it, and changes stay only if it is
 * kept.
 */
export class WorldTransaction {
  readonly world: World
  readonly signer: string
  readonly timeS: number
  readonly builder: TransactionBuilder

  constructor(world: World, signer: string, timeS: number) {
    this.world = world
    this.signer = signer
    this.timeS = timeS
    this.builder = new TransactionBuilder(signer)
    this.builder.hold(signer, world.lamports.get(signer) ?? 0n)
  }

  /** The owner's account; the transaction opens it if it does not exist. */
  own(owner: string, mint: string, account = accountOf(owner, mint)): string {
    if (this.builder.has(account)) return account
    const known = this.world.accounts.get(account)
    if (known !== undefined) this.builder.open(account, mint, owner, known.amount)
    else this.builder.openNew(account, mint, owner, this.#programOf(mint))
    return account
  }

  /** Moves tokens between accounts that `own` returned. */
  move(mint: string, from: string, to: string, authority: string, amount: bigint): void {
    this.builder.transfer(from, to, authority, amount, this.#programOf(mint))
  }

  mintTo(mint: string, to: string, authority: string, amount: bigint): void {
    this.builder.mint(mint, to, authority, amount, this.#programOf(mint))
    this.world.mints.get(mint)!.supply += amount
  }

  pay(from: string, to: string, lamports: bigint): void {
    for (const address of [from, to]) this.builder.hold(address, this.lamportsOf(address))
    this.builder.pay(from, to, lamports)
  }

  shift(from: string, to: string, lamports: bigint): void {
    for (const address of [from, to]) this.builder.hold(address, this.lamportsOf(address))
    this.builder.shift(from, to, lamports)
  }

  lamportsOf(address: string): bigint {
    return this.world.lamports.get(address) ?? 0n
  }

  /** Keeps its changes. */
  keep(options: BuildOptions): WrittenTransaction {
    const { accounts, lamports } = this.builder.after()
    for (const [account, { mint, owner, after }] of accounts)
      this.world.accounts.set(account, { mint, owner, amount: after })
    for (const [address, amount] of lamports) this.world.lamports.set(address, amount)
    return this.builder.build(options)
  }

  #programOf(mint: string): string {
    return this.world.mints.get(mint)?.program ?? tokenProgram
  }
}
