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

const rankedHolder = part('A holder of the token, or of the shares of its pair.', {
  address: text('Address of the holder.'),
  is_contract: nullable(words([1], '1: it has code; null: it has none, or no node said.')),
  is_lp: optional(words([1], '1: it is a pool; else absent.')),
  lock: optional(
    list(text('A lock.'), 'Always empty; it is there where the amount is burnt or locked.'),
  ),
  mark: nullable(text('What the address is, for example `Creator`; null: nothing known.')),
  percent: optional(decimal('fraction', 'What it has of all; absent where the supply is unknown.')),
  quantity: decimal('tokens', 'What it has.'),
  analysis_show_warning: optional(
    words(['1'], '1: it is free to sell more than 5 %; else absent.'),
  ),
  analysis_show_creator: optional(words(['1'], '1: it created the token; else absent.')),
})

const always = {
  token: text('Address of the token.'),
  chain,
  token_name: text('What the contract calls itself.'),
  token_symbol: text('Its symbol.'),
  decimal: text('Digits behind the point of a whole token.', { pattern: '^\\d+$' }),
  issue_platform: text('Launch platform that made it, or empty.'),
  checked_block: count('Block at which it was checked.'),
  updated_at: timeS('Time of that block.'),
  version: text('Version of the check.'),
  err_code: text('`0`, or `not_simulated`: no trade could be simulated to its end.'),
  err_msg: text('Why it could not be; empty where it could.'),
  risk_score: score('Sum of `risk_items`: 0 nothing found, 100 the worst.'),
  analysis_risk_score: score('The same as `risk_score`.'),
  risk_level: three('-1: a honeypot or a high score, 1: a listed quote asset, 0: any other.'),
  is_listed: numberFlag("1: a quote asset of the chain's config."),
  risk_items: list(
    object(
      part('Something that was found.', {
        code: text('Name of the finding.'),
        points: number('points', 'What it adds to the score.'),
      }),
    ),
    'What the score is made of.',
  ),
  is_honeypot: three('1: bought tokens cannot be sold, 0: they can, -1: not checked.'),
} as const

/** Powers that the code gives. */
const powers = {
  has_code: numberFlag("1: a contract, or a token that the chain's nodes run themselves, answers."),
  is_proxy: textFlag('1: its code stands elsewhere.'),
  is_upgradeable: textFlag('1: its code can be replaced.'),
  has_mint_method: numberFlag('1: more can be made.'),
  has_black_method: numberFlag('1: single accounts can be stopped.'),
  has_white_method: numberFlag('1: single accounts can be let through.'),
  transfer_pausable: textFlag('1: transfers can be stopped.'),
  slippage_modifiable: numberFlag('1: the tax can be changed.'),
  personal_slippage_modifiable: textFlag('1: the tax of one account can be changed.'),
  owner_change_balance: textFlag('1: balances of others can be changed.'),
  is_anti_whale: textFlag('1: amounts have a limit.'),
  anti_whale_modifiable: textFlag('1: that limit can be changed.'),
  trading_cooldown: textFlag('1: accounts must wait between trades.'),
  can_take_back_ownership: textFlag('1: a renounced owner can come back.'),
  hidden_owner: textFlag("1: somebody else has an owner's powers."),
  selfdestruct: textFlag('1: the contract can remove itself.'),
  external_call: textFlag('1: a transfer calls another contract.'),
  honeypot_with_same_creator: textFlag('1: its creator made a honeypot.'),
} as const

/** Fields of tokens that the chain's nodes implement themselves. */
const native = {
  token_standard: words(['B20', 'CAS20'], "Standard of a token that the chain's nodes run."),
  supply_cap: decimal('tokens', 'More cannot be minted; absent: no cap, or unknown.'),
  transfers_paused: textFlag('1: transfers are stopped now.'),
  policies: list(
    object(
      part('A list of accounts that decides on transfers, mints or seizures.', {
        scope: text('Where it applies, for example `TRANSFER_SENDER_POLICY`.'),
        id: text('Number of the policy; 0 lets everybody pass.'),
        type: text('`always_allow`, `blocklist`, `allowlist`, `union` or `intersect`.'),
        admin: optional(text('Account that can change it; absent: none.')),
      }),
    ),
    'Policies of the token, by scope.',
  ),
  ui_multiplier: decimal('factor', 'What wallets multiply amounts with for display (ERC-8056).'),
} as const

