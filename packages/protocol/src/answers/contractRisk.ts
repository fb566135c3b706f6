import {
  allOptional,
  count,
  decimal,
  type Field,
  integer,
  list,
  nullable,
  number,
  object,
  optional,
  part,
  row,
  type TypeOf,
  text,
  timeS,
  words,
} from '../describe.ts'
import { chain } from './shared.ts'

const textFlag = (meaning: string) => words(['0', '1'], meaning)
const numberFlag = (meaning: string) => words([0, 1], meaning)
const score = (meaning: string): Field<number, false> => integer(meaning, { min: 0, max: 100 })
const three = (meaning: string) => words([-1, 0, 1], meaning)

const rankedHolder = part("A holder of the token or of its pair's liquidity shares.", {
  address: text('Address of the holder.'),
  is_contract: nullable(
    words([1], '1: the address has code; null: it has none, or no node answered.'),
  ),
  is_lp: optional(words([1], '1: the address is a pool; absent otherwise.')),
  lock: optional(list(text('A lock.'), 'Always empty; present if the amount is burnt or locked.')),
  mark: nullable(text('Role of the address, for example `Creator`; null: unknown.')),
  percent: optional(decimal('fraction', 'Share of the supply; absent if the supply is unknown.')),
  quantity: decimal('tokens', 'Balance of the holder.'),
  analysis_show_warning: optional(
    words(['1'], '1: can freely sell more than 5 % of the supply; absent otherwise.'),
  ),
  analysis_show_creator: optional(words(['1'], '1: created the token; absent otherwise.')),
})

const always = {
  token: text('Address of the token.'),
  chain,
  token_name: text('Name that the contract returns.'),
  token_symbol: text('Symbol of the token.'),
  decimal: text('Number of decimals of the token.', { pattern: '^\\d+$' }),
  issue_platform: text('Launch platform that created the token; empty: none.'),
  checked_block: count('Block number of the check.'),
  updated_at: timeS('Time of that block.'),
  version: text('Version of the checker.'),
  err_code: text('`0`, or `not_simulated` if no trade could be simulated to the end.'),
  err_msg: text('Reason why the simulation failed; empty if it succeeded.'),
  risk_score: score('Sum of `risk_items`: 0 means no findings, 100 is the worst.'),
  analysis_risk_score: score('The same as `risk_score`.'),
  risk_level: three('-1: honeypot or high score, 1: listed quote asset, 0: all others.'),
  is_listed: numberFlag('1: quote asset in the config of the chain.'),
  risk_items: list(
    object(
      part('A finding.', {
        code: text('Name of the finding.'),
        points: number('points', 'Points it adds to the score.'),
      }),
    ),
    'The findings behind the score.',
  ),
  is_honeypot: three('1: buyers cannot sell, 0: they can, -1: not checked.'),
} as const

/** Powers that the code gives. */
const powers = {
  has_code: numberFlag('1: the address has a contract, or is a native token of the chain.'),
  is_proxy: textFlag('1: the contract delegates to code at another address.'),
  is_upgradeable: textFlag('1: the code can be replaced.'),
  has_mint_method: numberFlag('1: the supply can be increased.'),
  has_black_method: numberFlag('1: single accounts can be blocked.'),
  has_white_method: numberFlag('1: single accounts can be exempted.'),
  transfer_pausable: textFlag('1: transfers can be paused.'),
  slippage_modifiable: numberFlag('1: the tax can be changed.'),
  personal_slippage_modifiable: textFlag('1: the tax of one account can be changed.'),
  owner_change_balance: textFlag('1: balances of others can be changed.'),
  is_anti_whale: textFlag('1: trade or balance amounts are limited.'),
  anti_whale_modifiable: textFlag('1: that limit can be changed.'),
  trading_cooldown: textFlag('1: accounts must wait between trades.'),
  can_take_back_ownership: textFlag('1: renounced ownership can be reclaimed.'),
  hidden_owner: textFlag('1: an account other than the owner has owner powers.'),
  selfdestruct: textFlag('1: the contract can self-destruct.'),
  external_call: textFlag('1: a transfer calls another contract.'),
  honeypot_with_same_creator: textFlag('1: its creator also created a honeypot.'),
} as const

/** Fields of tokens that the chain's nodes implement themselves. */
const native = {
  token_standard: words(['B20', 'CAS20'], 'Standard of a native token of the chain.'),
  supply_cap: decimal('tokens', 'Maximum supply; absent: no cap, or unknown.'),
  transfers_paused: textFlag('1: transfers are paused now.'),
  policies: list(
    object(
      part('An account list that decides who may transfer, mint or seize.', {
        scope: text('Scope of the policy, for example `TRANSFER_SENDER_POLICY`.'),
        id: text('Number of the policy; 0 allows everyone.'),
        type: text('`always_allow`, `blocklist`, `allowlist`, `union` or `intersect`.'),
        admin: optional(text('Account that can change the policy; absent: none.')),
      }),
    ),
    'Policies of the token, by scope.',
  ),
  ui_multiplier: decimal('factor', 'Factor that wallets multiply displayed amounts by (ERC-8056).'),
} as const

