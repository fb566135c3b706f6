import type { WalletPnl } from '@chaintape/protocol'
import { decimalOfE8, decimalOfRaw } from '../../../lib/decimal.ts'
import { emptyPosition } from '../../../model/position.ts'
import { awaitStore } from '../../chain/storeReads.ts'
import { rowOrEmptyRef } from '../../ground/schemas.ts'
import { requiredChainInput, requiredTextInput } from '../../inputs/inputs.ts'
import { defineOperation } from '../operation.ts'
import { averagePrice } from './positionFields.ts'
import { readPositions } from './readPositions.ts'
import { canonicalAddress, formatRfc3339, walletAddressInput } from './walletInputs.ts'

/** GET /v2/address/pnl: a wallet's profit with one token. */
export const addressPnl = defineOperation({
  id: 'addressPnl',
  method: 'GET',
  path: '/v2/address/pnl',
  cost: 5,
  tag: 'wallets',
  summary: 'Profit of a wallet with a token',
  description:
    'By average cost, from the stored swaps in trusted pools, which begin at `since`. A trade is worth its side in ' +
    'a quote token of the chain, and 0 if it has none. Tokens sold without a stored purchase ' +
    'have no known cost: they count in `uncovered_sold_amount` and make no profit.',
  inputs: {
    wallet: walletAddressInput,
    chain: requiredChainInput,
    token: requiredTextInput({ name: 'token_address', description: 'The token.' }),
  },
  answer: rowOrEmptyRef('WalletPnl'),
  async run({ wallet, chain, token }, { store }) {
    const walletText = canonicalAddress(chain, wallet, 'wallet_address')
    const tokenText = canonicalAddress(chain, token, 'token_address')
    if (chain.reads.findToken(tokenText) === undefined)
      return { json: '{}', msg: 'SUCCESS: token not found' }
    const [[position = emptyPosition], since] = await Promise.all([
      readPositions(store, chain, walletText, tokenText),
      awaitStore(store.loadHistoryStart(chain.storeId)),
    ])
    const tokenId = chain.reads.findToken(tokenText)
    if (tokenId === undefined) return { json: '{}', msg: 'SUCCESS: token not found' }
    const record = chain.reads.tokenRecord(tokenId)
    const { decimals } = record
    const bought = decimalOfE8(position.boughtUsdE8)
    return {
      json: JSON.stringify({
        account_address: walletText,
        token_address: tokenText,
        chain: chain.profile.name,
        symbol: record.symbol,
        total_purchase: position.buyCount,
        total_purchase_amount: decimalOfRaw(position.boughtRaw, decimals),
        total_purchase_usd: bought,
        total_purchased_usd: bought,
        average_purchase_price_usd: averagePrice(
          position.boughtUsdE8,
          position.boughtRaw,
          decimals,
        ),
        max_single_purchase_usd: decimalOfE8(position.maxBuyUsdE8),
        first_purchase_time: formatRfc3339(position.firstBuyS),
        last_purchase_time: formatRfc3339(position.lastBuyS),
        total_sold: position.sellCount,
        total_sold_amount: decimalOfRaw(position.soldRaw, decimals),
        total_sold_usd: decimalOfE8(position.soldUsdE8),
        average_sold_price_usd: averagePrice(position.soldUsdE8, position.soldRaw, decimals),
        max_single_sold_usd: decimalOfE8(position.maxSellUsdE8),
        first_sold_time: formatRfc3339(position.firstSellS),
        last_sold_time: formatRfc3339(position.lastSellS),
        profit_realized: decimalOfE8(position.profitUsdE8),
        held_amount: decimalOfRaw(position.heldRaw, decimals),
        held_cost_usd: decimalOfE8(position.costUsdE8),
        uncovered_sold_amount: decimalOfRaw(position.uncoveredRaw, decimals),
        since: since ?? 0,
      } satisfies WalletPnl),
    }
  },
})
