import type { LiquidityTx, SwapTx, WalletTx } from '@chaintape/protocol'
import { decimalOfRaw } from '../../lib/decimal.ts'
import type { LiquidityKind } from '../../model/pool.ts'
import type { StoredLiquidity, StoredSwap } from '../../store/read/history.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { type ReadTokenRecord, readTokenRecord } from './pairMembers.ts'
import { tradeUsdFields } from './usdReason.ts'
import { decimalOrZero, unknownMarks } from './wireNumber.ts'

/** Pool liquidity fields in rows of swaps and liquidity changes. */
export const poolLiquidityFields = ['pair_liquidity_usd', 'pair_liquidity_eth'] as const

/**
 * Makes the row of a swap in transaction lists. `from` is what the trader gave, `to` what the
 * trader received.
 */
export function swapTxRow(
  chain: GatewayChain,
  stored: StoredSwap,
  recordOf: ReadTokenRecord = readTokenRecord,
): SwapTx {
  const { reads, profile } = chain
  const { blockNumber, timeS, timeMs, event } = stored
  const { swap, quote, isBuy } = event
  const record = reads.pairRecord(swap.pairId)
  const isKnown = quote.liquidityUsd !== null
  const targetTokenId = reads.targetTokenOf(swap.pairId)
  const token0 = recordOf(chain, record.token0Id)
  const token1 = recordOf(chain, record.token1Id)
  const side0 = {
    token: token0,
    amount: swap.amount0,
    reserve: swap.reserve0,
    usd: quote.price0Usd,
    native: quote.price0Native,
  }
  const side1 = {
    token: token1,
    amount: swap.amount1,
    reserve: swap.reserve1,
    usd: quote.price1Usd,
    native: quote.price1Native,
  }
  // In a buy, the trader gives the quote token for the target token.
  const isFrom0 = (targetTokenId === record.token0Id) !== isBuy
  const [from, to] = isFrom0 ? [side0, side1] : [side1, side0]
  return {
    id: `${blockNumber}-${swap.index}`,
    chain: profile.name,
    amm: record.amm,
    pair_address: record.address,
    tx_hash: swap.txHash,
    tx_time: timeS,
    ...(timeMs === undefined ? {} : { time_ms: timeMs }),
    block_number: blockNumber,
    direction: isBuy ? 'buy' : 'sell',
    ...tradeUsdFields(event, record, profile),
    pair_liquidity_usd: decimalOrZero(quote.liquidityUsd),
    pair_liquidity_eth: decimalOrZero(quote.liquidityNative),
    ...unknownMarks(isKnown, poolLiquidityFields),
    ...sideFields('from', from, isKnown),
    ...sideFields('to', to, isKnown),
    wallet_address: swap.wallet,
    wallet_tag: null,
    sender_address: swap.sender === '' ? swap.wallet : swap.sender,
    to_address: swap.to === '' ? swap.wallet : swap.to,
  }
}

/**
 * Adds the field names of the pushed swap. There, `to_address` is the bought token and `to` the
 * recipient.
 */
export function withPushedNames(row: SwapTx): Omit<WalletTx, 'time'> {
  const isBuy = row.direction === 'buy'
  return {
    ...row,
    ...pushedSide('from', row),
    ...pushedSide('to', row),
    sender: row.sender_address,
    to: row.to_address,
    target_token: isBuy ? row.to_token_address : row.from_token_address,
    transaction: row.tx_hash,
    tx_swap_type: isBuy ? 0 : 1,
  }
}

function pushedSide<name extends 'from' | 'to'>(name: name, row: SwapTx) {
  const words = ['address', 'amount', 'price_eth', 'price_usd', 'reserve', 'symbol'] as const
  const fields = words.flatMap((word) => {
    const field = [`${name}_${word}`, row[`${name}_token_${word}`]]
    const isUnknown = word === 'reserve' && row[`${name}_token_reserve_known`] === false
    return isUnknown ? [field, [`${name}_reserve_known`, false]] : [field]
  })
  return Object.fromEntries(fields) as Record<`${name}_${(typeof words)[number]}`, string>
}