/** Owner and creator. */
const owners = {
  owner: text('Address of the owner.'),
  previous_owner: text('Previous owner.'),
  owner_balance: decimal('tokens', 'Balance of the owner.'),
  owner_percent: decimal('fraction', 'Share of the supply the owner holds.'),
  role_holders: list(
    object(
      part('An account with a role of the contract.', {
        role: text('Name of the role, or its hash.'),
        address: text('The account.'),
      }),
    ),
    'Accounts with roles besides the owner, as far as they were found.',
  ),
  creator_address: text('Account that created the token.'),
  creator_tx: text('Transaction that created it.'),
  creator_balance: decimal('tokens', 'Balance of the creator.'),
  creator_percent: decimal('fraction', 'Share of the supply the creator holds.'),
  creator_tokens: count('Known tokens of the same creator, launched or checked, without this one.'),
  creator_honeypots: count('Tokens of the same creator that a check found to be honeypots.'),
  creator_dead_tokens: count(
    'Tokens of the same creator that nobody traded for a week or whose pools hold less than 100 USD.',
  ),
  analysis_creator_gt_5percent: count(
    'Share of the supply that the creator holds, in whole percent; 0 if at most 5.',
    'percent',
  ),
  has_owner_removed_risk: numberFlag('1: the owner renounced and cannot be restored.'),
} as const

/** Costs of a simulated trade. */
const trading = {
  buy_tax: number('percent', 'Share of a buy that is lost to tax.'),
  sell_tax: number('percent', 'Share of a sale that is lost to tax.'),
  transfer_tax: decimal('percent', 'Share of a transfer that is lost to tax.'),
  cannot_buy: textFlag('1: buying fails.'),
  cannot_sell_all: textFlag('1: a buyer cannot sell the whole amount bought.'),
  has_sell_max_limit: numberFlag('1: the amount of a sale is limited.'),
  approve_gas: text('Cost of an approval in USD; empty: unknown.'),
  buy_gas: text('Cost of a buy in USD; empty: unknown.'),
  sell_gas: text('Cost of a sale in USD; empty: unknown.'),
  approve_gas_used: count('Gas of an approval.'),
  buy_gas_used: count('Gas of a buy.'),
  sell_gas_used: count('Gas of a sale.'),
  holder_analysis: object(
    part('Simulated sale of the whole balance of each of the largest holders.', {
      average_tax: optional(number('percent', 'Average tax of these sales.')),
      sell_failure: count('Number of holders whose sale failed.'),
      sell_successful: count('Number of holders whose sale succeeded.'),
      simulate_holders: count('Number of holders tried.'),
      tax_distribution: list(
        object(
          part('Holders with the same tax.', {
            count: count('Number of holders.'),
            tax: number('percent', 'The tax.'),
          }),
        ),
        'Smallest tax first.',
      ),
    }),
  ),
} as const

/** Supply, pools, and their holders. */
const market = {
  total: decimal('tokens', 'Supply.'),
  holders: count('Number of addresses with a balance.'),
  lock_amount: number('tokens', 'Amount held by known lockers.'),
  burn_amount: number('tokens', 'Amount held by burn addresses.'),
  token_lock_percent: number('fraction', 'Share of the supply that is locked.'),
  is_in_dex: textFlag('1: trades in a trusted pool other than its launch curve.'),
  dex: list(
    object(
      part('A trusted pool of the token.', {
        amm: text('Protocol of the pool.'),
        liquidity: decimal('usd', 'Value of the reserves.'),
        name: text('Protocol and symbols.'),
        pair: text('Address or id of the pool.'),
      }),
    ),
    'Trusted pools, deepest first.',
  ),
  analysis_lp_current_volume: count('Reserves of the deepest trusted pool, rounded.', 'usd'),
  analysis_lp_current_adequate: textFlag('1: the deepest trusted pool holds at least 5,000 USD.'),
  lp_pair: text(
    'The deepest pair with liquidity shares. `pair_*` and `*_lp_*` describe this pair.',
  ),
  has_not_burned_lp: numberFlag('1: less than 95 % of the shares are burnt.'),
  pair_total: number('shares', 'Total number of shares.'),
  pair_lock_percent: number('fraction', 'Fraction of the shares that is burnt or locked.'),
  pair_holders: count('Number of holders of shares.'),
  pair_holders_rank: list(object(rankedHolder), 'The largest holders of shares.'),
  big_lp_without_any_lock: numberFlag('1: one account can withdraw more than 20 % of the pair.'),
  analysis_lp_creator_gt_5percent: count(
    'Part of the liquidity shares that owner and creator hold, in whole percent; 0 if at most 5.',
    'percent',
  ),
  token_holders_rank: list(object(rankedHolder), 'The largest holders of the token.'),
  analysis_big_wallet: textFlag(
    '1: one holder, neither burnt, locked nor a pool, has more than 5 %.',
  ),
  has_top10_holder_amount_over_30: numberFlag(
    '1: the ten largest of such holders have more than 30 %.',
  ),
} as const

/** A value that the check could not determine is absent: it never looks safe. */
export const contractRisk = row(
  'ContractRisk',
  'Powers of a token contract over its holders. A field is absent if it could not be determined.',
  { ...always, ...allOptional({ ...powers, ...native, ...owners, ...trading, ...market }) },
)
export type ContractRisk = TypeOf<typeof contractRisk>
