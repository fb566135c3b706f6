import type {
  heartbeat,
  holders,
  holdersResult,
  klineDay,
  klineEth,
  klineResult,
  klineUnits,
  klineUsdEnd,
  klineUsdStart,
  launch,
  launchesResult,
  liqResult,
  liquidity,
  mainPair,
  mainPairSwitch,
  newPair,
  newPairsResult,
  ofPairSwap,
  pairDay,
  pairNames,
  pairNow,
  priceDay,
  priceId,
  priceNow,
  priceResult,
  profile,
  pushedPrice,
  screenedRow,
  screenerResult,
  switchResult,
  tokenDay,
  tokenNames,
  tokenNow,
  tokenPairDay,
  tokenPairFacts,
  tokenPairNow,
  tokenSupply,
  tokenSwap,
  topHolder,
  tradesResult,
  trendingResult,
  trendingToken,
  txResult,
  walletResult,
} from '@chaintape/protocol/descriptions'
import type { FieldTexts } from './fieldTexts.ts'

/**
 * Encoders of rows and of parts of rows, generated from the descriptions in packages/protocol by
 * `npm run generate`; do not edit. They concatenate the encoded fields: JSON.stringify would cost
 * several times as much, and each block encodes thousands of rows. A loop over field names at run
 * time would cost up to a fifth more than one template.
 */

export function tokenNamesText(t: FieldTexts<typeof tokenNames>): string {
  return `{"token_id":${t.token_id},"token":${t.token},"chain":${t.chain},"name":${t.name},"symbol":${t.symbol},"decimal":${t.decimal},"logo_url":${t.logo_url}`
}

export function tokenSupplyText(t: FieldTexts<typeof tokenSupply>): string {
  return `,"holders":${t.holders},"holders_complete":${t.holders_complete},"total":"${t.total}"${t.total_known === null ? '' : `,"total_known":${t.total_known}`},"lock_amount":"${t.lock_amount}","burn_amount":"${t.burn_amount}","other_amount":"${t.other_amount}","locked_percent":"${t.locked_percent}"${t.locked_percent_known === null ? '' : `,"locked_percent_known":${t.locked_percent_known}`}`
}

export function tokenDayText(t: FieldTexts<typeof tokenDay>): string {
  return `,"price_change_1h":"${t.price_change_1h}","price_change_24h":"${t.price_change_24h}","tx_volume_u_24h":"${t.tx_volume_u_24h}","tx_count_24h":${t.tx_count_24h},"tx_amount_24h":"${t.tx_amount_24h}"`
}

export function tokenNowText(t: FieldTexts<typeof tokenNow>): string {
  return `,"current_price_usd":"${t.current_price_usd}","current_price_eth":"${t.current_price_eth}","price_change_1d":"${t.price_change_1d}","token_price_24h_high":"${t.token_price_24h_high}","token_price_24h_low":"${t.token_price_24h_low}","market_cap":"${t.market_cap}","fdv":"${t.fdv}"${t.market_cap_known === null ? '' : `,"market_cap_known":${t.market_cap_known}`}${t.fdv_known === null ? '' : `,"fdv_known":${t.fdv_known}`},"tvl":"${t.tvl}"${t.tvl_known === null ? '' : `,"tvl_known":${t.tvl_known}`},"main_pair":${t.main_pair},"main_pair_tvl":"${t.main_pair_tvl}"${t.main_pair_tvl_known === null ? '' : `,"main_pair_tvl_known":${t.main_pair_tvl_known}`},"launch_price":"${t.launch_price}","price_ath_u":"${t.price_ath_u}","launch_at":${t.launch_at}${t.launch_at_known === null ? '' : `,"launch_at_known":${t.launch_at_known}`},"created_at":${t.created_at}${t.created_at_known === null ? '' : `,"created_at_known":${t.created_at_known}`},"updated_at":${t.updated_at},"issue_platform":${t.issue_platform}${t.progress === null ? '' : `,"progress":"${t.progress}"`},"price_liquidity_usd":"${t.price_liquidity_usd}","price_updated_at":${t.price_updated_at}${t.risk_score === null ? '' : `,"risk_score":${t.risk_score}`}${t.is_mintable === null ? '' : `,"is_mintable":"${t.is_mintable}"`}${t.ui_multiplier === null ? '' : `,"ui_multiplier":"${t.ui_multiplier}"`}${t.usd_reason === null ? '' : `,"usd_reason":"${t.usd_reason}"`}}`
}

