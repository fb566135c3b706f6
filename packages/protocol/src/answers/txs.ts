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

const id = text('Block and index in it, `<block>-<index>`.')
const amm = text('Protocol of the pool.')
const pairAddress = text('Address or id of the pool.')
const txTime = timeS('Time of the block.')
export const timeMs = optional(
  count(
    'Time of the block in milliseconds, within its second; absent where the node gives whole seconds only.',
    'unixMs',
  ),
)
const blockNumber = count('Number of the block.')

/** Marks of the reserves after a trade. */
export const liquidityMarks = {
  pair_liquidity_usd_known: unknownMark('pair_liquidity_usd'),
  pair_liquidity_eth_known: unknownMark('pair_liquidity_eth'),
} as const

/** Value of a trade, and depth of its pool after it. */
const worth = {
  amount_usd: decimal(
    'usd',
    'What it is worth, of a swap its stablecoin side; 0 in a pool that is not trusted.',
  ),
  amount_eth: decimal(
    'native',
    'What it is worth, of a swap its native side itself; 0 in a pool that is not trusted.',
  ),
  usd_reason: usdReason,
  pair_liquidity_usd: decimal('usd', 'What the pool holds after it.'),
  pair_liquidity_eth: decimal('native', 'What the pool holds after it.'),
  ...liquidityMarks,
} as const

export const walletAddress = text('Account that signed the transaction.')
export const walletTag = nullable(text('Always null: wallets have no tags.'))

const sides = {
  '*_token_address': text('Address of the token on the `*` side.'),
  '*_token_symbol': text('Symbol of that token.'),
  '*_token_amount': decimal('tokens', 'Amount of the `*` side.'),
  '*_token_reserve': decimal('tokens', 'What the pool has of it after the swap.'),
  '*_token_reserve_known': unknownMark('*_token_reserve'),
  '*_token_price_usd': decimal('usd', 'Price of that token after the swap.'),
  '*_token_price_eth': decimal('native', 'Price of that token after the swap.'),
} as const

export const swapTx = row('SwapTx', 'A swap: the trader gave `from` and got `to`.', {
  id,
  chain,
  amm,
  pair_address: pairAddress,
  tx_hash: text('Hash of the transaction.'),
  tx_time: txTime,
  time_ms: timeMs,
  block_number: blockNumber,
  direction: words(['buy', 'sell'], 'Seen from the target token of the pair.'),
  ...worth,
  ...each(['from', 'to'], sides),
  wallet_address: walletAddress,
  wallet_tag: walletTag,
  sender_address: text('Who called the pool.'),
  to_address: text('Who received the bought tokens.'),
})
export type SwapTx = TypeOf<typeof swapTx>

/** One side of a swap in a push. */
export const pushedSide = {
  '*_address': text('Address of the token on the `*` side.'),
  '*_amount': decimal('tokens', 'Amount of the `*` side.'),
  '*_price_eth': decimal('native', 'Price of that token after the swap.'),
  '*_price_usd': decimal('usd', 'Price of that token after the swap.'),
  '*_reserve': decimal('tokens', 'What the pool has of it after the swap.'),
  '*_reserve_known': unknownMark('*_reserve'),
  '*_symbol': text('Symbol of that token; empty until its contract has answered.'),
} as const

export const walletTx = row('WalletTx', 'A swap of a wallet, also by the names of the push.', {
  ...swapTx.fields,
  ...each(['from', 'to'], pushedSide),
  sender: text('Who called the pool.'),
  to: text('Who received the bought tokens.'),
  target_token: text('The side of the pair that is not the quote.'),
  transaction: text('Hash of the transaction.'),
  tx_swap_type: words([0, 1], '0: buy, 1: sell.'),
  time: timeText('Time of the block, by which pages are turned.'),
})
export type WalletTx = TypeOf<typeof walletTx>

export const walletTxs = row('WalletTxs', 'A page of the swaps of a wallet.', {
  result: list(object(walletTx), 'Newest first.'),
  tx_count: count('Rows of this page.'),
})
export type WalletTxs = TypeOf<typeof walletTxs>

export const liquidityTypes = [
  'addLiquidity',
  'removeLiquidity',
  'createPair',
  'collectFee',
] as const

export const liquidityTx = row('LiquidityTx', 'A change of the liquidity of a pair.', {
  id,
  type: words(liquidityTypes, 'What was done.'),
  chain,
  amm,
  pair_address: pairAddress,
  transaction: text('Hash of the transaction.'),
  tx_time: txTime,
  time_ms: timeMs,
  block_number: blockNumber,
  ...worth,
  ...each(['0', '1'], {
    'token*_address': text('Address of token*.'),
    'token*_symbol': text('Symbol of token*.'),
    'amount*': decimal('tokens', 'Amount of token*.'),
    'reserve*': decimal('tokens', 'What the pool has of token* after it.'),
    'reserve*_known': unknownMark('reserve*'),
    'token*_price_usd': decimal('usd', 'Price of token* after it.'),
    'token*_price_eth': decimal('native', 'Price of token* after it.'),
  }),
  wallet_address: walletAddress,
  sender: text('Who called the pool.'),
})
export type LiquidityTx = TypeOf<typeof liquidityTx>

/** Fields beside a list of a pair's transactions. */
const page = {
  total_count: count('Rows of this answer.'),
  to_time: timeS('The last second that was asked for.'),
  limit: count('Rows at most, as asked for.'),
  pair_id: text('The pair, `<address>-<chain>`.'),
} as const

export const swapTxs = row('SwapTxs', 'Swaps of a pair.', {
  txs: list(object(swapTx), 'In the order that was asked for.'),
  ...page,
})
export type SwapTxs = TypeOf<typeof swapTxs>

export const liquidityTxs = row('LiquidityTxs', 'Liquidity changes of a pair.', {
  txs: list(object(liquidityTx), 'In the order that was asked for.'),
  ...page,
})
export type LiquidityTxs = TypeOf<typeof liquidityTxs>
