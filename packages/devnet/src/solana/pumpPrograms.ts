// pump.fun's curve and PumpSwap as their programs reckon, written with the layouts of their instructions and events.
import { metadataProgram } from './metadataAddress.ts'
import { bytesOf, hex, keyBytesOf, keyOf, tokenProgram, u64 } from './transactionBuilder.ts'
import {
  accountOf,
  type Curve,
  type Pool,
  token2022Program,
  type WorldTransaction,
  wrappedSol,
} from './world.ts'

export const pumpProgram = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'
export const pumpSwapProgram = 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA'
const systemProgram = '11111111111111111111111111111111'

const supply = 1_000_000_000_000_000n
const tokensForSale = 793_100_000_000_000n
const tokensForPool = 206_900_000_000_000n
const migrationLamports = 15_000_001n
const feeRecipient = keyOf('pump fees')
const eventAuthority = keyOf('pump event authority')
const globalAccount = keyOf('pump global')
const bps = 10_000n

const text = (value: string) => {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}
const time = (timeS: number) => u64(BigInt(timeS))
const ceil = (value: bigint, by: bigint) => (value + by - 1n) / by
const filler = (count: number) =>
  Array.from({ length: count }, (_, at) => keyOf(`pump filler ${at}`))

/** Programs of pump write every event twice. */
function tell({ builder }: WorldTransaction, program: string, event: Buffer): void {
  builder.log(event)
  builder.tell(program, event)
}

export type Launch = { mint: string; name: string; symbol: string; isToken2022: boolean }

/** create or create_v2: the mint, the curve and all tokens in it. */
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

type CurveTrade = { mint: string; isBuy: boolean; tokens: bigint; lamports: bigint }

function tradeEvent(tx: WorldTransaction, trade: CurveTrade, name: string): Buffer {
  const { mint, isBuy, tokens, lamports } = trade
  const { virtualSol, virtualTokens, realSol, realTokens, creator } = tx.world.curves.get(mint)!
  const [fee, creatorFee] = feesOf(lamports)
  return Buffer.concat([
    ...[hex('bddb7fd34ee661ee'), keyBytesOf(mint), u64(lamports, tokens), hex(isBuy ? '01' : '00')],
    ...[keyBytesOf(tx.signer), time(tx.timeS), u64(virtualSol, virtualTokens, realSol, realTokens)],
    ...[keyBytesOf(feeRecipient), u64(95n, fee), keyBytesOf(creator), u64(30n, creatorFee)],
    ...[hex('01'), u64(0n, 0n, lamports), time(tx.timeS), text(name), hex('00')],
    // Cashback and buyback with their rates, nobody who shares, then the side that pays.
    ...[u64(0n, 0n, 0n, 0n), Buffer.alloc(4), keyBytesOf(systemProgram)],
    u64(lamports, virtualSol, realSol),
  ])
}

/** What is paid beside the amount: to the platform and to who made the coin. */
function feesOf(lamports: bigint): readonly [bigint, bigint] {
  return [ceil(lamports * 95n, bps), ceil(lamports * 30n, bps)]
}

function curveAccounts(tx: WorldTransaction, mint: string, { curve, creator }: Curve): string[] {
  const [vault, mine] = [accountOf(curve, mint), accountOf(tx.signer, mint)]
  const creatorVault = keyOf(`creator vault of ${creator}`)
  const own = [globalAccount, feeRecipient, mint, curve, vault, mine, tx.signer]
  return [...own, systemProgram, creatorVault, creatorVault, eventAuthority, pumpProgram]
}

/** buy: so many tokens, or what is left of them. Gives what the curve was paid. */
export function buyOnCurve(tx: WorldTransaction, mint: string, wanted: bigint): bigint {
  const curve = tx.world.curves.get(mint)!
  const tokens = wanted > curve.realTokens ? curve.realTokens : wanted
  const lamports = (tokens * curve.virtualSol) / (curve.virtualTokens - tokens) + 1n
  const [fee, creatorFee] = feesOf(lamports)
  const mine = tx.own(tx.signer, mint)
  const vault = tx.own(curve.curve, mint)
  const data = Buffer.concat([hex('66063d1201daebea'), u64(tokens, lamports * 2n), hex('01')])
  tx.builder.call(pumpProgram, curveAccounts(tx, mint, curve), data, () => {
    tx.move(mint, vault, mine, curve.curve, tokens)
    tx.pay(tx.signer, curve.curve, lamports)
    tx.pay(tx.signer, feeRecipient, fee)
    tx.pay(tx.signer, keyOf(`creator vault of ${curve.creator}`), creatorFee)
    curve.virtualTokens -= tokens
    curve.realTokens -= tokens
    curve.virtualSol += lamports
    curve.realSol += lamports
    tell(tx, pumpProgram, tradeEvent(tx, { mint, isBuy: true, tokens, lamports }, 'buy'))
    if (curve.realTokens > 0n) return
    curve.isComplete = true
    const who = [tx.signer, mint, curve.curve].map(keyBytesOf)
    const end = [time(tx.timeS), keyBytesOf(systemProgram)]
    tell(tx, pumpProgram, Buffer.concat([hex('5f72619cd42e9808'), ...who, ...end]))
  })
  return lamports
}