export function pairNamesText(t: FieldTexts<typeof pairNames>): string {
  return `{"pair_id":${t.pair_id},"pair":${t.pair},"chain":${t.chain},"amm":${t.amm},"target_token":${t.target_token},"token0_address":${t.token0_address},"token0_symbol":${t.token0_symbol},"token0_decimal":${t.token0_decimal},"token1_address":${t.token1_address},"token1_symbol":${t.token1_symbol},"token1_decimal":${t.token1_decimal}`
}

export function tokenPairDayText(t: FieldTexts<typeof tokenPairDay>): string {
  return `,"price_change_1h":"${t.price_change_1h}","price_change_24h":"${t.price_change_24h}","volume_u":"${t.volume_u}","tx_amount":"${t.tx_amount}","tx_count":${t.tx_count}`
}

export function tokenPairFactsText(t: FieldTexts<typeof tokenPairFacts>): string {
  return `,"fee":${t.fee},"total_supply":${t.total_supply},"is_fake":${t.is_fake},"created_at":${t.created_at}`
}

export function tokenPairNowText(t: FieldTexts<typeof tokenPairNow>): string {
  return `,"token0_price_usd":"${t.token0_price_usd}","token0_price_eth":"${t.token0_price_eth}","token1_price_usd":"${t.token1_price_usd}","token1_price_eth":"${t.token1_price_eth}","reserve0":"${t.reserve0}"${t.reserve0_known === null ? '' : `,"reserve0_known":${t.reserve0_known}`},"reserve1":"${t.reserve1}"${t.reserve1_known === null ? '' : `,"reserve1_known":${t.reserve1_known}`},"high_u":"${t.high_u}","low_u":"${t.low_u}","tvl":"${t.tvl}"${t.tvl_known === null ? '' : `,"tvl_known":${t.tvl_known}`},"price_change":"${t.price_change}","price_change_1d":"${t.price_change_1d}","market_cap":"${t.market_cap}","fdv":"${t.fdv}"${t.market_cap_known === null ? '' : `,"market_cap_known":${t.market_cap_known}`}${t.fdv_known === null ? '' : `,"fdv_known":${t.fdv_known}`},"is_main_pair":${t.is_main_pair},"updated_at":${t.updated_at}${t.usd_reason === null ? '' : `,"usd_reason":"${t.usd_reason}"`}}`
}

export function pairDayText(t: FieldTexts<typeof pairDay>): string {
  return `,"tx_amount":"${t.tx_amount}"`
}

