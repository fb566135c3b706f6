import type { GatewayChain } from '../gatewayChain.ts'
import { changePercent, decimalOrZero } from '../rest/wireNumber.ts'
import { pairMembers } from './pairMembers.ts'
import { pairTokens } from './pairTokens.ts'
import type { RowDay } from './rowWindows.ts'

const ppm = 1_000_000

/** JSON of a pair as it stands beside its token: the day in a few fields, where pair detail has every window. */
export function detailPair(chain: GatewayChain, pairId: number, day: RowDay): string {
  const { reads, profile } = chain
  const pair = reads.pairMarket(pairId)
  const { record } = pair
  const tokens = pairTokens(chain, pair)
  const { is0Target, worth } = tokens
  const priceUsd = is0Target ? pair.price0Usd : pair.price1Usd
  const dayChange = decimalOrZero(changePercent(pair.dayOpenUsd, priceUsd))
  // Anybody can make a pool with any numbers in it: only what a known factory confirms counts.
  const tvl = record.isTrusted ? decimalOrZero(pair.tvlUsd) : '0'
  const fee = record.feePpm === null ? '' : decimalOrZero(record.feePpm / ppm)
  return (
    `{${pairMembers(profile.name, pair, tokens)},"tvl":"${tvl}","price_change":"${dayChange}"` +
    `,"price_change_1d":"${dayChange}","price_change_1h":"${day.hourChange}"` +
    `,"price_change_24h":"${day.change}","volume_u":"${day.volume}","tx_amount":"${day.amount}"` +
    `,"tx_count":${day.count},"high_u":"${day.high}","low_u":"${day.low}"` +
    `,"market_cap":"${decimalOrZero(worth.marketCapUsd)}","fdv":"${decimalOrZero(worth.fdvUsd)}"` +
    // The supply is that of the pool's own shares, which the market does not follow.
    `,"fee":"${fee}","total_supply":"","is_fake":${!record.isTrusted}` +
    `,"is_main_pair":${worth.mainPairId === record.id},"created_at":${record.createdAtS}` +
    `,"updated_at":${pair.updatedAtS}}`
  )
}
