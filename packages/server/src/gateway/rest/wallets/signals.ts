import type { Signal } from '@chaintape/protocol'
import { windowNames } from '../../../engine/marketReads.ts'
import { decimalOfE8 } from '../../../lib/decimal.ts'
import type { WalletVolume } from '../../../store/read/smartWallets.ts'
import { type Clock, chainNowS, type GatewayChain, tokenLogoUrl } from '../../chain/gatewayChain.ts'
import { arraySchema, componentRef } from '../../ground/schemas.ts'
import { integerInput, optionalChainInput, rowLimitInput } from '../../inputs/inputs.ts'
import { decimalOrZero, unknownMarks } from '../../rows/wireNumber.ts'
import { defineOperation } from '../operation.ts'
import type { SmartTrading } from './smartTrades.ts'

const dayWindow = windowNames.indexOf('24h')

/** GET /v2/signals/public/list: tokens that the most profitable wallets buy. */
export const signals = defineOperation({
  id: 'signals',
  method: 'GET',
  path: '/v2/signals/public/list',
  cost: 10,
  tag: 'wallets',
  summary: 'Tokens that smart wallets buy',
  description:
    'Tokens that the 100 wallets with the largest realized profit (/v2/address/smart_wallet/list) bought in the last 24 hours, without quote ' +
    'tokens. Sorted by number of buyers, then by value of the purchases. The signals are computed by this service; the public service returns its own under this path. ' +
    'From stored swaps in trusted pools, refreshed at most every ten seconds; empty until the first ranking exists.',
  inputs: {
    chain: optionalChainInput,
    pageSize: rowLimitInput({
      name: 'pageSize',
      description: 'Rows per page.',
      default: 20,
      max: 50,
    }),
    page: integerInput({
      name: 'pageNO',
      description: 'Page number, from 1.',
      default: 1,
      min: 1,
      max: 10_000,
    }),
  },
  answer: { ...arraySchema(componentRef('Signal')), maxItems: 50 },
  async run({ chain, pageSize, page }, { chains, clock, smartTrades }) {
    const asked = chain === null ? [...chains.values()] : [chain]
    const found = await Promise.all(
      asked.map(async (one) => signalsOf(one, await smartTrades(one, 'day'), clock)),
    )
    const rows = found.flat().sort(byWallets)
    return { json: JSON.stringify(rows.slice((page - 1) * pageSize, page * pageSize)) }
  },
})

function byWallets(a: Signal, b: Signal): number {
  return (
    b.wallet_count - a.wallet_count ||
    Number(b.quote_token_volume) - Number(a.quote_token_volume) ||
    (a.id < b.id ? -1 : 1)
  )
}

function signalsOf(chain: GatewayChain, trading: SmartTrading | null, clock: Clock): Signal[] {
  if (trading === null) return []
  const { reads, profile } = chain
  const byToken = new Map<number, WalletVolume[]>()
  for (const volume of trading.volumes) {
    // Skips tokens that a reorg has reverted since the ranking was made.
    if (volume.buyCount === 0 || volume.tokenId >= reads.tokenCount()) continue
    if (profile.quotes.includes(reads.tokenRecord(volume.tokenId).address)) continue
    const ofToken = byToken.get(volume.tokenId)
    if (ofToken === undefined) byToken.set(volume.tokenId, [volume])
    else ofToken.push(volume)
  }
  return [...byToken].map(([tokenId, volumes]) => signalOf(chain, tokenId, volumes, trading, clock))
}

function signalOf(
  chain: GatewayChain,
  tokenId: number,
  volumes: readonly WalletVolume[],
  { ranking }: SmartTrading,
  clock: Clock,
): Signal {
  const { reads, profile } = chain
  const { record, price, mainPairId, marketCapUsd, isSupplyKnown } = reads.tokenFacts(tokenId)
  const day = reads.tokenTrading(tokenId, dayWindow, chainNowS(chain, clock))
  const signalTimeS = Math.max(...volumes.map(({ lastBuyS }) => lastBuyS))
  const paid = decimalOfE8(sumOf(volumes.map(({ boughtUsdE8 }) => boughtUsdE8)))
  const profits = new Map(ranking.wallets.map((of) => [of.wallet, of.profitUsdE8]))
  const who = volumes.length === 1 ? 'A smart wallet' : `${volumes.length} smart wallets`
  return {
    id: `${record.address}-${profile.name}-${signalTimeS}`,
    chain: profile.name,
    token: record.address,
    symbol: record.symbol,
    name: record.name,
    logo_url: tokenLogoUrl(chain, record.address),
    signal_type: 'smart_buy',
    signal_time: signalTimeS,
    headline: `${who} bought ${record.symbol} for ${Math.round(Number(paid))} USD in 24 hours.`,
    action_type: 'buy',
    action_count: volumes.reduce((total, { buyCount }) => total + buyCount, 0),
    wallet_count: volumes.length,
    quote_token_volume: paid,
    sold_volume: decimalOfE8(sumOf(volumes.map(({ soldUsdE8 }) => soldUsdE8))),
    actions: [...volumes].sort(byPaid).map((volume) => ({
      wallet_address: volume.wallet,
      action_type: 'buy',
      action_time: volume.lastBuyS,
      action_count: volume.buyCount,
      quote_token_volume: decimalOfE8(volume.boughtUsdE8),
      sold_volume: decimalOfE8(volume.soldUsdE8),
      total_profit: decimalOfE8(profits.get(volume.wallet) ?? 0n),
    })),
    current_price_usd: decimalOrZero(price?.usd ?? null),
    price_change_24h: decimalOrZero(day.changePercent),
    tx_volume_u_24h: decimalOfE8(day.buyVolumeUsdE8 + day.sellVolumeUsdE8),
    tx_count_24h: day.buyCount + day.sellCount,
    market_cap: decimalOrZero(marketCapUsd),
    ...unknownMarks(isSupplyKnown, ['market_cap']),
    main_pair: mainPairId === null ? '' : reads.pairRecord(mainPairId).address,
    main_pair_tvl: mainPairId === null ? '0' : decimalOrZero(reads.pairTvlUsd(mainPairId)),
    ...unknownMarks(mainPairId === null || reads.isPairTvlKnown(mainPairId), ['main_pair_tvl']),
    updated_at: ranking.madeAtS,
  }
}

function byPaid(a: WalletVolume, b: WalletVolume): number {
  if (a.boughtUsdE8 !== b.boughtUsdE8) return a.boughtUsdE8 < b.boughtUsdE8 ? 1 : -1
  return a.wallet < b.wallet ? -1 : 1
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}
