import { chain, unknownMark, usdReason } from '../answers/shared.ts'
import {
  liquidityMarks,
  liquidityTypes,
  pushedSide,
  timeMs,
  walletAddress,
  walletTag,
} from '../answers/txs.ts'
import {
  count,
  decimal,
  digits,
  each,
  flag,
  inner,
  number,
  row,
  type TypeOf,
  text,
  timeS,
  words,
} from '../describe.ts'

const amm = text('Protocol of the pool, for example `uniswapv2`.')
const id = text('Position in the chain, `<block>-<index>`.', { pattern: '^\\d+-\\d+$' })
const blockNumber = count('Block number.')
const pairAddress = text('Address or id of the pool.')
const sender = text('Caller of the pool.')
const time = timeS('Block time.')
const transaction = text('Transaction hash.')
const amountEth = decimal(
  'native',
  'Value of the trade; for a swap with a native side, that side. 0 if the pool is not trusted.',
)
const amountUsd = decimal(
  'usd',
  'Value of the trade; for a swap with a stablecoin side, that side. 0 if the pool is not trusted.',
)
const liquidityEth = decimal('native', 'Value of the reserves after the trade.')
const liquidityUsd = decimal('usd', 'Value of the reserves after the trade.')

export const tokenSwap = row('TokenSwap', 'A swap: the trader paid `from` and received `to`.', {
  amm,
  amount_eth: amountEth,
  amount_usd: amountUsd,
  block_number: blockNumber,
  chain,
  direction: words(['buy', 'sell'], 'Direction for `target_token`.'),
  ...each(['from'], pushedSide),
  id,
  pair_address: pairAddress,
  pair_liquidity_eth: liquidityEth,
  pair_liquidity_usd: liquidityUsd,
  ...liquidityMarks,
  sender,
  target_token: text('The side of the pair that is not the quote.'),
  time,
  time_ms: timeMs,
  to: text('Recipient of the bought tokens.'),
  ...each(['to'], pushedSide),
  transaction,
  tx_swap_type: words([0, 1], '0: buy, 1: sell.'),
  wallet_address: walletAddress,
  wallet_tag: walletTag,
  usd_reason: usdReason,
})
export type TokenSwap = TypeOf<typeof tokenSwap>

const holdingOf = (token: string) =>
  number(
    'tokens',
    `Balance of ${token} of the trader. On Solana, wrapped SOL without a token account is the SOL in the wallet.`,
  )

export const profile = row('Profile', 'Balances of the trader after the swap.', {
  solTotalHolding: number('native', 'Native coin balance of the trader.'),
  solTotalHolding_known: unknownMark('solTotalHolding'),
  token0Address: text('Address of token0.'),
  token0HasClearedAccount: flag("The swap used up the trader's balance of token0."),
  token0HasClosedAccount: flag(
    "The swap closed the trader's token account of token0, on chains with token accounts.",
  ),
  token0HasNewAccount: flag(
    'The swap opened a token account of token0 for the trader. On chains without token accounts: the trader had no token0 before.',
  ),
  token0TotalHolding: holdingOf('token0'),
  token0TotalHolding_known: unknownMark('token0TotalHolding'),
  token1Address: text('Address of token1.'),
  token1HasClearedAccount: flag("The swap used up the trader's balance of token1."),
  token1HasClosedAccount: flag(
    "The swap closed the trader's token account of token1, on chains with token accounts.",
  ),
  token1TotalHolding: holdingOf('token1'),
  token1TotalHolding_known: unknownMark('token1TotalHolding'),
  token1HasNewAccount: flag(
    'The swap opened a token account of token1 for the trader. On chains without token accounts: the trader had no token1 before.',
  ),
})
export type Profile = TypeOf<typeof profile>

/** Fields of a `tx` subscription that a `multi_tx` subscription lacks. */
export const ofPairSwap = {
  profile: inner(profile, 'A `Profile` encoded as JSON text.'),
  tx_seq: digits('Index in the block.'),
} as const

export const pairSwap = row(
  'PairSwap',
  'A swap with the balances of the trader after it: the trader paid `from` and received `to`.',
  { ...tokenSwap.fields, ...ofPairSwap },
)
export type PairSwap = TypeOf<typeof pairSwap>

export const liquidity = row('Liquidity', 'A liquidity change of a pair.', {
  amm,
  block_number: blockNumber,
  chain,
  id,
  pair_address: pairAddress,
  sender,
  time,
  time_ms: timeMs,
  transaction,
  type: words(liquidityTypes, 'Kind of change.'),
  wallet_address: walletAddress,
  ...each(['0', '1'], {
    'amount*': decimal('tokens', 'Amount of token*.'),
    'reserve*': decimal('tokens', 'Reserve of token* after the change.'),
    'reserve*_known': unknownMark('reserve*'),
    'token*_address': text('Address of token*.'),
    'token*_price_eth': decimal('native', 'Price of token* after the change.'),
    'token*_price_usd': decimal('usd', 'Price of token* after the change.'),
    'token*_symbol': text('Symbol of token*; empty until the contract has answered.'),
  }),
  amount_eth: amountEth,
  amount_usd: amountUsd,
  pair_liquidity_eth: liquidityEth,
  pair_liquidity_usd: liquidityUsd,
  ...liquidityMarks,
  usd_reason: usdReason,
})
export type Liquidity = TypeOf<typeof liquidity>