/** sell: lamports leave the curve without a transfer that names them. */
export function sellOnCurve(tx: WorldTransaction, mint: string, tokens: bigint): bigint {
  const curve = tx.world.curves.get(mint)!
  const lamports = (tokens * curve.virtualSol) / (curve.virtualTokens + tokens)
  const [fee, creatorFee] = feesOf(lamports)
  const mine = tx.own(tx.signer, mint)
  const vault = tx.own(curve.curve, mint)
  const data = Buffer.concat([hex('33e685a4017f83ad'), u64(tokens, 0n)])
  tx.builder.call(pumpProgram, curveAccounts(tx, mint, curve), data, () => {
    tx.move(mint, mine, vault, tx.signer, tokens)
    tx.shift(curve.curve, tx.signer, lamports - fee - creatorFee)
    tx.shift(curve.curve, feeRecipient, fee)
    tx.shift(curve.curve, keyOf(`creator vault of ${curve.creator}`), creatorFee)
    curve.virtualTokens += tokens
    curve.realTokens += tokens
    curve.virtualSol -= lamports
    curve.realSol -= lamports
    tell(tx, pumpProgram, tradeEvent(tx, { mint, isBuy: false, tokens, lamports }, 'sell'))
  })
  return lamports
}

/** migrate: what a full curve has becomes a pool of PumpSwap. */
export function migrate(tx: WorldTransaction, mint: string): Pool {
  const curve = tx.world.curves.get(mint)!
  const pool = keyOf(`pump pool of ${mint}`)
  const authority = keyOf(`pool authority of ${mint}`)
  const lamports = curve.realSol - migrationLamports
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
    tx.move(mint, source, base, curve.curve, tokensForPool)
    tx.shift(curve.curve, quote, lamports)
    tx.shift(curve.curve, feeRecipient, migrationLamports)
    tx.builder.wrap(quote, lamports)
    const created = [pool, config, authority, mint, wrappedSol, lpMint, base, quote, lpAccount]
    const amounts = u64(tokensForPool, lamports)
    const data = Buffer.concat([
      hex('e992d18ecf6840bc'),
      hex('0000'),
      amounts,
      keyBytesOf(curve.creator),
    ])
    tx.builder.call(pumpSwapProgram, [...created, ...vaults, ...filler(6)], data, () => {
      tx.move(mint, base, vaults[0], authority, tokensForPool)
      tx.move(wrappedSol, quote, vaults[1], authority, lamports)
    })
    const who = [tx.signer, mint].map(keyBytesOf)
    const moved = [u64(tokensForPool, lamports, migrationLamports), keyBytesOf(curve.curve)]
    const end = [time(tx.timeS), keyBytesOf(pool), keyBytesOf(wrappedSol)]
    tell(tx, pumpProgram, Buffer.concat([hex('bde95db95c94ea94'), ...who, ...moved, ...end]))
  })
  curve.realSol = 0n
  const made = { pool, mints: [mint, wrappedSol], vaults } as const
  tx.world.pumpPools.set(pool, made)
  return made
}

const lpBps = 20n
const protocolBps = 5n
const creatorBps = 5n

function reservesOf(tx: WorldTransaction, { vaults }: Pool): readonly [bigint, bigint] {
  const amountOf = (vault: string) => tx.world.accounts.get(vault)?.amount ?? 0n
  return [amountOf(vaults[0]), amountOf(vaults[1])]
}

type PumpSwapTrade = {
  quote: bigint
  withLpFee: bigint
  ofUser: bigint
  fees: readonly [bigint, bigint, bigint]
}

