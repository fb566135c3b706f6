import type { CompatSmartWallet, SmartWallet as SmartWalletRow } from '@chaintape/protocol'
import { decimalOfDouble, decimalOfE8 } from '../../../lib/decimal.ts'
import type { SmartWallet, WalletVolume } from '../../../store/read/smartWallets.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { awaitStore } from '../../chain/storeReads.ts'
import { RequestError } from '../../ground/errors.ts'
import { arraySchema, componentRef } from '../../ground/schemas.ts'
import { correctFloat } from '../../inputs/corrections.ts'
import {
  type Input,
  optionalTextInput,
  orderInput,
  requiredChainInput,
  rowLimitInput,
} from '../../inputs/inputs.ts'
import { decimalOrZero, ratioOf } from '../../rows/wireNumber.ts'
import { defineOperation } from '../operation.ts'

const rowsMax = 100

/** Names of the profit groups on the wire, in the order of `SmartWallet.profitCounts`. */
const groupNames = [
  'neg100_neg50',
  'neg50_neg10',
  'neg10_10',
  '10_100',
  '100_300',
  '300_500',
  '500_900',
  'above_900',
] as const
const countNames = groupNames.map((name) => `profit_${name}_percent_num` as const)

const filterNames = [
  'profit_above_900_percent_num',
  'profit_300_900_percent_num',
  'profit_100_300_percent_num',
  'profit_10_100_percent_num',
  'profit_neg10_10_percent_num',
  'profit_neg50_neg10_percent_num',
  'profit_neg100_neg50_percent_num',
  'last_trade_time',
] as const
type FilterName = (typeof filterNames)[number]

function bound(name: string, description: string): Input<number | null> {
  return {
    name,
    in: 'query',
    isRequired: false,
    description,
    schema: { type: 'integer' },
    parse(text) {
      if (text === undefined) return null
      if (!/^[+-]?\d{1,15}$/.test(text))
        throw new RequestError('invalid_param', `${name} is not a whole number.`, name)
      return Number(text)
    },
    correct: (text) => correctFloat(name, text),
  }
}

const bounds = Object.fromEntries(
  filterNames.flatMap((name) => [
    [`${name}_min`, bound(`${name}_min`, `Least ${name}.`)],
    [`${name}_max`, bound(`${name}_max`, `Largest ${name}.`)],
  ]),
) as Record<`${FilterName}_${'min' | 'max'}`, Input<number | null>>

const sortWords = [
  'total_profit',
  'total_profit_rate',
  'total_volume',
  'total_trades',
  'token_profit_rate',
  'last_trade_time',
  ...filterNames.slice(0, -1),
] as const

/**
 * GET /v2/address/smart_wallet/list: the most profitable wallets. The ranking is recomputed
 * periodically, never during a request.
 */
export const smartWallets = defineOperation({
  id: 'smartWallets',
  method: 'GET',
  path: '/v2/address/smart_wallet/list',
  cost: 5,
  tag: 'wallets',
  summary: 'Wallets with the largest profit',
  description:
    'By realized profit at average cost, from trades in trusted pools against a quote token of the chain. The ranking is recomputed every few minutes from the swaps since `since`; ' +
    '`updated_at` is the time of the ranking. `profit_A_B_percent_num` counts the tokens sold at a profit of A to B percent; rates ' +
    'are fractions. Empty until the first ranking exists.',
  inputs: {
    chain: requiredChainInput,
    keyword: optionalTextInput({
      name: 'keyword',
      description: 'Only wallets whose address contains this text.',
    }),
    sort: orderInput({
      name: 'sort',
      description: 'Sort key.',
      words: sortWords,
      default: 'total_profit',
    }),
    sortDir: orderInput({
      name: 'sort_dir',
      description: 'Direction.',
      words: ['desc', 'asc'],
      default: 'desc',
    }),
    limit: rowLimitInput({
      description: 'Maximum number of rows.',
      default: rowsMax,
      max: rowsMax,
    }),
    ...bounds,
  },
  answer: { ...arraySchema(componentRef('SmartWallet')), maxItems: rowsMax },
  envelopedAnswer: { ...arraySchema(componentRef('CompatSmartWallet')), maxItems: rowsMax },
  async run(
    { chain, keyword, sort, sortDir, limit, ...query },
    { store, smartTrades, isCompatible },
  ) {
    const ranking = await awaitStore(store.loadSmartWallets(chain.storeId))
    if (ranking === null) return { json: '[]' }
    const { sinceS, madeAtS, wallets } = ranking
    const needle = keyword?.toLowerCase() ?? ''
    const sign = sortDir === 'desc' ? -1 : 1
    const rows = wallets
      .filter(({ wallet }) => wallet.toLowerCase().includes(needle))
      .map((wallet) => figuresOf(wallet))
      .filter(({ figures }) => isWithin(figures, query))
      .sort((a, b) => sign * (a.figures[sort] - b.figures[sort]))
      .slice(0, limit)
      .map(
        ({ wallet, figures }): SmartWalletRow => ({
          ...rowOf(wallet, figures),
          chain: chain.profile.name,
          since: sinceS,
          updated_at: madeAtS,
        }),
      )
    const traded = isCompatible ? await smartTrades(chain, 'ranking') : null
    return {
      json: JSON.stringify(rows),
      enveloped: () => JSON.stringify(compatRows(rows, chain, traded?.volumes ?? [])),
    }
  },
})