export function pairNowText(t: FieldTexts<typeof pairNow>): string {
  return `,"token0_price_usd":"${t.token0_price_usd}","token0_price_eth":"${t.token0_price_eth}","token1_price_usd":"${t.token1_price_usd}","token1_price_eth":"${t.token1_price_eth}","reserve0":"${t.reserve0}"${t.reserve0_known === null ? '' : `,"reserve0_known":${t.reserve0_known}`},"reserve1":"${t.reserve1}"${t.reserve1_known === null ? '' : `,"reserve1_known":${t.reserve1_known}`},"high_u":"${t.high_u}","low_u":"${t.low_u}","init_reserve0":"${t.init_reserve0}"${t.init_reserve0_known === null ? '' : `,"init_reserve0_known":${t.init_reserve0_known}`},"init_reserve1":"${t.init_reserve1}"${t.init_reserve1_known === null ? '' : `,"init_reserve1_known":${t.init_reserve1_known}`},"reserve_change":"${t.reserve_change}"${t.reserve_change_known === null ? '' : `,"reserve_change_known":${t.reserve_change_known}`},"tvl":"${t.tvl}"${t.tvl_known === null ? '' : `,"tvl_known":${t.tvl_known}`},"market_cap":"${t.market_cap}","fdv":"${t.fdv}"${t.market_cap_known === null ? '' : `,"market_cap_known":${t.market_cap_known}`}${t.fdv_known === null ? '' : `,"fdv_known":${t.fdv_known}`},"open_price":"${t.open_price}","price_ath_u":"${t.price_ath_u}","price_change_1d":"${t.price_change_1d}","created_at":${t.created_at},"first_trade_at":${t.first_trade_at},"first_trade_block_number":${t.first_trade_block_number},"sniper_tx_count":${t.sniper_tx_count},"last_trade_at":${t.last_trade_at},"updated_at":${t.updated_at},"tag":${t.tag},"dynamic_tag":${t.dynamic_tag}${t.lp_holders === null ? '' : `,"lp_holders":${t.lp_holders}`}${t.lp_locked_percent === null ? '' : `,"lp_locked_percent":"${t.lp_locked_percent}"`},"is_main_pair":${t.is_main_pair},"is_trusted":${t.is_trusted}${t.usd_reason === null ? '' : `,"usd_reason":"${t.usd_reason}"`}}`
}

export function priceIdText(t: FieldTexts<typeof priceId>): string {
  return `{"token_id":${t.token_id},`
}

export function priceDayText(t: FieldTexts<typeof priceDay>): string {
  return `"price_change_24h":"${t.price_change_24h}","tx_volume_u_24h":"${t.tx_volume_u_24h}",`
}

export function priceNowText(t: FieldTexts<typeof priceNow>): string {
  return `"current_price_usd":"${t.current_price_usd}","price_change_1d":"${t.price_change_1d}","tvl":"${t.tvl}"${t.tvl_known === null ? '' : `,"tvl_known":${t.tvl_known}`},"fdv":"${t.fdv}","market_cap":"${t.market_cap}"${t.market_cap_known === null ? '' : `,"market_cap_known":${t.market_cap_known}`}${t.fdv_known === null ? '' : `,"fdv_known":${t.fdv_known}`},"holders":${t.holders},"updated_at":${t.updated_at}${t.usd_reason === null ? '' : `,"usd_reason":"${t.usd_reason}"`}}`
}

export function tokenSwapText(t: FieldTexts<(typeof tokenSwap)['fields']>): string {
  return `{"amm":${t.amm},"amount_eth":"${t.amount_eth}","amount_usd":"${t.amount_usd}","block_number":${t.block_number},"chain":${t.chain},"direction":"${t.direction}","from_address":${t.from_address},"from_amount":"${t.from_amount}","from_price_eth":"${t.from_price_eth}","from_price_usd":"${t.from_price_usd}","from_reserve":"${t.from_reserve}"${t.from_reserve_known === null ? '' : `,"from_reserve_known":${t.from_reserve_known}`},"from_symbol":${t.from_symbol},"id":${t.id},"pair_address":${t.pair_address},"pair_liquidity_eth":"${t.pair_liquidity_eth}","pair_liquidity_usd":"${t.pair_liquidity_usd}"${t.pair_liquidity_usd_known === null ? '' : `,"pair_liquidity_usd_known":${t.pair_liquidity_usd_known}`}${t.pair_liquidity_eth_known === null ? '' : `,"pair_liquidity_eth_known":${t.pair_liquidity_eth_known}`},"sender":${t.sender},"target_token":${t.target_token},"time":${t.time}${t.time_ms === null ? '' : `,"time_ms":${t.time_ms}`},"to":${t.to},"to_address":${t.to_address},"to_amount":"${t.to_amount}","to_price_eth":"${t.to_price_eth}","to_price_usd":"${t.to_price_usd}","to_reserve":"${t.to_reserve}"${t.to_reserve_known === null ? '' : `,"to_reserve_known":${t.to_reserve_known}`},"to_symbol":${t.to_symbol},"transaction":${t.transaction},"tx_swap_type":${t.tx_swap_type},"wallet_address":${t.wallet_address},"wallet_tag":${t.wallet_tag}${t.usd_reason === null ? '' : `,"usd_reason":"${t.usd_reason}"`}`
}

