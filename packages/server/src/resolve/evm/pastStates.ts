import { RpcError } from '../../chain/errors.ts'
import type { Multicall } from '../../chain/evm/calls/multicall.ts'
import { createLogRange, type LogRange } from '../../chain/evm/fetch/rangeLogs.ts'
import { toQuantity } from '../../chain/evm/fetch/rawBlock.ts'
import type { EvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import type { RpcCall, RpcResult } from '../../chain/rpc/rpcCall.ts'
import { blockNumberBelow } from '../../model/block.ts'
import type { PoolStateAnswer } from '../../model/pool.ts'
import {
  encodeCall,
  readAddressTopic,
  readAddressWord,
  readWord,
  selector,
} from '../../venues/evm/asking/callWords.ts'
import type { ReadPoint } from '../chainReader.ts'
import { ScanOnOtherBranchError } from '../errors.ts'
import { rangeErrorKinds, type TransferLogEntry, transferTopic } from './transferScan.ts'

type PastStateOptions = {
  rpc: EvmRpc
  multicall: Multicall
}

type TransferLog = TransferLogEntry & { address: string }

type Side = { token: string; now: bigint }
type Sides = readonly [Side, Side]

/**
 * Net change of a balance after the requested block: up to the proof block, whose state a node
 * still has and which confirms the sum, and from there to the head.
 */
type BalanceMoves = { early: bigint; late: bigint }

/**
 * Distance from the head to the block whose state proves that a token's transfers add up to its
 * balances. Nodes without old state keep 128 blocks or more. A token that rebases or takes a fee is
 * detected if it does so within these blocks.
 */
const proofBlocks = 64
/** Pools per request: nodes limit the addresses of a log filter. */
const poolsMax = 50
/** After more transfers than this, the pools of a request stay unknown. */
const logsMax = 10_000_000
const rangeBlocks = 5_000
const rangeBlocksMax = 200_000
const poolCallOptions = { gasPerCallMax: 500_000, chunk: 70 }

/**
 * Computes pool holdings at a block whose state no node keeps: token balances at the head, less the
 * transfers since. Null if a token's transfers do not add up to its balances, or if there are too
 * many.
 */
export function createPastStateReader({ rpc, multicall }: PastStateOptions) {
  const range = createLogRange({ blocks: rangeBlocks, blocksMax: rangeBlocksMax })

  async function rewindSome(
    pools: readonly string[],
    at: ReadPoint,
    head: ReadPoint,
  ): Promise<(PoolStateAnswer | null)[]> {
    const proof = { number: blockNumberBelow(head.number, proofBlocks) }
    const sides = await readSides(multicall, pools, head)
    const holdings = pools.flatMap((pool, i) =>
      (sides[i] ?? []).map(({ token, now }) => ({ token, pool, now })),
    )
    const proofs = await readBalances(multicall, holdings, proof)
    const query = { pools, tokens: [...new Set(holdings.map(({ token }) => token))] }
    const moves = new Map<string, BalanceMoves>()
    for (const { token, pool } of holdings) moves.set(keyOf(token, pool), { early: 0n, late: 0n })
    if (moves.size === 0) return pools.map(() => null)
    const isRead = await readBalanceMoves({
      rpc,
      range,
      ...query,
      after: at.number,
      head,
      moves,
      proof,
    })
    const before = new Map<string, bigint | null>()
    for (const [i, { token, pool, now }] of holdings.entries()) {
      const key = keyOf(token, pool)
      const { early, late } = moves.get(key)!
      const isProved = isRead && proofs[i] === now - late
      const amount = now - late - early
      before.set(key, isProved && amount >= 0n ? amount : null)
    }
    return pools.map((pool, i) => {
      const [reserve0 = null, reserve1 = null] = (sides[i] ?? []).map(({ token }) =>
        before.get(keyOf(token, pool)),
      )
      return reserve0 === null || reserve1 === null ? null : { reserve0, reserve1, priceRaw: null }
    })
  }

  return async function rewindStates(
    pools: readonly string[],
    at: ReadPoint,
  ): Promise<(PoolStateAnswer | null)[]> {
    const head = await readHead(rpc)
    if (at.number >= blockNumberBelow(head.number, proofBlocks)) return pools.map(() => null)
    const states: (PoolStateAnswer | null)[] = []
    for (let from = 0; from < pools.length; from += poolsMax)
      states.push(...(await rewindSome(pools.slice(from, from + poolsMax), at, head)))
    return states
  }
}

const keyOf = (token: string, pool: string) => `${token} ${pool}`

async function readHead(rpc: EvmRpc): Promise<ReadPoint> {
  const block = await rpc.request('eth_getBlockByNumber', ['latest', false])
  const { number, hash } = block as { number: string; hash: string }
  return { number: Number(number), hash }
}

/**
 * Reads tokens and balances of pools; null for one that does not answer like a pool of two tokens.
 */
async function readSides(
  multicall: Multicall,
  pools: readonly string[],
  head: ReadPoint,
): Promise<(Sides | null)[]> {
  const calls = pools.flatMap((to) => [
    { to, data: selector.token0 },
    { to, data: selector.token1 },
  ])
  const tokens = (await multicall.call(calls, head, poolCallOptions)).map((answer) =>
    answer.ok ? readAddressWord(answer.data, 0) : undefined,
  )
  const holdings = pools.flatMap((pool, i) =>
    [tokens[2 * i], tokens[2 * i + 1]].map((token) => ({ token: token ?? pool, pool })),
  )
  const balances = await readBalances(multicall, holdings, head)
  return pools.map((_, i) => {
    const [token0, token1] = [tokens[2 * i], tokens[2 * i + 1]]
    const [now0 = null, now1 = null] = [balances[2 * i], balances[2 * i + 1]]
    if (token0 === undefined || token1 === undefined || now0 === null || now1 === null) return null
    return [
      { token: token0, now: now0 },
      { token: token1, now: now1 },
    ]
  })
}

async function readBalances(
  multicall: Multicall,
  holdings: readonly { token: string; pool: string }[],
  at: ReadPoint | { number: number },
): Promise<(bigint | null)[]> {
  const calls = holdings.map(({ token, pool }) => ({
    to: token,
    data: encodeCall(selector.balanceOf, pool),
  }))
  const answers = await multicall.call(calls, at, poolCallOptions)
  return answers.map((answer) => (answer.ok ? (readWord(answer.data, 0) ?? null) : null))
}

type BalanceMovesQuery = {
  rpc: EvmRpc
  range: LogRange
  pools: readonly string[]
  tokens: readonly string[]
  after: number
  head: ReadPoint
  proof: { number: number }
  moves: ReadonlyMap<string, BalanceMoves>
}

/**
 * Sums transfers to and from the pools, in ranges as large as the nodes accept. Returns false if
 * there are too many.
 */
async function readBalanceMoves(query: BalanceMovesQuery): Promise<boolean> {
  const { range, after, head, proof, moves } = query
  let logCount = 0
  for (let from = after + 1; from <= head.number; ) {
    const to = Math.min(from + range.blocks() - 1, head.number)
    const asked = to - from + 1
    let given: readonly TransferLog[]
    let taken: readonly TransferLog[]
    try {
      ;[given, taken] = await readTransfers(query, from, to)
    } catch (error) {
      if (!(error instanceof RpcError) || asked === 1 || !rangeErrorKinds.has(error.kind))
        throw error
      range.onTooLarge(asked, error.rangeBlocksMax)
      continue
    }
    range.onAnswer(asked)
    for (const log of given) add(moves, log, 2, 1n, proof.number)
    for (const log of taken) add(moves, log, 1, -1n, proof.number)
    logCount += given.length + taken.length
    if (logCount > logsMax) return false
    from = to + 1
  }
  return true
}

function add(
  moves: ReadonlyMap<string, BalanceMoves>,
  { address, topics, data, blockNumber }: TransferLog,
  poolTopic: 1 | 2,
  sign: 1n | -1n,
  proofNumber: number,
): void {
  const pool = readAddressTopic(topics[poolTopic])
  const amount = readWord(data, 0)
  // ERC-721 transfers have the same event, with four topics.
  if (topics.length !== 3 || pool === undefined || amount === undefined) return
  const move = moves.get(keyOf(address.toLowerCase(), pool))
  if (move === undefined) return
  if (Number(blockNumber) > proofNumber) move.late += sign * amount
  else move.early += sign * amount
}

/** Returns transfers to the pools, and transfers from them. */
async function readTransfers(
  { rpc, pools, tokens, head }: BalanceMovesQuery,
  from: number,
  to: number,
): Promise<[readonly TransferLog[], readonly TransferLog[]]> {
  const [fromBlock, toBlock] = [toQuantity(from), toQuantity(to)]
  const topics = pools.map((pool) => encodeCall('0x', pool))
  const calls: RpcCall[] = [
    [transferTopic, null, topics],
    [transferTopic, topics],
  ].map((filter) => ({
    method: 'eth_getLogs',
    params: [{ address: tokens, topics: filter, fromBlock, toBlock }],
  }))
  // A node that is behind, or on another branch, returns fewer logs without an error.
  const isLast = to === head.number
  if (isLast) calls.push({ method: 'eth_getBlockByNumber', params: [toBlock, false] })
  const results = await rpc.requestBatch(calls)
  const failed = results.find((result) => !result.ok)
  if (failed?.ok === false) throw failed.error
  const [given, taken, last] = results as Extract<RpcResult, { ok: true }>[]
  const isTorn =
    isLast &&
    ((last!.value as { hash?: unknown } | null)?.hash !== head.hash ||
      results.some(({ endpoint }) => endpoint !== last!.endpoint))
  if (isTorn) throw new ScanOnOtherBranchError({ token: tokens.join(), block: toBlock })
  return [given!.value, taken!.value] as [TransferLog[], TransferLog[]]
}
