import type { JsonSchema } from '../operation.ts'
import { arrayOf, count, decimal, number, objectOf, text, timeS } from './words.ts'

const textFlag = { type: 'string', enum: ['0', '1'] }
const numberFlag = { type: 'integer', enum: [0, 1] }

const score = { type: 'integer', minimum: 0, maximum: 100 }

const holder = objectOf(
  {
    address: text,
    quantity: decimal,
    percent: decimal,
    is_contract: { enum: [1, null] },
    is_lp: { const: 1 },
    mark: { type: ['string', 'null'] },
    lock: { type: 'array' },
    analysis_show_warning: { const: '1' },
    analysis_show_creator: { const: '1' },
  },
  {
    optional: ['percent', 'is_lp', 'lock', 'analysis_show_warning', 'analysis_show_creator'],
  },
)

const always: Readonly<Record<string, JsonSchema>> = {
  token: text,
  chain: text,
  token_name: text,
  token_symbol: text,
  decimal: { type: 'string', pattern: '^\\d+$' },
  issue_platform: text,
  checked_block: count,
  updated_at: timeS,
  version: text,
  err_code: text,
  err_msg: text,
  risk_score: score,
  analysis_risk_score: score,
  risk_items: arrayOf(objectOf({ code: text, points: number })),
  risk_level: { type: 'integer', enum: [-1, 0, 1] },
  is_honeypot: { type: 'integer', enum: [-1, 0, 1] },
  is_listed: { ...numberFlag, description: "A quote asset of the chain's config." },
}

/** Present only where the check could tell. */
const determined: Readonly<Record<string, JsonSchema>> = {
  total: decimal,
  holders: count,
  lock_amount: number,
  burn_amount: number,
  token_lock_percent: number,
  owner: text,
  previous_owner: text,
  owner_balance: decimal,
  owner_percent: decimal,
  creator_address: text,
  creator_balance: decimal,
  creator_percent: decimal,
  creator_tx: text,
  buy_tax: number,
  sell_tax: number,
  transfer_tax: decimal,
  approve_gas: text,
  buy_gas: text,
  sell_gas: text,
  approve_gas_used: count,
  buy_gas_used: count,
  sell_gas_used: count,
  holder_analysis: objectOf(
    {
      average_tax: number,
      sell_failure: count,
      sell_successful: count,
      simulate_holders: count,
      tax_distribution: arrayOf(objectOf({ count, tax: number })),
    },
    { optional: ['average_tax'] },
  ),
  slippage_modifiable: numberFlag,
  personal_slippage_modifiable: textFlag,
  cannot_buy: textFlag,
  cannot_sell_all: textFlag,
  can_take_back_ownership: textFlag,
  hidden_owner: textFlag,
  external_call: textFlag,
  owner_change_balance: textFlag,
  honeypot_with_same_creator: textFlag,
  selfdestruct: textFlag,
  trading_cooldown: textFlag,
  transfer_pausable: textFlag,
  is_anti_whale: textFlag,
  anti_whale_modifiable: textFlag,
  is_proxy: textFlag,
  is_upgradeable: textFlag,
  is_in_dex: textFlag,
  has_black_method: numberFlag,
  has_white_method: numberFlag,
  has_mint_method: numberFlag,
  has_code: numberFlag,
  has_owner_removed_risk: numberFlag,
  analysis_big_wallet: textFlag,
  analysis_creator_gt_5percent: count,
  analysis_lp_creator_gt_5percent: count,
  analysis_lp_current_adequate: textFlag,
  analysis_lp_current_volume: count,
  has_top10_holder_amount_over_30: numberFlag,
  has_sell_max_limit: numberFlag,
  has_not_burned_lp: numberFlag,
  lp_pair: {
    ...text,
    description: 'The deepest pair with shares, which the fields of liquidity are of.',
  },
  pair_holders: count,
  pair_lock_percent: number,
  pair_total: number,
  big_lp_without_any_lock: numberFlag,
  dex: arrayOf(objectOf({ amm: text, liquidity: decimal, name: text, pair: text })),
  token_holders_rank: arrayOf(holder),
  pair_holders_rank: arrayOf(holder),
}

export const contractRiskSchema: JsonSchema = objectOf(
  { ...always, ...determined },
  { optional: Object.keys(determined) },
)
