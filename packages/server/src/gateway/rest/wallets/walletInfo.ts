import type { CompatWalletInfo, WalletInfo } from '@chaintape/protocol'
import { decimalOfE8, decimalOfRaw } from '../../../lib/decimal.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { componentRef } from '../../ground/schemas.ts'
import { requiredChainInput } from '../../inputs/inputs.ts'
import { balanceUsdWorth } from '../../rows/usdReason.ts'
import { decimalOrZero } from '../../rows/wireNumber.ts'
import { defineOperation } from '../operation.ts'
import { profitFields, profitOf, wholeTokens, winRatio } from './positionFields.ts'
import { readWallet, type WalletToken } from './readWallet.ts'
import { canonicalAddress, walletAddressInput } from './walletInputs.ts'

/** GET /v2/address/walletinfo: profit and balance of a wallet. */
export const walletInfo = defineOperation({
  id: 'walletInfo',
  method: 'GET',
  path: '/v2/address/walletinfo',
  cost: 5,
  tag: 'wallets',
  summary: 'Profit and balance of a wallet',
  description:
    'From the stored swaps in trusted pools, which begin at `since`. `total_balance` is the value of the tokens that the wallet ' +
    'traded and of its native coin; `main_token_balance` is absent if no node answered in time. `wallet_age` is the ' +
    'time of the first of these swaps, 0 without swaps.',
  inputs: { wallet: walletAddressInput, chain: requiredChainInput },
  answer: componentRef('WalletInfo'),
  envelopedAnswer: componentRef('CompatWalletInfo'),
  async run({ chain, wallet }, { store }) {
    const address = canonicalAddress(chain, wallet, 'wallet_address')
    const [{ tokens, sinceS }, facts] = await Promise.all([
      readWallet(store, chain, address),
      chain.wallets.read([address]),
    ])
    const summary = summaryOf(chain, tokens, facts.get(address)?.nativeRaw ?? null)
    const info = {
      wallet_address: address,
      ...summary,
      wallet_chain_info: [
        {
          chain: chain.profile.name,
          total_balance: summary.total_balance,
          total_profit: summary.total_profit,
          token_count: tokens.length,
        },
      ],
      since: sinceS,
    } satisfies WalletInfo
    return { json: JSON.stringify(info), enveloped: () => JSON.stringify(compatInfo(info)) }
  },
})

/** Existing clients expect the win ratio in percent. */
function compatInfo(info: WalletInfo): CompatWalletInfo {
  return { ...info, total_win_ratio: decimalOrZero(Number(info.total_win_ratio) * 100) }
}

function summaryOf(
  { reads, profile }: GatewayChain,
  tokens: readonly WalletToken[],
  nativeRaw: bigint | null,
) {
  const { symbol, decimals } = profile.native
  const nativeUsd = reads.nativeUsd()
  let balanceUsd = wholeTokens(nativeRaw ?? 0n, decimals) * (nativeUsd ?? 0)
  const profit = { realizedUsdE8: 0n, unrealizedUsd: 0, costUsdE8: 0n }
  let boughtUsdE8 = 0n
  let soldUsdE8 = 0n
  let firstS = Number.POSITIVE_INFINITY
  for (const { position, token, balanceRaw } of tokens) {
    const priceUsd = token.isImplausible ? 0 : (token.price?.usd ?? 0)
    const of = profitOf(position, { balanceRaw, priceUsd, decimals: token.record.decimals })
    balanceUsd += balanceUsdWorth(token, balanceRaw).usd
    profit.realizedUsdE8 += of.realizedUsdE8
    profit.unrealizedUsd += of.unrealizedUsd
    profit.costUsdE8 += of.costUsdE8
    boughtUsdE8 += position.boughtUsdE8
    soldUsdE8 += position.soldUsdE8
    for (const timeS of [position.firstBuyS, position.firstSellS])
      if (timeS > 0) firstS = Math.min(firstS, timeS)
  }
  const positions = tokens.map(({ position }) => position)
  return {
    total_balance: decimalOrZero(balanceUsd),
    total_win_ratio: winRatio(positions),
    ...profitFields(profit),
    total_purchase: sum(positions.map(({ buyCount }) => buyCount)),
    total_purchase_usd: decimalOfE8(boughtUsdE8),
    total_sold: sum(positions.map(({ sellCount }) => sellCount)),
    total_sold_usd: decimalOfE8(soldUsdE8),
    main_token_price: decimalOrZero(nativeUsd),
    main_token_symbol: symbol,
    ...(nativeRaw === null ? {} : { main_token_balance: decimalOfRaw(nativeRaw, decimals) }),
    wallet_age: firstS === Number.POSITIVE_INFINITY ? 0 : firstS,
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
