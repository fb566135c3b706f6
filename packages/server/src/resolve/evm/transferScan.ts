import { RpcError, type RpcErrorKind } from '../../chain/errors.ts'
import { createLogRange } from '../../chain/evm/fetch/rangeLogs.ts'
import { lowestNumberAfter } from '../../model/block.ts'
import { readAddressTopic, readWord } from '../../venues/evm/asking/callWords.ts'
import { addTransfer, type TransferScanQuery, type TransferSums } from '../chainReader.ts'
import { TransfersRefusedError } from '../errors.ts'

export type TransferLogEntry = { topics: readonly string[]; data: string; blockNumber: string }

/** Blocks from `from` to `to`, inclusive. */
export type LogsRange = { topics0: readonly string[]; from: number; to: number }

export type TransferScanOptions = TransferScanQuery & {
  /** First block, inclusive. */
  from: number
  /** The token mints and burns by Deposit and Withdrawal events, as WETH9 does. */
  isWrapped: boolean
  zeroAddress: string
  /** One eth_getLogs request for the token; rejects with an RpcError. */
  getLogs: (range: LogsRange) => Promise<readonly TransferLogEntry[]>
}

export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const depositTopic = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
const withdrawalTopic = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'

// Most tokens are young: the first request should cover their whole life.
const rangeBlocks = 5_000
const rangeBlocksMax = 200_000

// Errors after which a smaller range may succeed; providers report this limit in many ways.
export const rangeErrorKinds: ReadonlySet<RpcErrorKind> = new Set([
  'rangeTooLarge',
  'logsRefused',
  'responseTooLarge',
  'timeout',
  'refused',
  'failed',
  'malformed',
])
const permanentErrorKinds: ReadonlySet<RpcErrorKind> = new Set([
  'rangeTooLarge',
  'responseTooLarge',
  'refused',
  'unknownMethod',
  'forbidden',
])
// Errors that may be accidental once; repeated in a row, they are the nodes' final answer for these
// blocks.
const ambiguousErrorKinds: ReadonlySet<RpcErrorKind> = new Set([
  'logsRefused',
  'failed',
  'malformed',
  'notFound',
])
const refusalsMax = 3

/**
 * Sums a token's transfers, oldest first, in ranges as large as the nodes accept. Null if there are
 * too many.
 */
export async function scanTokenTransfers(
  options: TransferScanOptions,
): Promise<TransferSums | null> {
  const { getLogs, isWrapped, signal, logsMax, walletsMax, onProgress, progress } = options
  const topics0 = isWrapped ? [transferTopic, depositTopic, withdrawalTopic] : [transferTopic]
  const range = createLogRange({ blocks: rangeBlocks, blocksMax: rangeBlocksMax })
  const { sums } = progress
  for (let from = progress.next ?? options.from; from <= options.to.number; ) {
    signal.throwIfAborted()
    const to = Math.min(from + range.blocks() - 1, options.to.number)
    const asked = to - from + 1
    let logs: readonly TransferLogEntry[]
    try {
      logs = await getLogs({ topics0, from, to })
    } catch (error) {
      progress.refusals += 1
      if (!(error instanceof RpcError)) throw error
      if (asked === 1 || !rangeErrorKinds.has(error.kind)) throw failureOf(error, options, from, to)
      range.onTooLarge(asked, error.rangeBlocksMax)
      continue
    }
    range.onAnswer(asked)
    progress.refusals = 0
    for (const log of logs) addLog(sums, log, options.zeroAddress)
    from = to + 1
    progress.next = from
    if (sums.logCount > logsMax || sums.balances.size > walletsMax) return null
    await onProgress(sums.logCount)
  }
  // Without earlier transfers, the token starts with the block that discovered it.
  sums.firstBlock ??= lowestNumberAfter(options.to.number)
  return sums
}

/** Returns the error itself if a retry may succeed soon, else a HistoryRefusedError. */
function failureOf(error: RpcError, options: TransferScanOptions, from: number, to: number): Error {
  const { token, progress } = options
  // A node that is behind does not know the newest block yet.
  const isBehind = error.kind === 'notFound' && to === options.to.number
  const isDoubtful = ambiguousErrorKinds.has(error.kind) && !isBehind
  const isLasting =
    permanentErrorKinds.has(error.kind) || (isDoubtful && progress.refusals >= refusalsMax)
  return isLasting ? new TransfersRefusedError({ token, block: from, cause: error }) : error
}

function addLog(
  sums: TransferSums,
  { topics, data, blockNumber }: TransferLogEntry,
  zeroAddress: string,
): void {
  const amount = readWord(data, 0)
  if (amount === undefined) return
  const [topic0, topic1, topic2] = topics
  const first = readAddressTopic(topic1)
  if (first === undefined) return
  const wallet = first === zeroAddress ? null : first
  sums.logCount++
  sums.firstBlock ??= Number(blockNumber)
  if (topics.length === 3 && topic0 === transferTopic) {
    // ERC-721 transfers have the same event with four topics, and are skipped.
    const to = readAddressTopic(topic2)
    if (to !== undefined) addTransfer(sums, wallet, to === zeroAddress ? null : to, amount)
  } else if (topics.length === 2) {
    if (topic0 === depositTopic) addTransfer(sums, null, wallet, amount)
    else if (topic0 === withdrawalTopic) addTransfer(sums, wallet, null, amount)
  }
}
