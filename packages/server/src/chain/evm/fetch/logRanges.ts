import type { RangeLimit } from '../../rpc/dialect.ts'

// Ranges named by the node ([from, to], both included), then limits in words, then complaints without a number.
const suggestedRange =
  /(?:block range(?: should work)?:?|retry with(?: the)? range)\s*\[?\s*(0x[\da-f]+|\d+)\s*(?:,|-|to)\s*(0x[\da-f]+|\d+)/i

const namedLimits: readonly RegExp[] = [
  /limited to (?:a )?([\d,._]*\dk?)[\s-]*(?:block|range)/i,
  /limited to \d+\s*-\s*([\d,._]*\dk?) blocks/i,
  /max(?:imum)?(?: allowed)?(?: block)? range(?: is| exceeded| of|:| =)*\s*:?\s*([\d,._]*\dk?)/i,
  /range (?:of )?[\d,._]+ (?:exceeds?|is (?:bigger|greater|larger) than)[^\d]*([\d,._]*\dk?)/i,
  /blocks distance(?: is|:)*\s*([\d,._]*\dk?)/i,
  /maximum (?:of|allowed is) ([\d,._]*\dk?) blocks/i,
  /at most ([\d,._]*\dk?) blocks/i,
  /(?:block )?range (?:is )?(?:greater|larger|more|bigger) than ([\d,._]*\dk?)/i,
  /(?:up to|over|more than|exceeds?(?: the)?(?: limit of| maximum of)?) (?:a )?([\d,._]*\dk?)[\s-]*block(?:s|\b)/i,
  /maximum (?:allowed )?(?:number of )?(?:requested )?blocks(?: distance)?(?: is|:)?\s*([\d,._]*\dk?)/i,
  /maximum is set to ([\d,._]*\dk?)/i,
  /(?:block range|range)[^\d]{1,40}(?:limit|max|maximum|exceed)[^\d]{1,20}([\d,._]*\dk?)/i,
  /([\d,._]*\dk?)[\s-]*block(?:s)? (?:range )?(?:limit|max)/i,
]

const complaints: readonly RegExp[] = [
  /query returned more than/i,
  /more than [\d,._]*\dk? (?:results|logs)/i,
  /(?:response|result|payload)(?: size| set)? (?:is |was )?(?:too (?:big|large)|exceed)/i,
  /(?:exceeds?|exceeded) max(?:imum)? (?:results|block range|response|limit)/i,
  /too many (?:results|logs|blocks)/i,
  /(?:results|logs|events) (?:matched by query )?exceeds?/i,
  /(?:block )?range (?:is )?(?:too (?:large|wide|big)|exceeds?|exceeded|limit)/i,
  /(?:range|query) (?:is )?too (?:large|wide|big|broad)/i,
  /max(?:imum)? block range/i,
  /query timeout exceeded|query timed out|timeout.*(?:smaller|reduce).*range/i,
  /(?:reduce|narrow|smaller|shorter)[^.]*(?:range|number of blocks)/i,
  /^limit exceeded$/i,
  /log response size exceeded/i,
]

/** Reads a node's error to eth_getLogs; null when it is not about the size of the range. */
export function parseRangeLimit(message: string): RangeLimit | null {
  const suggested = suggestedRange.exec(message)
  if (suggested) {
    const blocks = Number(suggested[2]) - Number(suggested[1]) + 1
    return { blocksMax: blocks >= 1 ? blocks : undefined, isFixed: false }
  }
  // "daily limit", "rate limit", "per second" complain about us, not about the range.
  if (
    /\brate\b|rate.?limit|per second|per minute|too many requests|requests per|daily|quota|credits|compute units/i.test(
      message,
    )
  )
    return null
  for (const pattern of namedLimits) {
    const blocks = parseCount(pattern.exec(message)?.[1])
    if (blocks !== null) return { blocksMax: blocks, isFixed: true }
  }
  return complaints.some((pattern) => pattern.test(message))
    ? { blocksMax: undefined, isFixed: false }
    : null
}

function parseCount(text: string | undefined): number | null {
  if (text === undefined) return null
  const count = Number.parseInt(text.replace(/[,._]/g, ''), 10) * (/k$/i.test(text) ? 1_000 : 1)
  return count >= 1 ? count : null
}

export type LogRangeOptions = {
  /** Blocks in the first request. */
  blocks: number
  /** Never more than this, however well it goes. */
  blocksMax: number
}

/** How many blocks to ask for in one eth_getLogs. Follows what the nodes bear. */
export type LogRange = {
  blocks(): number
  onAnswer(askedBlocks: number): void
  onTooLarge(askedBlocks: number, suggestedBlocksMax: number | undefined): void
}

// Grows back slower than it shrinks, so that a size at the edge fails once in about eight requests.
const growth = 1.1
const shrink = 0.5

export function createLogRange(options: LogRangeOptions): LogRange {
  let blocks = Math.min(options.blocks, options.blocksMax)
  return {
    blocks: () => Math.max(1, Math.floor(blocks)),
    onAnswer(askedBlocks) {
      // A short last request says nothing about a full one.
      if (askedBlocks < Math.floor(blocks)) return
      blocks = Math.min(options.blocksMax, Math.max(blocks * growth, blocks + 1))
    },
    onTooLarge(askedBlocks, suggestedBlocksMax) {
      // A request that was already under way when the size fell must not halve it again.
      if (askedBlocks > blocks && suggestedBlocksMax === undefined) return
      if (suggestedBlocksMax !== undefined && suggestedBlocksMax < askedBlocks) {
        blocks = Math.max(1, Math.min(blocks, suggestedBlocksMax))
        return
      }
      blocks = Math.max(1, Math.min(blocks, askedBlocks) * shrink)
    },
  }
}