/** Owner and creator. */
const owners = {
  owner: text('Address of the owner.'),
  previous_owner: text('The owner before.'),
  owner_balance: decimal('tokens', 'What the owner has.'),
  owner_percent: decimal('fraction', 'What the owner has of the supply.'),
  role_holders: list(
    object(
      part('An account with a role of the contract.', {
        role: text('Name of the role, or its hash.'),
        address: text('The account.'),
      }),
    ),
    'Who has roles beside an owner, as far as they were found.',
  ),
  creator_address: text('Account that created the token.'),
  creator_tx: text('Transaction that created it.'),
  creator_balance: decimal('tokens', 'What the creator has.'),
  creator_percent: decimal('fraction', 'What the creator has of the supply.'),
  creator_tokens: count(
    'Other tokens of the same creator that are known here: launched or checked.',
  ),
  creator_honeypots: count('Those of them that a check found to be honeypots.'),
  creator_dead_tokens: count(
    'Those of them that nobody traded for a week, or that hold under 100 USD.',
  ),
  analysis_creator_gt_5percent: count('What the creator has, 0 up to 5.', 'percent'),
  has_owner_removed_risk: numberFlag('1: the owner is gone and nothing brings one back.'),
} as const

/** Costs of a simulated trade. */
const trading = {
  buy_tax: number('percent', 'What a buy loses.'),
  sell_tax: number('percent', 'What a sale loses.'),
  transfer_tax: decimal('percent', 'What a transfer loses.'),
  cannot_buy: textFlag('1: it cannot be bought.'),
  cannot_sell_all: textFlag('1: not all that was bought can be sold.'),
  has_sell_max_limit: numberFlag('1: a sale has a limit.'),
  approve_gas: text('What an approval costs in USD; empty: not known.'),
  buy_gas: text('What a buy costs in USD; empty: not known.'),
  sell_gas: text('What a sale costs in USD; empty: not known.'),
  approve_gas_used: count('Gas of an approval.'),
  buy_gas_used: count('Gas of a buy.'),
  sell_gas_used: count('Gas of a sale.'),
  holder_analysis: object(
    part('What the largest holders met when they sold all they have, simulated.', {
      average_tax: optional(number('percent', 'What they lost on average.')),
      sell_failure: count('Holders that could not sell.'),
      sell_successful: count('Holders that could sell.'),
      simulate_holders: count('Holders that were tried.'),
      tax_distribution: list(
        object(
          part('Holders with one tax.', {
            count: count('How many holders.'),
            tax: number('percent', 'What they lost.'),
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
  holders: count('Addresses that have some of it.'),
  lock_amount: number('tokens', 'What known lockers hold.'),
  burn_amount: number('tokens', 'What lies at burn addresses.'),
  token_lock_percent: number('fraction', 'Locked tokens of the supply.'),
  is_in_dex: textFlag('1: it trades in a trusted pool beside its launch curve.'),
  dex: list(
    object(
      part('A trusted pool of the token.', {
        amm: text('Protocol of the pool.'),
        liquidity: decimal('usd', 'What the pool holds.'),
        name: text('Protocol and symbols.'),
        pair: text('Address or id of the pool.'),
      }),
    ),
    'Its trusted pools, deepest first.',
  ),
  analysis_lp_current_volume: count('What the deepest trusted pool holds, rounded.', 'usd'),
  analysis_lp_current_adequate: textFlag('1: that is at least 5,000 USD.'),
  lp_pair: text('The deepest pair with shares, which the fields of liquidity are of.'),
  has_not_burned_lp: numberFlag('1: less than 95 % of the shares are burnt.'),
  pair_total: number('shares', 'Supply of the shares.'),
  pair_lock_percent: number('fraction', 'Shares that are burnt or locked.'),
  pair_holders: count('Holders of shares.'),
  pair_holders_rank: list(object(rankedHolder), 'The largest holders of shares.'),
  big_lp_without_any_lock: numberFlag('1: one account can take out more than 20 % of the pair.'),
  analysis_lp_creator_gt_5percent: count('Shares of owner and creator, 0 up to 5.', 'percent'),
  token_holders_rank: list(object(rankedHolder), 'The largest holders of the token.'),
  analysis_big_wallet: textFlag('1: one free holder has more than 5 %.'),
  has_top10_holder_amount_over_30: numberFlag('1: ten free holders have more than 30 %.'),
} as const

/** A value that the check could not determine is absent: it never looks safe. */
export const contractRisk = row(
  'ContractRisk',
  'What a contract can do to its holders; what cannot be determined is absent.',
  { ...always, ...allOptional({ ...powers, ...native, ...owners, ...trading, ...market }) },
)
export type ContractRisk = TypeOf<typeof contractRisk>
