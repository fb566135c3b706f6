// pump.fun's curve with its program's arithmetic, in the layouts of its instructions and events.
import { metadataProgram } from './metadataAddress.ts'
import { hex, keyBytesOf, keyOf, tokenProgram, u64 } from './transactionBuilder.ts'
import {
  accountOf,
  type Curve,
  type Kept,
  type Pool,
  token2022Program,
  type WorldTransaction,
  wrappedSol,
} from './world.ts'

export const pumpProgram = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'
export const pumpSwapProgram = 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA'
export const systemProgram = '11111111111111111111111111111111'

const supply = 1_000_000_000_000_000n
const tokensForSale = 793_100_000_000_000n
const tokensForPool = 206_900_000_000_000n
const migrationLamports = 15_000_001n
export const feeRecipient = keyOf('pump fees')
const eventAuthority = keyOf('pump event authority')
const globalAccount = keyOf('pump global')
export const bps = 10_000n

export const text = (value: string) => {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}
export const time = (timeS: number) => u64(BigInt(timeS))
export const ceil = (value: bigint, by: bigint) => (value + by - 1n) / by
export const filler = (count: number) =>
  Array.from({ length: count }, (_, at) => keyOf(`pump filler ${at}`))

/** Programs of pump emit every event twice. */
export function tell({ builder }: WorldTransaction, program: string, event: Buffer): void {
  builder.log(event)
  builder.tell(program, event)
}

export type Launch = { mint: string; name: string; symbol: string; isToken2022: boolean }

/** create or create_v2: the mint, and the curve with all tokens. */
export function launch(tx: WorldTransaction, { mint, name, symbol, isToken2022 }: Launch): Curve {
  const { world, signer: user, builder } = tx
  const curve = keyOf(`curve of ${mint}`)
  const program = isToken2022 ? token2022Program : tokenProgram
  const authorities = { mintAuthority: null, freezeAuthority: null }
  world.mints.set(mint, { decimals: 6, supply: 0n, name, symbol, program, ...authorities })
  const vault = accountOf(curve, mint)
  const uri = `https://example.com/${symbol.toLowerCase()}.json`
  const named = Buffer.concat([text(name), text(symbol), text(uri)])
  const state: Curve = {
    curve,
    creator: user,
    isComplete: false,
    realSol: 0n,
    realTokens: tokensForSale,
    virtualTokens: 1_073_000_000_000_000n,
    virtualSol: 30_000_000_000n,
  }
  const mintAuthority = keyOf('pump mint authority')
  const accounts = isToken2022
    ? [mint, mintAuthority, curve, vault, globalAccount, user, ...filler(9)]
    : [
        mint,
        mintAuthority,
        curve,
        vault,
        globalAccount,
        metadataProgram,
        keyOf(mint),
        user,
        ...filler(6),
      ]
  const tag = hex(isToken2022 ? 'd6904cec5f8b31b4' : '181ec828051c0777')
  builder.call(pumpProgram, accounts, Buffer.concat([tag, named, keyBytesOf(user)]), () => {
    tx.own(curve, mint)
    tx.mintTo(mint, vault, mintAuthority, supply)
    const reserves = [state.virtualTokens, state.virtualSol, state.realTokens, supply]
    tell(
      tx,
      pumpProgram,
      Buffer.concat([
        ...[hex('1b72a94ddeeb6376'), named],
        ...[mint, curve, user, user].map(keyBytesOf),
        ...[time(tx.timeS), u64(...reserves), keyBytesOf(program), hex('0000')],
        ...[keyBytesOf(systemProgram), u64(state.virtualSol, 0n), hex('00')],
      ]),
    )
  })
  world.curves.set(mint, state)
  return state
}

/**
 * New forms leave fees in the curve or pool until they are swept: v3 of pump.fun, v2 of PumpSwap.
 */
export type Form = 'old' | 'new'