export function ofPairSwapText(t: FieldTexts<typeof ofPairSwap>): string {
  return `,"profile":"${t.profile}","tx_seq":"${t.tx_seq}"}`
}

export function profileText(t: FieldTexts<(typeof profile)['fields']>): string {
  return `{\\"solTotalHolding\\":${t.solTotalHolding}${t.solTotalHolding_known === null ? '' : `,\\"solTotalHolding_known\\":${t.solTotalHolding_known}`},\\"token0Address\\":${t.token0Address},\\"token0HasClearedAccount\\":${t.token0HasClearedAccount},\\"token0HasClosedAccount\\":${t.token0HasClosedAccount},\\"token0HasNewAccount\\":${t.token0HasNewAccount},\\"token0TotalHolding\\":${t.token0TotalHolding}${t.token0TotalHolding_known === null ? '' : `,\\"token0TotalHolding_known\\":${t.token0TotalHolding_known}`},\\"token1Address\\":${t.token1Address},\\"token1HasClearedAccount\\":${t.token1HasClearedAccount},\\"token1HasClosedAccount\\":${t.token1HasClosedAccount},\\"token1TotalHolding\\":${t.token1TotalHolding}${t.token1TotalHolding_known === null ? '' : `,\\"token1TotalHolding_known\\":${t.token1TotalHolding_known}`},\\"token1HasNewAccount\\":${t.token1HasNewAccount}}`
}

export function txResultText(t: FieldTexts<(typeof txResult)['fields']>): string {
  return `{${t.snapshot === null ? '' : `"snapshot":${t.snapshot},`}${t.retracted === null ? '' : `"retracted":${t.retracted},`}"id":${t.id},"topic":"tx","tx":${t.tx}}`
}

export function liquidityText(t: FieldTexts<(typeof liquidity)['fields']>): string {
  return `{"amm":${t.amm},"block_number":${t.block_number},"chain":${t.chain},"id":${t.id},"pair_address":${t.pair_address},"sender":${t.sender},"time":${t.time}${t.time_ms === null ? '' : `,"time_ms":${t.time_ms}`},"transaction":${t.transaction},"type":"${t.type}","wallet_address":${t.wallet_address},"amount0":"${t.amount0}","reserve0":"${t.reserve0}"${t.reserve0_known === null ? '' : `,"reserve0_known":${t.reserve0_known}`},"token0_address":${t.token0_address},"token0_price_eth":"${t.token0_price_eth}","token0_price_usd":"${t.token0_price_usd}","token0_symbol":${t.token0_symbol},"amount1":"${t.amount1}","reserve1":"${t.reserve1}"${t.reserve1_known === null ? '' : `,"reserve1_known":${t.reserve1_known}`},"token1_address":${t.token1_address},"token1_price_eth":"${t.token1_price_eth}","token1_price_usd":"${t.token1_price_usd}","token1_symbol":${t.token1_symbol},"amount_eth":"${t.amount_eth}","amount_usd":"${t.amount_usd}","pair_liquidity_eth":"${t.pair_liquidity_eth}","pair_liquidity_usd":"${t.pair_liquidity_usd}"${t.pair_liquidity_usd_known === null ? '' : `,"pair_liquidity_usd_known":${t.pair_liquidity_usd_known}`}${t.pair_liquidity_eth_known === null ? '' : `,"pair_liquidity_eth_known":${t.pair_liquidity_eth_known}`}${t.usd_reason === null ? '' : `,"usd_reason":"${t.usd_reason}"`}}`
}

