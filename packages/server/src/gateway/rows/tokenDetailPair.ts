import { decimalOfRaw } from '../../lib/decimal.ts'
import { feePpmOf } from '../../model/chainProfile.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { tokenPairDayText, tokenPairFactsText, tokenPairNowText } from '../ground/rowTexts.ts'
import { pairFigures, pairNamesJson, readPairTokens } from './pairMembers.ts'
import { type DaySummary, type Expiring, encodeDaySummary } from './rowWindows.ts'
import { poolUsdReason } from './usdReason.ts'
import { changePercent, decimalOrZero, unknownMark } from './wireNumber.ts'

const ppm = 1_000_000
/** Decimals of the shares of Uniswap V2 pools, which all forks have kept. */
const shareDecimals = 18

/**
 * Makes the lasting part of a pair's row in token detail: its names and a summary of the day. Pair
 * detail has every window instead.
 */
export function tokenDetailPairLastingPart(
  chain: GatewayChain,
  pairId: number,
  nowS: number,
): Expiring<string[]> {
  const { reads } = chain
  const { decimals } = reads.tokenRecord(reads.targetTokenOf(pairId))
  const read = (window: number) => reads.pairTrading(pairId, window, nowS)
  const { value, validUntilS } = encodeDaySummary(read, decimals, dayText)
  return { value: [`${pairNamesJson(chain, pairId)}${value}`], validUntilS }
}

/** Encodes a pair's fields that trades do not change but late facts may. */
function factsText(chain: GatewayChain, record: PairRecord): string {
  const feePpm = feePpmOf(chain.profile, record)
  return tokenPairFactsText({
    fee: feePpm === null ? '""' : `"${decimalOrZero(feePpm / ppm)}"`,
    total_supply: shareSupply(chain, record),
    is_fake: `${!record.isTrusted}`,
    created_at: `${record.createdAtS}`,
  })
}

/**
 * Returns the total supply of the pool's shares, read at the head, or else from the last risk check
 * of its token.
 */
function shareSupply({ reads, risk }: GatewayChain, { id, address }: PairRecord): string {
  const total = reads.pairShares(id)
  if (total !== null) return `"${decimalOfRaw(total, shareDecimals)}"`
  const lp = risk.known(reads.tokenRecord(reads.targetTokenOf(id)).address)?.lp
  const totalRaw = lp?.pair === address ? lp.totalRaw : null
  return totalRaw === null ? '""' : `"${decimalOfRaw(totalRaw, shareDecimals)}"`
}

function dayText(day: DaySummary): string {
  return tokenPairDayText({
    price_change_1h: day.hourChange,
    price_change_24h: day.change,
    volume_u: day.volume,
    tx_amount: day.amount,
    tx_count: `${day.count}`,
  })
}

/**
 * Makes the moving part of a pair's row in token detail, with the closing brace. Any block, and the
 * next day, may change it.
 */
export function tokenDetailPairMovingPart(
  chain: GatewayChain,
  pairId: number,
  nowS: number,
): string {
  const { reads } = chain
  const pair = reads.pairMarket(pairId)
  const { record } = pair
  const tokens = readPairTokens(chain, pair)
  const { is0Target, worth } = tokens
  const priceUsd = is0Target ? pair.price0Usd : pair.price1Usd
  const dayChange = decimalOrZero(changePercent(reads.pairDayOpenUsd(pairId, nowS), priceUsd))
  const figures = pairFigures(pair, tokens)
  const range = reads.pairDayRange(pairId, nowS)
  const now = tokenPairNowText({
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
    tvl: decimalOrZero(pair.tvlUsd),
    tvl_known: figures.known,
    price_change: dayChange,
    price_change_1d: dayChange,
    market_cap: decimalOrZero(worth.marketCapUsd),
    fdv: decimalOrZero(worth.fdvUsd),
    market_cap_known: unknownMark(worth.isSupplyKnown),
    fdv_known: unknownMark(worth.isSupplyKnown),
    is_main_pair: `${worth.mainPairId === record.id}`,
    updated_at: `${pair.updatedAtS}`,
    usd_reason: poolUsdReason(record.isTrusted),
  })
  return `${factsText(chain, record)}${now}`
}
