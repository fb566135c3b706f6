import type { GatewayChain } from '../../chain/gatewayChain.ts'
import type { PairFacts, TokenFacts } from '../../chain/pairFacts.ts'
import { screenedRowText } from '../../ground/rowTexts.ts'
import type { ScreenerBoard } from '../../lists/board.ts'
import { type PairMeasureName, pairColumn } from '../../lists/pairMeasures.ts'
import {
  type TokenMeasureName,
  tokenColumn,
  tokenFilterColumns,
} from '../../lists/tokenMeasures.ts'
import { decimalOrZero } from '../../rows/wireNumber.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { RowKind } from '../params/screenerParams.ts'

type Place = { market: ChainMarket; chain: GatewayChain; board: ScreenerBoard }

/**
 * One row of a `screener` push as JSON, from values that the board read in the same scheduler slot.
 */
export function screenerRowText(kind: RowKind, place: Place, id: number): string {
  return kind === 'pairs' ? pairText(place, id) : tokenText(place, id)
}

function tokenText({ market, chain, board }: Place, tokenId: number): string {
  const { nameJson, symbolJson, addressJson, address } = market.facts.token(tokenId)
  const { mainPairId } = chain.reads.tokenWorth(tokenId)
  const pair = mainPairId === null ? null : market.facts.get(mainPairId)
  const value = (name: TokenMeasureName) => board.value(tokenId, tokenColumn(name))
  const score = value('risk_score')
  const isHoneypot = board.value(tokenId, tokenFilterColumns.isHoneypot) === 1
  return screenedRowText({
    amm: pair?.ammJson ?? '""',
    chain: JSON.stringify(market.name),
    created_at: numberOrNull(value('created_at')),
    fdv: decimalOrNull(value('fdv')),
    holders: numberOrNull(value('holders')),
    id: JSON.stringify(`${address}-${market.name}`),
    is_honeypot: Number.isNaN(score) ? 'null' : `${isHoneypot}`,
    market_cap: decimalOrNull(value('market_cap')),
    name: nameJson,
    pair: pair?.addressJson ?? '""',
    progress: decimalOrNull(value('progress')),
    quote_symbol: pair === null ? '""' : quoteOf(pair, tokenId).symbolJson,
    risk_score: numberOrNull(score),
    symbol: symbolJson,
    token: addressJson,
    ...sharedTexts(value),
  })
}

function pairText({ market, board }: Place, pairId: number): string {
  const pair = market.facts.get(pairId)
  const { ammJson, chainJson, idJson, addressJson, target } = pair
  const value = (name: PairMeasureName) => board.value(pairId, pairColumn(name))
  return screenedRowText({
    amm: ammJson,
    chain: chainJson,
    created_at: numberOrNull(value('created_at')),
    fdv: 'null',
    holders: 'null',
    is_honeypot: 'null',
    market_cap: 'null',
    progress: 'null',
    risk_score: 'null',
    id: idJson,
    name: target.nameJson,
    pair: addressJson,
    quote_symbol: quoteOf(pair, target.id).symbolJson,
    symbol: target.symbolJson,
    token: target.addressJson,
    ...sharedTexts(value),
  })
}

/** The token of a pair that is not the given token. */
function quoteOf({ token0, token1 }: PairFacts, tokenId: number): TokenFacts {
  return token0.id === tokenId ? token1 : token0
}

/** Screener fields that rows of tokens and of pairs share. */
function sharedTexts(value: (name: PairMeasureName) => number) {
  const decimal = (name: PairMeasureName) => decimalOrZero(value(name))
  const count = (name: PairMeasureName) => `${value(name)}`
  return {
    price: decimal('price'),
    liquidity: decimalOrNull(value('liquidity')),
    volume_5m: decimal('volume_5m'),
    change_5m: decimal('change_5m'),
    trades_5m: count('trades_5m'),
    volume_1h: decimal('volume_1h'),
    change_1h: decimal('change_1h'),
    trades_1h: count('trades_1h'),
    volume_4h: decimal('volume_4h'),
    change_4h: decimal('change_4h'),
    trades_4h: count('trades_4h'),
    volume_24h: decimal('volume_24h'),
    change_24h: decimal('change_24h'),
    trades_24h: count('trades_24h'),
    makers_24h: count('makers_24h'),
  }
}

function decimalOrNull(value: number): string {
  return Number.isNaN(value) ? 'null' : `"${decimalOrZero(value)}"`
}

function numberOrNull(value: number): string {
  return Number.isNaN(value) ? 'null' : `${value}`
}
