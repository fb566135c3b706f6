import type { RpcErrorKind } from '../../errors.ts'
import type { RangeLimit, Refusal, RpcFailure } from '../../rpc/rpcCall.ts'

// Providers use different error codes, so the text decides. The first matching row wins.
const messageKinds: readonly (readonly [RegExp, RpcErrorKind])[] = [
  [
    /too many requests|rate.?limit|request count exceeded|exceeded its (throughput|compute)|compute units|capacity exceeded|usage limit|credits|quota|throttl|per second/i,
    'rateLimited',
  ],
  [/batch/i, 'batchRefused'],
  [
    /(method|endpoint).*(not (found|supported|available|exist|allowed|whitelisted|enabled)|does not exist|unsupported|disabled)|unsupported method|unknown method/i,
    'unknownMethod',
  ],
  // A healthy node that keeps recent state only; another node may have the old state.
  [
    /archive|world state unavailable|historical state|unknown state|first available state/i,
    'notFound',
  ],
  [/unauthori[sz]ed|forbidden|api.?key|not whitelisted|access denied/i, 'forbidden'],
  [
    /header (for hash )?not found|unknown block|block not found|missing trie node|could not find block|does not exist|not.*available|after last accepted block|beyond (current )?head|out ?of ?range|invalid block tag|not currently canonical|pruned|no state/i,
    'notFound',
  ],
  [/timeout|timed out|deadline exceeded/i, 'timeout'],
]

// Errors for a request format that the node does not support, such as a block by its hash.
const formWords =
  /unmarshal|deserializ|did not match any|parse error|(invalid|missing|too many|wrong number of) (arg|param|value|type)/i

// Errors of nodes that return logs of single contracts only, not of all.
const addressWords =
  /(specify|provide|include|contain|require|need)s? (an?|the|at least one|contract)? ?(contract )?address|address(es)? (filter )?(is|are|must be) (required|specified)/i
// Errors about ranges or plans are not about a missing block, although they say "not available",
// unless the second pattern also matches.
const planWords = /\branges?\b|\bplan\b|\btier\b/i
const headWords = /beyond|\bhead\b|after last|out of range|prun|archive/i

// Codes that always mean a revert (EIP-1474's successors, Parity and its descendants).
const revertCodes: ReadonlySet<number> = new Set([3, -32_015])
// Codes for failed execution and many other errors: geth and besu, reth, hardhat and anvil.
const executionCodes: ReadonlySet<number> = new Set([-32_000, -32_003, -32_603])
const revertWords =
  /execution reverted|transaction reverted|vm (exception|execution error)|evm error|invalid (opcode|jump)|stack (over|under)flow|stack limit/i
// Other ways the EVM halts. Only whole messages match: within a longer text the same words may be
// about the node.
const haltMessages =
  /^(return data out of bounds|gas uint64 overflow|write protection|max call depth exceeded|invalid code: must not begin with 0xef|precompile \S+ failed|execution error: \w+)$/i
// Out of gas, either the given amount or the node's limit: a part of the same request may succeed.
const gasWords =
  /out ?of ?gas|gas required exceeds|gas (limit|cap|allowance)[^.]*(exceed|too (high|large))|exceeds?[^.]* gas (limit|cap|allowance)/i

const codeKinds: Readonly<Record<number, RpcErrorKind>> = {
  [-32601]: 'unknownMethod',
  [-32004]: 'unknownMethod',
  [-32005]: 'rateLimited',
  [-32029]: 'rateLimited',
  429: 'rateLimited',
  [-32602]: 'refused',
  [-32600]: 'refused',
  [-32700]: 'refused',
  [-32001]: 'notFound',
}

const statusKinds: Readonly<Record<number, RpcErrorKind>> = {
  401: 'forbidden',
  402: 'forbidden',
  403: 'forbidden',
  408: 'timeout',
  413: 'batchRefused',
  429: 'rateLimited',
  504: 'timeout',
}

/** Classifies a failure by the node's code, text and HTTP status. */
export function classifyRpcError(failure: RpcFailure): Refusal {
  const { method, code, message, data, httpStatus } = failure
  const isLogs = method === 'eth_getLogs'
  if (isLogs) {
    if (addressWords.test(message)) return { kind: 'addressNeeded', range: undefined }
    const limit = parseRangeLimit(data === undefined ? message : `${message} ${data}`)
    if (limit !== null) return { kind: 'rangeTooLarge', range: limit }
  }
  const isCall = method === 'eth_call'
  const kind =
    (isCall ? callKind(failure) : undefined) ??
    messageKinds.find(([pattern]) => pattern.test(message))?.[1] ??
    (code === undefined ? undefined : codeKinds[code]) ??
    (httpStatus === undefined ? undefined : statusKinds[httpStatus]) ??
    (isCall && formWords.test(message) ? 'refused' : 'failed')
  const isRefusal = isLogs && isLogsRefusal(kind, failure)
  return { kind: isRefusal ? 'logsRefused' : kind, range: undefined }
}

/**
 * Providers use ever new words for too many blocks or logs, so any unrecognized error of
 * eth_getLogs counts as that.
 */
function isLogsRefusal(kind: RpcErrorKind, { code, message }: RpcFailure): boolean {
  if (kind === 'notFound') return planWords.test(message) && !headWords.test(message)
  return kind === 'refused' || (kind === 'failed' && (code !== undefined || message !== ''))
}

/**
 * Returns how a contract's code ended, if the node reports it; undefined if the call did not finish
 * because of the node. Only errors known to be caused by the contract count; all others are
 * retried.
 */
function callKind({ code, message }: RpcFailure): RpcErrorKind | undefined {
  if (code === undefined) return undefined
  if (revertCodes.has(code)) return 'reverted'
  if (!executionCodes.has(code)) return undefined
  if (gasWords.test(message)) return 'outOfGas'
  return revertWords.test(message) || haltMessages.test(message) ? 'reverted' : undefined
}

// Patterns of range limits: ranges suggested by the node ([from, to], inclusive), then limits in
// words, then errors without a number.
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

/** Parses the range limit of an eth_getLogs error; null if the error is not about the range. */
export function parseRangeLimit(message: string): RangeLimit | null {
  const suggested = suggestedRange.exec(message)
  if (suggested) {
    const blocks = Number(suggested[2]) - Number(suggested[1]) + 1
    return { blocksMax: blocks >= 1 ? blocks : undefined, isFixed: false }
  }
  // "daily limit", "rate limit" and "per second" are about the caller's rate, not about the range.
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
