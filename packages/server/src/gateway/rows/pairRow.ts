import { pairWindowFields } from '@chaintape/protocol/descriptions'
import type { PairState } from '../../engine/marketReads.ts'
import { decimalOfRaw } from '../../lib/decimal.ts'
import type { KnownLpShares } from '../../risk/riskReader.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { pairDayText, pairNowText } from '../ground/rowTexts.ts'
import { pairFigures, pairNamesJson, readPairTokens } from './pairMembers.ts'
import {
  createWindowEncoder,
  type DaySummary,
  type Expiring,
  encodeRowWindows,
  windowEncoders,
} from './rowWindows.ts'
import { poolUsdReason } from './usdReason.ts'
import { changePercent, decimalOrZero, ratioOf, unknownMark } from './wireNumber.ts'

const windowText = createWindowEncoder(pairWindowFields, {
  'price_change_*': windowEncoders.priceChange,
  'volume_u_*': windowEncoders.volume,
  'buy_volume_u_*': windowEncoders.buyVolume,
  'sell_volume_u_*': windowEncoders.sellVolume,
  'organic_volume_u_*': windowEncoders.organicVolume,
  'tx_*_count': windowEncoders.count,
  'buys_tx_*_count': windowEncoders.buyCount,
  'sells_tx_*_count': windowEncoders.sellCount,
  'makers_*': windowEncoders.makers,
  'buyers_*': windowEncoders.buyers,
  'sellers_*': windowEncoders.sellers,
})

/** Makes the lasting part of a pair's row in pair detail: its names and all windows. */
export function pairDetailLastingPart(
  chain: GatewayChain,
  pairId: number,
  nowS: number,
): Expiring<string[]> {
  const { reads } = chain
  const { decimals } = reads.tokenRecord(reads.targetTokenOf(pairId))
  const read = (window: number) => reads.pairWindow(pairId, window, nowS)
  const { value, validUntilS } = encodeRowWindows(read, decimals, dayText, windowText)
  return { value: [`${pairNamesJson(chain, pairId)}${value.day}`, value.windows], validUntilS }
}

function dayText({ amount }: DaySummary): string {
  return pairDayText({ tx_amount: amount })
}

/**
 * Makes the moving part of a pair's row in pair detail, with the closing brace. Any block, and the
 * next day, may change it.
 */
export function pairDetailMovingPart(chain: GatewayChain, pairId: number, nowS: number): string {
  const { reads } = chain
  const pair = reads.pairState(pairId)
  const { record } = pair
  const tokens = readPairTokens(chain, pair)
  const { is0Target, worth, token0, token1 } = tokens
  const priceUsd = is0Target ? pair.price0Usd : pair.price1Usd
  const dayOpenUsd = reads.pairDayOpenUsd(pairId, nowS)
  const launch = reads.launchOf(pair.targetTokenId)
  // `tag` is the launch platform of the pair's token; `dynamic_tag` adds the launch's state.
  const tag = record.platform ?? launch?.platform ?? ''
  const dynamicTag = launch === null ? tag : `${launch.platform}_${launch.state}`
  const lp = lpOf(chain.risk.known(is0Target ? token0.address : token1.address)?.lp, pair)
  const figures = pairFigures(pair, tokens)
  const range = reads.pairDayRange(pairId, nowS)
  return pairNowText({
    token0_price_usd: figures.token0_price_usd,
    token0_price_eth: figures.token0_price_eth,
    token1_price_usd: figures.token1_price_usd,
    token1_price_eth: figures.token1_price_eth,
    reserve0: figures.reserve0,
    reserve1: figures.reserve1,
    reserve0_known: figures.known,
    reserve1_known: figures.known,
    high_u: decimalOrZero(range.highUsd),
    low_u: decimalOrZero(range.lowUsd),
    init_reserve0: decimalOfRaw(pair.initReserve0, token0.decimals),
    init_reserve1: decimalOfRaw(pair.initReserve1, token1.decimals),
    init_reserve0_known: figures.known,
    init_reserve1_known: figures.known,
    reserve_change: decimalOrZero(reserveChangePercent(pair, is0Target)),
    reserve_change_known: figures.known,
    tvl: decimalOrZero(pair.tvlUsd),
    tvl_known: figures.known,
    market_cap: decimalOrZero(worth.marketCapUsd),
    fdv: decimalOrZero(worth.fdvUsd),
    market_cap_known: unknownMark(worth.isSupplyKnown),
    fdv_known: unknownMark(worth.isSupplyKnown),
    open_price: decimalOrZero(dayOpenUsd),
    price_ath_u: decimalOrZero(pair.athUsd),
    price_change_1d: decimalOrZero(changePercent(dayOpenUsd, priceUsd)),
    created_at: `${record.createdAtS}`,
    first_trade_at: `${pair.firstTradeAtS}`,
    first_trade_block_number: `${pair.firstTradeBlock}`,
    sniper_tx_count: `${pair.firstTradeSwaps}`,
    last_trade_at: `${pair.lastTradeAtS}`,
    updated_at: `${pair.updatedAtS}`,
    tag: JSON.stringify(tag),
    dynamic_tag: JSON.stringify(dynamicTag),
    lp_holders: lp.lp_holders,
    lp_locked_percent: lp.lp_locked_percent,
    is_main_pair: `${worth.mainPairId === record.id}`,
    is_trusted: `${record.isTrusted}`,
    usd_reason: poolUsdReason(record.isTrusted),
  })
}

/**
 * Encodes the holders of the pool's shares, if a risk check of the target token examined this pair.
 */
function lpOf(lp: KnownLpShares | null | undefined, { record }: PairState) {
  if (lp?.pair !== record.address) return { lp_holders: null, lp_locked_percent: null }
  const { holderCount, tiedShare } = lp
  return {
    lp_holders: holderCount === null ? null : `${holderCount}`,
    lp_locked_percent: tiedShare === null ? null : decimalOrZero(tiedShare),
  }
}

/** Returns by how many percent the quote reserve has changed since the pool's first reserves. */
function reserveChangePercent(pair: PairState, is0Target: boolean): number {
  const now = is0Target ? pair.reserve1 : pair.reserve0
  const first = is0Target ? pair.initReserve1 : pair.initReserve0
  return ratioOf(now - first, first) * 100
}
