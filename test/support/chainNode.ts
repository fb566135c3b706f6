import { createRequire } from 'node:module'
import { toFunctionSelector } from 'viem'
import { loadMulticall3 } from '../../packages/devnet/src/contracts/artifacts.ts'
import { createProvider, type Request } from '../../packages/devnet/src/node/provider.ts'
import { openRpcServer } from '../../packages/devnet/src/node/rpcServer.ts'
import type { EvmBlock, EvmLog } from '../../packages/server/src/model/evm/evmBlock.ts'

const weth = createRequire(import.meta.url)('@uniswap/v2-periphery/build/WETH9.json') as {
  bytecode: string
}

const genesisS = 1_700_000_000
// Hardhat's published test accounts; worthless on any real chain.
const privateKeys = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
] as const

export const depositTopic = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Topics that tests index. The contract also emits approvals, which must be ignored. */
export const indexedTopics = [depositTopic, transferTopic]

/** A real node with one contract that emits logs. Blocks are mined by the test. */
export type ChainNode = {
  rpcUrl: string
  wsUrl: string
  token: string
  request: Request
  /**
   * Mines blocks. `actions` gives the number of deposits, transfers and approvals of each block.
   */
  mine(blocks: number, actions: (block: number) => number): Promise<void>
  /** Reverts the newest blocks; the caller mines the other branch. */
  dropBlocks(count: number): Promise<void>
  headNumber(): Promise<number>
  /** The canonical chain, read block by block without optimizations. */
  readAll(from: number): Promise<EvmBlock[]>
  close(): Promise<void>
}

type RawLog = Record<'address' | 'data' | 'logIndex' | 'transactionHash', string> & {
  topics: string[]
}
type RawBlock = Record<'number' | 'hash' | 'parentHash' | 'timestamp', string> & {
  transactions: { hash: string; from: string }[]
}

export async function startChainNode(): Promise<ChainNode> {
  const provider = await createProvider({ chainId: 31_337, genesisS, privateKeys })
  const { request } = provider
  const server = await openRpcServer({ host: '127.0.0.1', port: 0, provider, request })
  const accounts = (await request('eth_accounts')) as string[]
  const token = await deploy(request, accounts[0]!, weth.bytecode)
  /** One snapshot before each block, so that any recent block can be reverted. */
  const snapshots: string[] = []
  let nonce = 0
  let timeS = genesisS + 100

  async function act(): Promise<void> {
    nonce += 1
    const from = accounts[nonce % accounts.length]!
    const to = accounts[(nonce + 1) % accounts.length]!
    const amount = (1 + (nonce % 7)).toString(16).padStart(64, '0')
    const address = to.slice(2).padStart(64, '0')
    const calls = [
      { data: toFunctionSelector('deposit()'), value: `0x${(1000 + nonce).toString(16)}` },
      { data: `${toFunctionSelector('transfer(address,uint256)')}${address}${amount}` },
      { data: `${toFunctionSelector('approve(address,uint256)')}${address}${amount}` },
    ]
    const gas = { gas: '0x186a0', maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
    await request('eth_sendTransaction', [{ from, to: token, ...gas, ...calls[nonce % 3]! }])
  }

  return {
    rpcUrl: server.rpcUrl,
    wsUrl: server.wsUrl,
    token,
    request,
    async mine(blocks, actions) {
      for (let block = 0; block < blocks; block += 1) {
        snapshots.push((await request('evm_snapshot')) as string)
        for (let left = actions(block); left > 0; left -= 1) await act()
        timeS += 2
        await request('evm_mine', [timeS])
      }
    },
    async dropBlocks(count) {
      const [snapshot] = snapshots.splice(snapshots.length - count)
      if ((await request('evm_revert', [snapshot])) !== true) throw new Error('No such snapshot')
      // Another time changes the hashes even if the transactions are the same.
      timeS += 1
    },
    headNumber: async () => Number(await request('eth_blockNumber')),
    async readAll(from) {
      const head = Number(await request('eth_blockNumber'))
      const blocks: EvmBlock[] = []
      for (let number = from; number <= head; number += 1)
        blocks.push(await readBlock(request, number))
      return blocks
    },
    close: server.close,
  }
}

async function readBlock(request: Request, number: number): Promise<EvmBlock> {
  const tag = `0x${number.toString(16)}`
  const block = (await request('eth_getBlockByNumber', [tag, true])) as RawBlock
  const raw = (await request('eth_getLogs', [{ fromBlock: tag, toBlock: tag }])) as RawLog[]
  const logs: EvmLog[] = raw
    .filter(({ topics }) => indexedTopics.includes(topics[0]!))
    .map(({ address, topics, data, logIndex, transactionHash }) => ({
      address,
      topics,
      data,
      logIndex: Number(logIndex),
      transactionHash,
    }))
  const signed = block.transactions.map(({ hash, from }) => [hash, from] as const)
  const senders = new Map(
    signed.filter(([hash]) => logs.some(({ transactionHash }) => transactionHash === hash)),
  )
  const { hash, parentHash, timestamp } = block
  const ref = { number, hash, parentNumber: number - 1, parentHash, timeS: Number(timestamp) }
  return { ref, logs, senders }
}

async function deploy(request: Request, from: string, bytecode: string): Promise<string> {
  const data = bytecode.startsWith('0x') ? bytecode : `0x${bytecode}`
  const hash = await request('eth_sendTransaction', [{ from, data, gas: '0x4c4b40' }])
  await request('evm_mine')
  const receipt = await request('eth_getTransactionReceipt', [hash])
  return (receipt as { contractAddress: string }).contractAddress
}

/** Deploys Multicall3 on a node. */
export async function deployMulticall(node: ChainNode): Promise<string> {
  const [from] = (await node.request('eth_accounts')) as string[]
  return deploy(node.request, from!, loadMulticall3().bytecode)
}
