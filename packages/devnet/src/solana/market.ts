// Next steps of a small market: mostly trades that lead prices back to where they are fair, which
// walks at random.
import { cpmmReserves, swapOnCpmm, swapOnWhirlpool } from './poolPrograms.ts'
import { buyOnCurve, type Form, launch, sellOnCurve } from './pumpPrograms.ts'
import { buyOnPumpSwap, sellOnPumpSwap } from './pumpSwapTrades.ts'
import { keyOf, tokenProgram } from './transactionBuilder.ts'
import { addLiquidity, liquidityOf, removeLiquidity } from './whirlpoolPositions.ts'
import {
  accountOf,
  type CpmmPool,
  draw,
  type Pool,
  usdc,
  type Whirlpool,
  type World,
  type WorldTransaction,
  wrappedSol,
} from './world.ts'

/** Something to be done in a transaction. */
export type Act = (tx: WorldTransaction) => void

const routerProgram = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
export const meme = keyOf('meme mint')
/**
 * Raw units of dollars for one of SOL, and of the old coin's for one of SOL, where everything
 * begins.
 */
export const dollarsStart = 0.15
export const memesStart = { memes: 10_000_000_000_000n, sol: 900_000_000_000n }

// Most trade what is new; the rest of the coins is forgotten.
const pumpPoolsTraded = 8
const curvesOpenMin = 2
const millions = 1_000_000
/**
 * How far a fair price walks in a block, and how far it ever gets, in millionths of where it began.
 */
const fairStep = 4_000
const fairRange = 250_000

/** At the begin of each block. */
export function walkFairPrices(world: World): void {
  for (const [at, fair] of world.fairPpm.entries()) {
    const next = fair + draw(world, 2 * fairStep + 1) - fairStep
    world.fairPpm[at] = Math.min(millions + fairRange, Math.max(millions - fairRange, next))
  }
}

/**
 * `launchEvery`: of so many acts one is a launch; `curveShare`: of twenty others so many are trades
 * on curves.
 */
export function chooseAct(
  world: World,
  { launchEvery, curveShare }: Record<'launchEvery' | 'curveShare', number>,
): Act {
  const open = [...world.curves].filter(([, { isComplete }]) => !isComplete)
  const launches = open.length < curvesOpenMin ? Math.min(launchEvery, 20) : launchEvery
  if (draw(world, launches) === 0) return launchNext
  const choice = draw(world, 20)
  const some = (below: number) => BigInt(1 + draw(world, below))
  if (choice < curveShare && open.length > 0) {
    const [mint] = open[draw(world, open.length)]!
    const drawn = some(120)
    const [tokens, form] = [drawn * 1_000_000_000_000n, formOf(drawn)]
    return 4 * choice < 3 * curveShare
      ? (tx) => void buyOnCurve(tx, mint, tokens, form)
      : (tx) => sellHalf(tx, mint, form)
  }
  const pools = [...world.pumpPools.values()].slice(-pumpPoolsTraded)
  if (choice < 13 && pools.length > 0) {
    const { pool } = pools[draw(world, pools.length)]!
    const [drawn, isBuy] = [some(500), draw(world, 2) === 0]
    const [wanted, form] = [drawn * 10_000_000_000n, formOf(drawn)]
    return (tx) => tradeOnPumpSwap(tx, tx.world.pumpPools.get(pool)!, { wanted, isBuy, form })
  }
  const [cpmm] = world.cpmms.keys()
  const [whirlpool] = world.whirlpools.keys()
  const lamports = some(3_000) * 1_000_000n
  if (choice < 16) {
    const isBuy = wantsSol(world, 1, memePriceOf(world, world.cpmms.get(cpmm!)!))
    return (tx) => void tradeSol(tx, tx.world.cpmms.get(cpmm!)!, isBuy, lamports)
  }
  if (choice < 19) {
    const isBuy = wantsSol(world, 0, dollarPriceOf(world.whirlpools.get(whirlpool!)!))
    return (tx) => void tradeSol(tx, tx.world.whirlpools.get(whirlpool!)!, isBuy, lamports)
  }
  return (tx) => route(tx, cpmm!, whirlpool!, lamports)
}

/** Half of the trades have the form of October 2026. */
function formOf(drawn: bigint): Form {
  return drawn % 2n === 0n ? 'new' : 'old'
}

/** A trader that finds SOL too cheap buys it; one in four traders does not look. */
function wantsSol(world: World, market: 0 | 1, ofStart: number): boolean {
  const isCheap = ofStart * millions < world.fairPpm[market]!
  return draw(world, 4) === 0 ? draw(world, 2) === 0 : isCheap
}