export function liqResultText(t: FieldTexts<(typeof liqResult)['fields']>): string {
  return `{${t.snapshot === null ? '' : `"snapshot":${t.snapshot},`}${t.retracted === null ? '' : `"retracted":${t.retracted},`}"id":${t.id},"topic":"liq","tx":${t.tx}}`
}

export function klineEthText(t: FieldTexts<(typeof klineEth)['fields']>): string {
  return `{"close":"${t.close}","high":"${t.high}","low":"${t.low}","open":"${t.open}","time":${t.time},"volume":"${t.volume}"}`
}

export function klineUsdStartText(t: FieldTexts<typeof klineUsdStart>): string {
  return `{"close":"${t.close}","high":"${t.high}","low":"${t.low}","open":"${t.open}"`
}

export function klineDayText(t: FieldTexts<typeof klineDay>): string {
  return `,"amount_24h":"${t.amount_24h}","change":"${t.change}","change_v2":"${t.change_v2}","count_24h":"${t.count_24h}","high_24h":"${t.high_24h}","low_24h":"${t.low_24h}","swap":"","volume_24h":"${t.volume_24h}"${t.usd_reason === null ? '' : `,"usd_reason":"${t.usd_reason}"`}`
}

export function klineUsdEndText(t: FieldTexts<typeof klineUsdEnd>): string {
  return `,"time":${t.time},"volume":"${t.volume}"}`
}

export function klineUnitsText(t: FieldTexts<(typeof klineUnits)['fields']>): string {
  return `{"eth":${t.eth},"usd":${t.usd}}`
}

export function klineResultText(t: FieldTexts<(typeof klineResult)['fields']>): string {
  return `{${t.retracted === null ? '' : `"retracted":${t.retracted},`}${t.revision === null ? '' : `"revision":${t.revision},`}${t.final === null ? '' : `"final":${t.final},`}"id":${t.id},"interval":"${t.interval}","kline":${t.kline},"topic":"kline"}`
}

export function mainPairText(t: FieldTexts<(typeof mainPair)['fields']>): string {
  return `{"amm":${t.amm},"chain":${t.chain},"init_reserve0":${t.init_reserve0}${t.init_reserve0_known === null ? '' : `,"init_reserve0_known":${t.init_reserve0_known}`},"init_reserve1":${t.init_reserve1}${t.init_reserve1_known === null ? '' : `,"init_reserve1_known":${t.init_reserve1_known}`},"pair":${t.pair},"reserve0":${t.reserve0}${t.reserve0_known === null ? '' : `,"reserve0_known":${t.reserve0_known}`},"reserve1":${t.reserve1}${t.reserve1_known === null ? '' : `,"reserve1_known":${t.reserve1_known}`},"tag":${t.tag},"target_token":${t.target_token},"token0_address":${t.token0_address},"token0_decimal":${t.token0_decimal},"token0_symbol":${t.token0_symbol},"token1_address":${t.token1_address},"token1_decimal":${t.token1_decimal},"token1_symbol":${t.token1_symbol},"tvl":${t.tvl}${t.tvl_known === null ? '' : `,"tvl_known":${t.tvl_known}`}}`
}

export function mainPairSwitchText(t: FieldTexts<(typeof mainPairSwitch)['fields']>): string {
  return `{"chain":${t.chain},"event":"switch_main_pair","id":${t.id},"new_main_pair":${t.new_main_pair},"new_main_pair_data":${t.new_main_pair_data},"old_main_pair":${t.old_main_pair},"tag":${t.tag},"token":${t.token}}`
}

export function switchResultText(t: FieldTexts<(typeof switchResult)['fields']>): string {
  return `{"data":${t.data},"status":"ok"}`
}

