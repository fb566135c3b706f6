import { createMulticall } from '../../packages/server/src/chain/evm/calls/multicall.ts'
import { createEvmRpc } from '../../packages/server/src/chain/evm/rpc/evmRpc.ts'
import { decodeEvmBlock } from '../../packages/server/src/decode/evm/decodeEvmBlock.ts'
import { managersOf } from '../../packages/server/src/kinds/evm/evmIntake.ts'
import { createLedger, type LedgerResult } from '../../packages/server/src/ledger/ledger.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type { EvmBlock, EvmLog } from '../../packages/server/src/model/evm/evmBlock.ts'
import type { LateFacts } from '../../packages/server/src/model/logEntry.ts'
import type { PairRecord } from '../../packages/server/src/model/pair.ts'
import type { TokenRecord, TokenSupply } from '../../packages/server/src/model/token.ts'
import { createEvmReader } from '../../packages/server/src/resolve/evm/evmReader.ts'
import type { RecordReader } from '../../packages/server/src/resolve/records/recordCache.ts'
import { Resolver } from '../../packages/server/src/resolve/resolver.ts'
import { resolverLimitsDefault } from '../../packages/server/src/resolve/resolverOptions.ts'
import { knownVenues } from '../../packages/server/src/venues/evm/venues.ts'
import type { DevNode } from './devNode.ts'

const logger = createLogger('silent')

/** Rows that the store would have for the blocks of the canonical chain. */
export type MemoryRows = {
  tokens: Map<string, TokenRecord>
  pairs: Map<string, PairRecord>
  /** By "<token id> <wallet>". */
  balances: Map<string, bigint>
  supplies: Map<number, TokenSupply>
}

export type MemoryPipeline = {
  rows: MemoryRows
  /** Blocks of the canonical chain, oldest first. */
  results: LedgerResult[]
  late: LateFacts[]
  resolver: Resolver
  ledger: ReturnType<typeof createLedger>
  /** Follows the node to its head: reverts replaced blocks, then applies new ones. */
  follow(options: { isLive: boolean }): Promise<void>
  /** Forgets everything except the rows, like a restarted process. */
  restart(): void
  close(): void
}

/** The profile may have venues that the node's own market lacks. */
type PipelineNode = Pick<DevNode, 'request' | 'readHead' | 'rpcUrl'> & {
  profile: ChainProfile & { multicall3: string }
}

export type MemoryPipelineOptions = {
  node: PipelineNode
  startBlock?: number
  balancesMax?: number
  recordsMax?: number
  budgetMs?: number
  /** How long a block may wait for the transfers of its new tokens. @default as in production */
  transferScanWaitMs?: number
  /** Node that facts are read from; blocks come from `node`. @default `node` */
  readerUrl?: string
  transferScanLogsMax?: number
}

/** Turns a node's blocks into finished blocks, with a store of plain maps. */
export function createMemoryPipeline(options: MemoryPipelineOptions): MemoryPipeline {
  const { node, startBlock = 0, balancesMax = 1_000_000, recordsMax = 100_000 } = options
  const { profile } = node
  const { rpc, reader } = openReader({ ...node, rpcUrl: options.readerUrl ?? node.rpcUrl })
  const rows: MemoryRows = {
    tokens: new Map(),
    pairs: new Map(),
    balances: new Map(),
    supplies: new Map(),
  }
  const results: LedgerResult[] = []
  const wrappedTokens = new Set([profile.native.wrappedToken])
  const managers = managersOf(profile, knownVenues)

  function openResolver() {
    const limits = {
      pairsMax: recordsMax,
      tokensMax: recordsMax,
      budgetMs: options.budgetMs ?? 60_000,
      transferScanWaitMs: options.transferScanWaitMs ?? resolverLimitsDefault.transferScanWaitMs,
      transferScanLogsMax: options.transferScanLogsMax ?? resolverLimitsDefault.transferScanLogsMax,
    }
    return new Resolver({
      profile,
      reader,
      records: recordsOf(rows),
      nextTokenId: rows.tokens.size,
      nextPairId: rows.pairs.size,
      openQuestions: { unknownPools: unknownPools(rows, results) },
      limits,
      logger,
    })
  }

  function openLedger() {
    return createLedger({
      profile,
      balances: {
        loadBalances: async (keys) =>
          keys.map(({ tokenId, wallet }) => rows.balances.get(`${tokenId} ${wallet}`) ?? 0n),
        loadSupplies: async (tokenIds) => tokenIds.flatMap((id) => rows.supplies.get(id) ?? []),
      },
      math: knownVenues.find,
      limits: { balancesMax, suppliesMax: balancesMax, budgetMs: 60_000 },
      logger,
    })
  }

  const pipeline: MemoryPipeline = {
    rows,
    results,
    late: [],
    resolver: openResolver(),
    ledger: openLedger(),
    async follow({ isLive }) {
      await dropOrphans(node, pipeline)
      const { number: head } = await node.readHead()
      const next = (pipeline.results.at(-1)?.block.ref.number ?? startBlock - 1) + 1
      for (let number = next; number <= head; number++) {
        const decoded = decodeEvmBlock(await readBlock(node, number), { wrappedTokens, managers })
        const resolved = await pipeline.resolver.resolve(decoded, { receivedMs: 0, isLive })
        const result = await pipeline.ledger.apply(resolved)
        pipeline.results.push(result)
        writeRows(rows, result)
        pipeline.late.push(...pipeline.resolver.takeLateFacts())
        pipeline.resolver.onPersisted(number)
        pipeline.ledger.persisted(number)
      }
    },
    restart() {
      pipeline.resolver.close()
      pipeline.resolver = openResolver()
      pipeline.ledger = openLedger()
    },
    close() {
      pipeline.resolver.close()
      rpc.close()
    },
  }
  return pipeline
}