/** What SOL is worth in the other token, as a part of what it was worth at the start. */
function dollarPriceOf({ root, mints }: Whirlpool): number {
  const price = (Number(root) / 2 ** 64) ** 2
  return (mints[0] === wrappedSol ? price : 1 / price) / dollarsStart
}

function memePriceOf({ accounts }: World, pool: CpmmPool): number {
  const [reserve0, reserve1] = cpmmReserves(accounts, pool).map(Number) as [number, number]
  const price = pool.mints[0] === wrappedSol ? reserve1 / reserve0 : reserve0 / reserve1
  return (price * Number(memesStart.sol)) / Number(memesStart.memes)
}

/** Buys or sells about so much SOL; who does not have what it takes does the opposite. */
function tradeSol(
  tx: WorldTransaction,
  pool: CpmmPool | Whirlpool,
  isBuy: boolean,
  lamports: bigint,
): void {
  const solSide = pool.mints[0] === wrappedSol ? 0 : 1
  const other = solSide === 0 ? 1 : 0
  const price = 'root' in pool ? dollarsStart : Number(memesStart.memes) / Number(memesStart.sol)
  const paid = BigInt(Math.ceil(Number(lamports) * price))
  const isAble = heldOf(tx, isBuy ? pool.mints[other] : wrappedSol) >= (isBuy ? paid : lamports)
  const [side, amount] =
    isBuy === isAble ? ([other, paid] as const) : ([solSide, lamports] as const)
  if ('root' in pool) swapOnWhirlpool(tx, pool, side, amount)
  else swapOnCpmm(tx, pool, side, amount)
}

/**
 * The signer closes its position in the whirlpool, or opens one: 2 % of the pool, at most half of
 * what it has.
 */
export function provideLiquidity(tx: WorldTransaction): void {
  const [pool] = tx.world.whirlpools.values()
  const { mints, liquidity, positions } = pool!
  if (positions.some(({ owner }) => owner === tx.signer)) {
    removeLiquidity(tx, pool!)
    return
  }
  const affordable = liquidityOf(pool!, [heldOf(tx, mints[0]), heldOf(tx, mints[1])]) / 2n
  const wanted = liquidity / 50n
  addLiquidity(tx, pool!, wanted < affordable ? wanted : affordable)
}

function heldOf(tx: WorldTransaction, mint: string): bigint {
  return tx.world.accounts.get(accountOf(tx.signer, mint))?.amount ?? 0n
}

export function launchNext(tx: WorldTransaction): void {
  const number = tx.world.curves.size + 1
  const mint = keyOf(`mint ${number} of ${tx.signer} at ${tx.timeS}`)
  const isToken2022 = number % 2 === 0
  launch(tx, { mint, name: `Coin ${number}`, symbol: `C${number}`, isToken2022 })
}

/** Half of what the trader has of a coin; buys some if the trader has none. */
function sellHalf(tx: WorldTransaction, mint: string, form: Form): void {
  const held = heldOf(tx, mint)
  if (held < 2n) buyOnCurve(tx, mint, 3_000_000_000_000n, form)
  else sellOnCurve(tx, mint, held / 2n, form)
}

function tradeOnPumpSwap(
  tx: WorldTransaction,
  pool: Pool,
  { wanted, isBuy, form }: { wanted: bigint; isBuy: boolean; form: Form },
): void {
  const reserve = tx.world.accounts.get(pool.vaults[0])?.amount ?? 0n
  // A pool is never bought empty.
  const base = wanted < reserve / 20n ? wanted : reserve / 20n
  const isAble = !isBuy && heldOf(tx, pool.mints[0]) >= base
  if (isAble) sellOnPumpSwap(tx, pool, base, form)
  else buyOnPumpSwap(tx, pool, base, form)
}

/** Dollars for SOL, and these for the coin, in one transaction through a router. */
function route(tx: WorldTransaction, cpmm: string, whirlpool: string, lamports: bigint): void {
  const [first, second] = [tx.world.whirlpools.get(whirlpool)!, tx.world.cpmms.get(cpmm)!]
  const dollars = BigInt(Math.ceil(Number(lamports) * dollarsStart))
  if (heldOf(tx, usdc) < dollars) {
    tradeSol(tx, first, false, lamports)
    return
  }
  const data = Buffer.from('e517cb977ae3ad2a', 'hex')
  tx.builder.call(routerProgram, [tokenProgram, tx.signer], data, () => {
    const out = swapOnWhirlpool(tx, first, first.mints[0] === usdc ? 0 : 1, dollars)
    swapOnCpmm(tx, second, second.mints[0] === wrappedSol ? 0 : 1, out)
  })
}