type Side = {
  token: { address: string; symbol: string; decimals: number }
  amount: bigint
  reserve: bigint
  usd: number | null
  native: number | null
}

type SideName<name extends 'from' | 'to'> = Extract<keyof SwapTx, `${name}_token_${string}`>

function sideFields<name extends 'from' | 'to'>(name: name, side: Side, isKnown: boolean) {
  const { token, amount, reserve } = side
  const fields = {
    [`${name}_token_address`]: token.address,
    [`${name}_token_symbol`]: token.symbol,
    [`${name}_token_amount`]: decimalOfRaw(amount < 0n ? -amount : amount, token.decimals),
    [`${name}_token_reserve`]: decimalOfRaw(reserve, token.decimals),
    ...unknownMarks(isKnown, [`${name}_token_reserve`]),
    [`${name}_token_price_usd`]: decimalOrZero(side.usd),
    [`${name}_token_price_eth`]: decimalOrZero(side.native),
  }
  return fields as unknown as Pick<SwapTx, SideName<name>>
}

/** Internal kinds of liquidity changes, by the word used on the wire. */
export const liquidityKinds = {
  addLiquidity: 'add',
  removeLiquidity: 'remove',
  createPair: 'create',
  collectFee: 'collect',
} as const satisfies Record<LiquidityTx['type'], LiquidityKind>

const wordOf = Object.fromEntries(
  Object.entries(liquidityKinds).map(([word, kind]) => [kind, word]),
) as Record<LiquidityKind, keyof typeof liquidityKinds>

/** Makes the row of a liquidity change in transaction lists. */
export function liquidityTxRow(
  chain: GatewayChain,
  stored: StoredLiquidity,
  recordOf: ReadTokenRecord = readTokenRecord,
): LiquidityTx {
  const { reads, profile } = chain
  const { blockNumber, timeS, timeMs, event } = stored
  const { liquidity, quote } = event
  const isKnown = quote.liquidityUsd !== null
  const record = reads.pairRecord(liquidity.pairId)
  const token0 = recordOf(chain, record.token0Id)
  const token1 = recordOf(chain, record.token1Id)
  return {
    id: `${blockNumber}-${liquidity.index}`,
    type: wordOf[liquidity.kind],
    chain: profile.name,
    amm: record.amm,
    pair_address: record.address,
    transaction: liquidity.txHash,
    tx_time: timeS,
    ...(timeMs === undefined ? {} : { time_ms: timeMs }),
    block_number: blockNumber,
    ...tradeUsdFields(event, record, profile),
    pair_liquidity_usd: decimalOrZero(quote.liquidityUsd),
    pair_liquidity_eth: decimalOrZero(quote.liquidityNative),
    ...unknownMarks(isKnown, poolLiquidityFields),
    token0_address: token0.address,
    token0_symbol: token0.symbol,
    amount0: decimalOfRaw(liquidity.amount0, token0.decimals),
    reserve0: decimalOfRaw(liquidity.reserve0, token0.decimals),
    ...unknownMarks(isKnown, ['reserve0']),
    token0_price_usd: decimalOrZero(quote.price0Usd),
    token0_price_eth: decimalOrZero(quote.price0Native),
    token1_address: token1.address,
    token1_symbol: token1.symbol,
    amount1: decimalOfRaw(liquidity.amount1, token1.decimals),
    reserve1: decimalOfRaw(liquidity.reserve1, token1.decimals),
    ...unknownMarks(isKnown, ['reserve1']),
    token1_price_usd: decimalOrZero(quote.price1Usd),
    token1_price_eth: decimalOrZero(quote.price1Native),
    wallet_address: liquidity.wallet,
    sender: liquidity.sender === '' ? liquidity.wallet : liquidity.sender,
  }
}