export function pushedPriceText(t: FieldTexts<(typeof pushedPrice)['fields']>): string {
  return `{"chain":${t.chain},"change":"${t.change}","direction":"${t.direction}","is_main_pair":${t.is_main_pair},"last_price":"${t.last_price}","makers_24h":"${t.makers_24h}","pair":${t.pair},"price_change":"${t.price_change}","price_change_24h":"${t.price_change_24h}","reserve0":"${t.reserve0}"${t.reserve0_known === null ? '' : `,"reserve0_known":${t.reserve0_known}`},"reserve1":"${t.reserve1}"${t.reserve1_known === null ? '' : `,"reserve1_known":${t.reserve1_known}`},"target_token":${t.target_token},"time":${t.time}${t.time_ms === null ? '' : `,"time_ms":${t.time_ms}`},"token":${t.token},"tvl":"${t.tvl}"${t.tvl_known === null ? '' : `,"tvl_known":${t.tvl_known}`},"tx_amount_24h":"${t.tx_amount_24h}","tx_count_24h":"${t.tx_count_24h}","uprice":"${t.uprice}","volume_24_u":"${t.volume_24_u}"${t.usd_reason === null ? '' : `,"usd_reason":"${t.usd_reason}"`}}`
}

export function priceResultText(t: FieldTexts<(typeof priceResult)['fields']>): string {
  return `{"prices":${t.prices},"topic":"price"}`
}

export function trendingTokenText(t: FieldTexts<(typeof trendingToken)['fields']>): string {
  return `{"current_price_usd":"${t.current_price_usd}","main_pair":${t.main_pair},"name":${t.name},"price_change_24h":"${t.price_change_24h}","rank":${t.rank},"rank_before":${t.rank_before},"symbol":${t.symbol},"token":${t.token},"tx_count_24h":${t.tx_count_24h},"tx_volume_u_24h":"${t.tx_volume_u_24h}"}`
}

export function trendingResultText(t: FieldTexts<(typeof trendingResult)['fields']>): string {
  return `{"chain":${t.chain},"tokens":${t.tokens},"topic":"trending"}`
}

export function newPairText(t: FieldTexts<(typeof newPair)['fields']>): string {
  return `{"amm":${t.amm},"chain":${t.chain},"created_at":${t.created_at},"is_trusted":${t.is_trusted},"pair":${t.pair},"tag":${t.tag},"target_token":${t.target_token},"token0_address":${t.token0_address},"token0_decimal":${t.token0_decimal},"token0_symbol":${t.token0_symbol},"token1_address":${t.token1_address},"token1_decimal":${t.token1_decimal},"token1_symbol":${t.token1_symbol}${t.reserve0 === null ? '' : `,"reserve0":"${t.reserve0}"`}${t.reserve0_known === null ? '' : `,"reserve0_known":${t.reserve0_known}`}${t.reserve1 === null ? '' : `,"reserve1":"${t.reserve1}"`}${t.reserve1_known === null ? '' : `,"reserve1_known":${t.reserve1_known}`}${t.tvl === null ? '' : `,"tvl":"${t.tvl}"`}${t.tvl_known === null ? '' : `,"tvl_known":${t.tvl_known}`}${t.usd_reason === null ? '' : `,"usd_reason":"${t.usd_reason}"`}}`
}

export function newPairsResultText(t: FieldTexts<(typeof newPairsResult)['fields']>): string {
  return `{${t.snapshot === null ? '' : `"snapshot":${t.snapshot},`}${t.retracted === null ? '' : `"retracted":${t.retracted},`}"event":"${t.event}","id":${t.id},"pair":${t.pair},"topic":"new_pairs"}`
}

export function walletResultText(t: FieldTexts<(typeof walletResult)['fields']>): string {
  return `{${t.snapshot === null ? '' : `"snapshot":${t.snapshot},`}${t.retracted === null ? '' : `"retracted":${t.retracted},`}"id":${t.id},"topic":"wallet","tx":${t.tx}}`
}

export function tradesResultText(t: FieldTexts<(typeof tradesResult)['fields']>): string {
  return `{${t.snapshot === null ? '' : `"snapshot":${t.snapshot},`}${t.retracted === null ? '' : `"retracted":${t.retracted},`}"id":${t.id},"topic":"trades","tx":${t.tx}}`
}

