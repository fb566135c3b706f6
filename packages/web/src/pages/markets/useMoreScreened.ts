import { useEffect, useRef, useState } from 'preact/hooks'
import { rest } from '../../data/tape.ts'
import { type MarketRow, rowOfPair, rowOfToken } from './marketRow.ts'
import type { ChainFilter } from './useScreened.ts'

type Pages = {
  rows: readonly MarketRow[]
  /** Cursor of the next page; null before the first, empty after the last. */
  cursor: string | null
}

const none: Pages = { rows: [], cursor: null }

async function askPage(filter: ChainFilter, chain: string | null, cursor: string) {
  const place = { ...(chain && { chain }), ...(cursor && { cursor }) }
  if (filter.of === 'pairs') {
    const { of: _, ...params } = filter
    const page = await rest.screenerPairs({ ...params, ...place })
    return { rows: page.pairs.map(rowOfPair), cursor: page.next_cursor }
  }
  const { of: _, ...params } = filter
  const page = await rest.screener({ ...params, ...place })
  return { rows: page.tokens.map(rowOfToken), cursor: page.next_cursor }
}

/** Rows of a filter beyond the pushed ones, one page at a time. */
export function useMoreScreened(filter: ChainFilter, chain: string | null) {
  const name = `${chain} ${JSON.stringify(filter)}`
  const [held, hold] = useState({ name, pages: none })
  const asking = useRef<string | null>(null)
  useEffect(
    () => () => {
      asking.current = null
    },
    [name],
  )
  const pages = held.name === name ? held.pages : none

  const more = async () => {
    if (asking.current !== null || pages.cursor === '') return
    asking.current = name
    try {
      const page = await askPage(filter, chain, pages.cursor ?? '')
      // The pushed rows are the first page.
      const next =
        pages.cursor === null && page.cursor !== ''
          ? await askPage(filter, chain, page.cursor)
          : page
      if (asking.current === name)
        hold({ name, pages: { rows: [...pages.rows, ...next.rows], cursor: next.cursor } })
    } catch {
      // The next scroll asks again.
    }
    if (asking.current === name) asking.current = null
  }
  return { rows: pages.rows, isMore: pages.cursor !== '', more }
}
