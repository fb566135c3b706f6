import type { JsonSchema } from '../operation.ts'
import { flag, number, objectOf, text } from './words.ts'

export const holderKinds = ['wallet', 'pool', 'burn', 'lock', 'contract', 'creator'] as const

/** One of the largest holders of a token. */
export const tokenHolderSchema: JsonSchema = objectOf(
  {
    holder: text,
    address: { ...text, description: 'The same as `holder`.' },
    amount_cur: { ...number, minimum: 0, description: 'Whole tokens, exact.' },
    balance_ratio: { ...number, minimum: 0, maximum: 1, description: 'Fraction of the supply.' },
    balance_usd: { ...number, minimum: 0 },
    main_coin_balance: {
      ...number,
      minimum: 0,
      description: 'Native coins the address holds now; see `main_coin_balance_known`.',
    },
    main_coin_balance_known: {
      ...flag,
      description:
        'False: no node said in time, and `main_coin_balance` is 0 for want of an answer.',
    },
    kind: {
      enum: holderKinds,
      description: 'What the address is; `wallet` also where no node said whether it has code.',
    },
    is_contract: { ...flag, description: 'Absent where no node said.' },
    addr_alias: { ...text, description: 'A name for the address, or empty.' },
    remark: { ...text, description: 'Always empty.' },
  },
  { optional: ['is_contract'] },
)
