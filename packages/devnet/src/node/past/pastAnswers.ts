import type { Archive, PastBlock, RpcLog } from './archive.ts'

type LogFilter = {
  fromBlock?: string
  toBlock?: string
  blockHash?: string
  address?: string | readonly string[]
  topics?: readonly (string | readonly string[] | null)[]
}

// Their first parameter names a block.
const blockMethods =
  /^eth_get(BlockBy(Number|Hash)|BlockTransactionCountBy\w+|TransactionByBlock\w+AndIndex)$/

// These ask for the state after a block; which parameter names it.
const stateParams: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  debug_traceCall: 1,
}

/** What can be said of a chain's blocks up to one of them, from the archive. */
export type Past = {
  /** Of blocks and transactions. Undefined: it is about something newer. */
  answer(method: string, params: readonly unknown[]): { answer: unknown } | undefined
  /** The block whose state a request wants, if it is one of these. */
  stateNumber(method: string, params: readonly unknown[]): number | undefined
  /** The part of `eth_getLogs` that is here, and what is left to ask, if anything. */
  logs(filter: unknown): { logs: RpcLog[]; rest: LogFilter | undefined }
}

export function createPast(archive: Archive, last: number): Past {
  const upToLast = (number: number | undefined) =>
    number !== undefined && number <= last ? number : undefined

  /** Of a block named by number, hash or tag. */
  function numberOf(tag: unknown): number | undefined {
    if (typeof tag === 'object' && tag !== null) {
      const { blockHash, blockNumber } = tag as { blockHash?: string; blockNumber?: string }
      return numberOf(blockHash ?? blockNumber)
    }
    if (tag === 'earliest') return 0
    if (typeof tag !== 'string' || !tag.startsWith('0x')) return undefined
    return upToLast(tag.length === 66 ? archive.numberOfBlock(tag) : Number(tag))
  }

  function answerOfTransaction(method: string, hash: string) {
    const number = upToLast(archive.numberOfTransaction(hash))
    if (number === undefined) return undefined
    const { block, receipts } = archive.read(number)!
    const index = block.transactions.findIndex((transaction) => transaction.hash === hash)
    return { answer: (method.endsWith('Receipt') ? receipts : block.transactions)[index] }
  }

  function logsOf(from: number, to: number, filter: LogFilter): RpcLog[] {
    const found: RpcLog[] = []
    for (let number = from; number <= to; number += 1)
      for (const { logs } of archive.read(number)!.receipts)
        found.push(...logs.filter((log) => isWanted(log, filter)))
    return found
  }

  return {
    answer(method, params) {
      if (method === 'eth_getTransactionByHash' || method === 'eth_getTransactionReceipt')
        return answerOfTransaction(method, `${params[0]}`)
      const number = blockMethods.test(method) ? numberOf(params[0]) : undefined
      if (number === undefined) return undefined
      return { answer: tell(archive.read(number)!, method, params) }
    },
    stateNumber(method, params) {
      const param = stateParams[method]
      return param === undefined ? undefined : numberOf(params[param])
    },
    logs(given) {
      const filter = (given ?? {}) as LogFilter
      const { blockHash, fromBlock, toBlock } = filter
      const from = numberOf(blockHash ?? fromBlock)
      if (from === undefined) return { logs: [], rest: filter }
      const to = numberOf(blockHash ?? toBlock)
      const logs = logsOf(from, to ?? last, filter)
      const rest = { ...filter, fromBlock: `0x${(last + 1).toString(16)}` }
      return { logs, rest: to === undefined ? rest : undefined }
    },
  }
}

function tell({ block }: PastBlock, method: string, params: readonly unknown[]): unknown {
  const { transactions } = block
  if (method.includes('TransactionCount')) return `0x${transactions.length.toString(16)}`
  if (method.endsWith('AndIndex')) return transactions[Number(params[1])] ?? null
  return params[1] === true
    ? block
    : { ...block, transactions: transactions.map(({ hash }) => hash) }
}

function isWanted(log: RpcLog, { address, topics = [] }: LogFilter): boolean {
  const isOf = (value: string, wanted: string | readonly string[]) =>
    [wanted].flat().some((one) => one.toLowerCase() === value)
  if (address !== undefined && address.length > 0 && !isOf(log.address.toLowerCase(), address))
    return false
  if (topics.length > log.topics.length) return false
  return topics.every((wanted, index) => wanted === null || isOf(log.topics[index]!, wanted))
}
