import {
  type CompatWalletToken,
  formatId,
  type WalletToken as WalletTokenRow,
} from '@chaintape/protocol'
import { decimalOfE8, decimalOfRaw } from '../../../lib/decimal.ts'
import { type GatewayChain, tokenLogoUrl } from '../../chain/gatewayChain.ts'
import { arraySchema, componentRef } from '../../ground/schemas.ts'
import {
  flagInput,
  type Input,
  integerInput,
  orderInput,
  requiredChainInput,
  rowLimitInput,
} from '../../inputs/inputs.ts'
import { balanceUsdWorth } from '../../rows/usdReason.ts'
import { decimalOrZero } from '../../rows/wireNumber.ts'
import { defineOperation } from '../operation.ts'
import { averagePrice, profitFields, profitOf } from './positionFields.ts'
import { lastTradeS } from './readPositions.ts'
import { readWallet, type WalletToken } from './readWallet.ts'
import { canonicalAddress, formatRfc3339, walletAddressInput } from './walletInputs.ts'

// `hide_small=1` hides balances worth less than this many USD.
const smallUsd = 1

const smallFlag = flagInput('hide_small', 'Whether to leave out small balances.')

/** Parameter `hide_small`: the minimum USD worth of the balances to list. */
const minimumUsdInput: Input<number> = {
  ...smallFlag,
  description: `1: only balances worth at least ${smallUsd} USD; a larger number: at least that many USD.`,
  schema: { type: 'string', pattern: '^(true|false|\\d+(\\.\\d+)?)$', default: '0' },
  parse(text, serving) {
    const usd = /^\d{1,15}(\.\d{1,15})?$/.test(text ?? '') ? Number(text) : 0
    if (usd > smallUsd) return usd
    return smallFlag.parse(text, serving) ? smallUsd : 0
  },
}

/** GET /v2/address/walletinfo/tokens: tokens that a wallet traded. */
export const walletTokens = defineOperation({
  id: 'walletTokens',
  method: 'GET',
  path: '/v2/address/walletinfo/tokens',
  cost: 10,
  tag: 'wallets',
  summary: 'Tokens of a wallet',
  description:
    'Tokens the wallet traded in the stored swaps. Balances are as of the newest stored block. Profits are in USD, ' +
    'ratios are fractions of the cost. Only trades in trusted pools count. `risk_level` and `risk_score` are absent until the contract is checked.',
  inputs: {
    wallet: walletAddressInput,
    chain: requiredChainInput,
    sort: orderInput({
      name: 'sort',
      description: 'Sort key.',
      words: [
        'last_txn_time',
        'balance_usd',
        'total_profit',
        'realized_profit',
        'unrealized_profit',
        'total_profit_ratio',
        'total_purchase_usd',
        'total_sold_usd',
      ],
      default: 'last_txn_time',
    }),
    sortDir: orderInput({
      name: 'sort_dir',
      description: 'Direction.',
      words: ['desc', 'asc'],
      default: 'desc',
    }),
    pageSize: rowLimitInput({
      name: 'pageSize',
      description: 'Rows per page.',
      default: 50,
      max: 100,
    }),
    page: integerInput({
      name: 'pageNO',
      description: 'Page number, from 1.',
      default: 1,
      min: 1,
      max: 10_000,
    }),
    hideSold: flagInput('hide_sold', '1: only tokens that the wallet still holds.'),
    leastUsd: minimumUsdInput,
    blueChips: flagInput('blue_chips', '1: only the quote tokens of the chain.'),
  },
  answer: arraySchema(componentRef('WalletToken')),
  envelopedAnswer: arraySchema(componentRef('CompatWalletToken')),
  async run({ chain, wallet, sort, sortDir, pageSize, page, ...query }, { store }) {
    const address = canonicalAddress(chain, wallet, 'wallet_address')
    const { tokens } = await readWallet(store, chain, address)
    const { quotes } = chain.profile
    const rows = tokens
      .filter(({ balanceRaw }) => balanceRaw > 0n || !query.hideSold)
      .filter(({ token }) => !query.blueChips || quotes.includes(token.record.address))
      .map((item) => ({ item, row: walletTokenRow(chain, item) }))
      .filter(({ row }) => Number(row.balance_usd) >= query.leastUsd)
    const sign = sortDir === 'desc' ? -1 : 1
    const keyOf = ({ row }: (typeof rows)[number]) =>
      sort === 'last_txn_time' ? Date.parse(row.last_txn_time) : Number(row[sort])
    rows.sort((a, b) => sign * (keyOf(a) - keyOf(b)))
    const shown = rows.slice((page - 1) * pageSize, page * pageSize)
    return {
      json: JSON.stringify(shown.map(({ row }) => row)),
      enveloped: () => JSON.stringify(shown.map(({ row, item }) => compatRow(row, item))),
    }
  },
})

/**
 * Existing clients expect the time as a number, and transfer sums: the part of the balance that the
 * stored swaps do not explain.
 */
function compatRow(
  row: WalletTokenRow,
  { position, token, balanceRaw }: WalletToken,
): CompatWalletToken {
  const movedRaw = balanceRaw - position.boughtRaw + position.soldRaw
  const { decimals } = token.record
  return {
    ...row,
    last_txn_time: lastTradeS(position),
    total_transfer_in_amount: decimalOfRaw(movedRaw > 0n ? movedRaw : 0n, decimals),
    total_transfer_out_amount: decimalOfRaw(movedRaw < 0n ? -movedRaw : 0n, decimals),
  }
}

function walletTokenRow(
  chain: GatewayChain,
  { position, token, balanceRaw }: WalletToken,
): WalletTokenRow {
  const { record } = token
  const { decimals } = record
  const priceUsd = token.isImplausible ? 0 : (token.price?.usd ?? 0)
  const worth = balanceUsdWorth(token, balanceRaw)
  const { profile, reads } = chain
  const risk = chain.risk.known(record.address)
  return {
    token_id: formatId({ address: record.address, chain: profile.name }),
    token: record.address,
    chain: profile.name,
    symbol: record.symbol,
    logo_url: tokenLogoUrl(chain, record.address),
    ...(risk && { risk_level: risk.level, risk_score: String(risk.score) }),
    last_txn_time: formatRfc3339(lastTradeS(position)),
    ...profitFields(profitOf(position, { balanceRaw, priceUsd, decimals })),
    balance_amount: decimalOfRaw(balanceRaw, decimals),
    balance_usd: decimalOrZero(worth.usd),
    ...(worth.reason === null ? {} : { usd_reason: worth.reason }),
    total_purchase: position.buyCount,
    total_purchase_amount: decimalOfRaw(position.boughtRaw, decimals),
    total_purchase_usd: decimalOfE8(position.boughtUsdE8),
    average_purchase_price_usd: averagePrice(position.boughtUsdE8, position.boughtRaw, decimals),
    total_sold: position.sellCount,
    total_sold_amount: decimalOfRaw(position.soldRaw, decimals),
    total_sold_usd: decimalOfE8(position.soldUsdE8),
    average_sold_price_usd: averagePrice(position.soldUsdE8, position.soldRaw, decimals),
    uncovered_sold_amount: decimalOfRaw(position.uncoveredRaw, decimals),
    main_token_price: decimalOrZero(reads.nativeUsd()),
    main_token_symbol: profile.native.symbol,
    current_price_usd: decimalOrZero(token.price?.usd ?? null),
  }
}
