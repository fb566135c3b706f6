// PumpSwap with its program's arithmetic, in the layouts of its instructions and events.
import {
  added,
  bps,
  ceil,
  type Form,
  feeRecipient,
  filler,
  pumpSwapProgram,
  systemProgram,
  tell,
  text,
  time,
} from './pumpPrograms.ts'
import { bytesOf, hex, keyBytesOf, keyOf, tokenProgram, u64 } from './transactionBuilder.ts'
import { accountOf, type Pool, type WorldTransaction } from './world.ts'

const lpBps = 20n
const protocolBps = 5n
const creatorBps = 5n

/** Balances of both vaults; the quote excludes fees waiting for a sweep. */
function reservesOf(tx: WorldTransaction, { vaults, kept = [0n, 0n] }: Pool) {
  const [reserve0, vault1] = vaults.map((vault) => tx.world.accounts.get(vault)?.amount ?? 0n) as [
    ...[bigint, bigint],
  ]
  const virtual = -kept[0] - kept[1]
  return { reserve0, vault1, virtual, reserve1: vault1 + virtual }
}

type PumpSwapTrade = {
  quote: bigint
  withLpFee: bigint
  ofUser: bigint
  fees: readonly [bigint, bigint, bigint]
}

/** Fields shared by the events of both directions. */
function swapEventParts(tx: WorldTransaction, pool: Pool, base: bigint, trade: PumpSwapTrade) {
  const { reserve0, vault1 } = reservesOf(tx, pool)
  const [lpFee, protocolFee, creatorFee] = trade.fees
  return {
    8: time(tx.timeS),
    16: u64(base, 0n),
    48: u64(reserve0, vault1, trade.quote, lpBps, lpFee, protocolBps, protocolFee),
    104: u64(trade.withLpFee, trade.ofUser),
    120: keyBytesOf(pool.pool),
    152: keyBytesOf(tx.signer),
    344: u64(creatorBps, creatorFee),
  }
}

/** In two's complement. */
function i128(value: bigint): Buffer {
  const bits = BigInt.asUintN(128, value)
  return u64(bits & 0xffff_ffff_ffff_ffffn, bits >> 64n)
}

const feesOnPumpSwap = (quote: bigint) =>
  [ceil(quote * lpBps, bps), ceil(quote * protocolBps, bps), ceil(quote * creatorBps, bps)] as const

/** buy of an amount of base. */
export function buyOnPumpSwap(
  tx: WorldTransaction,
  pool: Pool,
  base: bigint,
  form: Form = 'old',
): void {
  const [mint, quoteMint] = pool.mints
  const { reserve0, reserve1, virtual } = reservesOf(tx, pool)
  const quote = ceil(base * reserve1, reserve0 - base)
  const fees = feesOnPumpSwap(quote)
  const withLpFee = quote + fees[0]
  const ofUser = withLpFee + fees[1] + fees[2]
  const parts = swapEventParts(tx, pool, base, { quote, withLpFee, ofUser, fees })
  const head = bytesOf(401, { 0: hex('67f4521f2cf57777'), ...parts })
  const [name, tag] = form === 'new' ? ['buy_v2', 'b817ee6167c5d33d'] : ['buy', '66063d1201daebea']
  const tail = [text(name!), u64(0n, 0n, 0n, 0n), i128(virtual), hex('00'), u64(0n)]
  const mine = [tx.own(tx.signer, mint), tx.own(tx.signer, quoteMint)] as const
  const feeTo = feeAccounts(tx, pool)
  const data = Buffer.concat([hex(tag!), u64(base, ofUser * 2n), hex('01')])
  tx.builder.call(pumpSwapProgram, swapAccounts(tx, pool, form), data, () => {
    tx.move(mint, pool.vaults[0], mine[0], pool.pool, base)
    const paid = form === 'new' ? ofUser : withLpFee
    tx.move(quoteMint, mine[1], pool.vaults[1], tx.signer, paid)
    if (form === 'new') pool.kept = added(pool.kept, [fees[1], fees[2]])
    else
      for (const at of [0, 1] as const)
        tx.move(quoteMint, mine[1], feeTo[at], tx.signer, fees[at + 1]!)
    tell(tx, pumpSwapProgram, Buffer.concat([head, ...tail]))
  })
}

