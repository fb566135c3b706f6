import {
  createPublicClient,
  type Hex,
  http,
  numberToHex,
  type PublicClient,
  parseAbi,
  type RpcBlock,
  type RpcLog,
} from 'viem'

/** Addresses, topics and hashes are lower-case hex. */
export type ChainLog = {
  address: string
  topics: readonly string[]
  data: string
  logIndex: number
  txHash: string
  /** Signer of the transaction. */
  sender: string
}

export type ChainBlock = { number: number; hash: string; timeS: number; logs: ChainLog[] }

/**
 * All input of the oracle: blocks with their logs from the first to the head, and token decimals.
 */
export type Chain = { blocks: readonly ChainBlock[]; decimals: ReadonlyMap<string, number> }

export type ReadChainOptions = {
  rpcUrl: string
  multicall3: string
  /** Last block, included. @default the newest */
  headNumber?: number | undefined
}

/** Blocks per eth_getLogs request. */
const chunkBlocks = 200

export function createClient(rpcUrl: string): PublicClient {
  return createPublicClient({ transport: http(rpcUrl, { batch: { batchSize: 50 } }) })
}

export async function readChain(options: ReadChainOptions): Promise<Chain> {
  const client = createClient(options.rpcUrl)
  const headNumber = options.headNumber ?? Number(await client.getBlockNumber({ cacheTime: 0 }))
  const blocks: ChainBlock[] = []
  for (let from = 0; from <= headNumber; from += chunkBlocks)
    blocks.push(...(await readRange(client, from, Math.min(from + chunkBlocks - 1, headNumber))))
  const emitters = new Set(blocks.flatMap(({ logs }) => logs.map(({ address }) => address)))
  const decimals = await readDecimals(client, [...emitters], headNumber, options.multicall3)
  return { blocks, decimals }
}

async function readRange(client: PublicClient, from: number, to: number): Promise<ChainBlock[]> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => numberToHex(from + index))
  const [logs, rpcBlocks] = await Promise.all([
    client.request({
      method: 'eth_getLogs',
      params: [{ fromBlock: numberToHex(from), toBlock: numberToHex(to) }],
    }),
    Promise.all(
      numbers.map((number) =>
        client.request({ method: 'eth_getBlockByNumber', params: [number, true] }),
      ),
    ),
  ])
  return rpcBlocks.map((block) => {
    if (block === null) throw new Error('The node does not have a block below its head.')
    const own = logs.filter(({ blockHash }) => blockHash === block.hash)
    return blockOf(block as RpcBlock<'latest', true>, own)
  })
}

function blockOf(block: RpcBlock<'latest', true>, logs: readonly RpcLog[]): ChainBlock {
  const senders = new Map<string, string>(block.transactions.map(({ hash, from }) => [hash, from]))
  return {
    number: Number(block.number),
    hash: block.hash ?? '',
    timeS: Number(block.timestamp),
    logs: logs
      .map((log) => ({
        address: log.address.toLowerCase(),
        topics: log.topics.map((topic) => topic.toLowerCase()),
        data: log.data.toLowerCase(),
        logIndex: Number(log.logIndex),
        txHash: log.transactionHash ?? '',
        sender: senderOf(senders, log.transactionHash),
      }))
      .toSorted((a, b) => a.logIndex - b.logIndex),
  }
}

function senderOf(senders: ReadonlyMap<string, string>, txHash: string | null): string {
  const sender = senders.get(txHash ?? '')
  if (sender === undefined) throw new Error(`The block of transaction ${txHash} does not have it.`)
  return sender.toLowerCase()
}

const decimalsAbi = parseAbi(['function decimals() view returns (uint256)'])

/** Decimals of the contracts that answer like a token. */
async function readDecimals(
  client: PublicClient,
  addresses: readonly string[],
  headNumber: number,
  multicall3: string,
): Promise<Map<string, number>> {
  const answers = await client.multicall({
    contracts: addresses.map(
      (address) =>
        ({ address: address as Hex, abi: decimalsAbi, functionName: 'decimals' }) as const,
    ),
    multicallAddress: multicall3 as Hex,
    blockNumber: BigInt(headNumber),
    batchSize: 4_096,
  })
  const decimals = new Map<string, number>()
  answers.forEach(({ status, result }, index) => {
    if (status === 'success' && result <= 255n) decimals.set(addresses[index]!, Number(result))
  })
  return decimals
}
