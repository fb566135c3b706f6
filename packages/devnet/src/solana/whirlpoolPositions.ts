// Liquidity of Orca's Whirlpools, in the layouts of its instructions. Every position spans all
// prices.
import { ceil, poolFiller, two64, u128, whirlpoolProgram } from './poolPrograms.ts'
import { hex, keyOf, tokenProgram, u64 } from './transactionBuilder.ts'
import { accountOf, type Pool, type Whirlpool, type WorldTransaction } from './world.ts'

type Amounts = readonly [bigint, bigint]

/** initialize_pool_v2, and its first position. */
export function openWhirlpool(
  tx: WorldTransaction,
  mints: readonly [string, string],
  { root, liquidity }: { root: bigint; liquidity: bigint },
): Whirlpool {
  const pool = keyOf(`whirlpool of ${mints.join(' ')}`)
  const vaults = mints.map((mint) =>
    keyOf(`vault of ${pool} for ${mint}`),
  ) as unknown as Pool['vaults']
  const head = [keyOf('whirlpools config'), ...mints, ...poolFiller(2), tx.signer, pool, ...vaults]
  const made = Buffer.concat([hex('cf2d57f21b3fcc43'), hex('4000'), u128(root)])
  tx.builder.call(whirlpoolProgram, [...head, ...poolFiller(3)], made, () => {
    for (const [at, mint] of mints.entries()) tx.own(pool, mint, vaults[at]!)
  })
  const empty = { liquidity: 0n, feeGrowth: [0n, 0n], positions: [] } as const
  const state: Whirlpool = { pool, mints, vaults, root, ...empty }
  tx.world.whirlpools.set(pool, state)
  addLiquidity(tx, state, liquidity)
  return state
}

/** increase_liquidity_v2: opens a position of the signer, which must have none in the pool. */
export function addLiquidity(tx: WorldTransaction, pool: Whirlpool, liquidity: bigint): void {
  const { root } = pool
  const amounts = [ceil(liquidity * two64, root), ceil(liquidity * root, two64)] as const
  const data = [hex('851d59df45eeb00a'), u128(liquidity), u64(...amounts), hex('00')]
  const accounts = changeAccounts(tx, pool)
  tx.builder.call(whirlpoolProgram, accounts, Buffer.concat(data), () =>
    moveBoth(tx, pool, amounts, 'in'),
  )
  pool.liquidity += liquidity
  const position = { owner: tx.signer, liquidity, feeGrowth: pool.feeGrowth }
  pool.positions = [...pool.positions, position]
}

/** decrease_liquidity_v2 and collect_fees_v2: closes the signer's position. */
export function removeLiquidity(tx: WorldTransaction, pool: Whirlpool): void {
  const position = pool.positions.find(({ owner }) => owner === tx.signer)!
  const { liquidity } = position
  const amounts = [(liquidity * two64) / pool.root, (liquidity * pool.root) / two64] as const
  const data = [hex('3a7fbc3e4f52c460'), u128(liquidity), u64(0n, 0n), hex('00')]
  const accounts = changeAccounts(tx, pool)
  tx.builder.call(whirlpoolProgram, accounts, Buffer.concat(data), () =>
    moveBoth(tx, pool, amounts, 'out'),
  )
  const feesOf = (side: 0 | 1) =>
    (liquidity * (pool.feeGrowth[side] - position.feeGrowth[side])) / two64
  tx.builder.call(whirlpoolProgram, collectAccounts(tx, pool), hex('cf755fbfe5b4e20f00'), () =>
    moveBoth(tx, pool, [feesOf(0), feesOf(1)], 'out'),
  )
  pool.liquidity -= liquidity
  pool.positions = pool.positions.filter((one) => one !== position)
}

/** The most liquidity that these amounts can provide. */
export function liquidityOf({ root }: Whirlpool, [amount0, amount1]: Amounts): bigint {
  const [of0, of1] = [(amount0 * root) / two64, (amount1 * two64) / root]
  return of0 < of1 ? of0 : of1
}

function moveBoth(
  tx: WorldTransaction,
  { pool, mints, vaults }: Whirlpool,
  amounts: Amounts,
  direction: 'in' | 'out',
): void {
  for (const [at, mint] of mints.entries()) {
    if (amounts[at] === 0n) continue
    const mine = accountOf(tx.signer, mint)
    if (direction === 'in') tx.move(mint, mine, vaults[at]!, tx.signer, amounts[at]!)
    else tx.move(mint, vaults[at]!, mine, pool, amounts[at]!)
  }
}

function changeAccounts(tx: WorldTransaction, whirlpool: Whirlpool): string[] {
  const { pool, mints } = whirlpool
  const { mine, vaults } = sidesOf(tx, whirlpool)
  const programs = [tokenProgram, tokenProgram, keyOf('memo')]
  const position = positionKeys(tx, pool)
  const head = [pool, ...programs, tx.signer, ...position]
  return [...head, ...mints, ...mine, ...vaults, ...poolFiller(2)]
}

function collectAccounts(tx: WorldTransaction, whirlpool: Whirlpool): string[] {
  const { pool, mints } = whirlpool
  const { mine, vaults } = sidesOf(tx, whirlpool)
  const sides = [mine[0]!, vaults[0]!, mine[1]!, vaults[1]!]
  const programs = [tokenProgram, tokenProgram, keyOf('memo')]
  return [pool, tx.signer, ...positionKeys(tx, pool), ...mints, ...sides, ...programs]
}

const positionKeys = ({ signer }: WorldTransaction, pool: string) => [
  keyOf(`position of ${signer} in ${pool}`),
  keyOf(`position account of ${signer} in ${pool}`),
]

/** Token accounts of the signer and of the pool, existing or opened by the transaction. */
function sidesOf(tx: WorldTransaction, { pool, mints, vaults }: Whirlpool) {
  return {
    mine: mints.map((mint) => tx.own(tx.signer, mint)),
    vaults: mints.map((mint, at) => tx.own(pool, mint, vaults[at]!)),
  }
}