export function recordsOf({ pairs, tokens }: MemoryRows): RecordReader {
  return {
    findPairs: async (addresses) => addresses.flatMap((address) => pairs.get(address) ?? []),
    findCouples: async (pools) =>
      [...pairs.values()].filter(({ pool }) => pool !== null && pools.includes(pool)),
    listPairs: async ({ kind, afterId, limit }) =>
      [...pairs.values()]
        .filter((pair) => pair.kind === kind && pair.id > afterId)
        .sort((a, b) => a.id - b.id)
        .slice(0, limit),
    findTokens: async (addresses) => addresses.flatMap((address) => tokens.get(address) ?? []),
  }
}

/** Concentrated pools whose reserves no block has reported. */
function unknownPools({ pairs }: MemoryRows, results: readonly LedgerResult[]): PairRecord[] {
  const toldIds = new Set<number>()
  for (const { block } of results)
    for (const event of block.events)
      if ('reserve0' in event && event.reserve0 + event.reserve1 > 0n) toldIds.add(event.pairId)
  return [...pairs.values()].filter(({ kind, id }) => kind === 'concentrated' && !toldIds.has(id))
}

/** Pools whose reserves this block was the first to report. */
export function firstReportedPools({ pairs }: MemoryRows, { undo }: LedgerResult): PairRecord[] {
  const told = undo.pools.filter(({ wasUnknown }) => wasUnknown).map(({ pairId }) => pairId)
  return [...pairs.values()].filter(({ id }) => told.includes(id))
}

function openReader({ profile, rpcUrl }: Pick<PipelineNode, 'profile' | 'rpcUrl'>) {
  const rpc = createEvmRpc({
    endpoints: [{ httpUrl: rpcUrl }],
    timeoutMs: 10_000,
    hedgeAfterMs: 5_000,
    batchSizeMax: 50,
    logger,
  })
  const multicallAddress = profile.multicall3
  const multicall = createMulticall({ rpc, address: multicallAddress })
  return { rpc, reader: createEvmReader({ profile, rpc, multicall, multicallAddress }) }
}

async function dropOrphans(
  node: PipelineNode,
  { rows, results, resolver, ledger }: MemoryPipeline,
) {
  for (;;) {
    const result = results.at(-1)
    if (!result) return
    const { ref } = result.block
    const block = (await node.request('eth_getBlockByNumber', [hexOf(ref.number), false])) as {
      hash: string
    } | null
    if (block?.hash === ref.hash) return
    results.pop()
    ledger.revert(ref, result.undo)
    const answeredQuestions = { unknownPools: firstReportedPools(rows, result) }
    resolver.revert(ref, { ...result.block, answeredQuestions })
    revertRows(rows, result)
  }
}

export function writeRows(rows: MemoryRows, { block, changes }: LedgerResult): void {
  for (const token of block.tokens) rows.tokens.set(token.address, token)
  for (const pair of block.pairs) rows.pairs.set(pair.address, pair)
  for (const { tokenId, wallet, after } of changes) rows.balances.set(`${tokenId} ${wallet}`, after)
  for (const supply of block.supplies) rows.supplies.set(supply.tokenId, supply)
}

export function revertRows(rows: MemoryRows, { block, changes, undo }: LedgerResult): void {
  for (const { tokenId, wallet, before } of changes)
    rows.balances.set(`${tokenId} ${wallet}`, before)
  for (const { before, after } of undo.supplies) {
    if (before) rows.supplies.set(before.tokenId, before)
    else rows.supplies.delete(after.tokenId)
  }
  for (const { address } of block.tokens) rows.tokens.delete(address)
  for (const { address } of block.pairs) rows.pairs.delete(address)
}

/** A block of the node, read without optimizations. */
async function readBlock(node: PipelineNode, number: number): Promise<EvmBlock> {
  const block = (await node.request('eth_getBlockByNumber', [hexOf(number), true])) as {
    hash: string
    parentHash: string
    timestamp: string
    transactions: { hash: string; from: string }[]
  }
  const logs = (await node.request('eth_getLogs', [{ blockHash: block.hash }])) as (Omit<
    EvmLog,
    'logIndex'
  > & { logIndex: string })[]
  return {
    ref: {
      number,
      hash: block.hash,
      timeS: Number(block.timestamp),
      parentNumber: number - 1,
      parentHash: block.parentHash,
    },
    logs: logs.map((log) => {
      const { topics, data, transactionHash } = log
      const address = log.address.toLowerCase()
      return { address, topics, data, transactionHash, logIndex: Number(log.logIndex) }
    }),
    senders: new Map(block.transactions.map(({ hash, from }) => [hash, from.toLowerCase()])),
  }
}

function hexOf(number: number): string {
  return `0x${number.toString(16)}`
}
