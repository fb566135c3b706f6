import { toHex } from 'viem'

type Place = { number: number; hash: string; parentHash: string; timeS: number; logsBloom: string }

export const zeros = (bytes: number) => `0x${'00'.repeat(bytes)}`

/** Header of a made-up block. Its hash does not match its content. */
export function syntheticHeader({ number, hash, parentHash, timeS, logsBloom }: Place) {
  return {
    number: toHex(number),
    hash,
    timestamp: toHex(timeS),
    parentHash,
    logsBloom,
    miner: zeros(20),
    extraData: '0x',
    nonce: zeros(8),
    stateRoot: hash,
    receiptsRoot: hash,
    transactionsRoot: hash,
    sha3Uncles: hash,
    gasLimit: '0x1',
    gasUsed: '0x1',
    difficulty: '0x0',
    mixHash: hash,
    baseFeePerGas: '0x1',
  }
}
