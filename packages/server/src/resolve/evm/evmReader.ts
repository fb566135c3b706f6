import {
  findCreationBlock,
  findNativeCreation,
  readCodePresence,
  timeOfHeader,
} from '../../chain/evm/calls/contractCreation.ts'
import type {
  Multicall,
  MulticallBlock,
  MulticallCall,
  MulticallOptions,
  MulticallResult,
} from '../../chain/evm/calls/multicall.ts'
import { toQuantity } from '../../chain/evm/fetch/rawBlock.ts'
import type { EvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import type { RpcCall } from '../../chain/rpc/rpcCall.ts'
import { highestNumberBefore } from '../../model/block.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import { encodeCall, readWord, selector } from '../../venues/evm/asking/callWords.ts'
import { identifyPool } from '../../venues/evm/asking/identifyPool.ts'
import { answered, type Inquiry } from '../../venues/evm/asking/inquiry.ts'
import { isAddress } from '../../venues/evm/decoding/hexWords.ts'
import { createPoolIds } from '../../venues/evm/decoding/poolIds.ts'
import type { VenueSet } from '../../venues/evm/venueSet.ts'
import { knownVenues } from '../../venues/evm/venues.ts'
import type {
  ChainReader,
  CreationQuery,
  ReadPoint,
  ReservesAnswer,
  TokenAnswer,
  TransferScanQuery,
} from '../chainReader.ts'
import { cleanBytes, cleanText } from '../cleanText.ts'
import { ScanOnOtherBranchError, TransfersRefusedError } from '../errors.ts'
import { createFirstBlockFinder, hasCode } from './findFirstBlock.ts'
import { createPastStateReader } from './pastStates.ts'
import { type LogsRange, scanTokenTransfers, type TransferLogEntry } from './transferScan.ts'

type EvmReaderOptions = {
  profile: ChainProfile
  rpc: EvmRpc
  multicall: Multicall
  /** Address of the multicall contract, which also reports native balances. */
  multicallAddress: string
  /** No token has transfers before this block. @default 0 */
  firstBlock?: number | undefined
  limits?: Partial<MetadataLimits> | undefined
  /** Venues whose pools are identified. @default all known venues */
  venues?: VenueSet | undefined
}

const metadataLimitsDefault: MetadataLimits = { nameCharsMax: 100, symbolCharsMax: 32 }

// A name of 10 kB costs about 2 million gas; ten tokens per call stay under the 50 million of
// common nodes.
const metadataCallOptions = { gasPerCallMax: 3_000_000, chunk: 40 }
// A pool answers with a few thousand gas. An unknown contract that burns gas must not fail the
// other calls.
const poolCallOptions = { gasPerCallMax: 500_000, chunk: 70 }
// A native balance costs a third of a token balance, so the wallets of a busy block fit in one
// call.
const nativeCallOptions = { chunk: 750 }

const unknownState = { reserve0: null, reserve1: null, priceRaw: null }

const metadataSelectors = [
  selector.symbol,
  selector.name,
  selector.decimals,
  selector.totalSupply,
] as const

/** Creates the ChainReader of an EVM chain, which batches many reads into one multicall. */
export function createEvmReader(options: EvmReaderOptions): ChainReader {
  const {
    profile,
    rpc,
    multicall,
    multicallAddress,
    firstBlock = 0,
    venues = knownVenues,
  } = options
  const poolIds = createPoolIds()
  const limits = { ...metadataLimitsDefault, ...options.limits }
  const firstBlockOf = createFirstBlockFinder({
    rpc,
    firstBlock,
    reorgDepthMax: profile.reorgDepthMax,
  })

  const rewindStates = createPastStateReader({ rpc, multicall })
  const callTimeless = createImmutableCall({ rpc, multicall })

  async function readTokensAt(addresses: readonly string[], block: MulticallBlock) {
    const calls = addresses.flatMap((to) => metadataSelectors.map((data) => ({ to, data })))
    const answers = await multicall.call(calls, block, metadataCallOptions)
    return addresses.map((_, i) => tokenAnswerOf(answers.slice(4 * i, 4 * i + 4), limits))
  }

  return {
    readPools(pools, at, { isExact = false, isBackground = false } = {}) {
      const callOptions = { ...poolCallOptions, isBackground }
      return performInquiries(
        pools.map((query) => identifyPool(query, venues, profile.venues)),
        (calls) =>
          isExact ? multicall.call(calls, at, callOptions) : callTimeless(calls, at, callOptions),
      )
    },
    coupleIdOf: (pool, couple) => poolIds.coupleOf(pool, couple),
    readPresence: (addresses, { hash: blockHash }) =>
      Promise.all(
        addresses.map((address) =>
          isAddress(address) ? hasCode({ rpc, address }, { blockHash }) : null,
        ),
      ),
    async readCreatedAt(query) {
      // A pool inside a vault has no contract of its own.
      if (!isAddress(query.address)) return null
      const options = { signal: query.signal, isBackground: true }
      const number = await findCreationNumber(rpc, query)
      if (number === null) return null
      const header = await rpc.request('eth_getBlockByNumber', [toQuantity(number), false], options)
      return timeOfHeader(header)
    },
    async readTokens(addresses, at, isLive) {
      try {
        return await readTokensAt(addresses, at)
      } catch (error) {
        if (isLive) throw error
        const answers = await readTokensAt(addresses, 'latest')
        return answers.map((answer) => ({ ...answer, totalSupply: null }))
      }
    },
    readTotals: (addresses, at) => readTotals(multicall, addresses, at),
    readShares: (pools, at) => readTotals(multicall, pools, at, true),
    readStates: (pools, at) =>
      performInquiries(
        pools.map((pair) => venues.find(pair.venue)?.readState?.(pair) ?? answered(unknownState)),
        (calls) => multicall.call(calls, at, poolCallOptions),
      ),
    async rewindStates(pools, at) {
      // Summing transfers takes many calls, too many for untrusted pools.
      const isRewound = pools.map(
        ({ kind, isTrusted, venue }) =>
          kind === 'concentrated' && isTrusted && venues.find(venue)?.readState !== undefined,
      )
      const asked = pools.filter((_, i) => isRewound[i])
      const addresses = asked.map(({ address }) => address)
      const states = addresses.length === 0 ? [] : await rewindStates(addresses, at)
      let next = 0
      return isRewound.map((isAsked) => (isAsked ? states[next++]! : null))
    },
    readReserves: (pools, at) => readReserves(multicall, pools, at),
    readBalances: (holdings, at) => readBalances(multicall, holdings, at),
    async readNatives(wallets, at) {
      const calls = wallets.map((wallet) => ({
        to: multicallAddress,
        data: encodeCall(selector.getEthBalance, wallet),
      }))
      return (await multicall.call(calls, at, nativeCallOptions)).map(uintOf)
    },
    async readHistory(query) {
      return await scanTokenTransfers({
        ...query,
        from: query.progress.next ?? (await firstBlockOf(query.token, query.to)),
        isWrapped: query.token === profile.native.wrappedToken,
        zeroAddress: profile.burnAddresses[0]!,
        getLogs: (range) => getTokenLogs(rpc, query, range),
      })
    },
  }
}

/**
 * Creates a call for immutable values: it reads a newer state if no node keeps the state of the
 * block.
 */
function createImmutableCall({ rpc, multicall }: Pick<EvmReaderOptions, 'rpc' | 'multicall'>) {
  /**
   * Returns the newest block by its number, or null if no node has reached `at`. Asked for
   * `latest`, a lagging node would answer from before the contract was created.
   */
  async function newestFrom(at: ReadPoint): Promise<{ number: number } | null> {
    const number = await rpc.request('eth_blockNumber', []).then(Number, () => -1)
    return number >= at.number ? { number } : null
  }

  return async (calls: readonly MulticallCall[], at: ReadPoint, callOptions: MulticallOptions) =>
    await multicall.call(calls, at, callOptions).catch(async (error: unknown) => {
      const newest = await newestFrom(at)
      if (newest === null) throw error
      return await multicall.call(calls, newest, callOptions).catch(() => {
        throw error
      })
    })
}

/**
 * Takes the block of the factory's event, else finds the code's first block if nodes have states
 * that old, else takes the first transfer.
 */
async function findCreationNumber(rpc: EvmRpc, query: CreationQuery): Promise<number | null> {
  const { address, at, firstTransfer, signal } = query
  // Bisecting takes the fewest requests; its latency does not matter in the background.
  const options = { rpc, address, signal, isBackground: true, pointsPerRound: 1 }
  const created = await findNativeCreation({ ...options, block: at })
  if (created !== null) return created.block
  if (firstTransfer === null) return await findCreationBlock({ ...options, block: at })
  if (firstTransfer === 0) return 0
  const before = { number: highestNumberBefore(firstTransfer) }
  const [hadCode] = (await readCodePresence(options, [before.number])) ?? []
  // Nearly all tokens emit their first transfer when they are created.
  if (!hadCode) return firstTransfer
  return (await findCreationBlock({ ...options, block: before })) ?? firstTransfer
}

async function getTokenLogs(
  rpc: EvmRpc,
  { token, to, signal }: TransferScanQuery,
  range: LogsRange,
): Promise<readonly TransferLogEntry[]> {
  const [fromBlock, toBlock] = [`0x${range.from.toString(16)}`, `0x${range.to.toString(16)}`]
  const filter = { address: token, topics: [range.topics0], fromBlock, toBlock }
  const calls: RpcCall[] = [{ method: 'eth_getLogs', params: [filter] }]
  // A node that is behind, or on another branch, returns fewer logs without an error.
  if (range.to === to.number)
    calls.push({ method: 'eth_getBlockByNumber', params: [toBlock, false] })
  const [logs, last] = await rpc.requestBatch(calls, { signal, isBackground: true })
  if (!logs?.ok) {
    const cause = logs?.error
    // The node has the newest block, so it is the old blocks that it lacks.
    if (cause?.kind === 'notFound' && last?.ok && hashOf(last.value) === to.hash)
      throw new TransfersRefusedError({ token, block: range.from, cause })
    throw cause ?? new ScanOnOtherBranchError({ token, block: toBlock })
  }
  if (last && (!last.ok || last.endpoint !== logs.endpoint || hashOf(last.value) !== to.hash))
    throw new ScanOnOtherBranchError({ token, block: toBlock })
  return logs.value as readonly TransferLogEntry[]
}

async function readTotals(
  multicall: Multicall,
  addresses: readonly string[],
  at: ReadPoint,
  isBackground = false,
) {
  const calls = addresses.map((to) => ({ to, data: selector.totalSupply }))
  return (await multicall.call(calls, at, { ...poolCallOptions, isBackground })).map(uintOf)
}

async function readBalances(
  multicall: Multicall,
  holdings: readonly { token: string; wallet: string }[],
  at: ReadPoint,
) {
  const calls = holdings.map(({ token, wallet }) => ({
    to: token,
    data: encodeCall(selector.balanceOf, wallet),
  }))
  const callOptions = { ...poolCallOptions, isBackground: true }
  return (await multicall.call(calls, at, callOptions)).map(uintOf)
}

async function readReserves(multicall: Multicall, pools: readonly string[], at: ReadPoint) {
  const calls = pools.map((to) => ({ to, data: selector.getReserves }))
  return (await multicall.call(calls, at, poolCallOptions)).map(reservesOf)
}

function reservesOf(answer: MulticallResult): ReservesAnswer | null {
  if (!answer.ok) return null
  const [reserve0, reserve1] = [readWord(answer.data, 0), readWord(answer.data, 1)]
  return reserve0 === undefined || reserve1 === undefined ? null : { reserve0, reserve1 }
}

function hashOf(block: unknown): unknown {
  return typeof block === 'object' && block !== null && 'hash' in block ? block.hash : undefined
}

function tokenAnswerOf(answers: readonly MulticallResult[], limits: MetadataLimits): TokenAnswer {
  const [symbol, name, decimals, totalSupply] = answers
  const metadata = readMetadata(
    { symbol: dataOf(symbol), name: dataOf(name), decimals: dataOf(decimals) },
    limits,
  )
  return { ...metadata, totalSupply: uintOf(totalSupply) }
}

function dataOf(answer: MulticallResult | undefined): string | null {
  return answer?.ok ? answer.data : null
}

function uintOf(answer: MulticallResult | undefined): bigint | null {
  return answer?.ok ? (readWord(answer.data, 0) ?? null) : null
}

type CallMany = (calls: readonly MulticallCall[]) => Promise<MulticallResult[]>

type Asking<answer> = { place: number; inquiry: Inquiry<answer> }

/**
 * Runs many multi-step inquiries at once: each round sends the calls of all of them in one request.
 * Answers are in order.
 */
export async function performInquiries<answer>(
  inquiries: readonly Inquiry<answer>[],
  callMany: CallMany,
): Promise<answer[]> {
  const answers = new Array<answer>(inquiries.length)
  let open = inquiries.map((inquiry, place): Asking<answer> => ({ place, inquiry }))
  for (;;) {
    const asking = open.flatMap(({ place, inquiry }) => {
      if ('calls' in inquiry) return { place, inquiry }
      answers[place] = inquiry.answer
      return []
    })
    if (asking.length === 0) return answers
    const results = await callMany(asking.flatMap(({ inquiry }) => inquiry.calls))
    let at = 0
    open = asking.map(({ place, inquiry: { calls, next } }) => {
      const own = results.slice(at, at + calls.length)
      at += calls.length
      return { place, inquiry: next(own.map((result) => (result.ok ? result.data : null))) }
    })
  }
}

type MetadataLimits = { nameCharsMax: number; symbolCharsMax: number }

/** Results of symbol(), name() and decimals() as 0x hex; null for a failed call. */
type MetadataAnswers = {
  symbol: string | null
  name: string | null
  decimals: string | null
}

type Metadata = { symbol: string; name: string; decimals: number; isUnreadable: boolean }

/**
 * Parses a token's metadata, whatever it answered. Without decimals(), amounts stay raw units
 * (decimals 0): a guessed number would move every price by powers of ten.
 */
export function readMetadata(answers: MetadataAnswers, limits: MetadataLimits): Metadata {
  const symbol = readText(answers.symbol, limits.symbolCharsMax)
  const name = readText(answers.name, limits.nameCharsMax)
  const decimals = answers.decimals === null ? undefined : readWord(answers.decimals, 0)
  const isScaled = decimals !== undefined && decimals <= 255n
  return {
    symbol: symbol || cleanText(name, limits.symbolCharsMax),
    name: name || symbol,
    decimals: isScaled ? Number(decimals) : 0,
    isUnreadable: !isScaled || symbol === '' || name === '',
  }
}

/** Reads an ABI string, or a bytes32 padded with zeros. Empty if the answer is neither. */
function readText(answer: string | null, charsMax: number): string {
  if (answer === null || !/^0x(?:[0-9a-f]{2})*$/i.test(answer)) return ''
  const bytes = Buffer.from(answer.slice(2), 'hex')
  if (bytes.length === 32) return cleanBytes(trimZeros(bytes), charsMax)
  const offset = readWord(answer, 0)
  if (offset === undefined || offset > BigInt(bytes.length - 32)) return ''
  const start = Number(offset) + 32
  const length = BigInt(`0x${bytes.subarray(start - 32, start).toString('hex')}`)
  // A length beyond the end of the data is wrong; all remaining bytes are taken.
  const end = length > BigInt(bytes.length - start) ? bytes.length : start + Number(length)
  return cleanBytes(bytes.subarray(start, end), charsMax)
}

function trimZeros(bytes: Uint8Array): Uint8Array {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  return bytes.subarray(0, end)
}