type CurveTrade = {
  mint: string
  isBuy: boolean
  tokens: bigint
  lamports: bigint
  form: Form
}

function tradeEvent(tx: WorldTransaction, trade: CurveTrade, name: string): Buffer {
  const { mint, isBuy, tokens, lamports, form } = trade
  const { virtualSol, virtualTokens, realSol, realTokens, creator } = tx.world.curves.get(mint)!
  const [fee, creatorFee] = feesOf(lamports)
  return Buffer.concat([
    ...[hex('bddb7fd34ee661ee'), keyBytesOf(mint), u64(lamports, tokens), hex(isBuy ? '01' : '00')],
    ...[keyBytesOf(tx.signer), time(tx.timeS), u64(virtualSol, virtualTokens, realSol, realTokens)],
    keyBytesOf(form === 'new' ? systemProgram : feeRecipient),
    ...[u64(95n, fee), keyBytesOf(creator), u64(30n, creatorFee)],
    ...[hex('01'), u64(0n, 0n, lamports), time(tx.timeS), text(name), hex('00')],
    // Cashback and buyback with their rates, no fee sharing, then the paying side.
    ...[u64(0n, 0n, 0n, 0n), Buffer.alloc(4), keyBytesOf(systemProgram)],
    u64(lamports, virtualSol, realSol),
  ])
}

/** Fees beside the amount: the platform's and the creator's. */
function feesOf(lamports: bigint): readonly [bigint, bigint] {
  return [ceil(lamports * 95n, bps), ceil(lamports * 30n, bps)]
}

function curveAccounts(
  tx: WorldTransaction,
  mint: string,
  { curve, creator }: Curve,
  form: Form,
): string[] {
  const [vault, mine] = [accountOf(curve, mint), accountOf(tx.signer, mint)]
  const end = [systemProgram, eventAuthority, pumpProgram]
  if (form === 'new') {
    const programs = [tx.world.mints.get(mint)!.program, tokenProgram]
    const own = [globalAccount, mint, wrappedSol, ...programs, curve, vault]
    const mineOf = [tx.signer, mine, accountOf(tx.signer, wrappedSol)]
    return [...own, accountOf(curve, wrappedSol), ...mineOf, ...filler(3), ...end]
  }
  const creatorVault = keyOf(`creator vault of ${creator}`)
  const own = [globalAccount, feeRecipient, mint, curve, vault, mine, tx.signer]
  return [...own, systemProgram, creatorVault, creatorVault, eventAuthority, pumpProgram]
}

/**
 * The trader or the curve pays fees, to their owners or into the curve, where they wait for a
 * sweep.
 */
function payFees(
  curve: Curve,
  fees: readonly [bigint, bigint],
  form: Form,
  pay: (to: string, lamports: bigint) => void,
): void {
  if (form === 'new') {
    curve.kept = added(curve.kept, fees)
    pay(curve.curve, fees[0] + fees[1])
    return
  }
  pay(feeRecipient, fees[0])
  pay(keyOf(`creator vault of ${curve.creator}`), fees[1])
}

export function added(kept: Kept = [0n, 0n], fees: Kept): Kept {
  return [kept[0] + fees[0], kept[1] + fees[1]]
}

/**
 * buy of an amount of tokens, or of what is left. A larger v3 buy continues with tokens of the
 * future pool. Returns the amount paid to the curve.
 */
