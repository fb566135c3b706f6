import { type Hex, keccak256, toRlp } from 'viem'

/** The parts of a block's head, as RPC tells them. */
export type RpcHeader = Record<(typeof fields)[number], Hex>

/** As they are hashed, in this order: numbers without leading zeros, the rest byte by byte. */
const fields = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'extraData',
  'mixHash',
  'nonce',
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
] as const

const numbers: ReadonlySet<string> = new Set([
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'baseFeePerGas',
  'blobGasUsed',
  'excessBlobGas',
])

/** Hash of a block since the Prague fork. */
export function blockHashOf(header: RpcHeader): Hex {
  return keccak256(toRlp(fields.map((field) => encode(header[field], numbers.has(field)))))
}

function encode(value: Hex, isNumber: boolean): Hex {
  if (!isNumber) return value
  const digits = value.slice(2).replace(/^0+/, '')
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}
