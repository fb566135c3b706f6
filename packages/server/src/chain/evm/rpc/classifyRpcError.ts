import type { RpcErrorKind } from '../../errors.ts'
import type { RangeLimit, Refusal, RpcFailure } from '../../rpc/rpcCall.ts'

// Providers agree on no code, so their words decide; the first row that matches wins.
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
  // Asked of a node that keeps only new state: another one may have it, and this one is well.
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

// The answer of a node to a question in a form that it does not know, such as a block by its hash.
const formWords =
  /unmarshal|deserializ|did not match any|parse error|(invalid|missing|too many|wrong number of) (arg|param|value|type)/i

// Logs of one contract are given, those of all are not.
const addressWords =
  /(specify|provide|include|contain|require|need)s? (an?|the|at least one|contract)? ?(contract )?address|address(es)? (filter )?(is|are|must be) (required|specified)/i
// A block that is not there is not what these speak of, though they say "not available"; and what would be about one.
const planWords = /\branges?\b|\bplan\b|\btier\b/i
const headWords = /beyond|\bhead\b|after last|out of range|prun|archive/i

// These codes mean nothing else (EIP-1474's successors, and Parity's with its descendants).
const revertCodes: ReadonlySet<number> = new Set([3, -32_015])
// Under these codes nodes report how code ended, and much else: geth and besu, reth, hardhat and anvil.
const executionCodes: ReadonlySet<number> = new Set([-32_000, -32_003, -32_603])
const revertWords =
  /execution reverted|transaction reverted|vm (exception|execution error)|evm error|invalid (opcode|jump)|stack (over|under)flow|stack limit/i
// The EVM's other ends. Whole messages: within a longer one the same words may be about the node.
const haltMessages =
  /^(return data out of bounds|gas uint64 overflow|write protection|max call depth exceeded|invalid code: must not begin with 0xef|precompile \S+ failed|execution error: \w+)$/i
// The gas that was given, or all that the node gives: a part of the same question may be answered.
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

/** What a failure means for us, from the node's code, words and HTTP status. */
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

/** Providers find ever new words for too many blocks or logs: whatever is not known to be about something else is that. */
function isLogsRefusal(kind: RpcErrorKind, { code, message }: RpcFailure): boolean {
  if (kind === 'notFound') return planWords.test(message) && !headWords.test(message)
  return kind === 'refused' || (kind === 'failed' && (code !== undefined || message !== ''))
}

/**
 * How the code of a contract ended, where the node says so; undefined: the call did not come to an end, for whatever
 * reason of the node. Only what is known to be the contract's doing is taken for it: everything else is asked again.
 */
function callKind({ code, message }: RpcFailure): RpcErrorKind | undefined {
  if (code === undefined) return undefined
  if (revertCodes.has(code)) return 'reverted'
  if (!executionCodes.has(code)) return undefined
  if (gasWords.test(message)) return 'outOfGas'
  return revertWords.test(message) || haltMessages.test(message) ? 'reverted' : undefined
}

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