// Maximum number of most-traded tokens listed as tags of a wallet.
const tagItemsMax = 5

/** Existing clients expect the time as a string, and a wallet's most-traded tokens as tags. */
function compatRows(
  rows: readonly SmartWalletRow[],
  { reads }: GatewayChain,
  volumes: readonly WalletVolume[],
): CompatSmartWallet[] {
  return rows.map((row) => ({
    ...row,
    tag_items: volumes
      // Skips tokens that a reorg has reverted since the ranking was made.
      .filter(
        ({ wallet, tokenId }) => wallet === row.wallet_address && tokenId < reads.tokenCount(),
      )
      .slice(0, tagItemsMax)
      .map(({ tokenId, boughtUsdE8, soldUsdE8 }) => {
        const { address, symbol } = reads.tokenRecord(tokenId)
        return { address, symbol, volume: decimalOfE8(boughtUsdE8 + soldUsdE8) }
      }),
    last_trade_time: String(row.last_trade_time),
  }))
}

type Figures = Record<(typeof sortWords)[number], number>

function figuresOf(wallet: SmartWallet): { wallet: SmartWallet; figures: Figures } {
  const counts = Object.fromEntries(
    countNames.map((name, at) => [name, wallet.profitCounts[at]!]),
  ) as Record<(typeof countNames)[number], number>
  const figures = {
    ...counts,
    profit_300_900_percent_num:
      counts.profit_300_500_percent_num + counts.profit_500_900_percent_num,
    total_profit: Number(wallet.profitUsdE8) / 1e8,
    total_profit_rate: ratioOf(wallet.profitUsdE8, wallet.soldCostUsdE8),
    total_volume: Number(wallet.boughtUsdE8 + wallet.soldUsdE8) / 1e8,
    total_trades: wallet.buyCount + wallet.sellCount,
    token_profit_rate: wallet.tokenCount === 0 ? 0 : wallet.wonCount / wallet.tokenCount,
    last_trade_time: wallet.lastTradeS,
  }
  return { wallet, figures }
}

function isWithin(figures: Figures, query: Record<string, unknown>): boolean {
  return filterNames.every((name) => {
    const [min, max] = [query[`${name}_min`], query[`${name}_max`]] as (number | null)[]
    return (min == null || figures[name] >= min) && (max == null || figures[name] <= max)
  })
}

function rowOf(wallet: SmartWallet, figures: Figures) {
  const { total_trades, ...rest } = figures
  const counts = Object.fromEntries(
    Object.entries(rest).filter(([name]) => name.endsWith('_percent_num')),
  ) as Pick<SmartWalletRow, Extract<keyof SmartWalletRow, `profit_${string}`>>
  return {
    wallet_address: wallet.wallet,
    tag: '',
    tag_items: [],
    extra_info: '',
    remark: '',
    total_trades,
    buy_trades: wallet.buyCount,
    sell_trades: wallet.sellCount,
    token_profit_rate: decimalOfDouble(figures.token_profit_rate),
    total_profit: decimalOfE8(wallet.profitUsdE8),
    total_profit_rate: decimalOrZero(figures.total_profit_rate),
    total_volume: decimalOfE8(wallet.boughtUsdE8 + wallet.soldUsdE8),
    total_purchase: decimalOfE8(wallet.boughtUsdE8),
    total_sold: decimalOfE8(wallet.soldUsdE8),
    ...counts,
    last_trade_time: wallet.lastTradeS,
  }
}