export function launchText(t: FieldTexts<(typeof launch)['fields']>): string {
  return `{"amm":${t.amm},"chain":${t.chain}${t.created_at === null ? '' : `,"created_at":${t.created_at}`}${t.creator === null ? '' : `,"creator":${t.creator}`}${t.current_price_usd === null ? '' : `,"current_price_usd":"${t.current_price_usd}"`},"decimal":${t.decimal}${t.holders === null ? '' : `,"holders":${t.holders}`}${t.market_cap === null ? '' : `,"market_cap":"${t.market_cap}"`},"name":${t.name},"pair":${t.pair},"platform":${t.platform},"progress":"${t.progress}","symbol":${t.symbol},"token":${t.token}${t.total === null ? '' : `,"total":"${t.total}"`}}`
}

export function launchesResultText(t: FieldTexts<(typeof launchesResult)['fields']>): string {
  return `{${t.snapshot === null ? '' : `"snapshot":${t.snapshot},`}${t.retracted === null ? '' : `"retracted":${t.retracted},`}"event":"${t.event}","id":${t.id},"launch":${t.launch},"topic":"launches"}`
}

export function topHolderText(t: FieldTexts<(typeof topHolder)['fields']>): string {
  return `{"address":${t.address},"amount":${t.amount},"amount_before":${t.amount_before},"balance_ratio":${t.balance_ratio}${t.balance_ratio_known === null ? '' : `,"balance_ratio_known":${t.balance_ratio_known}`},"rank":${t.rank}}`
}

export function holdersText(t: FieldTexts<(typeof holders)['fields']>): string {
  return `{"chain":${t.chain},"holders":${t.holders},"holders_before":${t.holders_before},"holders_complete":${t.holders_complete},"token":${t.token},"top":${t.top},"total":"${t.total}"${t.total_known === null ? '' : `,"total_known":${t.total_known}`}}`
}

export function holdersResultText(t: FieldTexts<(typeof holdersResult)['fields']>): string {
  return `{${t.snapshot === null ? '' : `"snapshot":${t.snapshot},`}${t.retracted === null ? '' : `"retracted":${t.retracted},`}"id":${t.id},"holders":${t.holders},"topic":"holders"}`
}

export function screenedRowText(t: FieldTexts<(typeof screenedRow)['fields']>): string {
  return `{"amm":${t.amm},"chain":${t.chain},"created_at":${t.created_at},"fdv":${t.fdv},"holders":${t.holders},"id":${t.id},"is_honeypot":${t.is_honeypot},"liquidity":${t.liquidity},"makers_24h":${t.makers_24h},"market_cap":${t.market_cap},"name":${t.name},"pair":${t.pair},"price":"${t.price}","progress":${t.progress},"quote_symbol":${t.quote_symbol},"risk_score":${t.risk_score},"symbol":${t.symbol},"token":${t.token},"volume_5m":"${t.volume_5m}","change_5m":"${t.change_5m}","trades_5m":${t.trades_5m},"volume_1h":"${t.volume_1h}","change_1h":"${t.change_1h}","trades_1h":${t.trades_1h},"volume_4h":"${t.volume_4h}","change_4h":"${t.change_4h}","trades_4h":${t.trades_4h},"volume_24h":"${t.volume_24h}","change_24h":"${t.change_24h}","trades_24h":${t.trades_24h}}`
}

export function screenerResultText(t: FieldTexts<(typeof screenerResult)['fields']>): string {
  return `{${t.snapshot === null ? '' : `"snapshot":${t.snapshot},`}"entered":${t.entered},"id":${t.id},"left":${t.left},"of":"${t.of}","order":${t.order},"topic":"screener","updated":${t.updated}}`
}

export function heartbeatText(t: FieldTexts<(typeof heartbeat)['fields']>): string {
  return `{"chain":${t.chain},"head_age_s":${t.head_age_s},"head_block":${t.head_block},"head_time":${t.head_time},"state":"${t.state}","tip_block":${t.tip_block},"topic":"heartbeat"}`
}
