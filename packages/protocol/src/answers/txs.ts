import {
  count,
  decimal,
  each,
  list,
  nullable,
  object,
  optional,
  row,
  type TypeOf,
  text,
  timeS,
  words,
} from '../describe.ts'
import { chain, timeText, unknownMark, usdReason } from './shared.ts'

const id = text('Position in the chain, `<block>-<index>`.')
const amm = text('Protocol of the pool.')
const pairAddress = text('Address or id of the pool.')
const txTime = timeS('Block time.')
export const timeMs = optional(
  count(
    'Block time in milliseconds, within its second; absent if the node reports whole seconds only.',
    'unixMs',
  ),
)
const blockNumber = count('Block number.')

/** Marks of the reserves after a trade. */
export const liquidityMarks = {
  pair_liquidity_usd_known: unknownMark('pair_liquidity_usd'),
  pair_liquidity_eth_known: unknownMark('pair_liquidity_eth'),
} as const

/** Value of a trade, and depth of its pool after it. */
const worth = {
  amount_usd: decimal(
    'usd',
    'Value of the trade; for a swap with a stablecoin side, that side. 0 if the pool is not trusted.',
  ),
  amount_eth: decimal(
    'native',
    'Value of the trade; for a swap with a native side, that side. 0 if the pool is not trusted.',
  ),
  usd_reason: usdReason,
  pair_liquidity_usd: decimal('usd', 'Value of the reserves after the trade.'),
  pair_liquidity_eth: decimal('native', 'Value of the reserves after the trade.'),
  ...liquidityMarks,
} as const

export const walletAddress = text('Account that signed the transaction.')
export const walletTag = nullable(text('Always null: Chaintape does not tag wallets.'))

const sides = {
  '*_token_address': text('Address of the token on the `*` side.'),
  '*_token_symbol': text('Symbol of that token.'),
  '*_token_amount': decimal('tokens', 'Amount of the `*` side.'),
  '*_token_reserve': decimal('tokens', 'Reserve of that token after the swap.'),
  '*_token_reserve_known': unknownMark('*_token_reserve'),
  '*_token_price_usd': decimal('usd', 'Price of that token after the swap.'),
  '*_token_price_eth': decimal('native', 'Price of that token after the swap.'),
} as const

export const swapTx = row('SwapTx', 'A swap: the trader paid `from` and received `to`.', {
  id,
  chain,
  amm,
  pair_address: pairAddress,
  tx_hash: text('Transaction hash.'),
  tx_time: txTime,
  time_ms: timeMs,
  block_number: blockNumber,
  direction: words(['buy', 'sell'], 'Direction for the target token of the pair.'),
  ...worth,
  ...each(['from', 'to'], sides),
  wallet_address: walletAddress,
  wallet_tag: walletTag,
  sender_address: text('Caller of the pool.'),
  to_address: text('Recipient of the bought tokens.'),
})
export type SwapTx = TypeOf<typeof swapTx>

/** One side of a swap in a push. */
export const pushedSide = {
  '*_address': text('Address of the token on the `*` side.'),
  '*_amount': decimal('tokens', 'Amount of the `*` side.'),
  '*_price_eth': decimal('native', 'Price of that token after the swap.'),
  '*_price_usd': decimal('usd', 'Price of that token after the swap.'),
  '*_reserve': decimal('tokens', 'Reserve of that token after the swap.'),
  '*_reserve_known': unknownMark('*_reserve'),
  '*_symbol': text('Symbol of that token; empty until the contract has answered.'),
} as const

export const walletTx = row(
  'WalletTx',
  'A swap of a wallet, with the field names of REST and of the push.',
  {
    ...swapTx.fields,
    ...each(['from', 'to'], pushedSide),
    sender: text('Caller of the pool.'),
    to: text('Recipient of the bought tokens.'),
    target_token: text('The side of the pair that is not the quote.'),
    transaction: text('Transaction hash.'),
    tx_swap_type: words([0, 1], '0: buy, 1: sell.'),
    time: timeText('Block time; pages are ordered by it.'),
  },
)
export type WalletTx = TypeOf<typeof walletTx>

export const walletTxs = row('WalletTxs', "A page of a wallet's swaps.", {
  result: list(object(walletTx), 'Newest first.'),
  tx_count: count('Number of rows on this page.'),
})
export type WalletTxs = TypeOf<typeof walletTxs>

export const liquidityTypes = [
  'addLiquidity',
  'removeLiquidity',
  'createPair',
  'collectFee',
] as const

export const liquidityTx = row('LiquidityTx', 'A liquidity change of a pair.', {
  id,
  type: words(liquidityTypes, 'Kind of change.'),
  chain,
  amm,
  pair_address: pairAddress,
  transaction: text('Transaction hash.'),
  tx_time: txTime,
  time_ms: timeMs,
  block_number: blockNumber,
  ...worth,
  ...each(['0', '1'], {
    'token*_address': text('Address of token*.'),
    'token*_symbol': text('Symbol of token*.'),
    'amount*': decimal('tokens', 'Amount of token*.'),
    'reserve*': decimal('tokens', 'Reserve of token* after the change.'),
    'reserve*_known': unknownMark('reserve*'),
    'token*_price_usd': decimal('usd', 'Price of token* after the change.'),
    'token*_price_eth': decimal('native', 'Price of token* after the change.'),
  }),
  wallet_address: walletAddress,
  sender: text('Caller of the pool.'),
})
export type LiquidityTx = TypeOf<typeof liquidityTx>

/** Fields beside a list of a pair's transactions. */
const page = {
  total_count: count('Number of rows in this answer.'),
  to_time: timeS('End of the requested range: its last second.'),
  limit: count('Maximum number of rows, as requested.'),
  pair_id: text('The pair, `<address>-<chain>`.'),
} as const

export const swapTxs = row('SwapTxs', 'Swaps of a pair.', {
  txs: list(object(swapTx), 'In the requested order.'),
  ...page,
})
export type SwapTxs = TypeOf<typeof swapTxs>

export const liquidityTxs = row('LiquidityTxs', 'Liquidity changes of a pair.', {
  txs: list(object(liquidityTx), 'In the requested order.'),
  ...page,
})
export type LiquidityTxs = TypeOf<typeof liquidityTxs>
