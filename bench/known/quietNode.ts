// The node of an inactive chain, in a separate process: an empty block a second after the stored
// one. `quietNode.ts NUMBER TIME`: the stored block and its unix seconds.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toHex } from 'viem'
import { syntheticHeader, zeros } from '../syntheticHeader.ts'
import { hashOf } from './market.ts'

type Call = { id: number; method: string; params: [] }

const [storedNumber, storedS] = process.argv.slice(2).map(Number) as [number, number]
const headNumber = () => storedNumber + Math.floor(Date.now() / 1_000) - storedS
const numberOf = (word: string) => (word.startsWith('0x') ? Number(word) : headNumber())

function blockOf(number: number): object | null {
  if (number > headNumber()) return null
  const header = syntheticHeader({
    number,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timeS: storedS + number - storedNumber,
    logsBloom: zeros(256),
  })
  return { ...header, uncles: [], size: '0x1', transactions: [] }
}

const methods: Record<string, (...params: never[]) => unknown> = {
  eth_chainId: () => '0x7e58',
  net_version: () => '32344',
  web3_clientVersion: () => 'quiet/1',
  eth_blockNumber: () => toHex(headNumber()),
  eth_getBlockByNumber: (word: string) => blockOf(numberOf(word)),
  eth_getBlockByHash: (hash: string) => blockOf(Number(hash) - 1),
  eth_getLogs: () => [],
  eth_getBlockReceipts: () => [],
  eth_getCode: () => '0x60',
}

function answer({ id, method, params }: Call): object {
  const perform = methods[method]
  if (perform === undefined)
    return { jsonrpc: '2.0', id, error: { code: -32601, message: `no ${method} here` } }
  return { jsonrpc: '2.0', id, result: perform(...params) }
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const asked = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[]
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)))
})
process.on('disconnect', () => process.exit(0))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ rpcUrl: `http://127.0.0.1:${port}` })
})