export function buyOnCurve(
  tx: WorldTransaction,
  mint: string,
  wanted: bigint,
  form: Form = 'old',
): bigint {
  const curve = tx.world.curves.get(mint)!
  const tokens = wanted > curve.realTokens ? curve.realTokens : wanted
  const lamports = (tokens * curve.virtualSol) / (curve.virtualTokens - tokens) + 1n
  const isEmptied = tokens === curve.realTokens
  const rest = isEmptied && form === 'new' ? restOf(curve, wanted - tokens, lamports) : null
  const fees = feesOf(lamports)
  const mine = tx.own(tx.signer, mint)
  const vault = tx.own(curve.curve, mint)
  const tag = form === 'new' ? '07051dc4f5176550' : '66063d1201daebea'
  const data = Buffer.concat([hex(tag), u64(wanted, lamports * 2n), hex('01')])
  tx.builder.call(pumpProgram, curveAccounts(tx, mint, curve, form), data, () => {
    tx.move(mint, vault, mine, curve.curve, tokens + (rest?.baseOut ?? 0n))
    tx.pay(tx.signer, curve.curve, lamports + (rest?.quoteIn ?? 0n))
    const pay = (to: string, amount: bigint) => tx.pay(tx.signer, to, amount)
    payFees(curve, fees, form, pay)
    curve.virtualTokens -= tokens
    curve.realTokens -= tokens
    curve.virtualSol += lamports
    curve.realSol += lamports
    tell(tx, pumpProgram, tradeEvent(tx, { mint, isBuy: true, tokens, lamports, form }, 'buy'))
    if (!isEmptied) return
    curve.isComplete = true
    const who = [tx.signer, mint, curve.curve].map(keyBytesOf)
    const end = [time(tx.timeS), keyBytesOf(systemProgram)]
    tell(tx, pumpProgram, Buffer.concat([hex('5f72619cd42e9808'), ...who, ...end]))
    if (rest === null) return
    const { baseOut, quoteIn, before } = rest
    curve.rest = { base: baseOut, quote: quoteIn }
    const restFees = feesOf(quoteIn)
    payFees(curve, restFees, form, pay)
    const charged = u64(95n, restFees[0], 30n, restFees[1], 0n)
    const after = u64(before[0] - baseOut, before[1] + quoteIn)
    const amounts = [u64(baseOut, quoteIn), charged, u64(...before), after]
    const head = [hex('6fb06d8b316cd5fb'), ...who, keyBytesOf(systemProgram), time(tx.timeS)]
    tell(tx, pumpProgram, Buffer.concat([...head, ...amounts]))
  })
  return lamports
}

/** At most a fifth of the pool's tokens. */
function restOf({ realSol }: Curve, wanted: bigint, lamports: bigint) {
  if (wanted <= 0n) return null
  const before = [tokensForPool, realSol + lamports - migrationLamports] as const
  const baseOut = wanted > tokensForPool / 5n ? tokensForPool / 5n : wanted
  return { before, baseOut, quoteIn: ceil(before[1] * baseOut, before[0] - baseOut) }
}

/** sell: lamports leave the curve without a transfer instruction. */
export function sellOnCurve(
  tx: WorldTransaction,
  mint: string,
  tokens: bigint,
  form: Form = 'old',
): bigint {
  const curve = tx.world.curves.get(mint)!
  const lamports = (tokens * curve.virtualSol) / (curve.virtualTokens + tokens)
  const fees = feesOf(lamports)
  const mine = tx.own(tx.signer, mint)
  const vault = tx.own(curve.curve, mint)
  const tag = form === 'new' ? '1c92de7726c469d5' : '33e685a4017f83ad'
  const data = Buffer.concat([hex(tag), u64(tokens, 0n)])
  tx.builder.call(pumpProgram, curveAccounts(tx, mint, curve, form), data, () => {
    tx.move(mint, mine, vault, tx.signer, tokens)
    tx.shift(curve.curve, tx.signer, lamports - fees[0] - fees[1])
    payFees(curve, fees, form, (to, amount) => tx.shift(curve.curve, to, amount))
    curve.virtualTokens += tokens
    curve.realTokens += tokens
    curve.virtualSol -= lamports
    curve.realSol -= lamports
    tell(tx, pumpProgram, tradeEvent(tx, { mint, isBuy: false, tokens, lamports, form }, 'sell'))
  })
  return lamports
}

