import type { JsonSchema } from '../operation.ts'
import { arrayOf, count, decimal, integer, number, objectOf, text, timeS } from './words.ts'

const textFlag = { type: 'string', enum: ['0', '1'] }
const numberFlag = { type: 'integer', enum: [0, 1] }

const holder = objectOf(
  {
    address: text,
    percent: decimal,
    quantity: decimal,
    is_contract: integer,
    is_lp: integer,
    mark: {},
  },
  { optional: ['is_contract', 'is_lp', 'mark'] },
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
  risk_score: { type: 'integer', minimum: 0, maximum: 100 },
  risk_level: { type: 'integer', enum: [-1, 0, 1] },
  is_honeypot: { type: 'integer', enum: [-1, 0, 1] },
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
  slippage_modifiable: numberFlag,
  personal_slippage_modifiable: textFlag,
  cannot_buy: textFlag,
  cannot_sell_all: textFlag,
  can_take_back_ownership: textFlag,
  selfdestruct: textFlag,
  trading_cooldown: textFlag,
  transfer_pausable: textFlag,
  is_anti_whale: textFlag,
  anti_whale_modifiable: textFlag,
  is_proxy: textFlag,
  is_in_dex: textFlag,
  has_black_method: numberFlag,
  has_white_method: numberFlag,
  has_mint_method: numberFlag,
  has_code: numberFlag,
  has_owner_removed_risk: numberFlag,
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
