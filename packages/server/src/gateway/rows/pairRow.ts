import type { LaunchState, PairState } from '../../engine/marketReads.ts'
import { decimalOfRaw } from '../../lib/decimal.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { KnownLp } from '../../risk/riskReader.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { changePercent, decimalOrZero, ratioOf } from '../rest/wireNumber.ts'
import { poolReason, usdReasonMember } from '../usdReason.ts'
import { pairFigures, pairNames } from './pairMembers.ts'
import { pairTokens } from './pairTokens.ts'
import { type Made, makeRowWindows, type RowDay } from './rowWindows.ts'
import { createWindowText } from './windowText.ts'

const windowText = createWindowText({
  priceChange: (window) => `price_change_${window}`,
  volume: (window) => `volume_u_${window}`,
  buyVolume: (window) => `buy_volume_u_${window}`,
  sellVolume: (window) => `sell_volume_u_${window}`,
  organicVolume: (window) => `organic_volume_u_${window}`,
  count: (window) => `tx_${window}_count`,
  buyCount: (window) => `buys_tx_${window}_count`,
  sellCount: (window) => `sells_tx_${window}_count`,
  makers: (window) => `makers_${window}`,
  buyers: (window) => `buyers_${window}`,
  sellers: (window) => `sellers_${window}`,
})

/** The first part of a pair's row as its detail shows it: who it is, and its windows. */
export function pairLasting(chain: GatewayChain, pairId: number, nowS: number): Made<string[]> {
  const { reads } = chain
  const { decimals } = reads.tokenRecord(reads.targetTokenOf(pairId))
  const read = (window: number) => reads.pairWindow(pairId, window, nowS)
  const { value, validUntilS } = makeRowWindows(read, decimals, dayText, windowText)
  return { value: [`{${pairNames(chain, pairId)}${value.day}`, value.windows], validUntilS }
}

function dayText({ high, low, amount }: RowDay): string {
  return `,"high_u":"${high}","low_u":"${low}","tx_amount":"${amount}"`
}

/** The second part, with the brace: what every block and the next day may change. */
export function pairMoving(chain: GatewayChain, pairId: number, nowS: number): string {
  const { reads } = chain
  const pair = reads.pairState(pairId)
  const { record } = pair
  const tokens = pairTokens(chain, pair)
  const { is0Target, worth, token0, token1 } = tokens
  const priceUsd = is0Target ? pair.price0Usd : pair.price1Usd
  const dayOpenUsd = reads.pairDayOpenUsd(pairId, nowS)
  return (
    `${pairFigures(pair, tokens)}` +
    `,"init_reserve0":"${decimalOfRaw(pair.initReserve0, token0.decimals)}"` +
    `,"init_reserve1":"${decimalOfRaw(pair.initReserve1, token1.decimals)}"` +
    `,"reserve_change":"${decimalOrZero(reserveChangePercent(pair, is0Target))}"` +
    `,"tvl":"${decimalOrZero(pair.tvlUsd)}","market_cap":"${decimalOrZero(worth.marketCapUsd)}"` +
    `,"fdv":"${decimalOrZero(worth.fdvUsd)}","open_price":"${decimalOrZero(dayOpenUsd)}"` +
    `,"price_ath_u":"${decimalOrZero(pair.athUsd)}"` +
    `,"price_change_1d":"${decimalOrZero(changePercent(dayOpenUsd, priceUsd))}"` +
    `,"created_at":${record.createdAtS}` +
    `,"first_trade_at":${pair.firstTradeAtS},"first_trade_block_number":${pair.firstTradeBlock}` +
    `,"sniper_tx_count":${pair.firstTradeSwaps}` +
    `,"last_trade_at":${pair.lastTradeAtS},"updated_at":${pair.updatedAtS}` +
    `${tagMembers(pair, reads.launchOf(pair.targetTokenId))}` +
    `${lpMembers(chain.risk.known(is0Target ? token0.address : token1.address)?.lp, record)}` +
    `,"is_main_pair":${worth.mainPairId === record.id},"is_trusted":${record.isTrusted}` +
    `${usdReasonMember(poolReason(record.isTrusted))}}`
  )
}

/** `tag` is the launch platform of the pair's token, `dynamic_tag` adds how far the launch is. */
function tagMembers({ record }: PairState, launch: LaunchState | null): string {
  const tag = record.platform ?? launch?.platform ?? ''
  const dynamicTag = launch === null ? tag : `${launch.platform}_${launch.state}`
  return `,"tag":${JSON.stringify(tag)},"dynamic_tag":${JSON.stringify(dynamicTag)}`
}

/** Who has the pair's shares, where a check of its token looked at them. */
function lpMembers(lp: KnownLp | null | undefined, { address }: PairRecord): string {
  if (lp?.pair !== address) return ''
  const { holderCount, tiedShare } = lp
  const holders = holderCount === null ? '' : `,"lp_holders":${holderCount}`
  return tiedShare === null
    ? holders
    : `${holders},"lp_locked_percent":"${decimalOrZero(tiedShare)}"`
}

/** Percent the quote side grew or shrank since the pool's first reserves. */
function reserveChangePercent(pair: PairState, is0Target: boolean): number {
  const now = is0Target ? pair.reserve1 : pair.reserve0
  const first = is0Target ? pair.initReserve1 : pair.initReserve0
  return ratioOf(now - first, first) * 100
}