/** sell of an amount of base: fees come out of the pool's payment, or stay in its vault. */
export function sellOnPumpSwap(
  tx: WorldTransaction,
  pool: Pool,
  base: bigint,
  form: Form = 'old',
): void {
  const [mint, quoteMint] = pool.mints
  const { reserve0, reserve1, virtual } = reservesOf(tx, pool)
  const quote = (base * reserve1) / (reserve0 + base)
  const fees = feesOnPumpSwap(quote)
  const withLpFee = quote - fees[0]
  const ofUser = withLpFee - fees[1] - fees[2]
  const parts = swapEventParts(tx, pool, base, { quote, withLpFee, ofUser, fees })
  const event = bytesOf(417, { 0: hex('3e2f370aa503dc2a'), ...parts, 392: i128(virtual) })
  const mine = [tx.own(tx.signer, mint), tx.own(tx.signer, quoteMint)] as const
  const feeTo = feeAccounts(tx, pool)
  const tag = form === 'new' ? '5df6823ce7e940b2' : '33e685a4017f83ad'
  const data = Buffer.concat([hex(tag), u64(base, 0n)])
  tx.builder.call(pumpSwapProgram, swapAccounts(tx, pool, form), data, () => {
    tx.move(mint, mine[0], pool.vaults[0], tx.signer, base)
    tx.move(quoteMint, pool.vaults[1], mine[1], pool.pool, ofUser)
    if (form === 'new') pool.kept = added(pool.kept, [fees[1], fees[2]])
    else
      for (const at of [0, 1] as const)
        tx.move(quoteMint, pool.vaults[1], feeTo[at], pool.pool, fees[at + 1]!)
    tell(tx, pumpSwapProgram, event)
  })
}

/** sweep_protocol_fee and sweep_creator_fee: pay out the fees that a pool kept. */
export function sweepPumpSwap(tx: WorldTransaction, pool: Pool): void {
  const { kept = [0n, 0n] } = pool
  const [mint, quoteMint] = pool.mints
  const feeTo = feeAccounts(tx, pool)
  for (const at of [0, 1] as const) {
    const owner = at === 0 ? feeRecipient : coinCreatorOf(pool)
    const tag = at === 0 ? '0830be07b644b7e5' : '20f6bf3408c949ba'
    const head = [tx.signer, keyOf('pump swap config'), pool.pool, quoteMint, tokenProgram]
    const accounts = [...head, pool.vaults[1], owner, feeTo[at], ...filler(3), pumpSwapProgram]
    tx.builder.call(pumpSwapProgram, accounts, hex(tag), () => {
      if (kept[at] === 0n) return
      tx.move(quoteMint, pool.vaults[1], feeTo[at], pool.pool, kept[at])
      const keys = [pool.pool, mint, quoteMint, owner, tx.signer].map(keyBytesOf)
      const amounts = [u64(kept[at]), Buffer.from([at])]
      const event = [hex('82a42461e48287a5'), time(tx.timeS), ...keys, ...amounts]
      tell(tx, pumpSwapProgram, Buffer.concat(event))
    })
  }
  pool.kept = undefined
}

const coinCreatorOf = ({ pool }: Pool) => keyOf(`coin creator of ${pool}`)

function feeAccounts(tx: WorldTransaction, pool: Pool): readonly [string, string] {
  for (const [at, vault] of pool.vaults.entries()) tx.own(pool.pool, pool.mints[at]!, vault)
  const quoteMint = pool.mints[1]
  return [tx.own(feeRecipient, quoteMint), tx.own(coinCreatorOf(pool), quoteMint)]
}

function swapAccounts(tx: WorldTransaction, { pool, mints, vaults }: Pool, form: Form): string[] {
  const mine = mints.map((mint) => accountOf(tx.signer, mint))
  const own = [pool, tx.signer, keyOf('pump swap config'), ...mints, ...mine, ...vaults]
  if (form === 'new') {
    const programs = mints.map((mint) => tx.world.mints.get(mint)!.program)
    return [...own, ...programs, systemProgram, ...filler(4), pumpSwapProgram]
  }
  return [...own, feeRecipient, accountOf(feeRecipient, mints[1]), ...filler(6)]
}
