import type { SwapTxs } from '@chaintape/protocol'
import type { StoredSwap } from '../../../store/read/history.ts'
import { type Clock, chainNowS, type GatewayChain } from '../../chain/gatewayChain.ts'
import {
  appendRecentRows,
  type PageRange,
  recentLiquidity,
  recentSwaps,
} from '../../chain/recentRows.ts'
import { readConsistent, type StoreReads } from '../../chain/storeReads.ts'
import { readWalletSwaps } from '../../chain/walletSwaps.ts'
import { RequestError } from '../../ground/errors.ts'
import { arraySchema, componentRef } from '../../ground/schemas.ts'
import {
  fromTimeInput,
  optionalTextInput,
  optionalTimeInput,
  orderInput,
  pairIdInput,
  requiredChainInput,
  requiredTextInput,
  rowLimitInput,
  timeRangeOf,
  toTimeInput,
  wordInput,
} from '../../inputs/inputs.ts'
import { liquidityKinds, liquidityTxRow, swapTxRow } from '../../rows/txRows.ts'
import { defineOperation, type OperationAnswer } from '../operation.ts'
import { canonicalAddress } from '../wallets/walletInputs.ts'

/** Inputs common to the lists of a pair's transactions. */
const txsInputs = {
  limit: rowLimitInput({ description: 'Maximum number of transactions.', default: 100, max: 300 }),
  fromTime: fromTimeInput,
  toTime: toTimeInput,
  sort: orderInput({
    name: 'sort',
    description: 'Order by time.',
    words: ['asc', 'desc'],
    default: 'asc',
  }),
}

type TxsPage = {
  range: PageRange
  /** True when transactions are read newest first but shown oldest first. */
  isReversed: boolean
}

type TxsQuery = {
  limit: number
  fromTime: number | null
  toTime: number | null
  sort: 'asc' | 'desc'
}

export function txsPageOf(chain: GatewayChain, clock: Clock, query: TxsQuery): TxsPage {
  const { fromTime: from, toTime: to, sort, limit } = query
  const isReversed = sort === 'asc' && from === null
  const range = timeRangeOf(from, to, chainNowS(chain, clock))
  return { range: { ...range, limit, order: isReversed ? 'desc' : sort }, isReversed }
}

/** Builds the answer of a transaction list. Null rows mean that the pair is unknown. */
function txsAnswer(
  chain: GatewayChain,
  address: string,
  { range, isReversed }: TxsPage,
  rows: readonly object[] | null,
): OperationAnswer {
  const txs = isReversed ? [...(rows ?? [])].reverse() : (rows ?? [])
  const json = JSON.stringify({
    txs,
    total_count: txs.length,
    to_time: range.toS,
    limit: range.limit,
    pair_id: `${address}-${chain.profile.name}`,
  } satisfies Omit<SwapTxs, 'txs'> & { txs: readonly object[] })
  return rows === null ? { json, msg: 'SUCCESS: pair not found' } : { json }
}

/** Creates the operation for swaps of a pair, which existing clients use under two paths. */
function swapTxsOn(path: string, id: string, aliasOf?: string) {
  return defineOperation({
    id,
    ...(aliasOf === undefined ? {} : { aliasOf }),
    method: 'GET',
    path,
    cost: 50,
    tag: 'transactions',
    summary: 'Swaps of a pair',
    description:
      'By time. With `sort=asc` and `from_time` the answer has the oldest `limit` rows of the range, so that the next page starts where it ends; otherwise the newest.',
    inputs: { pair: pairIdInput, ...txsInputs },
    answer: componentRef('SwapTxs'),
    async run({ pair: { chain, address }, body: _, ...query }, { store, clock, rows: { record } }) {
      const page = txsPageOf(chain, clock, query)
      const toRow = (swap: StoredSwap) => swapTxRow(chain, swap, record)
      const rows = await readPairSwaps(store, { chain, address, range: page.range, toRow })
      return txsAnswer(chain, address, page, rows)
    },
  })
}

export const swapTxs = swapTxsOn('/v2/txs/swap/{pair-id}', 'swapTxs')
export const pairTxs = swapTxsOn('/v2/txs/{pair-id}', 'pairTxs', 'swapTxs')