/** migrate: a complete curve's funds become a pool of PumpSwap. */
export function migrate(tx: WorldTransaction, mint: string): Pool {
  const curve = tx.world.curves.get(mint)!
  const pool = keyOf(`pump pool of ${mint}`)
  const authority = keyOf(`pool authority of ${mint}`)
  const { rest = { base: 0n, quote: 0n } } = curve
  const lamports = curve.realSol - migrationLamports + rest.quote
  const base0 = tokensForPool - rest.base
  const source = tx.own(curve.curve, mint)
  const [base, quote] = [tx.own(authority, mint), tx.own(authority, wrappedSol)]
  const vaults = [tx.own(pool, mint), tx.own(pool, wrappedSol)] as const
  const config = keyOf('pump swap config')
  const lpMint = keyOf(`lp of ${pool}`)
  const lpAccount = accountOf(authority, lpMint)
  const head = [globalAccount, feeRecipient, mint, curve.curve, source, tx.signer, systemProgram]
  const middle = [tokenProgram, pumpSwapProgram, pool, authority, base, quote, config, wrappedSol]
  const accounts = [...head, ...middle, lpMint, lpAccount, ...vaults, ...filler(5)]
  tx.builder.call(pumpProgram, accounts, hex('9beae792ec9ea21e'), () => {
    tx.move(mint, source, base, curve.curve, base0)
    tx.shift(curve.curve, quote, lamports)
    tx.shift(curve.curve, feeRecipient, migrationLamports)
    tx.builder.wrap(quote, lamports)
    const created = [pool, config, authority, mint, wrappedSol, lpMint, base, quote, lpAccount]
    const amounts = u64(base0, lamports)
    const data = Buffer.concat([
      hex('e992d18ecf6840bc'),
      hex('0000'),
      amounts,
      keyBytesOf(curve.creator),
    ])
    tx.builder.call(pumpSwapProgram, [...created, ...vaults, ...filler(6)], data, () => {
      tx.move(mint, base, vaults[0], authority, base0)
      tx.move(wrappedSol, quote, vaults[1], authority, lamports)
    })
    const who = [tx.signer, mint].map(keyBytesOf)
    const moved = [u64(base0, lamports, migrationLamports), keyBytesOf(curve.curve)]
    const end = [time(tx.timeS), keyBytesOf(pool), keyBytesOf(wrappedSol)]
    tell(tx, pumpProgram, Buffer.concat([hex('bde95db95c94ea94'), ...who, ...moved, ...end]))
  })
  curve.realSol = 0n
  const made = { pool, mints: [mint, wrappedSol], vaults } as const
  tx.world.pumpPools.set(pool, made)
  return made
}

/** Pays out the fees that trades left in a curve. */
export function sweepCurve(tx: WorldTransaction, mint: string): void {
  const curve = tx.world.curves.get(mint)!
  const { kept = [0n, 0n] } = curve
  for (const at of [0, 1] as const) {
    const owner = at === 0 ? feeRecipient : keyOf(`creator vault of ${curve.creator}`)
    const tag = at === 0 ? '0830be07b644b7e5' : '20f6bf3408c949ba'
    const head = [tx.signer, globalAccount, mint, wrappedSol, tokenProgram, ...filler(2)]
    const accounts = [...head, curve.curve, accountOf(curve.curve, wrappedSol), owner]
    const rest = [accountOf(owner, wrappedSol), eventAuthority, pumpProgram]
    tx.builder.call(pumpProgram, [...accounts, ...rest], hex(tag), () => {
      if (kept[at] === 0n) return
      tx.shift(curve.curve, owner, kept[at])
      const keys = [mint, curve.curve, systemProgram, owner].map(keyBytesOf)
      const amounts = [u64(kept[at]), Buffer.from([at])]
      const event = [hex('742b4dbd117a482b'), time(tx.timeS), ...keys, ...amounts]
      tell(tx, pumpProgram, Buffer.concat(event))
    })
  }
  curve.kept = undefined
}
