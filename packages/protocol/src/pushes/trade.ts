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
const id = text('Block and index in it, `<block>-<index>`.', { pattern: '^\\d+-\\d+$' })
const blockNumber = count('Number of the block.')
const pairAddress = text('Address or id of the pool.')
const sender = text('Who called the pool.')
const time = timeS('Time of the block.')
const transaction = text('Hash of the transaction.')
const amountEth = decimal(
  'native',
  'What it is worth, of a swap its native side itself; 0 in a pool that is not trusted.',
)
const amountUsd = decimal(
  'usd',
  'What it is worth, of a swap its stablecoin side; 0 in a pool that is not trusted.',
)
const liquidityEth = decimal('native', 'What the pool holds after it.')
const liquidityUsd = decimal('usd', 'What the pool holds after it.')

export const tokenSwap = row('TokenSwap', 'A swap: the trader gave `from` and got `to`.', {
  amm,
  amount_eth: amountEth,
  amount_usd: amountUsd,
  block_number: blockNumber,
  chain,
  direction: words(['buy', 'sell'], 'Seen from `target_token`.'),
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
  to: text('Who received the bought tokens.'),
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
    `What the trader has of ${token}. On Solana, wrapped SOL without an account for it is the SOL in the wallet.`,
  )

export const profile = row('Profile', 'What the trader holds after the swap.', {
  solTotalHolding: number('native', 'What the trader has of it.'),
  solTotalHolding_known: unknownMark('solTotalHolding'),
  token0Address: text('Address of token0.'),
  token0HasClearedAccount: flag('The swap took all that the trader had of token0.'),
  token0HasClosedAccount: flag(
    'The swap closed the trader’s account of token0, where the chain has such accounts.',
  ),
  token0HasNewAccount: flag(
    'The swap opened an account of token0 for the trader; where the chain has no such accounts: the trader had nothing of it before.',
  ),
  token0TotalHolding: holdingOf('token0'),
  token0TotalHolding_known: unknownMark('token0TotalHolding'),
  token1Address: text('Address of token1.'),
  token1HasClearedAccount: flag('The swap took all that the trader had of token1.'),
  token1HasClosedAccount: flag(
    'The swap closed the trader’s account of token1, where the chain has such accounts.',
  ),
  token1TotalHolding: holdingOf('token1'),
  token1TotalHolding_known: unknownMark('token1TotalHolding'),
  token1HasNewAccount: flag(
    'The swap opened an account of token1 for the trader; where the chain has no such accounts: the trader had nothing of it before.',
  ),
})
export type Profile = TypeOf<typeof profile>

/** Fields of a `tx` subscription that a `multi_tx` subscription lacks. */
export const ofPairSwap = {
  profile: inner(profile, 'A `Profile` as JSON text.'),
  tx_seq: digits('Index in the block.'),
} as const

export const pairSwap = row(
  'PairSwap',
  'A swap with what the trader holds after it: the trader gave `from` and got `to`.',
  { ...tokenSwap.fields, ...ofPairSwap },
)
export type PairSwap = TypeOf<typeof pairSwap>

export const liquidity = row('Liquidity', 'A change of the liquidity of a pair.', {
  amm,
  block_number: blockNumber,
  chain,
  id,
  pair_address: pairAddress,
  sender,
  time,
  time_ms: timeMs,
  transaction,
  type: words(liquidityTypes, 'What was done.'),
  wallet_address: walletAddress,
  ...each(['0', '1'], {
    'amount*': decimal('tokens', 'Amount of token*.'),
    'reserve*': decimal('tokens', 'What the pool has of token* after it.'),
    'reserve*_known': unknownMark('reserve*'),
    'token*_address': text('Address of token*.'),
    'token*_price_eth': decimal('native', 'Price of token* after it.'),
    'token*_price_usd': decimal('usd', 'Price of token* after it.'),
    'token*_symbol': text('Symbol of token*; empty until its contract has answered.'),
  }),
  amount_eth: amountEth,
  amount_usd: amountUsd,
  pair_liquidity_eth: liquidityEth,
  pair_liquidity_usd: liquidityUsd,
  ...liquidityMarks,
  usd_reason: usdReason,
})
export type Liquidity = TypeOf<typeof liquidity>
