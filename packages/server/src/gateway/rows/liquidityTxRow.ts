import type { LiquidityTx } from '@chaintape/protocol'
import { decimalOfRaw } from '../../lib/decimal.ts'
import type { LiquidityKind } from '../../model/pool.ts'
import type { StoredLiquidity } from '../../store/read/history.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { type RecordOf, readRecord } from './pairMembers.ts'
import { liquidityFields } from './swapTxRow.ts'
import { tradeWorth } from './usdReason.ts'
import { decimalOrZero, unknownMarks } from './wireNumber.ts'

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
  recordOf: RecordOf = readRecord,
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
    ...tradeWorth(event, record, profile),
    pair_liquidity_usd: decimalOrZero(quote.liquidityUsd),
    pair_liquidity_eth: decimalOrZero(quote.liquidityNative),
    ...unknownMarks(isKnown, liquidityFields),
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
