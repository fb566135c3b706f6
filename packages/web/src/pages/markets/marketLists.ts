import type { TokenRow } from '@chaintape/protocol'
import { rest } from '../../data/tape.ts'

/** The lists of the first page, with their descriptions. */
export const marketLists = [
  { name: 'hot', label: 'Trending', hint: 'By score: organic volume, wallets, change and age' },
  { name: 'gainer', label: 'Gainers', hint: 'By 24-hour change' },
  { name: 'loser', label: 'Losers', hint: 'By 24-hour change' },
  { name: 'new', label: 'New', hint: 'Newest first, by launch or first pair, live' },
  { name: 'all', label: 'All', hint: 'Every token or pair, by any column, live' },
  { name: 'almost', label: 'Graduating', hint: 'Launch curves that are at least 80 % full' },
] as const

export type MarketList = (typeof marketLists)[number]['name']

/** Lists that are requested; the others are pushed. */
export type AskedList = Exclude<MarketList, 'all' | 'new'>

const rowsMax = 300
const pageSize = 100

/** The column that rows are sorted by. */
export type Sort = { name: string; isDescending: boolean }

/** Names of launch platforms with tokens here. */
export async function launchPlatforms(signal: AbortSignal): Promise<string[]> {
  const all = { tag: 'meme', limit: rowsMax, fields: 'issue_platform' }
  const rows = await rest.platformTokens(all, { signal })
  return [...new Set(rows.map((row) => row.issue_platform))].filter((word) => word !== '')
}

/** Tokens of every launch platform under one of its tags. */
export async function platformTokens(part: string, signal: AbortSignal): Promise<TokenRow[]> {
  const platforms = await launchPlatforms(signal)
  const asked = platforms.map((word) =>
    rest.platformTokens({ tag: `${word}_${part}`, limit: 100 }, { signal }),
  )
  return (await Promise.all(asked)).flat()
}

async function trendingTokens(chain: string, signal: AbortSignal): Promise<TokenRow[]> {
  const rows: TokenRow[] = []
  for (let page = 0; page >= 0 && rows.length < rowsMax; ) {
    const params = { chain, page_size: pageSize, current_page: page }
    const { tokens, next_page: next } = await rest.trending(params, { signal })
    rows.push(...tokens)
    page = next
  }
  return rows
}

export async function loadMarkets(
  list: AskedList,
  chain: string | null,
  signal: AbortSignal,
): Promise<readonly TokenRow[]> {
  if (list === 'hot' && chain !== null) return trendingTokens(chain, signal)
  const rows =
    list === 'almost'
      ? await platformTokens('in_almost', signal)
      : await rest.ranks({ topic: list, limit: rowsMax }, { signal })
  return chain === null ? rows : rows.filter((row) => row.chain === chain)
}
