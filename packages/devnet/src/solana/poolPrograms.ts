// Raydium's CPMM and Orca's Whirlpool with their programs' arithmetic, in the layouts of their
// instructions and events.
import { hex, keyBytesOf, keyOf, tokenProgram, u64 } from './transactionBuilder.ts'
import type { CpmmPool, Pool, Whirlpool, WorldTransaction } from './world.ts'

export const cpmmProgram = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'
export const whirlpoolProgram = 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc'
export const cpmmAuthority = 'GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL'

const millions = 1_000_000n
const cpmmFeePpm = 2_500n
/** Part of the trade fee for the protocol and its fund. */
const cpmmOwedPpm = 160_000n
const whirlpoolFeePpm = 3_000n
export const two64 = 1n << 64n

export const ceil = (value: bigint, by: bigint) => (value + by - 1n) / by
export const u128 = (value: bigint) => u64(value & (two64 - 1n), value >> 64n)
export const poolFiller = (count: number) =>
  Array.from({ length: count }, (_, at) => keyOf(`pool filler ${at}`))

/** Pools order their mints by key. */
export function sorted(one: string, other: string): readonly [string, string] {
  return Buffer.compare(keyBytesOf(one), keyBytesOf(other)) < 0 ? [one, other] : [other, one]
}

/** initialize, with all that its creator has of both tokens. */
export function openCpmm(
  tx: WorldTransaction,
  mints: readonly [string, string],
  amounts: readonly [bigint, bigint],
): CpmmPool {
  const pool = keyOf(`cpmm of ${mints.join(' ')}`)
  const vaults = mints.map((mint) =>
    tx.own(cpmmAuthority, mint, keyOf(`vault of ${pool} for ${mint}`)),
  ) as unknown as Pool['vaults']
  const mine = mints.map((mint) => tx.own(tx.signer, mint))
  const head = [
    tx.signer,
    keyOf('cpmm config'),
    cpmmAuthority,
    pool,
    ...mints,
    keyOf(`lp of ${pool}`),
  ]
  const accounts = [...head, ...mine, keyOf('lp account'), ...vaults, ...poolFiller(2)]
  const data = Buffer.concat([hex('afaf6d1f0d989bed'), u64(...amounts, 0n)])
  tx.builder.call(cpmmProgram, accounts, data, () => {
    for (const [at, mint] of mints.entries())
      tx.move(mint, mine[at]!, vaults[at]!, tx.signer, amounts[at]!)
  })
  const made: CpmmPool = { pool, mints, vaults, owed: [0n, 0n] }
  tx.world.cpmms.set(pool, made)
  return made
}

/** A pool's balances minus the fees it owes. */
export function cpmmReserves(
  accounts: ReadonlyMap<string, { amount: bigint }>,
  { vaults, owed }: CpmmPool,
): readonly [bigint, bigint] {
  const of = (side: 0 | 1) => (accounts.get(vaults[side])?.amount ?? 0n) - owed[side]
  return [of(0), of(1)]
}

/** swap_base_input of an amount of one side. Returns the output. */
export function swapOnCpmm(
  tx: WorldTransaction,
  pool: CpmmPool,
  side: 0 | 1,
  amountIn: bigint,
): bigint {
  const other = side === 0 ? 1 : 0
  const reserves = cpmmReserves(tx.world.accounts, pool)
  const fee = ceil(amountIn * cpmmFeePpm, millions)
  const net = amountIn - fee
  const out = (net * reserves[other]) / (reserves[side] + net)
  const [mintIn, mintOut] = [pool.mints[side], pool.mints[other]]
  const mine = [tx.own(tx.signer, mintIn), tx.own(tx.signer, mintOut)] as const
  const vaultIn = tx.own(cpmmAuthority, mintIn, pool.vaults[side])
  const vaultOut = tx.own(cpmmAuthority, mintOut, pool.vaults[other])
  const programs = [mintIn, mintOut].map(
    (mint) => tx.world.mints.get(mint)?.program ?? tokenProgram,
  )
  const head = [tx.signer, cpmmAuthority, keyOf('cpmm config'), pool.pool, ...mine]
  const accounts = [...head, vaultIn, vaultOut, ...programs, mintIn, mintOut, keyOf('observation')]
  const data = Buffer.concat([hex('8fbe5adac41e33de'), u64(amountIn, 0n)])
  tx.builder.call(cpmmProgram, accounts, data, () => {
    tx.move(mintIn, mine[0], vaultIn, tx.signer, amountIn)
    tx.move(mintOut, vaultOut, mine[1], cpmmAuthority, out)
    tx.builder.log(
      Buffer.concat([
        ...[hex('40c6cde8260871e2'), keyBytesOf(pool.pool)],
        ...[u64(reserves[side], reserves[other], amountIn, out, 0n, 0n), hex('01')],
        ...[keyBytesOf(mintIn), keyBytesOf(mintOut), u64(fee, 0n), hex('00')],
      ]),
    )
  })
  pool.owed[side] += (fee * cpmmOwedPpm) / millions
  return out
}

/** The root of the price after an amount without its fee, and the output. */
export function whirlpoolStep({ root, liquidity }: Whirlpool, side: 0 | 1, net: bigint) {
  if (side === 0) {
    const next = ceil(liquidity * two64 * root, liquidity * two64 + net * root)
    return { next, out: (liquidity * (root - next)) / two64 }
  }
  const next = root + (net * two64) / liquidity
  return { next, out: (liquidity * two64 * (next - root)) / next / root }
}

/** swap_v2 of an amount of one side. Returns the output. */
export function swapOnWhirlpool(
  tx: WorldTransaction,
  pool: Whirlpool,
  side: 0 | 1,
  amountIn: bigint,
): bigint {
  const other = side === 0 ? 1 : 0
  const fee = ceil(amountIn * whirlpoolFeePpm, millions)
  const { next, out } = whirlpoolStep(pool, side, amountIn - fee)
  const mine = pool.mints.map((mint) => tx.own(tx.signer, mint))
  const vaults = pool.mints.map((mint, at) => tx.own(pool.pool, mint, pool.vaults[at]!))
  const head = [tokenProgram, tokenProgram, keyOf('memo'), tx.signer, pool.pool, ...pool.mints]
  const accounts = [...head, mine[0]!, vaults[0]!, mine[1]!, vaults[1]!, ...poolFiller(4)]
  const isAToB = hex(side === 0 ? '01' : '00')
  const asked = Buffer.concat([u64(amountIn, 0n), u128(0n), hex('01'), isAToB, hex('00')])
  tx.builder.call(
    whirlpoolProgram,
    accounts,
    Buffer.concat([hex('2b04ed0b1ac91e62'), asked]),
    () => {
      tx.move(pool.mints[side], mine[side]!, vaults[side]!, tx.signer, amountIn)
      tx.move(pool.mints[other], vaults[other]!, mine[other]!, pool.pool, out)
      tx.builder.log(
        Buffer.concat([
          ...[hex('e1ca49af932ba096'), keyBytesOf(pool.pool), isAToB, u128(pool.root), u128(next)],
          u64(amountIn, out, 0n, 0n, fee, 0n),
        ]),
      )
    },
  )
  pool.root = next
  const earned = pool.feeGrowth[side] + (fee * two64) / pool.liquidity
  pool.feeGrowth = side === 0 ? [earned, pool.feeGrowth[1]] : [pool.feeGrowth[0], earned]
  return out
}
