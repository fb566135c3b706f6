import { setImmediate as yieldLoop } from 'node:timers/promises'
import type { Pool } from 'pg'
import { decodeEntry } from '../../log/entryCodec.ts'
import type { BlockRef } from '../../model/block.ts'
import type { FinishedBlock } from '../../model/finishedBlock.ts'
import { isNewPair, type PairNews } from '../../model/pairNews.ts'
import { type RefRow, refColumns, refOf } from './log.ts'
import { loadLaunches } from './records.ts'

export type NewsQuery = {
  chainId: number
  /** First block; none behind it is older than its time. */
  from: { number: number; timeS: number }
  /** Only blocks behind the first one. */
  isExclusive: boolean
  /** Last block, inclusive. */
  toNumber: number
  /** Blocks looked at. */
  limit: number
  /** desc: entries that must be decoded to know are left out. */
  order: 'asc' | 'desc'
}

type BlockNews = { ref: BlockRef; news: readonly PairNews[] }

/** `reached`: the block up to which all is there, if there may be more behind it. */
type NewsPage = { blocks: BlockNews[]; reached: BlockRef | null }

type NewsRow = RefRow & { seq: number; news: number[] | null }

// Entries of a busy chain are some 100 kB and take a millisecond each to decode: a page of them stays within a tenth of
// a second and some megabytes.
const decodedPerPage = 64
const decodedPerRead = 16

/** Pairs that were created or graduated, by block. Blocks that were reverted are left out. */
export async function loadNews(pool: Pool, query: NewsQuery): Promise<NewsPage> {
  const { chainId, from, isExclusive, toNumber, limit, order } = query
  // The inner query stays one look by number: as a join it could become a scan of the whole log.
  const { rows } = await pool.query<NewsRow>({
    name: `load-news-${order}`,
    text: `SELECT seq, news, ${refColumns} FROM log c
           WHERE chain = $1 AND time_s >= $2 AND number >= $3 AND (number > $3 OR NOT $6)
             AND number <= $4
             AND type = 'commit' AND news IS DISTINCT FROM '{}'
             ${order === 'asc' ? '' : 'AND news IS NOT NULL'}
             AND 0 = (SELECT count(*) FROM log r
                      WHERE r.chain = $1 AND r.number = c.number AND r.seq > c.seq AND r.type = 'revert')
           ORDER BY number ${order} LIMIT $5`,
    values: [chainId, from.timeS, from.number, toNumber, limit, isExclusive],
  })
  const unread = rows.filter(({ news }) => news === null)
  const last = unread.length > decodedPerPage ? unread[decodedPerPage - 1]! : rows.at(-1)
  const page = last === undefined ? [] : rows.slice(0, rows.indexOf(last) + 1)
  const decoded = await decodeNews(pool, chainId, unread.slice(0, decodedPerPage))
  const isMore = page.length < rows.length || rows.length === limit
  return {
    blocks: page
      .map((row) => ({
        ref: refOf(row),
        news: row.news === null ? (decoded.get(row.seq) ?? []) : newsOfCodes(row.news),
      }))
      .filter(({ news }) => news.length > 0),
    reached: isMore && last !== undefined ? refOf(last) : null,
  }
}

/** From the entries themselves, by sequence. */
async function decodeNews(
  pool: Pool,
  chainId: number,
  rows: readonly NewsRow[],
): Promise<Map<number, PairNews[]>> {
  const news = new Map<number, PairNews[]>()
  for (let at = 0; at < rows.length; at += decodedPerRead) {
    const seqs = rows.slice(at, at + decodedPerRead).map(({ seq }) => seq)
    const { rows: entries } = await pool.query<{ seq: number; entry: Buffer }>({
      name: 'load-news-entries',
      text: 'SELECT seq, entry FROM log WHERE chain = $1 AND seq = ANY($2::bigint[])',
      values: [chainId, seqs],
    })
    for (const { seq, entry: bytes } of entries) {
      const entry = decodeEntry(bytes)
      if (entry.type === 'commit') news.set(seq, await newsOfBlock(pool, chainId, entry.block))
      await yieldLoop()
    }
  }
  return news
}

/** A graduation counts once per token: for the block that the token's launch state is of. */
async function newsOfBlock(
  pool: Pool,
  chainId: number,
  { ref, pairs, events }: FinishedBlock,
): Promise<PairNews[]> {
  const created = pairs
    .filter(isNewPair)
    .map(({ id }): PairNews => ({ event: 'created', pairId: id }))
  const graduations = events.filter((event) => event.type === 'graduation')
  if (graduations.length === 0) return created
  const ids = graduations.map(({ tokenId }) => tokenId)
  const launches = await loadLaunches(pool, chainId, ids)
  const left = new Map(
    launches
      .filter(({ state, blockNumber }) => state === 'graduated' && blockNumber === ref.number)
      .map(({ tokenId, pairId }) => [tokenId, pairId]),
  )
  const graduated = graduations.flatMap(({ tokenId }): PairNews[] => {
    const pairId = left.get(tokenId)
    left.delete(tokenId)
    return pairId === undefined ? [] : [{ event: 'graduated', pairId }]
  })
  return [...created, ...graduated]
}

/** News as the log's column has it: the id of a created pair as it is, that of a graduated one below zero. */
export function newsCodesOf(news: readonly PairNews[]): number[] {
  return news.map(({ event, pairId }) => (event === 'created' ? pairId : -1 - pairId))
}

function newsOfCodes(codes: readonly number[]): PairNews[] {
  return codes.map((code) =>
    code >= 0 ? { event: 'created', pairId: code } : { event: 'graduated', pairId: -1 - code },
  )
}