/** Places that the events of both directions share. */
function swapEventParts(tx: WorldTransaction, pool: Pool, base: bigint, trade: PumpSwapTrade) {
  const [reserve0, reserve1] = reservesOf(tx, pool)
  const [lpFee, protocolFee, creatorFee] = trade.fees
  return {
    8: time(tx.timeS),
    16: u64(base, 0n),
    48: u64(reserve0, reserve1, trade.quote, lpBps, lpFee, protocolBps, protocolFee),
    104: u64(trade.withLpFee, trade.ofUser),
    120: keyBytesOf(pool.pool),
    152: keyBytesOf(tx.signer),
    344: u64(creatorBps, creatorFee),
  }
}

/** buy of so much base. */
export function buyOnPumpSwap(tx: WorldTransaction, pool: Pool, base: bigint): void {
  const [mint, quoteMint] = pool.mints
  const [reserve0, reserve1] = reservesOf(tx, pool)
  const quote = ceil(base * reserve1, reserve0 - base)
  const fees = [
    ceil(quote * lpBps, bps),
    ceil(quote * protocolBps, bps),
    ceil(quote * creatorBps, bps),
  ] as const
  const withLpFee = quote + fees[0]
  const ofUser = withLpFee + fees[1] + fees[2]
  const parts = swapEventParts(tx, pool, base, { quote, withLpFee, ofUser, fees })
  const head = bytesOf(401, { 0: hex('67f4521f2cf57777'), ...parts })
  const tail = [text('buy'), u64(0n, 0n, 0n, 0n), Buffer.alloc(16), hex('00'), u64(0n)]
  const mine = [tx.own(tx.signer, mint), tx.own(tx.signer, quoteMint)] as const
  const [feeAccount, creatorAccount] = feeAccounts(tx, pool)
  const data = Buffer.concat([hex('66063d1201daebea'), u64(base, ofUser * 2n), hex('01')])
  tx.builder.call(pumpSwapProgram, swapAccounts(tx, pool), data, () => {
    tx.move(mint, pool.vaults[0], mine[0], pool.pool, base)
    tx.move(quoteMint, mine[1], pool.vaults[1], tx.signer, withLpFee)
    tx.move(quoteMint, mine[1], feeAccount, tx.signer, fees[1])
    tx.move(quoteMint, mine[1], creatorAccount, tx.signer, fees[2])
    tell(tx, pumpSwapProgram, Buffer.concat([head, ...tail]))
  })
}

/** sell of so much base: fees are paid by the pool's vault out of what it gives. */
export function sellOnPumpSwap(tx: WorldTransaction, pool: Pool, base: bigint): void {
  const [mint, quoteMint] = pool.mints
  const [reserve0, reserve1] = reservesOf(tx, pool)
  const quote = (base * reserve1) / (reserve0 + base)
  const fees = [
    ceil(quote * lpBps, bps),
    ceil(quote * protocolBps, bps),
    ceil(quote * creatorBps, bps),
  ] as const
  const withLpFee = quote - fees[0]
  const ofUser = withLpFee - fees[1] - fees[2]
  const parts = swapEventParts(tx, pool, base, { quote, withLpFee, ofUser, fees })
  const event = bytesOf(417, { 0: hex('3e2f370aa503dc2a'), ...parts })
  const mine = [tx.own(tx.signer, mint), tx.own(tx.signer, quoteMint)] as const
  const [feeAccount, creatorAccount] = feeAccounts(tx, pool)
  const data = Buffer.concat([hex('33e685a4017f83ad'), u64(base, 0n)])
  tx.builder.call(pumpSwapProgram, swapAccounts(tx, pool), data, () => {
    tx.move(mint, mine[0], pool.vaults[0], tx.signer, base)
    tx.move(quoteMint, pool.vaults[1], mine[1], pool.pool, ofUser)
    tx.move(quoteMint, pool.vaults[1], feeAccount, pool.pool, fees[1])
    tx.move(quoteMint, pool.vaults[1], creatorAccount, pool.pool, fees[2])
    tell(tx, pumpSwapProgram, event)
  })
}

function feeAccounts(tx: WorldTransaction, pool: Pool): readonly [string, string] {
  for (const [at, vault] of pool.vaults.entries()) tx.own(pool.pool, pool.mints[at]!, vault)
  const quoteMint = pool.mints[1]
  const creator = keyOf(`coin creator of ${pool.pool}`)
  return [tx.own(feeRecipient, quoteMint), tx.own(creator, quoteMint)]
}

function swapAccounts(tx: WorldTransaction, { pool, mints, vaults }: Pool): string[] {
  const mine = mints.map((mint) => accountOf(tx.signer, mint))
  const own = [pool, tx.signer, keyOf('pump swap config'), ...mints, ...mine, ...vaults]
  return [...own, feeRecipient, accountOf(feeRecipient, mints[1]), ...filler(6)]
}