/** GET /v2/txs/liq/{pair-id}: liquidity changes of a pair. */
export const liquidityTxs = defineOperation({
  id: 'liquidityTxs',
  method: 'GET',
  path: '/v2/txs/liq/{pair-id}',
  cost: 50,
  tag: 'transactions',
  summary: 'Liquidity changes of a pair',
  description: 'Paged like swaps.',
  inputs: {
    pair: pairIdInput,
    ...txsInputs,
    type: wordInput({
      name: 'type',
      description: 'Only changes of this type.',
      words: ['all', 'addLiquidity', 'removeLiquidity', 'createPair', 'collectFee'],
      default: 'all',
    }),
  },
  answer: componentRef('LiquidityTxs'),
  async run(
    { pair: { chain, address }, type, body: _, ...query },
    { store, clock, rows: { record } },
  ) {
    const page = txsPageOf(chain, clock, query)
    const pairId = chain.reads.findPair(address)
    if (pairId === undefined) return txsAnswer(chain, address, page, null)
    const kind = type === 'all' ? null : liquidityKinds[type]
    const ofKind = kind === null ? {} : { kinds: [kind] }
    const chainId = chain.storeId
    const rows = await readConsistent(
      chain,
      (blockMax) => store.loadLiquidity({ chainId, pairId, blockMax, ...page.range, ...ofKind }),
      (stored, blocks) => {
        if (chain.reads.findPair(address) !== pairId) return []
        const recent = recentLiquidity(
          blocks,
          ({ liquidity }) =>
            liquidity.pairId === pairId && (kind === null || liquidity.kind === kind),
        )
        return appendRecentRows(stored, recent, page.range).map((row) =>
          liquidityTxRow(chain, row, record),
        )
      },
    )
    return txsAnswer(chain, address, page, rows)
  },
})

/** GET /v2/txs/detail: swaps of an account, or of one of its transactions. */
export const txDetail = defineOperation({
  id: 'txDetail',
  method: 'GET',
  path: '/v2/txs/detail',
  cost: 10,
  tag: 'transactions',
  summary: 'Swaps of an account',
  description:
    'In trusted pools, newest first. `tx_hash` returns the swaps of one transaction, in any pool.',
  inputs: {
    chain: requiredChainInput,
    account: requiredTextInput({
      name: 'account_address',
      description: 'Account that signed the transactions.',
    }),
    txHash: optionalTextInput({ name: 'tx_hash', description: 'Only swaps of this transaction.' }),
    startFrom: optionalTimeInput('start_from', 'First second of the range, unix time.'),
    endAt: optionalTimeInput('end_at', 'Last second of the range, unix time. Default: now.'),
    limit: rowLimitInput({ description: 'Maximum number of swaps.', default: 100, max: 300 }),
  },
  answer: arraySchema(componentRef('SwapTx')),
  async run({ chain, account, txHash, startFrom, endAt, limit }, { store, clock, rows }) {
    const wallet = canonicalAddress(chain, account, 'account_address')
    const range = timeRangeOf(startFrom, endAt, chainNowS(chain, clock), {
      from: 'start_from',
      to: 'end_at',
    })
    const swaps = await readWalletSwaps(store, {
      chain,
      wallet,
      ...range,
      limit,
      txHash: hashOf(chain, txHash),
      token: null,
      before: null,
      toRow: (swap) => swapTxRow(chain, swap, rows.record),
    })
    return { json: JSON.stringify(swaps) }
  },
})

/** Parses a transaction hash to the chain's canonical spelling. */
function hashOf({ ids }: GatewayChain, text: string | null): string | null {
  if (text === null) return null
  const hash = ids.transaction(text)
  if (hash === null)
    throw new RequestError('invalid_param', 'tx_hash is not a transaction hash.', 'tx_hash')
  return hash
}

type PairSwaps<row> = {
  chain: GatewayChain
  /** Canonical address of the pair. */
  address: string
  range: PageRange
  /** Converts swaps to rows. Called synchronously, before the next block can change the market. */
  toRow(swap: StoredSwap): row
}

/** Returns swaps of a pair, including swaps that are not stored yet. Null: unknown pair. */
async function readPairSwaps<row>(
  store: Pick<StoreReads, 'loadSwaps'>,
  { chain, address, range, toRow }: PairSwaps<row>,
): Promise<row[] | null> {
  const pairId = chain.reads.findPair(address)
  if (pairId === undefined) return null
  return await readConsistent(
    chain,
    (blockMax) => store.loadSwaps({ chainId: chain.storeId, pairId, blockMax, ...range }),
    (stored, blocks) => {
      if (chain.reads.findPair(address) !== pairId) return []
      const recent = recentSwaps(blocks, ({ swap }) => swap.pairId === pairId)
      return appendRecentRows(stored, recent, range).map(toRow)
    },
  )
}
